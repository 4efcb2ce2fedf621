#include "tools/sim/machine/dispatch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/abi.h"
#include "tools/sim/machine/fault_report.h"
#include "tools/sim/machine/lds_banks.h"
#include "tools/sim/machine/memory.h"
#include "tools/sim/machine/turns.h"
#include "tools/sim/machine/workgroup.h"

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

/// Workgroups that are under way at a time where host threads take turns, if there are as many.
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

/// The workers of one launch and what they share.
class Crew {
 public:
  Crew(const Launch& launch, const RunOptions& options)
      : launch_(launch),
        options_(options),
        total_(options.only.empty() ? int64_t{1} * launch.grid.workgroups[0] *
                                          launch.grid.workgroups[1] * launch.grid.workgroups[2]
                                    : static_cast<int64_t>(options.only.size())),
        threads_(Threads()),
        order_(options.only) {
    if (launch.wants.serial) turns_.emplace(threads_, launch.seed);
    if (!launch.seed.has_value()) return;
    if (order_.empty()) {
      order_.resize(static_cast<size_t>(total_));
      std::iota(order_.begin(), order_.end(), int64_t{0});
    }
    std::shuffle(order_.begin(), order_.end(), std::mt19937_64(*launch.seed));
  }

  absl::StatusOr<RunReport> Run() {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> others;
    for (int i = 1; i < threads_; ++i) others.emplace_back([this, i] { Work(i); });
    Work(0);
    for (std::thread& other : others) other.join();
    CountClasses();
    if (fault_.has_value()) return fault_->second;
    report_.threads = threads_;
    report_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(report_);
  }

 private:
  int Threads() const {
    if (launch_.grid.cooperative) return static_cast<int>(total_);
    int threads = options_.threads > 0 ? options_.threads
                                       : static_cast<int>(std::thread::hardware_concurrency());
    if (launch_.wants.serial) threads = std::max(threads, kSerialWorkgroups);
    return static_cast<int>(std::clamp<int64_t>(threads, 1, std::max<int64_t>(total_, 1)));
  }

  void Work(int thread) {
    if (turns_) turns_->Begin(thread);
    ExecuteWorkgroups(thread);
    if (turns_) turns_->Leave(thread);
  }

  void ExecuteWorkgroups(int thread) {
    Workgroup workgroup(launch_);
    int64_t executed = 0;
    for (int64_t i; !stop_.load(std::memory_order_relaxed) && (i = next_.fetch_add(1)) < total_;) {
      const auto [x, y, z] = launch_.grid.workgroups;
      const auto index = static_cast<uint64_t>(order_.empty() ? i : order_[static_cast<size_t>(i)]);
      workgroup.Begin({static_cast<uint32_t>(index % x), static_cast<uint32_t>(index / x % y),
                       static_cast<uint32_t>(index / x / y)});
      const Wave* const faulted = Finish(workgroup, thread);
      ++executed;
      if (faulted != nullptr) {
        RecordFault(i, *faulted);
        break;
      }
      const int64_t done = done_.fetch_add(1) + 1;
      if (options_.progress) options_.progress(done, total_);
    }
    AddCounts(workgroup, executed);
  }

  /// Executes the workgroup to its end; returns the wave that has a fault, or null. Once another
  /// workgroup has faulted, this one may be waiting for it in vain: it is left as soon as its waves
  /// do nothing but take turns.
  const Wave* Finish(Workgroup& workgroup, int thread) {
    while (!workgroup.ended()) {
      if (launch_.grid.cooperative) std::this_thread::yield();
      bool progress = false;
      if (const Wave* const faulted = workgroup.Round(progress)) return faulted;
      if (!progress && stop_.load(std::memory_order_relaxed)) return nullptr;
      if (turns_ && (!progress || launch_.seed.has_value())) turns_->Yield(thread);
    }
    workgroup.End();
    return nullptr;
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
  const int threads_;
  std::optional<Turns> turns_;
  std::vector<int64_t> order_;  // of the workgroups, empty: as they are numbered
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
