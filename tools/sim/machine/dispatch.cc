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
#include "tools/sim/check/checker.h"
#include "tools/sim/check/device_bytes.h"
#include "tools/sim/check/turns.h"
#include "tools/sim/check/watch.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/fault_report.h"
#include "tools/sim/machine/lds_banks.h"
#include "tools/sim/machine/memory.h"
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

/// Workgroups that are under way at a time in check mode, if there are as many.
constexpr int kCheckedWorkgroups = 8;

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
        absl::StrFormat("kernel %s was compiled for at most %u work-items, not %u", kernel.name,
                        kernel.max_workgroup, items));
  }
  return absl::OkStatus();
}

/// OutOfRange for a bad address, Aborted for any other fault.
absl::Status FaultStatus(const Wave& wave, const Launch& launch) {
  const std::string text = Explain(wave, launch);
  ReportBounds(wave, launch, text);
  return wave.fault.has_address ? absl::OutOfRangeError(text) : absl::AbortedError(text);
}

/// The workers of one launch and what they share.
class Crew {
 public:
  Crew(const Launch& launch, const Grid& grid, const RunOptions& options)
      : launch_(launch), grid_(grid), options_(options) {
    total_ = int64_t{1} * grid.workgroups[0] * grid.workgroups[1] * grid.workgroups[2];
    if (launch.check == nullptr || !launch.check->settings.seed) return;
    order_.resize(static_cast<size_t>(total_));
    std::iota(order_.begin(), order_.end(), int64_t{0});
    std::shuffle(order_.begin(), order_.end(), std::mt19937_64(*launch.check->settings.seed));
  }

  absl::StatusOr<RunReport> Run() {
    const auto start = std::chrono::steady_clock::now();
    int threads = options_.threads > 0 ? options_.threads
                                       : static_cast<int>(std::thread::hardware_concurrency());
    if (launch_.check != nullptr) threads = std::max(threads, kCheckedWorkgroups);
    threads = static_cast<int>(std::clamp<int64_t>(threads, 1, std::max<int64_t>(total_, 1)));
    if (grid_.cooperative) threads = static_cast<int>(total_);
    std::optional<Turns> turns;
    if (launch_.check != nullptr)
      launch_.check->turns = &turns.emplace(threads, launch_.check->settings.seed);
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([this, i] { TakeTurns(i); });
    TakeTurns(0);
    for (std::thread& other : others) other.join();
    if (fault_.has_value()) return fault_->second;
    ReportBankConflicts();
    report_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report_;
  }

 private:
  /// In check mode one thread runs at a time: what is kept of memory is not shared.
  void TakeTurns(int thread) {
    if (launch_.check != nullptr) launch_.check->turns->Begin(thread);
    Work(thread);
    if (launch_.check != nullptr) launch_.check->turns->Leave(thread);
  }

  void Work(int thread) {
    Workgroup workgroup(launch_, thread);
    int64_t executed = 0;
    for (int64_t i; !stop_.load(std::memory_order_relaxed) && (i = next_.fetch_add(1)) < total_;) {
      const auto [x, y, z] = grid_.workgroups;
      const auto index = static_cast<uint64_t>(order_.empty() ? i : order_[static_cast<size_t>(i)]);
      const Wave* faulted =
          workgroup.Run({static_cast<uint32_t>(index % x), static_cast<uint32_t>(index / x % y),
                         static_cast<uint32_t>(index / x / y)},
                        stop_);
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

  /// The fault of the lowest workgroup is reported.
  void RecordFault(int64_t workgroup, const Wave& wave) {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    if (!fault_.has_value() || workgroup < fault_->first)
      fault_.emplace(workgroup, FaultStatus(wave, launch_));
  }

  void AddCounts(const Workgroup& workgroup, int64_t executed) {
    const std::vector<int64_t> counts = workgroup.Counts();
    const std::vector<OpClass> classes = launch_.program->Classes();
    launch_.program->RecordFidelity(counts);
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < std::min(counts.size(), classes.size()); ++i) {
      report_.instructions[static_cast<size_t>(classes[i])] += counts[i];
    }
    if (const BankCounter* banks = workgroup.banks()) {
      conflicts_.resize(std::max(conflicts_.size(), banks->conflicts().size()));
      for (size_t i = 0; i < banks->conflicts().size(); ++i) conflicts_[i] += banks->conflicts()[i];
      executions_.resize(std::max(executions_.size(), counts.size()));
      for (size_t i = 0; i < counts.size(); ++i) executions_[i] += counts[i];
    }
    report_.workgroups += executed;
    report_.waves += workgroup.waves();
  }

  void ReportBankConflicts() {
    for (size_t i = 0; i < conflicts_.size(); ++i) {
      if (conflicts_[i] == 0) continue;
      const uint64_t pc = launch_.program->Describe(static_cast<uint32_t>(i)).pc;
      report_.bank_conflicts.push_back({.pc = pc - launch_.kernel->entry_address,
                                        .executions = executions_[i],
                                        .cycles = conflicts_[i]});
    }
  }

  const Launch& launch_;
  const Grid& grid_;
  const RunOptions& options_;
  int64_t total_;
  std::vector<int64_t> order_;  // of the workgroups, empty: as they are numbered
  std::atomic<int64_t> next_ = 0;
  std::atomic<int64_t> done_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  RunReport report_;
  std::vector<int64_t> conflicts_, executions_;  // by instruction, if conflicts are counted
  std::optional<std::pair<int64_t, absl::Status>> fault_;
};

}  // namespace

absl::StatusOr<RunReport> Run(Program& program, const KernelInfo& kernel, const Grid& grid,
                              const void* kernarg, Memory& memory, const RunOptions& options) {
  if (absl::Status status = CheckLaunch(kernel, grid); !status.ok()) return status;
  absl::StatusOr<const Uop*> entry =
      program.Enter(kernel.entry_address, InitialView(program, kernel));
  if (!entry.ok()) return entry.status();

  DispatchPacket packet;
  for (int i = 0; i < 3; ++i) {
    packet.workgroup_size[i] = static_cast<uint16_t>(grid.block[static_cast<size_t>(i)]);
    packet.grid_size[i] = static_cast<uint32_t>(grid.Items(static_cast<size_t>(i)));
  }
  packet.setup = 3;
  packet.private_segment_size = kernel.private_bytes;
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

  const CheckSettings settings = CurrentCheckSettings();
  const auto* observer = dynamic_cast<const CheckObserver*>(program.observer());
  if (observer == nullptr || !settings.Has(Category::kUninit)) DeviceBytes::Process().Forget();
  launch.lds_bytes = packet.group_segment_size;
  if (observer == nullptr || !settings.on()) {
    // Accesses between the size that was asked for and the allocation's end work on hardware.
    const uint32_t block = LdsBlockBytes(program.target().bit);
    launch.lds_bytes = (launch.lds_bytes + block - 1) / block * block;
    launch.count_bank_conflicts = options.count_bank_conflicts;
    return Crew(launch, grid, options).Run();
  }
  LaunchCheck check;
  check.settings = settings;
  check.program = &program;
  check.observer = observer;
  check.kernel = kernel.name;
  check.entry = kernel.entry_address;
  check.target = observer->target();
  check.initial_scalars = InitialScalars(kernel);
  if (settings.Has(Category::kWatch)) check.watched = TakeWatchedRanges();
  launch.check = &check;
  absl::StatusOr<RunReport> report = Crew(launch, grid, options).Run();
  if (report.ok()) check.ReportWatched();
  Findings::Get().EndLaunch();
  return report;
}

}  // namespace gridwise::sim
