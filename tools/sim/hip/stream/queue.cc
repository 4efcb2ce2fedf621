// SPDX-License-Identifier: MIT
#include "tools/sim/hip/stream/queue.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/sim/check/finding.h"
#include "tools/sim/check/settings.h"
#include "tools/sim/hip/graph/event.h"
#include "tools/sim/hip/graph/graph.h"
#include "tools/sim/hip/memory/allocations.h"
#include "tools/sim/hip/module/module.h"
#include "tools/sim/hip/stream/stream.h"

namespace gridwise::sim {

/// An operation on a stream.
struct QueuedOperation {
  enum class State { kWaiting, kRunning, kDone };

  uint64_t number = 0;  // tells what comes first
  Device* device = nullptr;
  Operation operation;
  std::vector<std::shared_ptr<QueuedOperation>> after;  // empty when it is done
  State state = State::kWaiting;
  std::thread::id thread;  // the thread that runs it

  bool done() const { return state == State::kDone; }
};

namespace {

using Queued = std::shared_ptr<QueuedOperation>;
using QueuedFrontier = std::vector<Queued>;

/// A stream; every device has a legacy default stream, and one for each thread.
struct Place {
  const Device* device;
  hipStream_t stream;
  std::thread::id thread;

  bool is_legacy() const { return stream == nullptr; }
  friend auto operator<=>(const Place&, const Place&) = default;
};

Place PlaceOf(hipStream_t stream, const Device& device) {
  if (stream == hipStreamLegacy) stream = nullptr;
  const bool per_thread = stream == hipStreamPerThread;
  return {&device, stream, per_thread ? std::this_thread::get_id() : std::thread::id()};
}

void Join(QueuedFrontier& frontier, const QueuedFrontier& other) {
  for (const Queued& queued : other) {
    if (!queued->done() && std::find(frontier.begin(), frontier.end(), queued) == frontier.end())
      frontier.push_back(queued);
  }
}

/// "kernel Scale" or "a copy", for reports.
std::string NameOf(const Operation& operation) {
  if (const auto* kernel = std::get_if<KernelOperation>(&operation)) {
    return IsFunction(kernel->function)
               ? absl::StrCat("a launch of kernel ", kernel->function->kernel->shown_name)
               : "a launch";
  }
  if (std::holds_alternative<CopyOperation>(operation)) return "a copy";
  if (std::holds_alternative<FillOperation>(operation)) return "a fill";
  if (std::holds_alternative<ChildOperation>(operation)) return "a launch of a graph";
  if (std::holds_alternative<RecordOperation>(operation)) return "the recording of an event";
  return "a host function";
}

class Queue {
 public:
  static Queue& Process() {
    static auto* const queue = new Queue;
    return *queue;
  }

  void Add(hipStream_t stream, Device& device, Operation operation) {
    auto queued = std::make_shared<QueuedOperation>();
    queued->device = &device;
    std::lock_guard lock(mutex_);
    AtExit();
    queued->number = ++last_number_;
    const Place place = PlaceOf(stream, device);
    queued->after = Before(place);
    Attach(operation, queued);
    queued->operation = std::move(operation);
    frontiers_[place] = {queued};
    waiting_[queued->number] = queued;
  }

  void JoinRecording(hipStream_t stream, Device& device, const Recording& recording) {
    std::lock_guard lock(mutex_);
    if (const Queued behind = recording.behind.lock())
      Join(frontiers_[PlaceOf(stream, device)], {behind});
  }

  /// The operations that the host waits for when it waits for these.
  QueuedFrontier Of(hipStream_t stream, const Device& device) {
    std::lock_guard lock(mutex_);
    const Place place = PlaceOf(stream, device);
    return place.is_legacy() ? Before(place) : Open(place);
  }
  QueuedFrontier Of(const Recording& recording) {
    std::lock_guard lock(mutex_);
    QueuedFrontier frontier;
    if (const Queued behind = recording.behind.lock()) Join(frontier, {behind});
    return frontier;
  }
  /// Everything, or (not null) everything of a device.
  QueuedFrontier Of(const Device* device) {
    std::lock_guard lock(mutex_);
    QueuedFrontier all;
    for (const auto& [number, queued] : waiting_) {
      if (device == nullptr || queued->device == device) all.push_back(queued);
    }
    return all;
  }

  /// Runs `targets` and what they wait for, or (`one`) one operation of that.
  hipError_t Run(const QueuedFrontier& targets, bool one = false) {
    std::unique_lock lock(mutex_);
    std::vector<Queued> wanted = Ancestors(targets);
    hipError_t first_error = hipSuccess;
    for (;;) {
      std::erase_if(wanted, [](const Queued& queued) { return queued->done(); });
      if (wanted.empty()) return first_error;
      Queued next = Choose(wanted);
      if (next == nullptr) {
        if (RunsElsewhere()) {
          changed_.wait(lock);
          continue;
        }
        // Below a host function that waits for itself, or waits for a value that nobody writes,
        // which say so when they run.
        next = FirstOpen(wanted);
        if (next == nullptr) return first_error;
      }
      const hipError_t error = RunOne(std::move(next), lock);
      if (first_error == hipSuccess) first_error = error;
      if (one) return first_error;
    }
  }

  /// A random decision from the seed; always false without one.
  bool TossCoin() {
    std::lock_guard lock(mutex_);
    const std::optional<uint64_t> seed = CurrentCheckSettings().seed;
    return seed && Random(*seed) % 2 == 1;
  }

  void Restart() {
    std::lock_guard lock(mutex_);
    seed_.reset();
  }

  void Forget(hipStream_t stream) {
    std::lock_guard lock(mutex_);
    std::erase_if(frontiers_, [&](const auto& entry) { return entry.first.stream == stream; });
  }

 private:
  /// The operations at the end of a stream that are not done.
  QueuedFrontier Open(const Place& place) {
    const auto found = frontiers_.find(place);
    if (found == frontiers_.end()) return {};
    std::erase_if(found->second, [](const Queued& queued) { return queued->done(); });
    return found->second;
  }

  /// The operations that the next one of `place` waits for. Blocking streams and the legacy default
  /// stream of their device wait for each other.
  QueuedFrontier Before(const Place& place) {
    QueuedFrontier before = Open(place);
    if (!place.is_legacy()) {
      if (IsBlocking(place.stream)) Join(before, Open({place.device, nullptr, {}}));
      return before;
    }
    for (auto& [other, frontier] : frontiers_) {
      if (other.device == place.device && IsBlocking(other.stream)) Join(before, frontier);
    }
    return before;
  }

  /// Events that `operation` records are pending until `queued` has run; for what its graphs wait
  /// for it waits.
  void Attach(Operation& operation, const Queued& queued) {
    if (auto* const record = std::get_if<RecordOperation>(&operation)) {
      if (record->recording == nullptr) {
        if (!IsEvent(record->event)) return;  // says so when it runs
        record->recording = std::make_shared<Recording>(queued->device);
        SetRecording(record->event, record->recording);
      }
      record->recording->behind = queued;
    } else if (const auto* const wait = std::get_if<WaitOperation>(&operation)) {
      const std::shared_ptr<Recording> recording =
          IsEvent(wait->event) ? RecordingOf(wait->event) : nullptr;
      const Queued behind = recording == nullptr ? nullptr : recording->behind.lock();
      if (behind != nullptr && behind != queued) Join(queued->after, {behind});
    } else if (const auto* const child = std::get_if<ChildOperation>(&operation)) {
      for (const auto& node : child->graph->nodes) Attach(node->operation, queued);
    }
  }

  /// The operations in `targets`, and those that they wait for, that are not done, in order.
  static std::vector<Queued> Ancestors(const QueuedFrontier& targets) {
    std::map<uint64_t, Queued> found;
    QueuedFrontier open = targets;
    while (!open.empty()) {
      const Queued queued = std::move(open.back());
      open.pop_back();
      if (queued->done() || !found.try_emplace(queued->number, queued).second) continue;
      open.insert(open.end(), queued->after.begin(), queued->after.end());
    }
    std::vector<Queued> ancestors;
    for (const auto& [number, queued] : found) ancestors.push_back(queued);
    return ancestors;
  }

  /// Whether it has no predecessor left, so that it only waits for a value in memory, if at all.
  static bool IsOpen(const QueuedOperation& queued) {
    return queued.state == QueuedOperation::State::kWaiting &&
           std::all_of(queued.after.begin(), queued.after.end(),
                       [](const Queued& before) { return before->done(); });
  }
  static bool IsReady(const QueuedOperation& queued) {
    if (!IsOpen(queued)) return false;
    const auto* const call = std::get_if<CallOperation>(&queued.operation);
    return call == nullptr || call->is_ready == nullptr || call->is_ready();
  }

  /// The operation to run next for `wanted`: the first of them that is ready; if none is, the
  /// first other one that is. With a seed, any that is ready.
  Queued Choose(const std::vector<Queued>& wanted) {
    const std::optional<uint64_t> seed = CurrentCheckSettings().seed;
    if (!seed) {
      for (const Queued& queued : wanted) {
        if (IsReady(*queued)) return queued;
      }
      for (const auto& [number, queued] : waiting_) {
        if (IsReady(*queued)) return queued;
      }
      return nullptr;
    }
    std::vector<Queued> ready;
    for (const auto& [number, queued] : waiting_) {
      if (IsReady(*queued)) ready.push_back(queued);
    }
    return ready.empty() ? nullptr : ready[Random(*seed) % ready.size()];
  }

  static Queued FirstOpen(const std::vector<Queued>& wanted) {
    const auto found = std::find_if(wanted.begin(), wanted.end(),
                                    [](const Queued& queued) { return IsOpen(*queued); });
    return found == wanted.end() ? nullptr : *found;
  }

  bool RunsElsewhere() const {
    return std::any_of(waiting_.begin(), waiting_.end(), [](const auto& entry) {
      return entry.second->state == QueuedOperation::State::kRunning &&
             entry.second->thread != std::this_thread::get_id();
    });
  }

  hipError_t RunOne(Queued queued, std::unique_lock<std::mutex>& lock) {
    queued->state = QueuedOperation::State::kRunning;
    queued->thread = std::this_thread::get_id();
    lock.unlock();
    const hipError_t error = Execute(queued->operation, queued->device);
    queued->operation = EmptyOperation{};  // what it owns may be the program's, and call us
    lock.lock();
    queued->state = QueuedOperation::State::kDone;
    queued->after.clear();
    waiting_.erase(queued->number);
    changed_.notify_all();
    return error;
  }

  uint64_t Random(uint64_t seed) {
    if (seed_ != seed) random_.seed(seed);
    seed_ = seed;
    return random_();
  }

  // Operations that nobody waited for are a mistake of the program: their results may never come.
  void AtExit() {
    if (std::exchange(reports_at_exit_, true)) return;
    std::atexit([] { Process().ReportLeft(); });
  }
  void ReportLeft() {
    Finding finding;
    {
      std::lock_guard lock(mutex_);
      if (waiting_.empty()) return;
      const Operation& first = waiting_.begin()->second->operation;
      const auto* const kernel = std::get_if<KernelOperation>(&first);
      if (kernel != nullptr && IsFunction(kernel->function))
        finding.kernel = kernel->function->kernel->shown_name;
      finding.what = "the program ends without having waited for what it put on streams";
      finding.detail =
          absl::StrFormat(": %d operations, the first of them %s", waiting_.size(), NameOf(first));
    }
    finding.category = Category::kStreams;
    Findings::Get().Add(std::move(finding));
    Findings::Get().EndLaunch(/*kernel=*/"");
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t last_number_ = 0;
  std::map<Place, QueuedFrontier> frontiers_;
  std::map<uint64_t, Queued> waiting_;  // waiting or running
  std::optional<uint64_t> seed_;
  std::mt19937_64 random_;
  bool reports_at_exit_ = false;
};

/// A copy whose source is memory that the program did not get from HIP: runtimes read that at once
/// or later, as they like.
bool ReadsPageable(const CopyOperation& copy) { return !FindAllocation(copy.from.base); }

}  // namespace

bool IsDeferred() { return CurrentCheckSettings().deferred; }

hipError_t Defer(hipStream_t stream, Device& device, Operation operation) {
  if (hipError_t error = Check(operation); error != hipSuccess) return error;
  if (device.fault != hipSuccess) return device.fault;
  if (auto* const copy = std::get_if<CopyOperation>(&operation); copy != nullptr) {
    if (ReadsPageable(*copy) && Queue::Process().TossCoin()) TakeSnapshot(*copy);
  }
  Queue::Process().Add(stream, device, std::move(operation));
  return hipSuccess;
}

void DeferUntil(hipStream_t stream, Device& device, const Recording& recording) {
  Queue::Process().JoinRecording(stream, device, recording);
}

hipError_t RunDeferred(hipStream_t stream, Device& device) {
  return Queue::Process().Run(Queue::Process().Of(stream, device));
}
hipError_t RunDeferred(const Recording& recording) {
  return Queue::Process().Run(Queue::Process().Of(recording));
}
hipError_t RunDeferred(const Device& device) {
  return Queue::Process().Run(Queue::Process().Of(&device));
}
hipError_t RunDeferred() { return Queue::Process().Run(Queue::Process().Of(nullptr)); }

bool CheckDeferred(hipStream_t stream, Device& device) {
  const QueuedFrontier open = Queue::Process().Of(stream, device);
  if (!open.empty()) static_cast<void>(Queue::Process().Run(open, /*one=*/true));
  return open.empty();
}
bool CheckDeferred(const Recording& recording) {
  if (recording.done) return true;
  static_cast<void>(Queue::Process().Run(Queue::Process().Of(recording), /*one=*/true));
  return false;
}

void RestartSeed() { Queue::Process().Restart(); }

void ForgetDeferred(hipStream_t stream) { Queue::Process().Forget(stream); }

}  // namespace gridwise::sim
