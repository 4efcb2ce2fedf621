// SPDX-License-Identifier: MIT
#include "tools/sim/time/engine/unit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "tools/sim/time/engine/scoreboard.h"

namespace gridwise::sim::time {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr uint64_t kProgressEvery = 256;
constexpr double kCodeWays = 8;  // CDNA ISA documents

constexpr uint32_t BitOf(Stall stall) { return 1u << static_cast<int>(stall); }
constexpr uint32_t kOfCounters =
    BitOf(Stall::kLoads) | BitOf(Stall::kStores) | BitOf(Stall::kLds) | BitOf(Stall::kScalars);

/// The resources that execute the instructions of one SIMD's waves.
struct Simd {
  Server vector, trans, matrix;
  /// When the next instruction of a kind may issue.
  std::array<double, kOpKinds> next = {};
  /// When LDS and the address unit will have done what this SIMD has given them.
  double lds_done = 0, address_done = 0;
  double issue_busy = 0;
  int waves = 0;
};

struct Group {
  uint32_t index = 0;         // in UnitWork::workgroups
  int running = 0;            // waves
  std::vector<size_t> waves;  // indices
};

struct RunningWave {
  RunningWave(const Machine& machine, const WaveRecord& record) : record(&record), board(machine) {}

  const WaveRecord* record;
  Scoreboard board;
  size_t group = 0;
  uint32_t index = 0;  // in its workgroup
  int simd = 0;
  int priority = 0;
  uint32_t signals = 0;  // signals of the barrier
  bool parked = false;   // waits for a barrier
  uint32_t barrier = 0;  // the barrier instruction that it waits at
  bool ended = false;
  size_t run = 0, access = 0;
  uint32_t op = 0;
  uint64_t code_line = ~uint64_t{0};
  double since = 0;  // when it could have issued, were there nothing to wait for
  std::array<double, kStalls> stalled = {};
  uint32_t reasons = 0;  // bits of the Stalls of which `stalled` has clocks
};

/// A wave that wants to issue. The earliest goes first; among those of the same time, the one with
/// the highest priority; among those, the oldest.
struct Candidate {
  double time;
  int priority;
  size_t wave;
  bool operator<(const Candidate& other) const {
    return std::tie(other.time, priority, other.wave) < std::tie(time, other.priority, wave);
  }
};

/// Workgroups that one unit or several take, in their order.
struct Queue {
  std::span<const WorkgroupRecord* const> workgroups;
  size_t next = 0;
  bool empty() const { return next == workgroups.size(); }
};

/// Replays what a unit takes from a queue, an instruction at a time.
class Engine {
 public:
  Engine(const UnitWork& work, Queue& queue, Levels& below)
      : work_(work),
        machine_(*work.machine),
        queue_(queue),
        memory_(machine_, *work.shapes, below, work.freed),
        code_(machine_.code_bytes, machine_.code_line_bytes, kCodeWays),
        simds_(static_cast<size_t>(machine_.simds)),
        lds_ports_(static_cast<size_t>(machine_.lds_ports)) {
    time_.ops.resize(work.ops.size());
    time_.ends.resize(work.workgroups.size());
  }

  /// Takes the next workgroup, which may begin at `t`.
  void StartGroup(double t) {
    const size_t index = queue_.next++;
    const WorkgroupRecord& record = *queue_.workgroups[index];
    const size_t group = groups_.size();
    groups_.emplace_back().index = static_cast<uint32_t>(index);
    t += machine_.dispatch_clk;
    StartWaves(record, group, t);
    if (groups_[group].running == 0) EndGroup(group, t);
  }

  bool done() const { return candidates_.empty() || time_.cut; }
  /// When the next wave wants to issue, and what it does.
  double next_time() const { return candidates_.top().time; }
  void Step() {
    const Candidate candidate = candidates_.top();
    candidates_.pop();
    TryIssue(candidate);
  }

  UnitTime Time() {
    Summarise();
    return std::move(time_);
  }

 private:
  bool Free(Resource resource) const { return (work_.freed & Bit(resource)) != 0; }
  Simd& SimdOf(const RunningWave& wave) { return simds_[static_cast<size_t>(wave.simd)]; }
  Server& LdsPortOf(int simd) {
    return lds_ports_[static_cast<size_t>(simd) * lds_ports_.size() / simds_.size()];
  }

  /// The first time from `t` on at which a SIMD issues.
  double Slot(double t, int simd) const {
    const double cadence = machine_.issue_clk;
    if (cadence <= 1) return t;
    return std::ceil((t - simd) / cadence) * cadence + simd;
  }

  void StartWaves(const WorkgroupRecord& record, size_t group, double t) {
    // Waves of a workgroup go round the SIMDs of their part of the unit, from the emptiest one on.
    const auto least =
        std::min_element(simds_.begin(), simds_.end(),
                         [](const Simd& a, const Simd& b) { return a.waves < b.waves; });
    auto simd = static_cast<size_t>(std::distance(simds_.begin(), least));
    const size_t of_part = simds_.size() / static_cast<size_t>(work_.parts);
    const auto next = [&](size_t from) {
      return from - from % of_part + (from % of_part + 1) % of_part;
    };
    for (size_t i = 0; i < record.waves.size(); ++i, simd = next(simd)) {
      if (record.waves[i].runs.empty()) continue;
      RunningWave& wave = waves_.emplace_back(machine_, record.waves[i]);
      wave.group = group;
      wave.index = static_cast<uint32_t>(i);
      wave.simd = static_cast<int>(simd);
      wave.op = wave.record->runs[0].first;
      ++simds_[simd].waves;
      ++groups_[group].running;
      groups_[group].waves.push_back(waves_.size() - 1);
      wave.since = Slot(t + static_cast<double>(i) * machine_.wave_launch_clk, wave.simd);
      candidates_.push({wave.since, 0, waves_.size() - 1});
    }
  }

  void EndGroup(size_t group, double t) {
    time_.ends[groups_[group].index] = t;
    time_.clk = std::max(time_.clk, t);
    if (!queue_.empty()) StartGroup(t);
  }

  /// When the line of code that holds `op` is in the cache.
  double CodeReady(RunningWave& wave, const Op& op, double t) {
    if (Free(Resource::kCode)) return kNever;
    const auto line = op.pc / static_cast<uint64_t>(machine_.code_line_bytes);
    if (line == wave.code_line) return kNever;
    double ready = kNever;
    for (const uint64_t wanted : {line, line + 1}) {  // the next line is fetched ahead
      Cache::Line* found = code_.Find(wanted);
      if (found == nullptr) {
        code_.Insert(wanted, t + machine_.code_miss_clk);
        code_misses_ += wanted == line;
      }
      if (wanted == line) ready = found != nullptr ? found->ready : t + machine_.code_miss_clk;
    }
    wave.code_line = line;
    return ready;
  }

  /// When `op` can issue from `t` on, and what keeps it.
  struct Start {
    double time = kNever;
    Stall reason = Stall::kIssue;
    void AtLeast(double t, Stall why) {
      if (t > time) *this = {t, why};
    }
  };
  Start ComputeStart(RunningWave& wave, const Op& op, double t) {
    Start start = {t, Stall::kIssue};
    start.AtLeast(CodeReady(wave, op, t), Stall::kCode);
    start.AtLeast(wave.board.OperandsReady(op), Stall::kDependency);
    int counter = 0;
    const double counted = wave.board.CountersReady(op, counter);
    constexpr Stall kOfCounter[] = {Stall::kLoads, Stall::kStores, Stall::kLds, Stall::kScalars};
    start.AtLeast(counted, op.waits ? kOfCounter[counter] : Stall::kAddressQueue);
    const Simd& simd = SimdOf(wave);
    if (op.kind != OpKind::kInternal && !(Free(Resource::kIssue) && op.valu_clk == 0))
      start.AtLeast(simd.next[static_cast<size_t>(op.kind)], Stall::kIssue);
    if (op.valu_clk > 0 && !Free(Resource::kVector))
      start.AtLeast(simd.vector.free, op.kind == OpKind::kMatrix ? Stall::kMatrix : Stall::kVector);
    if (!Free(Resource::kMatrix) && op.matrix_clk > 0)
      start.AtLeast(simd.matrix.free, Stall::kMatrix);
    const bool own_trans = !machine_.cdna() && (op.trans_clk > 0 || op.kind == OpKind::kMatrix);
    if (own_trans && !Free(Resource::kVector)) start.AtLeast(simd.trans.free, Stall::kVector);
    // Each SIMD has a queue of its own, so that none starves another.
    if (op.kind == OpKind::kMemory && !Free(Resource::kAddress))
      start.AtLeast(simd.address_done - machine_.address_backlog_clk, Stall::kAddressQueue);
    if (op.kind == OpKind::kLds && !Free(Resource::kLds))
      start.AtLeast(simd.lds_done - machine_.address_backlog_clk, Stall::kLdsQueue);
    return start;
  }

  void TryIssue(const Candidate& candidate) {
    RunningWave& wave = waves_[candidate.wave];
    const Op& op = work_.ops[wave.op];
    const Start start = ComputeStart(wave, op, candidate.time);
    const double slot = Slot(start.time, wave.simd);
    if (slot > candidate.time) {
      wave.stalled[static_cast<size_t>(start.reason)] += slot - candidate.time;
      wave.reasons |= BitOf(start.reason);
      candidates_.push({slot, wave.priority, candidate.wave});
      return;
    }
    Issue(candidate.wave, op, slot);
  }

  std::span<const Access> TakeAccesses(RunningWave& wave) {
    const std::vector<Access>& all = wave.record->accesses;
    const size_t first = wave.access;
    while (wave.access < all.size() && all[wave.access].run == wave.run &&
           all[wave.access].op == wave.op) {
      ++wave.access;
    }
    return std::span(all).subspan(first, wave.access - first);
  }

  /// LDS does `op` and its accesses from `t` on; when that is done.
  double Lds(double t, int simd, const Op& op, std::span<const Access> accesses) {
    double clk = op.lds_clk, port_clk = op.lds_clk * machine_.lds_ports;
    for (const Access& access : accesses) {
      const LdsCost& cost = work_.shapes->LdsCostOf(access.shape, access.base);
      clk += cost.clk;
      port_clk += cost.port_clk;
    }
    if (Free(Resource::kLds)) clk = port_clk = 0;
    Server& port = LdsPortOf(simd);
    // Banks and port have queues of their own. Halves of RDNA's LDS have banks of their own.
    const double banked = machine_.cdna() ? lds_.Take(t, clk) + clk : t;
    const double moved = port.Take(t, port_clk) + port_clk;
    const double idle = machine_.lds_ports;  // clocks of an idle port for one lane's dword
    simds_[static_cast<size_t>(simd)].lds_done = std::max(banked, moved);
    return std::max({banked, moved, t + idle}) - idle +
           (Free(Resource::kLatency) ? machine_.lds_latency / 2 : machine_.lds_latency);
  }

  /// Occupies the resources that execute `op`, issued at `t`. Returns when its result is ready, if
  /// a counter counts it.
  double Execute(RunningWave& wave, const Op& op, double t) {
    Simd& simd = SimdOf(wave);
    simd.next[static_cast<size_t>(op.kind)] = t + machine_.issue_clk;
    simd.issue_busy += machine_.issue_clk;
    if (op.valu_clk > 0) simd.vector.Take(t, op.valu_clk);
    if (op.matrix_clk > 0) simd.matrix.Take(t, op.matrix_clk);
    if (op.trans_clk > 0) simd.trans.Take(t, op.trans_clk);
    const std::span<const Access> accesses = TakeAccesses(wave);
    if (op.invalidates_l1) memory_.Invalidate(wave.simd);
    switch (op.kind) {
      case OpKind::kLds:
        return Lds(t, wave.simd, op, accesses);
      case OpKind::kScalarMemory:
        return memory_.Scalar(t, accesses);
      case OpKind::kMemory: {
        double done = memory_.Vector(t, wave.simd, wave.op, op, accesses);
        simd.address_done = memory_.AddressFree(wave.simd);
        if (op.to_lds && !Free(Resource::kLds)) done += ArriveInLds(t, accesses);
        return done;
      }
      default:
        return t;
    }
  }

  /// Clocks of LDS for what a load that is issued at `t` writes there.
  double ArriveInLds(double t, std::span<const Access> accesses) {
    double bytes = 0;
    for (const Access& access : accesses) {
      const Shape& shape = work_.shapes->at(access.shape);
      if (access.lds) bytes += static_cast<double>(shape.offset.size()) * shape.bytes;
    }
    // It is done some time later; taking its clocks now holds up nobody before that.
    const double clk = bytes / machine_.lds_direct_bytes;
    lds_.Take(t, clk);
    return clk;
  }

  void Issue(size_t index, const Op& op, double t) {
    RunningWave& wave = waves_[index];
    const double done = Execute(wave, op, t);
    wave.barrier = wave.op;
    wave.board.Issue(op, t, done);
    Note(wave, t);
    if (op.priority >= 0) wave.priority = op.priority;
    if (op.barrier_signal) ++wave.signals;
    double next = t + std::max<double>(machine_.issue_clk, op.idle_clk);
    // A wait that had to wait lets the next instruction go at once.
    if (op.waits && waited_) next = t;
    if (op.barrier_signal && op.barrier_wait) next = t + machine_.barrier_clk;
    if (time_.instructions >= work_.max_instructions) return Cut(t);
    if (op.ends || !Advance(wave, next))
      return wave.record->cut && !op.ends ? Cut(t) : End(index, t);
    wave.since = next;
    if (op.barrier_signal) OpenBarriers(wave.group, t);
    if (op.barrier_wait && !Free(Resource::kBarrier) && wave.signals > LowestSignal(wave.group)) {
      wave.parked = true;
      wave.since = t;
      return;
    }
    candidates_.push({Slot(next, wave.simd), wave.priority, index});
  }

  /// The wave's next instruction; false after the last.
  bool Advance(RunningWave& wave, double& next) {
    const Run& run = wave.record->runs[wave.run];
    if (wave.op < run.last) {
      ++wave.op;
      return true;
    }
    if (++wave.run == wave.record->runs.size()) return false;
    wave.op = wave.record->runs[wave.run].first;
    next += machine_.branch_clk - machine_.issue_clk;
    return true;
  }

  void Cut(double t) {
    time_.cut = true;
    time_.clk = t;
  }

  uint32_t LowestSignal(size_t group) const {
    uint32_t lowest = ~0u;
    for (const size_t index : groups_[group].waves) {
      if (!waves_[index].ended) lowest = std::min(lowest, waves_[index].signals);
    }
    return lowest;
  }

  void OpenBarriers(size_t group, double t) {
    const uint32_t lowest = LowestSignal(group);
    for (const size_t index : groups_[group].waves) {
      RunningWave& wave = waves_[index];
      if (!wave.parked || wave.signals > lowest) continue;
      wave.parked = false;
      const double on = Slot(t + machine_.barrier_clk, wave.simd);
      time_.ops[wave.barrier].stalled[static_cast<size_t>(Stall::kBarrier)] += on - wave.since;
      wave.since = on;
      candidates_.push({on, wave.priority, index});
    }
  }

  void End(size_t index, double t) {
    RunningWave& wave = waves_[index];
    wave.ended = true;
    --SimdOf(wave).waves;
    const size_t group = wave.group;
    if (--groups_[group].running == 0) return EndGroup(group, t);
    OpenBarriers(group, t);
  }

  /// Adds what the wave waited for to its instruction, which has issued at `t`.
  void Note(RunningWave& wave, double t) {
    OpTime& at = time_.ops[wave.op];
    ++at.count;
    if (time_.instructions++ % kProgressEvery == 0) time_.progress.push_back({t, Busy()});
    waited_ = (wave.reasons & kOfCounters) != 0;
    size_t longest = 0;
    for (uint32_t rest = wave.reasons; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(rest));
      at.stalled[i] += wave.stalled[i];
      if (wave.stalled[i] > wave.stalled[longest]) longest = i;
    }
    if (work_.events != nullptr) {
      work_.events->push_back({.workgroup = groups_[wave.group].index,
                               .wave = wave.index,
                               .op = wave.op,
                               .simd = wave.simd,
                               .since = wave.since,
                               .issued = t,
                               .reason = static_cast<Stall>(longest)});
    }
    for (uint32_t rest = wave.reasons; rest != 0; rest &= rest - 1)
      wave.stalled[static_cast<size_t>(std::countr_zero(rest))] = 0;
    wave.reasons = 0;
  }

  /// How long the resources were busy so far.
  std::array<double, kResources> Busy() const {
    const auto mean = [&](auto busy) {
      return std::accumulate(simds_.begin(), simds_.end(), 0.0,
                             [&](double sum, const Simd& simd) { return sum + busy(simd); }) /
             static_cast<double>(simds_.size());
    };
    std::array<double, kResources> all = {};
    const auto at = [&](Resource r) -> double& { return all[static_cast<size_t>(r)]; };
    at(Resource::kMatrix) = mean([](const Simd& s) { return s.matrix.busy; });
    at(Resource::kVector) = mean([](const Simd& s) { return s.vector.busy; });
    at(Resource::kIssue) = mean([](const Simd& s) { return s.issue_busy; });
    at(Resource::kAddress) = memory_.address_busy();
    const Levels& below = memory_.below();
    at(Resource::kL2) = below.l2_reads().clk() + below.l2_writes().clk();
    at(Resource::kMall) = below.mall().clk();
    at(Resource::kMemory) = below.memory().clk();
    at(Resource::kLds) = lds_.busy;
    for (const Server& port : lds_ports_)
      at(Resource::kLds) = std::max(at(Resource::kLds), port.busy);
    at(Resource::kCode) = code_misses_ * machine_.code_miss_clk;
    return all;
  }

  void Summarise() {
    const std::vector<Progress>& progress = time_.progress;
    if (const size_t half = progress.size() / 2; half > 0) {
      const double since = progress.back().clk - progress[half].clk;
      const auto issued = static_cast<double>((progress.size() - 1 - half) * kProgressEvery);
      time_.rate = since > 0 ? issued / since : 0;
    }
    if (time_.rate == 0 && time_.clk > 0)
      time_.rate = static_cast<double>(time_.instructions) / time_.clk;
    time_.busy = Busy();
    time_.l1_lines = memory_.l1_lines();
    time_.l1_hits = memory_.l1_hits();
    const Levels& below = memory_.below();
    time_.l2_read_bytes = below.l2_reads().bytes;
    time_.l2_write_bytes = below.l2_writes().bytes;
    time_.mall_bytes = below.mall().bytes;
    time_.memory_bytes = below.memory().bytes;
  }

  const UnitWork& work_;
  const Machine& machine_;
  Queue& queue_;
  MemoryPath memory_;
  Cache code_;
  double code_misses_ = 0;
  std::vector<Simd> simds_;
  Server lds_;
  std::vector<Server> lds_ports_;
  std::deque<RunningWave> waves_;
  std::vector<Group> groups_;
  std::priority_queue<Candidate> candidates_;
  bool waited_ = false;  // the instruction that has just issued waited for a counter
  UnitTime time_;
};

/// For which an engine launches the waves of the next workgroup.
double LaunchClocks(const UnitWork& work, const Queue& queue) {
  return static_cast<double>(queue.workgroups[queue.next]->waves.size()) *
         work.machine->wave_launch_clk;
}

}  // namespace

std::string_view Name(Stall stall) {
  constexpr std::string_view kNames[kStalls] = {
      "issue",   "operands",    "loads",      "stores",    "LDS data",      "scalar loads",
      "barrier", "matrix unit", "vector ALU", "LDS queue", "address queue", "code"};
  return kNames[static_cast<int>(stall)];
}

double OpTime::total() const { return std::accumulate(stalled.begin(), stalled.end(), 0.0); }

UnitTime TimeUnit(const UnitWork& work) {
  const Machine& machine = *work.machine;
  LevelsOfUnit below(machine, work.sharing, work.hits, work.freed);
  Queue queue = {work.workgroups};
  Engine engine(work, queue, below);
  // An engine launches a workgroup on every unit of its before the second one on any.
  const double units = std::max(1.0, work.sharing.units_per_xcd / machine.engines);
  for (int turn = 0; turn < work.resident && !queue.empty(); ++turn)
    engine.StartGroup(turn * units * LaunchClocks(work, queue));
  while (!engine.done()) engine.Step();
  return engine.Time();
}

XcdTime TimeXcd(const UnitWork& work, int units, double mall_hits) {
  const Machine& machine = *work.machine;
  LevelsOfXcd below(machine, work.sharing, mall_hits, work.freed);
  Queue queue = {work.workgroups};
  std::deque<Engine> engines;
  for (int u = 0; u < units; ++u) engines.emplace_back(work, queue, below);
  std::vector<Server> launchers(static_cast<size_t>(machine.engines));
  for (int i = 0; i < work.resident * units && !queue.empty(); ++i) {
    const auto unit = static_cast<size_t>(i % units);
    Server& launcher = launchers[unit % launchers.size()];
    engines[unit].StartGroup(launcher.Take(0, LaunchClocks(work, queue)));
  }
  using Turn = std::pair<double, size_t>;  // when, which unit
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (size_t u = 0; u < engines.size(); ++u) {
    if (!engines[u].done()) turns.emplace(engines[u].next_time(), u);
  }
  while (!turns.empty()) {
    const size_t u = turns.top().second;
    turns.pop();
    engines[u].Step();
    if (!engines[u].done()) turns.emplace(engines[u].next_time(), u);
  }
  XcdTime xcd = {.units = units, .requests = below.requests(), .misses = below.misses()};
  for (Engine& engine : engines) {
    const UnitTime unit = engine.Time();
    xcd.clk = std::max(xcd.clk, unit.clk);
    xcd.instructions += unit.instructions;
  }
  return xcd;
}

}  // namespace gridwise::sim::time
