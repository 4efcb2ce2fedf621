// SPDX-License-Identifier: MIT
#include "tools/sim/time/session/timed_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "absl/container/flat_hash_set.h"
#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/machine/abi.h"
#include "tools/sim/time/session/recorder.h"

namespace gridwise::sim::time {
namespace {

/// Wave instructions that are recorded: for the traffic of an XCD, and of a unit in detail. Records
/// of long waves are cut.
constexpr int64_t kMaxForTraffic = 12'000'000;
constexpr int64_t kMaxForDetail = 1'500'000;
/// Wave instructions of an XCD that is timed unit by unit: more take minutes and gigabytes.
constexpr int64_t kMaxOfXcd = 40'000'000;
/// Workgroups of a unit in detail that are always executed, times its resident ones.
constexpr size_t kMinTurns = 3;
/// Workgroups across the grid that are executed first: more if their work differs by this part.
constexpr size_t kFirstStrata = 4, kFirstLongStrata = 2;
constexpr double kSameWork = 0.02;

/// COMPUTE_PGM_RSRC1 (LLVM's AMDGPUUsage): of RDNA alone; without it waves are in CU mode.
constexpr uint32_t kWgpMode = 1u << 29;

GroupNeeds ComputeNeeds(const Machine& machine, const KernelInfo& kernel, const Grid& grid) {
  const auto items = static_cast<int>(grid.block[0] * grid.block[1] * grid.block[2]);
  return {.waves = (items + kernel.wave_size - 1) / kernel.wave_size,
          .wave_size = kernel.wave_size,
          .registers = kernel.vgprs,
          .lds_bytes = uint64_t{kernel.static_lds_bytes} + grid.dynamic_lds_bytes,
          .half_unit = !machine.cdna() && (kernel.rsrc1 & kWgpMode) == 0,
          .scratch_bytes = kernel.private_bytes,
          .spills = kernel.vgpr_spills};
}

/// Whether workgroups may see what others have done: then a sample would behave differently.
enum class Dependence {
  kNone,
  kOnOrder,  // on who came first: atomic operations whose result is used
  kWaits,    // for others
};
absl::StatusOr<Dependence> FindDependence(Program& program, const KernelInfo& kernel,
                                          const Grid& grid) {
  if (grid.cooperative) return Dependence::kWaits;
  const absl::StatusOr<const Uop*> entry =
      program.Enter(kernel.entry_address, InitialView(program, kernel));
  if (!entry.ok()) return entry.status();
  const uint32_t count = program.instructions();
  Dependence dependence = Dependence::kNone;
  for (uint32_t i = 0; i < count; ++i) {
    if (program.Describe(i).pc - kernel.entry_address >= kernel.code_bytes) continue;
    const InstructionFacts& facts = program.Facts(i);
    // A load that waits for another workgroup must bypass its own caches. Others that load the same
    // address repeatedly only look like it.
    if (facts.polls && facts.vmem && facts.device_scope) return Dependence::kWaits;
    if (facts.atomic && facts.vmem && !facts.writes.empty()) dependence = Dependence::kOnOrder;
  }
  return dependence;
}

/// Whether waves may wait for others of their workgroup other than at barriers: then none may be
/// left out.
bool WaitsInLds(Program& program, const KernelInfo& kernel) {
  const uint32_t count = program.instructions();
  for (uint32_t i = 0; i < count; ++i) {
    if (program.Describe(i).pc - kernel.entry_address >= kernel.code_bytes) continue;
    const InstructionFacts& facts = program.Facts(i);
    if (facts.polls && facts.lds) return true;
  }
  return false;
}

/// All workgroups, in an order in which they may end. Those that run at once, `at_once` of them,
/// end in no order of theirs, and who ends last is nowhere in particular on the device.
std::vector<int64_t> OrderOfEnds(int64_t workgroups, int64_t at_once, Dependence dependence) {
  std::vector<int64_t> order(static_cast<size_t>(workgroups));
  std::iota(order.begin(), order.end(), int64_t{0});
  if (dependence != Dependence::kOnOrder) return order;
  std::mt19937 random(1);  // the same order each time
  for (int64_t first = 0; first < workgroups; first += at_once) {
    std::shuffle(order.begin() + first, order.begin() + std::min(first + at_once, workgroups),
                 random);
  }
  return order;
}

/// Executes workgroups in batches, each once.
class Batches {
 public:
  Batches(Program& program, const KernelInfo& kernel, const Grid& grid, const void* kernarg,
          Memory& memory, RunOptions options, Recorder& recorder)
      : program_(program),
        kernel_(kernel),
        grid_(grid),
        kernarg_(kernarg),
        memory_(memory),
        options_(std::move(options)) {
    options_.probes.push_back(&recorder);
  }

  absl::Status Run(const std::vector<int64_t>& wanted) {
    std::vector<int64_t> fresh;
    for (const int64_t index : wanted) {
      if (done_.insert(index).second) fresh.push_back(index);
    }
    if (fresh.empty()) return absl::OkStatus();
    options_.only = std::move(fresh);
    absl::StatusOr<RunReport> batch =
        sim::Run(program_, kernel_, grid_, kernarg_, memory_, options_);
    if (!batch.ok()) return batch.status();
    Add(*batch);
    return absl::OkStatus();
  }

  RunReport& report() { return report_; }
  /// Adds how often another report's instructions were executed.
  void AddExecutions(const RunReport& other) {
    report_.executions.resize(std::max(report_.executions.size(), other.executions.size()));
    for (size_t i = 0; i < other.executions.size(); ++i)
      report_.executions[i] += other.executions[i];
  }
  /// Wave instructions of a workgroup, on average of those that were executed.
  int64_t MeanInstructions() const {
    const int64_t all =
        std::accumulate(report_.instructions.begin(), report_.instructions.end(), int64_t{0});
    return std::max<int64_t>(1, all / std::max<int64_t>(1, report_.workgroups));
  }

 private:
  void Add(const RunReport& batch) {
    for (size_t i = 0; i < batch.instructions.size(); ++i)
      report_.instructions[i] += batch.instructions[i];
    AddExecutions(batch);
    report_.waves += batch.waves;
    report_.workgroups += batch.workgroups;
    report_.seconds += batch.seconds;
  }

  Program& program_;
  const KernelInfo& kernel_;
  const Grid& grid_;
  const void* const kernarg_;
  Memory& memory_;
  RunOptions options_;
  absl::flat_hash_set<int64_t> done_;
  RunReport report_;
};

std::vector<int64_t> Some(const std::vector<int64_t>& list, size_t count) {
  std::vector<int64_t> some;
  count = std::min(count, list.size());
  for (size_t i = 0; i < count; ++i)
    some.push_back(list[i * (list.size() - 1) / std::max<size_t>(1, count - 1)]);
  return some;
}

bool SameWork(const Recorder& recorder, const std::vector<int64_t>& indices) {
  double least = 0, most = 0;
  for (const int64_t index : indices) {
    const WorkgroupRecord* record = recorder.Find(index);
    if (record == nullptr) continue;
    const double work = record->instructions() * record->scale;
    least = least == 0 ? work : std::min(least, work);
    most = std::max(most, work);
  }
  return most - least <= kSameWork * most;
}

/// Workgroups across the grid, to their ends: fewer if they are long. What there is to execute of
/// long ones is executed at once.
absl::Status ExecuteStrata(SamplePlan& plan, Batches& batches, const Recorder& recorder) {
  std::vector<int64_t> first = Some(plan.strata, kFirstLongStrata);
  std::vector<int64_t> at_once = first;
  at_once.insert(at_once.end(), plan.ends.begin(), plan.ends.end());
  if (absl::Status status = batches.Run(at_once); !status.ok()) return status;
  if (!recorder.any_cut()) {
    first = Some(plan.strata, kFirstStrata);
    if (absl::Status status = batches.Run(first); !status.ok()) return status;
  }
  if (!SameWork(recorder, first)) return batches.Run(plan.strata);
  plan.strata = first;
  return absl::OkStatus();
}

/// The units in detail and the XCD, as far into the workgroups as the limits allow.
absl::Status ExecuteDetail(SamplePlan& plan, int waves, const TimeOptions& options,
                           Batches& batches, Recorder& recorder) {
  const auto for_traffic = static_cast<int64_t>(options.traffic * kMaxForTraffic);
  const auto for_detail = static_cast<int64_t>(options.detail * kMaxForDetail);
  const int64_t of_wave = std::max<int64_t>(1, batches.MeanInstructions() / waves);
  const auto limit = [&](int64_t most, size_t workgroups) {
    constexpr int64_t kMin = 1000;
    recorder.Limit(std::max(kMin, most / static_cast<int64_t>(workgroups) / waves),
                   Recorder::Behind::kEnd);
  };
  std::vector<int64_t> detail;
  const size_t least = kMinTurns * static_cast<size_t>(plan.resident);
  for (SamplePlan::Unit& timed : plan.units) {
    std::vector<int64_t>& unit = timed.first;
    unit.resize(
        std::min(unit.size(), std::max(least, static_cast<size_t>(for_detail / of_wave / waves))));
    detail.insert(detail.end(), unit.begin(), unit.end());
  }
  limit(for_detail, least);
  if (absl::Status status = batches.Run(detail); !status.ok()) return status;
  limit(for_traffic, plan.xcd.size());
  return batches.Run(plan.xcd);
}

/// The number of accesses of workgroups. If records are cut, accesses per instruction.
double Accesses(const Recorder& recorder, std::span<const int64_t> indices, bool cut) {
  double sum = 0;
  for (const int64_t index : indices) {
    const WorkgroupRecord* record = recorder.Find(index);
    if (record == nullptr) continue;
    for (const WaveRecord& wave : record->waves) {
      const auto accesses = static_cast<double>(wave.accesses.size());
      sum += cut ? accesses / static_cast<double>(std::max<uint64_t>(1, wave.instructions()))
                 : accesses;
    }
  }
  return sum;
}

/// If all workgroups run at once, no other takes the place of one that has less to do. So the unit
/// with the most accesses, among those of the executed XCD, is timed in place of the first.
/// Workgroups differ in accesses if lanes lie in padding, even if all execute the same
/// instructions.
void TakeBusiestUnit(const Machine& machine, const Recorder& recorder, SamplePlan& plan) {
  if (plan.rounds > plan.resident) return;
  const bool cut = recorder.any_cut();
  const auto units = static_cast<size_t>(machine.units_per_xcd());
  double most = Accesses(recorder, plan.units.front().first, cut) * (1 + kSameWork);
  for (size_t unit = 1; unit < std::min(units, plan.xcd.size()); ++unit) {
    std::vector<int64_t> its;
    for (size_t i = unit; i < plan.xcd.size(); i += units) its.push_back(plan.xcd[i]);
    const double accesses = Accesses(recorder, its, cut);
    if (accesses <= most) continue;
    most = accesses;
    const auto all = static_cast<int64_t>(its.size());
    plan.units.front() = {.first = std::move(its), .all = all};
  }
}

/// Records the first XCD's workgroups whole, unless they have too many instructions; those that
/// are in `executed`, which has all of a launch if workgroups depend on each other, not again.
absl::Status ExecuteXcd(const Machine& machine, bool depend, Recorder& executed, Recorder& recorder,
                        Batches& batches, LaunchRecord& launch) {
  const auto xcds = static_cast<int64_t>(machine.xcds);
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < launch.workgroups; i += xcds) indices.push_back(i);
  const auto count = static_cast<int64_t>(indices.size());
  if (!depend) {
    if (const absl::Status first = batches.Run({0}); !first.ok()) return first;
    if (batches.MeanInstructions() * count > kMaxOfXcd) return absl::OkStatus();
    if (const absl::Status all = batches.Run(indices); !all.ok()) return all;
  }
  Recorder& whole = depend ? executed : recorder;
  launch.xcd_shapes = &whole.shapes();
  for (const int64_t i : indices) launch.xcd.push_back(whole.Find(i));
  return absl::OkStatus();
}

/// How long the strata say that the units are busy at least.
Bound BoundOfStrata(const Machine& machine, const LaunchRecord& launch, std::span<const Op> ops,
                    Recorder& recorder) {
  std::vector<const WorkgroupRecord*> strata;
  for (const int64_t index : launch.plan.strata) strata.push_back(recorder.Find(index));
  return FindBound(machine, CountSureWork(machine, ops, recorder.shapes(), strata),
                   static_cast<double>(launch.workgroups), static_cast<double>(launch.plan.rounds));
}

/// RunTimed for a launch whose workgroups depend on each other as `dependence` says. After their
/// recorded part, long waves of workgroups across the grid do as `behind` says.
absl::StatusOr<TimedRun> RunSample(const Machine& machine, Program& program,
                                   const KernelInfo& kernel, const Grid& grid, const void* kernarg,
                                   Memory& memory, const RunOptions& options,
                                   const TimeOptions& time_options, const SourceLineFn& source_line,
                                   Dependence dependence, Recorder::Behind behind) {
  LaunchRecord launch;
  launch.kernel = kernel.shown_name;
  launch.workgroups = grid.CountWorkgroups();
  launch.needs = ComputeNeeds(machine, kernel, grid);
  launch.occupancy = ComputeOccupancy(machine, launch.needs);
  launch.plan = PlanSample(machine, launch.workgroups, std::max(1, launch.occupancy.workgroups));
  const bool depend = dependence != Dependence::kNone;

  Recorder recorder(machine, program.target().bit);
  RunOptions in_order = options;
  if (!depend) recorder.Limit(time_options.stratum, behind);
  if (dependence == Dependence::kOnOrder) in_order.threads = 1;  // or the order is another
  Batches batches(program, kernel, grid, kernarg, memory, in_order, recorder);
  TimedRun timed;
  const int64_t at_once = static_cast<int64_t>(machine.units) * launch.plan.resident;
  absl::Status executed = depend ? batches.Run(OrderOfEnds(launch.workgroups, at_once, dependence))
                                 : ExecuteStrata(launch.plan, batches, recorder);
  if (executed.ok() && !depend) {
    if (std::isfinite(time_options.limit_ms)) {
      const std::vector<Op> ops = DecodeOps(machine, program, kernel, batches.report());
      const Bound bound = BoundOfStrata(machine, launch, ops, recorder);
      if (time_options.Exceeds(bound.Ms(machine))) {
        timed.report = std::move(batches.report());
        timed.time = GiveUp(machine, launch, bound, bound.clk);
        return timed;
      }
    }
    executed = ExecuteDetail(launch.plan, launch.needs.waves, time_options, batches, recorder);
  }
  if (!executed.ok()) return executed;
  TakeBusiestUnit(machine, recorder, launch.plan);

  Recorder xcd_recorder(machine, program.target().bit);
  Batches xcd_batches(program, kernel, grid, kernarg, memory, options, xcd_recorder);
  if (time_options.xcd) {
    const absl::Status xcd =
        ExecuteXcd(machine, depend, recorder, xcd_recorder, xcd_batches, launch);
    if (!xcd.ok()) return xcd;
    batches.AddExecutions(xcd_batches.report());
  }
  timed.report = std::move(batches.report());
  timed.ops = DecodeOps(machine, program, kernel, timed.report);
  for (Op& op : timed.ops) {
    if (source_line && !op.text.empty())
      op.source = source_line(op.pc, LineOf::kInstruction).ToString();
  }
  launch.ops = timed.ops;
  launch.ops_on = [&](const Machine& other) {
    return DecodeOps(other, program, kernel, timed.report);
  };
  launch.shapes = &recorder.shapes();
  launch.record = [&recorder](int64_t index) { return recorder.Find(index); };
  launch.footprint = recorder.footprint();
  launch.threads = options.threads;
  timed.time = TimeLaunch(machine, launch, time_options);
  timed.time.sampled = recorder.workgroups();
  return timed;
}

}  // namespace

std::vector<Op> DecodeOps(const Machine& machine, Program& program, const KernelInfo& kernel,
                          const RunReport& report) {
  std::vector<Op> ops(report.executions.size());
  for (uint32_t i = 0; i < ops.size(); ++i) {
    if (report.executions[i] == 0) continue;
    ops[i] = MakeOp(machine, program.target().bit, kernel.wave_size, program.Facts(i));
  }
  return ops;
}

absl::StatusOr<TimedRun> RunTimed(const Machine& machine, Program& program,
                                  const KernelInfo& kernel, const Grid& grid, const void* kernarg,
                                  Memory& memory, const RunOptions& options,
                                  const TimeOptions& time_options,
                                  const SourceLineFn& source_line) {
  const absl::StatusOr<Dependence> dependence = FindDependence(program, kernel, grid);
  if (!dependence.ok()) return dependence.status();
  const auto time = [&](Recorder::Behind behind) {
    return RunSample(machine, program, kernel, grid, kernarg, memory, options, time_options,
                     source_line, *dependence, behind);
  };
  if (*dependence != Dependence::kNone || WaitsInLds(program, kernel))
    return time(Recorder::Behind::kGoOn);
  absl::StatusOr<TimedRun> timed = time(Recorder::Behind::kFirstGoesOn);
  // A wave that goes on alone may read an address from LDS that others were to write. A fault of
  // the kernel's own is met again.
  return timed.ok() ? std::move(timed) : time(Recorder::Behind::kGoOn);
}

}  // namespace gridwise::sim::time
