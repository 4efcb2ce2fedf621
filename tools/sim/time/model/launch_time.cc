#include "tools/sim/time/model/launch_time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "absl/functional/function_ref.h"

namespace gridwise::sim::time {
namespace {

/// Wave instructions of a unit that are replayed; what is behind them goes on at the same rate.
constexpr uint64_t kMostReplayed = 400'000;
/// Workgroups that are replayed to tell what a resource costs, times the resident ones.
constexpr size_t kTurnsToCompare = 2;
constexpr uint64_t kMostCompared = 150'000;
/// The same for an end of a parameter's range, of which there are many.
constexpr uint64_t kMostOfRange = 30'000;
/// Gains below this part are within what the model cannot tell.
constexpr double kLeastGain = 0.005;

class Timer {
 public:
  Timer(const Machine& machine, const LaunchRecord& launch) : machine_(machine), launch_(launch) {
    mean_work_ = MeanWork(Strata());
    FindTraffic();
    const bool multiplies = std::any_of(launch.ops.begin(), launch.ops.end(),
                                        [](const Op& op) { return op.matrix_clk > 0; });
    compared_mhz_ = multiplies ? machine.sustained_mhz : machine.burst_mhz;
    work_ratio_ = mean_work_ / std::max(1.0, MeanWork(Detailed()));
  }

  /// Clocks of the kernel at `mhz`: the longest of the units in detail, extended to all that a unit
  /// executes. `longest` becomes that unit's time. More than `enough` need not be known precisely.
  double Clocks(double mhz, UnitTime* longest, std::vector<WaveEvent>* events = nullptr,
                double enough = std::numeric_limits<double>::infinity()) const {
    double clk = 0;
    for (const SamplePlan::Unit& timed : launch_.plan.units) {
      if (clk > enough) break;
      const std::vector<const WorkgroupRecord*> groups = RecordsOf(timed.first);
      if (groups.empty()) continue;
      std::vector<WaveEvent> own_events;
      UnitTime unit = TimeUnit(WorkAt(mhz, 0, groups, events ? &own_events : nullptr));
      const double all = Extended(unit, timed.all);
      if (all < clk) continue;
      clk = all;
      if (events != nullptr) *events = std::move(own_events);
      if (longest != nullptr) *longest = std::move(unit);
    }
    return clk;
  }

  /// Clocks an instruction of the first workgroups of the last unit in detail, at the clock of such
  /// kernels: enough to compare resources by.
  double ClocksOfSome(uint32_t freed) const {
    return ClocksOfSome([&](UnitWork& work) { work.freed = freed; });
  }

  /// The same with a parameter of the machine at `value`: enough to compare its ends by.
  double ClocksWith(Parameter Machine::* member, double value) const {
    Machine machine = machine_;
    machine.*member = Parameter::Read(value, value, value, (machine_.*member).source);
    const std::vector<Op> ops = launch_.ops_on(machine);
    Shapes shapes = launch_.shapes->On(machine);
    return ClocksOfSome([&](UnitWork& work) {
      work.machine = &machine;
      work.ops = ops;
      work.shapes = &shapes;
      work.most_instructions = kMostOfRange;
    });
  }

  const Traffic& traffic() const { return traffic_; }
  double mall_hits() const { return mall_hits_; }

  /// The bound of the first unit's workgroups, extended in the same way.
  Bound PortBound() {
    const double share = std::min<double>(machine_.l2_read_bytes / UnitsPerDie(),
                                          machine_.l1_read_bytes * machine_.l1s);
    PortWork mean = {};
    const auto groups = Detailed();
    for (const WorkgroupRecord* group : groups) {
      const PortWork work = WorkOf(machine_, launch_.ops, *launch_.shapes, *group, share);
      for (size_t i = 0; i < mean.size(); ++i)
        mean[i] += work[i] / static_cast<double>(groups.size());
    }
    Bound bound = BoundOf(mean);
    bound.clk *= static_cast<double>(launch_.plan.rounds) * work_ratio_;
    return bound;
  }

 private:
  double ClocksOfSome(absl::FunctionRef<void(UnitWork&)> change) const {
    const SamplePlan::Unit& first = launch_.plan.units.front();
    const SamplePlan::Unit& typical = launch_.plan.units.back();
    std::vector<const WorkgroupRecord*> groups =
        RecordsOf(typical.all < first.all ? first.first : typical.first);
    const auto some = kTurnsToCompare * static_cast<size_t>(launch_.plan.resident);
    groups.resize(std::min(groups.size(), some));
    UnitWork work = WorkAt(compared_mhz_, 0, groups, nullptr);
    work.most_instructions = kMostCompared;
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

  /// Instructions of a workgroup: what workgroups of different work are compared by.
  static double MeanWork(std::span<const WorkgroupRecord* const> records) {
    double sum = 0;
    for (const WorkgroupRecord* record : records) {
      for (const WaveRecord& wave : record->waves) sum += static_cast<double>(wave.instructions());
    }
    return records.empty() ? 0 : sum / static_cast<double>(records.size());
  }

  double UnitsPerDie() const {
    return std::min<double>(machine_.units_per_die(),
                            std::ceil(launch_.plan.units_busy / machine_.dies));
  }

  UnitWork WorkAt(double mhz, uint32_t freed, std::span<const WorkgroupRecord* const> groups,
                  std::vector<WaveEvent>* events) const {
    return {.machine = &machine_,
            .ops = launch_.ops,
            .shapes = launch_.shapes,
            .workgroups = groups,
            .resident = launch_.plan.resident,
            .parts = launch_.needs.half_unit ? 2 : 1,
            .sharing = {.mhz = mhz,
                        .units = launch_.plan.units_busy,
                        .units_per_die = UnitsPerDie(),
                        .stores_reach_memory = stores_reach_memory_},
            .hits = traffic_.hits,
            .freed = freed,
            .most_instructions = kMostReplayed,
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
    // The steady state: behind the first half, and before the unit empties.
    const auto resident = static_cast<size_t>(launch_.plan.resident);
    const size_t last = ends.size() - resident;
    const size_t first = std::min(last - 1, std::max(resident - 1, last / 2));
    const double period = (ends[last] - ends[first]) / static_cast<double>(last - first);
    return unit.clk + period * work_ratio_ * static_cast<double>(count - timed);
  }

  void FindTraffic() {
    const std::vector<const WorkgroupRecord*> die = RecordsOf(launch_.plan.die);
    if (die.empty()) return;
    const double part =
        static_cast<double>(die.size()) / static_cast<double>(launch_.plan.die.size());
    const auto units = static_cast<int64_t>(std::max(1.0, std::round(UnitsPerDie() * part)));
    traffic_ = TrafficOf(machine_, launch_.ops, *launch_.shapes, die, units, part);
    // Warm, the MALL holds what fits. Of more than that it gives what several dies or rounds ask
    // for.
    const double missed = traffic_.misses / std::max(1.0, traffic_.workgroups) *
                          static_cast<double>(launch_.workgroups) * machine_.line_bytes *
                          mean_work_ / std::max(1.0, MeanWork(die));
    const bool fits = launch_.footprint_bytes <= machine_.mall_bytes;
    mall_hits_ = fits ? 1 : missed > 0 ? std::max(0.0, 1 - launch_.footprint_bytes / missed) : 0;
    stores_reach_memory_ = fits ? 0 : 1;
    for (Hits& hits : traffic_.hits) hits.mall = mall_hits_;
  }

  const Machine& machine_;
  const LaunchRecord& launch_;
  Traffic traffic_;
  double mall_hits_ = 1, stores_reach_memory_ = 0;
  double mean_work_ = 0, work_ratio_ = 1;
  double compared_mhz_ = 0;  // the sustained clock, if there is matrix work
};

double Milliseconds(const Machine& machine, double clk, double mhz) {
  return machine.launch_us / 1000 + clk / (mhz * 1000);
}

/// Whether a replay shows what the parameter is worth: not clocks, what a unit holds and launches.
bool IsReplayed(Parameter Machine::* member) {
  for (Parameter Machine::* other :
       {&Machine::burst_mhz, &Machine::sustained_mhz, &Machine::launch_us, &Machine::gap_us}) {
    if (member == other) return false;
  }
  return true;
}

/// low_ms and high_ms: deviations of independent parameters, in logarithms, add up as squares do.
void FindInterval(const Timer& timer, const Machine& machine, LaunchTime& time) {
  double down = 0, up = 0;  // squares
  const double base = timer.ClocksWith(&Machine::units, machine.units);
  for (const Field& field : Fields()) {
    const Parameter& parameter = machine.*field.member;
    if (!parameter.uncertain() || !IsReplayed(field.member) || base <= 0) continue;
    double least = 0, most = 0;
    for (const double end : {parameter.low, parameter.high}) {
      if (end == parameter.value) continue;
      const double change = std::log(timer.ClocksWith(field.member, end) / base);
      least = std::min(least, change);
      most = std::max(most, change);
    }
    down += least * least;
    up += most * most;
  }
  const double kernel_ms = time.sustained_ms - machine.launch_us / 1000;
  time.low_ms = machine.launch_us.low / 1000 + kernel_ms * std::exp(-std::sqrt(down));
  time.high_ms = machine.launch_us.high / 1000 + kernel_ms * std::exp(std::sqrt(up));
}

/// What is known of a launch before it is timed.
LaunchTime Described(const Machine& machine, const LaunchRecord& launch) {
  LaunchTime time;
  time.kernel = launch.kernel;
  time.machine = &machine;
  time.workgroups = launch.workgroups;
  time.needs = launch.needs;
  time.occupancy = launch.occupancy;
  time.resident = launch.plan.resident;
  return time;
}

}  // namespace

LaunchTime GiveUp(const Machine& machine, const LaunchRecord& launch, const Bound& bound,
                  double clk) {
  LaunchTime time = Described(machine, launch);
  time.given_up = true;
  time.bound = bound.resource;
  time.bound_clk = bound.clk;
  time.burst_clk = time.sustained_clk = clk;
  time.burst_ms = Milliseconds(machine, clk, machine.burst_mhz);
  time.sustained_ms = Milliseconds(machine, clk, machine.sustained_mhz);
  time.low_ms = time.high_ms = time.sustained_ms;
  return time;
}

LaunchTime TimeLaunch(const Machine& machine, const LaunchRecord& launch,
                      const TimeOptions& options) {
  Timer timer(machine, launch);
  LaunchTime time = Described(machine, launch);
  const double limit_clk = options.limit_ms * machine.sustained_mhz * 1000;
  time.sustained_clk = timer.Clocks(machine.sustained_mhz, nullptr, nullptr, limit_clk);
  if (time.sustained_clk > limit_clk)
    return GiveUp(machine, launch, timer.PortBound(), time.sustained_clk);
  time.burst_clk = timer.Clocks(machine.burst_mhz, &time.unit, options.events);
  time.burst_ms = Milliseconds(machine, time.burst_clk, machine.burst_mhz);
  time.sustained_ms = Milliseconds(machine, time.sustained_clk, machine.sustained_mhz);
  time.low_ms = time.high_ms = time.sustained_ms;
  if (options.interval && launch.ops_on) FindInterval(timer, machine, time);
  const Bound bound = timer.PortBound();
  time.bound_clk = bound.clk;
  time.bound = bound.resource;
  time.l1_hits = time.unit.l1_lines > 0 ? time.unit.l1_hits / time.unit.l1_lines : 0;
  const Traffic& traffic = timer.traffic();
  time.l2_hits = traffic.requests > 0 ? 1 - traffic.misses / traffic.requests : 1;
  time.mall_hits = timer.mall_hits();
  for (size_t i = 0; i < time.utilisation.size(); ++i)
    time.utilisation[i] = time.unit.clk > 0 ? time.unit.busy[i] / time.unit.clk : 0;
  const double some = options.gains ? timer.ClocksOfSome(0) : 0;
  for (int r = 0; r < kResources && some > 0; ++r) {
    const auto resource = static_cast<Resource>(r);
    const double part = 1 - timer.ClocksOfSome(Bit(resource)) / some;
    if (part >= kLeastGain) time.gains.push_back({resource, part});
  }
  std::sort(time.gains.begin(), time.gains.end(),
            [](const Gain& a, const Gain& b) { return a.part > b.part; });
  return time;
}

LaunchTime TimeFill(const Machine& machine, double bytes) {
  LaunchTime time;
  time.kernel = "fill";
  time.machine = &machine;
  // Stored bytes pass L2 and stay in the MALL, or go on to memory if they do not fit.
  const bool fits = bytes <= machine.mall_bytes;
  const Parameter& behind = fits ? machine.mall_gbs : machine.dram_write_gbs;
  const auto clocks = [&](double mhz, double l2_bytes_per_clk, double behind_gbs) {
    const double rate = std::min(machine.dies * l2_bytes_per_clk, behind_gbs * 1000 / mhz);
    return bytes / rate + machine.l2_latency;
  };
  const Parameter& l2 = machine.l2_write_bytes;
  const double mhz = machine.sustained_mhz;
  time.burst_clk = clocks(machine.burst_mhz, l2, behind);
  time.sustained_clk = clocks(mhz, l2, behind);
  time.burst_ms = Milliseconds(machine, time.burst_clk, machine.burst_mhz);
  time.sustained_ms = Milliseconds(machine, time.sustained_clk, mhz);
  const double launch_ms = machine.launch_us / 1000;
  time.low_ms = time.sustained_ms - launch_ms + machine.launch_us.low / 1000 +
                (clocks(mhz, l2.high, behind.high) - time.sustained_clk) / (mhz * 1000);
  time.high_ms = time.sustained_ms - launch_ms + machine.launch_us.high / 1000 +
                 (clocks(mhz, l2.low, behind.low) - time.sustained_clk) / (mhz * 1000);
  time.bound_clk = time.sustained_clk;
  time.bound = machine.dies * l2 < behind * 1000 / mhz ? Resource::kL2
               : fits                                  ? Resource::kMall
                                                       : Resource::kMemory;
  return time;
}

double SequenceMs(const Machine& machine, std::span<const LaunchTime> launches, bool sustained) {
  if (launches.empty()) return 0;
  // The first launch's own cost is a launch, the others' is a gap.
  double ms =
      (static_cast<double>(launches.size()) - 1) * machine.gap_us / 1000 + machine.launch_us / 1000;
  for (const LaunchTime& launch : launches) {
    ms += sustained ? launch.sustained_clk / (machine.sustained_mhz * 1000)
                    : launch.burst_clk / (machine.burst_mhz * 1000);
  }
  return ms;
}

}  // namespace gridwise::sim::time
