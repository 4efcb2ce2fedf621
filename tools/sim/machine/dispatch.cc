// SPDX-License-Identifier: MIT
#include "tools/sim/machine/dispatch.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/abi.h"
#include "tools/sim/machine/fault_report.h"
#include "tools/sim/machine/lds_banks.h"
#include "tools/sim/machine/workgroup.h"
#include "tools/sim/memory/memory.h"

namespace gridwise::sim {
namespace {

/// HSA AQL kernel dispatch packet.
struct DispatchPacket {
  uint16_t header = 0, setup = 0;
  uint16_t workgroup_size[3] = {};
  uint16_t reserved0 = 0;
  uint32_t grid_size[3] = {};
  uint32_t private_segment_size = 0, group_segment_size = 0;
  uint64_t kernel_object = 0, kernarg_address = 0, reserved1 = 0, completion_signal = 0;
};
static_assert(sizeof(DispatchPacket) == 64);

/// Workgroups that are under way at a time where they take turns, if there are as many.
constexpr int kSerialWorkgroups = 8;

/// Memory that the simulator itself shows to a kernel, known to Memory while it lives.
class Shown {
 public:
  Shown(Memory& memory, const void* pointer, uint64_t bytes, std::string_view label)
      : memory_(memory), pointer_(pointer), status_(memory.Register(pointer, bytes, label)) {}
  ~Shown() {
    if (status_.ok()) memory_.Unregister(pointer_).IgnoreError();
  }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;
  const absl::Status& status() const { return status_; }

 private:
  Memory& memory_;
  const void* pointer_;
  absl::Status status_;
};

absl::Status CheckLaunch(const KernelInfo& kernel, const Grid& grid) {
  const uint64_t items = uint64_t{grid.block[0]} * grid.block[1] * grid.block[2];
  if (items == 0 || items > 1024) {
    return absl::InvalidArgumentError(
        absl::StrFormat("a workgroup of %u x %u x %u work-items; must have 1 to 1024",
                        grid.block[0], grid.block[1], grid.block[2]));
  }
  if (kernel.max_workgroup != 0 && items > kernel.max_workgroup) {
    return absl::InvalidArgumentError(
        absl::StrFormat("kernel %s was compiled for at most %u work-items, not %u",
                        kernel.shown_name, kernel.max_workgroup, items));
  }
  return absl::OkStatus();
}

/// OutOfRange for a bad address, Aborted for any other fault.
absl::Status FaultStatus(const Wave& wave, const Launch& launch) {
  const std::string text = Explain(wave, launch);
  TellFault(wave, launch, text);
  return wave.fault.has_address ? absl::OutOfRangeError(text) : absl::AbortedError(text);
}

/// The workers of one launch and what they share. Each executes one workgroup after another, all at
/// the same time on threads of their own; or they take turns on one thread, in a fixed order, so
/// that workgroups that wait for each other make progress and a run can be repeated: round robin,
/// or at random by a seed.
class Crew {
 public:
  Crew(const Launch& launch, const RunOptions& options)
      : launch_(launch),
        options_(options),
        total_(options.only.empty() ? launch.grid.CountWorkgroups()
                                    : static_cast<int64_t>(options.only.size())),
        order_(options.only) {
    if (!launch.seed.has_value()) return;
    if (order_.empty()) {
      order_.resize(static_cast<size_t>(total_));
      std::iota(order_.begin(), order_.end(), int64_t{0});
    }
    std::shuffle(order_.begin(), order_.end(), std::mt19937_64(*launch.seed));
  }

  absl::StatusOr<RunReport> Run() {
    const auto start = std::chrono::steady_clock::now();
    const size_t workers = Workers();
    if (launch_.wants.serial) {
      TakeTurns(workers);
    } else {
      WorkInParallel(workers);
    }
    CountClasses();
    if (fault_.has_value()) return fault_->second;
    report_.threads = launch_.wants.serial ? 1 : static_cast<int>(workers);
    report_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(report_);
  }

 private:
  class Worker {
   public:
    explicit Worker(Crew& crew) : crew_(crew), workgroup_(crew.launch_) {}
    ~Worker() { crew_.AddCounts(workgroup_, executed_); }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Executes workgroups until one makes no progress, and may be waiting for others; with a seed,
    /// or of a cooperative launch, one round. False: there is nothing left to do. Once another
    /// workgroup has faulted, this one may wait for it forever: it is left as soon as its waves do
    /// nothing but wait.
    bool Work() {
      while (under_way_ || Take()) {
        if (workgroup_.ended()) {
          workgroup_.End();
          under_way_ = false;
          ++executed_;
          crew_.TellProgress();
          continue;
        }
        bool progress = false;
        if (const Wave* const faulted = workgroup_.Round(progress)) {
          crew_.RecordFault(number_, *faulted);
          return false;
        }
        if (!progress && crew_.stop_.load(std::memory_order_relaxed)) return false;
        if (!progress || crew_.launch_.seed.has_value() || crew_.launch_.grid.cooperative)
          return true;
      }
      return false;
    }

   private:
    bool Take() {
      if (crew_.stop_.load(std::memory_order_relaxed)) return false;
      number_ = crew_.next_.fetch_add(1);
      under_way_ = number_ < crew_.total_;
      if (under_way_) workgroup_.Begin(crew_.IdOf(number_));
      return under_way_;
    }

    Crew& crew_;
    Workgroup workgroup_;
    bool under_way_ = false;
    int64_t number_ = 0, executed_ = 0;
  };

  size_t Workers() const {
    if (launch_.grid.cooperative) return static_cast<size_t>(total_);
    int workers = options_.threads > 0 ? options_.threads
                                       : static_cast<int>(std::thread::hardware_concurrency());
    if (launch_.wants.serial) workers = std::max(workers, kSerialWorkgroups);
    return static_cast<size_t>(std::clamp<int64_t>(workers, 1, std::max<int64_t>(total_, 1)));
  }

  void WorkInParallel(size_t workers) {
    const auto work = [this] {
      Worker worker(*this);
      while (worker.Work()) std::this_thread::yield();
    };
    std::vector<std::thread> others;
    for (size_t i = 1; i < workers; ++i) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
  }

  void TakeTurns(size_t workers) {
    std::vector<std::unique_ptr<Worker>> left;
    for (size_t i = 0; i < workers; ++i) left.push_back(std::make_unique<Worker>(*this));
    std::mt19937_64 random(launch_.seed.value_or(0));
    for (size_t current = 0; !left.empty();) {
      if (left[current]->Work()) {
        ++current;
      } else {
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(current));
        if (left.empty()) return;
      }
      if (launch_.seed.has_value()) current = random();
      current %= left.size();
    }
  }

  std::array<uint32_t, 3> IdOf(int64_t number) const {
    const auto [x, y, z] = launch_.grid.workgroups;
    const auto index =
        static_cast<uint64_t>(order_.empty() ? number : order_[static_cast<size_t>(number)]);
    return {static_cast<uint32_t>(index % x), static_cast<uint32_t>(index / x % y),
            static_cast<uint32_t>(index / x / y)};
  }

  void TellProgress() {
    const int64_t done = done_.fetch_add(1) + 1;
    if (options_.progress) options_.progress(done, total_);
  }

  /// The fault of the lowest workgroup is reported.
  void RecordFault(int64_t workgroup, const Wave& wave) {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    if (!fault_.has_value() || workgroup < fault_->first)
      fault_.emplace(workgroup, FaultStatus(wave, launch_));
  }

  void AddCounts(const Workgroup& workgroup, int64_t executed) {
    const std::vector<int64_t> counts = workgroup.Counts();
    const std::lock_guard lock(mutex_);
    std::vector<int64_t>& executions = report_.executions;
    executions.resize(std::max(executions.size(), counts.size()));
    for (size_t i = 0; i < counts.size(); ++i) executions[i] += counts[i];
    for (const auto& [instruction, count] : workgroup.not_known())
      report_.not_known[instruction] += count;
    report_.workgroups += executed;
    report_.waves += workgroup.executed_waves();
  }

  void CountClasses() {
    const std::vector<OpClass> classes = launch_.program->Classes();
    report_.executions.resize(classes.size());
    const uint32_t mode = InitialMode(launch_.program->target(), *launch_.kernel);
    launch_.program->RecordFidelity(report_, mode);
    for (size_t i = 0; i < classes.size(); ++i)
      report_.instructions[static_cast<size_t>(classes[i])] += report_.executions[i];
  }

  const Launch& launch_;
  const RunOptions& options_;
  const int64_t total_;
  std::vector<int64_t> order_;  // in which workgroups start; empty: as they are numbered
  std::atomic<int64_t> next_ = 0;
  std::atomic<int64_t> done_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  RunReport report_;
  std::optional<std::pair<int64_t, absl::Status>> fault_;
};

}  // namespace

absl::StatusOr<RunReport> Run(Program& program, const KernelInfo& kernel, const Grid& grid,
                              const void* kernarg, Memory& memory, const RunOptions& options) {
  if (absl::Status status = CheckLaunch(kernel, grid); !status.ok()) return status;
  ProbeWants wants;
  for (const LaunchProbe* const probe : options.probes) wants = wants | probe->wants();
  if (options.seed.has_value()) wants.steps = wants.serial = true;
  CodeView view = InitialView(program, kernel);
  view.steps = wants.steps;
  absl::StatusOr<const Uop*> entry = program.Enter(kernel.entry_address, view);
  if (!entry.ok()) return entry.status();

  DispatchPacket packet;
  for (int i = 0; i < 3; ++i) {
    packet.workgroup_size[i] = static_cast<uint16_t>(grid.block[static_cast<size_t>(i)]);
    packet.grid_size[i] = static_cast<uint32_t>(grid.Items(static_cast<size_t>(i)));
  }
  packet.setup = 3;
  packet.private_segment_size = ScratchBytes(kernel, options.stack_limit);
  packet.group_segment_size = kernel.static_lds_bytes + grid.dynamic_lds_bytes;
  packet.kernel_object = kernel.descriptor_address;
  packet.kernarg_address = reinterpret_cast<uint64_t>(kernarg);
  const Shown packet_shown(memory, &packet, sizeof(packet), "dispatch packet");
  const std::vector<std::byte> queue(256);
  const Shown queue_shown(memory, queue.data(), queue.size(), "queue descriptor");
  for (const Shown* shown : {&packet_shown, &queue_shown}) {
    if (!shown->status().ok()) return shown->status();
  }

  Launch launch{
      .program = &program, .entry = *entry, .kernel = &kernel, .memory = &memory, .grid = grid};
  launch.kernarg = packet.kernarg_address;
  launch.dispatch_packet = reinterpret_cast<uint64_t>(&packet);
  launch.queue = reinterpret_cast<uint64_t>(queue.data());
  launch.interrupt = options.interrupt;
  launch.wave_sync = options.wave_sync;
  launch.seed = options.seed;
  launch.probes = options.probes;
  launch.wants = wants;
  launch.lds_bytes = packet.group_segment_size;
  launch.scratch_bytes = packet.private_segment_size;
  if (!wants.exact_lds) {
    // Accesses between the size that was asked for and the allocation's end work on hardware.
    const uint32_t block = LdsBlockBytes(program.target().bit);
    launch.lds_bytes = (launch.lds_bytes + block - 1) / block * block;
  }
  for (LaunchProbe* const probe : launch.probes) probe->Begin(launch);
  absl::StatusOr<RunReport> report = Crew(launch, options).Run();
  for (LaunchProbe* const probe : launch.probes) probe->End(report.ok() ? &*report : nullptr);
  return report;
}

}  // namespace gridwise::sim
