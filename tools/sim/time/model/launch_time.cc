// SPDX-License-Identifier: MIT
#include "tools/sim/time/model/launch_time.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "absl/functional/function_ref.h"
#include "core/arch/infinity_cache.h"
#include "tools/sim/time/model/mall_search.h"

namespace gridwise::sim::time {
namespace {

/// Wave instructions of a unit that are replayed; what is after them goes on at the same rate.
constexpr uint64_t kMaxReplayed = 400'000;
/// Workgroups that are replayed to tell what a resource costs, times the resident ones.
constexpr size_t kTurnsToCompare = 2;
constexpr uint64_t kMaxCompared = 150'000;
/// The same for the ends of parameters' ranges, of which there are many.
constexpr uint64_t kMaxOfRange = 30'000;
/// Gains below this part are within what the model cannot tell.
constexpr double kMinGain = 0.005;

/// Calls `task` with each number below `count`, on several threads (0: as many as processors).
void InParallel(int threads, size_t count, absl::FunctionRef<void(size_t)> task) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) task(i);
  };
  if (threads <= 0) threads = static_cast<int>(std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min(count, static_cast<size_t>(threads)); ++i)
    others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

class Timer {
 public:
  Timer(const Machine& machine, const LaunchRecord& launch) : machine_(machine), launch_(launch) {
    mean_work_ = MeanWork(Strata(), /*all=*/true);
    FindTraffic();
    work_ratio_ = mean_work_ / std::max(1.0, MeanWork(Detailed()));
  }

  /// Clocks of the kernel: the longest of the units in detail, extended to all that a unit
  /// executes. `longest` becomes that unit's time. Ends when `exceeds` a limit.
  double Clocks(UnitTime& longest, std::vector<WaveEvent>* events,
                absl::FunctionRef<bool(double)> exceeds) const {
    double clk = 0;
    for (const SamplePlan::Unit& timed : launch_.plan.units) {
      if (exceeds(clk)) break;
      const std::vector<const WorkgroupRecord*> groups = RecordsOf(timed.first);
      if (groups.empty()) continue;
      std::vector<WaveEvent> own_events;
      UnitTime unit = TimeUnit(WorkOfUnit(groups, timed.all, events ? &own_events : nullptr));
      const double all = Extended(unit, timed.all);
      if (all < clk) continue;
      clk = all;
      if (events != nullptr) *events = std::move(own_events);
      longest = std::move(unit);
    }
    return clk;
  }

  /// Clocks an instruction of the first workgroups of the last unit in detail: enough to compare
  /// resources by. This and the next one may be called by several threads.
  double ClocksOfSome(uint32_t freed) const {
    Shapes shapes = launch_.shapes->On(machine_);
    return ClocksOfSome([&](UnitWork& work) {
      work.freed = freed;
      work.shapes = &shapes;
    });
  }

  /// The clocks with a parameter of the machine at `value`, precise enough to compare the ends of
  /// its range.
  double ClocksWith(Parameter Machine::* member, double value) const {
    Machine machine = machine_;
    machine.*member = Parameter::Read(value, value, value, (machine_.*member).source);
    const std::vector<Op> ops = launch_.ops_on(machine);
    Shapes shapes = launch_.shapes->On(machine);
    const std::vector<Hits> hits =
        member == &Machine::l2_xor_sets ? HitsOn(machine, shapes) : traffic_.hits;
    return ClocksOfSome([&](UnitWork& work) {
      work.machine = &machine;
      work.hits = hits;
      work.ops = ops;
      work.shapes = &shapes;
      work.max_instructions = kMaxOfRange;
    });
  }

  /// All units of the first XCD.
  XcdTime OfXcd() const {
    UnitWork work = WorkOfUnit(launch_.xcd, launch_.plan.rounds, nullptr);
    work.shapes = launch_.xcd_shapes;
    work.max_instructions = std::numeric_limits<uint64_t>::max();
    return TimeXcd(work, static_cast<int>(machine_.units_per_xcd()), mall_hits_);
  }

  /// The part of lines that the MALL has if units have as many of them fetched as `unit` had: its
  /// vector caches know the time, which those of FindTraffic do not.
  double MallHitsOf(const UnitTime& unit) const {
    if (unit.instructions == 0) return mall_hits_;
    const double fetched = unit.mall_bytes - unit.l2_write_bytes;
    return MallHits(fetched * mean_work_ / static_cast<double>(unit.instructions));
  }

  void SetMallHits(double part) {
    mall_hits_ = part;
    for (Hits& hits : traffic_.hits) hits.mall = part;
  }

  const Traffic& traffic() const { return traffic_; }
  double mall_hits() const { return mall_hits_; }

  /// The bound of the units' workgroups in detail, extended in the same way; matrix work is that of
  /// the workgroups across the grid, which are executed whole.
  Bound PortBound() const {
    const double share = std::min<double>(machine_.l2_read_bytes / UnitsPerXcd(),
                                          machine_.l1_read_bytes * machine_.l1s);
    const auto workgroups = static_cast<double>(launch_.workgroups);
    const auto rounds = static_cast<double>(launch_.plan.rounds) * work_ratio_;
    const PortWork detailed = MeanOf(Detailed(), [&](const WorkgroupRecord& group) {
      return CountWork(machine_, launch_.ops, *launch_.shapes, group, share);
    });
    const PortWork strata = MeanOf(Strata(), [&](const WorkgroupRecord& group) {
      PortWork work = {};
      AddArithmetic(machine_, launch_.ops, group, work);
      for (double& port : work) port *= group.scale;
      return work;
    });
    Bound bound = FindBound(machine_, detailed, workgroups, rounds);
    bound.matrix_clk = FindBound(machine_, strata, workgroups, rounds).matrix_clk;
    return bound;
  }

 private:
  double ClocksOfSome(absl::FunctionRef<void(UnitWork&)> change) const {
    const SamplePlan::Unit& first = launch_.plan.units.front();
    const SamplePlan::Unit& typical = launch_.plan.units.back();
    const SamplePlan::Unit& unit_of_most = typical.all < first.all ? first : typical;
    std::vector<const WorkgroupRecord*> groups = RecordsOf(unit_of_most.first);
    const auto some = kTurnsToCompare * static_cast<size_t>(launch_.plan.resident);
    groups.resize(std::min(groups.size(), some));
    UnitWork work = WorkOfUnit(groups, unit_of_most.all, nullptr);
    work.max_instructions = kMaxCompared;
    change(work);
    const UnitTime unit = TimeUnit(work);
    return unit.clk / static_cast<double>(std::max<uint64_t>(1, unit.instructions));
  }

  std::vector<const WorkgroupRecord*> RecordsOf(std::span<const int64_t> indices) const {
    std::vector<const WorkgroupRecord*> records;
    for (const int64_t index : indices) {
      if (const WorkgroupRecord* record = launch_.record(index)) records.push_back(record);
    }
    return records;
  }
  std::vector<const WorkgroupRecord*> Strata() const { return RecordsOf(launch_.plan.strata); }
  std::vector<const WorkgroupRecord*> Detailed() const {
    std::vector<const WorkgroupRecord*> all;
    for (const SamplePlan::Unit& unit : launch_.plan.units) {
      const auto records = RecordsOf(unit.first);
      all.insert(all.end(), records.begin(), records.end());
    }
    return all;
  }

  /// Instructions of a workgroup, all or those that are recorded: what workgroups of different work
  /// are compared by.
  static double MeanWork(std::span<const WorkgroupRecord* const> records, bool all = false) {
    double sum = 0;
    for (const WorkgroupRecord* record : records)
      sum += record->instructions() * (all ? record->scale : 1);
    return records.empty() ? 0 : sum / static_cast<double>(records.size());
  }

  double UnitsPerXcd() const {
    return std::min<double>(machine_.units_per_xcd(),
                            std::ceil(launch_.plan.units_busy / machine_.xcds));
  }

  /// `groups` are the first ones of a unit that executes `all`. L2 serves its units in turn; what
  /// is after it they get by the request, so that who has more workgroups than others has more of
  /// it.
  UnitWork WorkOfUnit(std::span<const WorkgroupRecord* const> groups, int64_t all,
                      std::vector<WaveEvent>* events) const {
    return {.machine = &machine_,
            .ops = launch_.ops,
            .shapes = launch_.shapes,
            .workgroups = groups,
            .resident = launch_.plan.resident,
            .parts = launch_.needs.half_unit ? 2 : 1,
            .sharing = {.mhz = machine_.burst_mhz,
                        .units = static_cast<double>(launch_.workgroups) / static_cast<double>(all),
                        .units_per_xcd = UnitsPerXcd(),
                        .l2_kept = KeptByL2(),
                        .stores_reach_memory = stores_reach_memory_},
            .hits = traffic_.hits,
            .max_instructions = kMaxReplayed,
            .events = events};
  }

  /// The time of all `count` workgroups that a unit executes, from that of the first ones: what the
  /// filled unit needed for each, times those that are left.
  double Extended(const UnitTime& unit, int64_t count) const {
    if (unit.cut) {
      // It goes on as it did, with the instructions that are left.
      const double all = mean_work_ * static_cast<double>(count);
      return unit.clk + std::max(0.0, all - static_cast<double>(unit.instructions)) / unit.rate;
    }
    const auto timed = static_cast<int64_t>(unit.ends.size());
    if (timed >= count || timed <= launch_.plan.resident) {
      return unit.clk * static_cast<double>(count) /
             static_cast<double>(std::max<int64_t>(1, std::min(timed, count)));
    }
    std::vector<double> ends = unit.ends;
    std::sort(ends.begin(), ends.end());
    // The steady state: after the first half, and before the unit empties.
    const auto resident = static_cast<size_t>(launch_.plan.resident);
    const size_t last = ends.size() - resident;
    const size_t first = std::min(last - 1, std::max(resident - 1, last / 2));
    const double period = (ends[last] - ends[first]) / static_cast<double>(last - first);
    return unit.clk + period * work_ratio_ * static_cast<double>(count - timed);
  }

  Traffic TrafficOn(const Machine& machine, Shapes& shapes,
                    std::span<const WorkgroupRecord* const> xcd) const {
    const double part =
        static_cast<double>(xcd.size()) / static_cast<double>(launch_.plan.xcd.size());
    const auto units = static_cast<int64_t>(std::max(1.0, std::round(UnitsPerXcd() * part)));
    return CountTraffic(machine, launch_.ops, shapes, xcd,
                        {.units = units, .part = part, .l2_kept = KeptByL2()});
  }

  /// The parts of lines that L2 and MALL would have on a machine with another L2. Memory delivers
  /// as many lines as here, since it delivers each line of a launch once.
  std::vector<Hits> HitsOn(const Machine& machine, Shapes& shapes) const {
    const std::vector<const WorkgroupRecord*> xcd = RecordsOf(launch_.plan.xcd);
    if (xcd.empty()) return traffic_.hits;
    Traffic traffic = TrafficOn(machine, shapes, xcd);
    const double of_memory = (1 - mall_hits_) * traffic_.misses / std::max(1.0, traffic.misses);
    for (Hits& hits : traffic.hits) hits.mall = 1 - std::min(1.0, of_memory);
    return std::move(traffic.hits);
  }

  void FindTraffic() {
    const std::vector<const WorkgroupRecord*> xcd = RecordsOf(launch_.plan.xcd);
    if (xcd.empty()) return;
    traffic_ = TrafficOn(machine_, *launch_.shapes, xcd);
    SetMallHits(MallHits(traffic_.misses / std::max(1.0, traffic_.workgroups) *
                         machine_.line_bytes * mean_work_ / std::max(1.0, MeanWork(xcd))));
    stores_reach_memory_ = 1 - Kept();
  }

  /// The part of the launch's bytes that the MALL keeps from launch to launch.
  double Kept() const { return FractionCached(launch_.footprint.all, machine_.mall_bytes); }

  /// The same for L2. A single L2 keeps its lines between kernels (LLVM's memory models of gfx10 to
  /// gfx12: "no L2 invalidation or writeback is required"); several L2s are written back and
  /// invalidated.
  double KeptByL2() const {
    return machine_.xcds == 1 ? FractionCached(launch_.footprint.all, machine_.l2_bytes) : 0;
  }

  /// The part of lines that the MALL has, if a workgroup misses `bytes` in L2. A warm MALL has what
  /// it keeps, and what another XCD or round has requested before.
  double MallHits(double bytes) const {
    const double missed = bytes * static_cast<double>(launch_.workgroups);
    const double once = missed > 0 ? std::min(1.0, launch_.footprint.loaded / missed) : 0;
    return 1 - once * (1 - Kept());
  }

  const Machine& machine_;
  const LaunchRecord& launch_;
  Traffic traffic_;
  double mall_hits_ = 1, stores_reach_memory_ = 0;
  double mean_work_ = 0, work_ratio_ = 1;
};

double KernelMs(const Machine& machine, double clk) { return clk / (machine.burst_mhz * 1000); }

/// Whether a replay shows the effect of a parameter: not for clock rates, launches and gaps.
bool IsReplayed(Parameter Machine::* member) {
  for (Parameter Machine::* other :
       {&Machine::burst_mhz, &Machine::sustained_mhz, &Machine::launch_us, &Machine::gap_us}) {
    if (member == other) return false;
  }
  return true;
}

/// low and high: deviations of independent parameters, in logarithms, add up as squares do.
void FindInterval(const Timer& timer, const Machine& machine, int threads, LaunchTime& time) {
  struct End {
    Parameter Machine::* member;
    double value, clk = 0;
  };
  std::vector<End> ends = {{&Machine::units, machine.units}};
  for (const Field& field : Fields()) {
    const Parameter& parameter = machine.*field.member;
    if (!parameter.uncertain() || !IsReplayed(field.member)) continue;
    for (const double end : {parameter.low, parameter.high}) {
      if (end != parameter.value) ends.push_back({field.member, end});
    }
  }
  InParallel(threads, ends.size(),
             [&](size_t i) { ends[i].clk = timer.ClocksWith(ends[i].member, ends[i].value); });
  const double base = ends.front().clk;
  double down = 0, up = 0;  // squares
  for (size_t i = 1; i < ends.size() && base > 0;) {
    Parameter Machine::* const member = ends[i].member;
    double least = 0, most = 0;
    for (; i < ends.size() && ends[i].member == member; ++i) {
      const double change = std::log(ends[i].clk / base);
      least = std::min(least, change);
      most = std::max(most, change);
    }
    down += least * least;
    up += most * most;
  }
  const double kernel_ms = KernelMs(machine, time.clk);
  time.low.burst = machine.launch_us.low / 1000 + kernel_ms * std::exp(-std::sqrt(down));
  time.high.burst = machine.launch_us.high / 1000 + kernel_ms * std::exp(std::sqrt(up));
}

/// Gains of a kernel are those of some of it.
void FindGains(const Timer& timer, const Machine& machine, int threads, LaunchTime& time) {
  double clk[kResources + 1];  // without each, and with all
  InParallel(threads, kResources + 1, [&](size_t r) {
    clk[r] = timer.ClocksOfSome(r == kResources ? 0 : Bit(static_cast<Resource>(r)));
  });
  const double some = clk[kResources];
  for (int r = 0; r < kResources && some > 0; ++r) {
    const auto resource = static_cast<Resource>(r);
    const double part = 1 - clk[r] / some;
    const RunMs without = {.burst = time.ms.burst - part * KernelMs(machine, time.clk),
                           .matrix = resource == Resource::kMatrix ? 0 : time.ms.matrix};
    const double gain = 1 - without.sustained() / time.ms.sustained();
    if (gain >= kMinGain) time.gains.push_back({resource, gain});
  }
  std::sort(time.gains.begin(), time.gains.end(),
            [](const Gain& a, const Gain& b) { return a.part > b.part; });
}

/// The description of a launch that takes `clk`, without the reasons.
LaunchTime Described(const Machine& machine, const LaunchRecord& launch, const Bound& bound,
                     double clk) {
  LaunchTime time;
  time.kernel = launch.kernel;
  time.machine = &machine;
  time.workgroups = launch.workgroups;
  time.needs = launch.needs;
  time.occupancy = launch.occupancy;
  time.resident = launch.plan.resident;
  time.bound = bound;
  time.clk = clk;
  time.ms = {.burst = machine.launch_us / 1000 + KernelMs(machine, clk),
             .matrix = bound.Ms(machine).matrix};
  time.low = time.high = time.ms;
  return time;
}

}  // namespace

LaunchTime GiveUp(const Machine& machine, const LaunchRecord& launch, const Bound& bound,
                  double clk) {
  LaunchTime time = Described(machine, launch, bound, clk);
  time.given_up = true;
  return time;
}

LaunchTime TimeLaunch(const Machine& machine, const LaunchRecord& launch,
                      const TimeOptions& options) {
  Timer timer(machine, launch);
  const Bound bound = timer.PortBound();
  const double matrix_ms = bound.Ms(machine).matrix;
  const auto exceeds = [&](double clk) {
    return options.Exceeds({.burst = KernelMs(machine, clk), .matrix = matrix_ms});
  };
  UnitTime unit;
  MallSearch search;
  for (std::optional<double> part = timer.mall_hits(); part;) {
    timer.SetMallHits(*part);
    const double clk = timer.Clocks(unit, options.events, exceeds);
    part = search.Next({.had = *part, .found = timer.MallHitsOf(unit), .clk = clk});
  }
  const double clk = search.Clocks();
  if (exceeds(clk)) return GiveUp(machine, launch, bound, clk);
  LaunchTime time = Described(machine, launch, bound, clk);
  time.unit = std::move(unit);
  if (options.interval && launch.ops_on) FindInterval(timer, machine, launch.threads, time);
  time.l1_hits = time.unit.l1_lines > 0 ? time.unit.l1_hits / time.unit.l1_lines : 0;
  const Traffic& traffic = timer.traffic();
  time.l2_hits = traffic.requests > 0 ? 1 - traffic.misses / traffic.requests : 1;
  time.mall_hits = timer.mall_hits();
  for (size_t i = 0; i < time.utilisation.size(); ++i)
    time.utilisation[i] = time.unit.clk > 0 ? time.unit.busy[i] / time.unit.clk : 0;
  if (options.gains) FindGains(timer, machine, launch.threads, time);
  if (!launch.xcd.empty()) time.xcd = timer.OfXcd();
  return time;
}

LaunchTime TimeFill(const Machine& machine, double bytes) {
  LaunchTime time;
  time.kernel = "fill";
  time.machine = &machine;
  // Stored bytes pass L2 and the MALL, and go on to memory where they do not stay.
  const double gone = 1 - FractionCached(bytes, machine.mall_bytes);
  const double mhz = machine.burst_mhz;
  const auto by_l2 = [&](double bytes_per_clk) { return bytes / (machine.xcds * bytes_per_clk); };
  const auto by_mall = [&](double gbs) { return bytes / (gbs * 1000 / mhz); };
  const auto by_memory = [&](double gbs) { return gone * bytes / (gbs * 1000 / mhz); };
  const auto clocks = [&](double Parameter::* end) {
    return std::max({by_l2(machine.l2_write_bytes.*end), by_mall(machine.mall_gbs.*end),
                     by_memory(machine.dram_write_gbs.*end)}) +
           machine.l2_latency;
  };
  const auto ms = [&](double launch_us, double clk) {
    return RunMs{.burst = launch_us / 1000 + KernelMs(machine, clk)};
  };
  time.clk = clocks(&Parameter::value);
  time.ms = ms(machine.launch_us, time.clk);
  time.low = ms(machine.launch_us.low, clocks(&Parameter::high));
  time.high = ms(machine.launch_us.high, clocks(&Parameter::low));
  const double l2 = by_l2(machine.l2_write_bytes), mall = by_mall(machine.mall_gbs);
  const double memory = by_memory(machine.dram_write_gbs);
  time.bound = {.resource = memory > std::max(l2, mall) ? Resource::kMemory
                            : mall > l2                 ? Resource::kMall
                                                        : Resource::kL2,
                .clk = time.clk};
  return time;
}

RunMs SequenceMs(std::span<const LaunchTime* const> launches, RunMs LaunchTime::* which) {
  RunMs sum;
  for (const LaunchTime* launch : launches) sum += launch->*which;
  if (launches.empty()) return sum;
  // All launches but the first cost the gap between launches, not the time of a launch.
  const Machine& machine = *launches.front()->machine;
  sum.burst -=
      static_cast<double>(launches.size() - 1) * (machine.launch_us - machine.gap_us) / 1000;
  return sum;
}

}  // namespace gridwise::sim::time
