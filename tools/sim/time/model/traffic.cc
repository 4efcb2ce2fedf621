// SPDX-License-Identifier: MIT
#include "tools/sim/time/model/traffic.h"

#include <algorithm>
#include <limits>

#include "tools/sim/time/engine/cache.h"

namespace gridwise::sim::time {
namespace {

/// Lines that are looked up at most; by then the rates are known.
constexpr int64_t kMaxLines = 4'000'000;
/// A line that was requested at most this many steps ago has not arrived yet.
constexpr double kStepsUnderWay = 1;
constexpr double kLongAgo = -1e9;

struct Count {
  double requests = 0, l2 = 0, late = 0;
};

class Pass {
 public:
  Pass(const Machine& machine, std::span<const Op> ops, Shapes& shapes, const XcdOfUnits& xcd)
      : machine_(machine),
        ops_(ops),
        shapes_(shapes),
        kept_(xcd.l2_kept),
        l2_(machine.l2_bytes * xcd.part, machine.line_bytes, machine.l2_ways, L2SetsBy(machine)),
        l1_(static_cast<size_t>(xcd.units),
            Cache(machine.l1_bytes * machine.l1s, machine.line_bytes, machine.l1_ways)),
        counts_(ops.size()) {}

  bool full() const { return lines_ >= kMaxLines; }

  /// The memory instruction after `at` of a wave on `unit`, in step `step`.
  void Step(const WaveRecord& wave, size_t& at, size_t unit, double step) {
    const auto& all = wave.accesses;
    const size_t first = at;
    while (at < all.size() && all[at].run == all[first].run && all[at].op == all[first].op) {
      const Access& access = all[at++];
      const Op& op = ops_[access.op];
      if (access.lds || op.kind != OpKind::kMemory) continue;
      const MemoryCost& cost = shapes_.MemoryCostOf(access.shape, access.base);
      const uint64_t line = access.base / static_cast<uint64_t>(machine_.line_bytes);
      for (const int32_t relative : cost.lines)
        Look(op, counts_[access.op], line + static_cast<uint64_t>(int64_t{relative}), unit, step);
    }
  }

  void Invalidate(size_t unit) { l1_[unit].Clear(); }

  Traffic Result() const {
    Traffic traffic;
    for (const Count& count : counts_) {
      Hits& hits = traffic.hits.emplace_back();
      if (count.requests > 0)
        hits = {.l2 = count.l2 / count.requests, .late = count.late / count.requests};
      traffic.requests += count.requests;
      traffic.misses += count.requests - count.l2 - count.late;
    }
    return traffic;
  }

 private:
  void Look(const Op& op, Count& count, uint64_t line, size_t unit, double step) {
    ++lines_;
    if (!op.store && !op.bypasses_l1) {
      if (l1_[unit].Find(line) != nullptr) return;
      l1_[unit].Insert(line, step);
    }
    Cache::Line* const found = l2_.Find(line);
    const bool kept = found == nullptr && kept_.Take(line);
    if (found == nullptr) l2_.Insert(line, kept ? kLongAgo : step);
    if (op.store) return;
    ++count.requests;
    if (found == nullptr) {
      count.l2 += kept;
      return;
    }
    ++(step - found->ready <= kStepsUnderWay ? count.late : count.l2);
  }

  const Machine& machine_;
  const std::span<const Op> ops_;
  Shapes& shapes_;
  KeptLines kept_;
  Cache l2_;
  std::vector<Cache> l1_;
  std::vector<Count> counts_;
  int64_t lines_ = 0;
};

/// How many barriers a wave has passed, and how often it has invalidated its vector cache.
struct Passed {
  uint32_t barriers = 0, invalidations = 0;
  Passed& operator+=(const Passed& other) {
    barriers += other.barriers;
    invalidations += other.invalidations;
    return *this;
  }
};

/// The same for the instructions before an index.
class PassedBefore {
 public:
  explicit PassedBefore(std::span<const Op> ops) {
    for (const Op& op : ops) {
      Passed next = before_.back();
      next += {.barriers = op.barrier_wait, .invalidations = op.invalidates_l1};
      before_.push_back(next);
    }
  }
  Passed Between(uint32_t first, uint32_t end) const {
    return {before_[end].barriers - before_[first].barriers,
            before_[end].invalidations - before_[first].invalidations};
  }

 private:
  std::vector<Passed> before_ = {{}};
};

/// How far a wave has come.
class Cursor {
 public:
  Cursor(const PassedBefore& passed, const WaveRecord& wave, size_t unit)
      : passed_(&passed), wave_(&wave), unit_(unit) {
    FindPassed();
  }

  bool done() const { return at_ >= wave_->accesses.size(); }
  double accesses_done() const { return static_cast<double>(at_); }
  double accesses() const { return static_cast<double>(wave_->accesses.size()); }
  /// The barriers that it passes before its next memory instruction.
  uint32_t barriers() const { return before_.barriers; }

  void Step(Pass& pass, double step) {
    if (before_.invalidations != invalidated_) pass.Invalidate(unit_);
    invalidated_ = before_.invalidations;
    pass.Step(*wave_, at_, unit_, step);
    FindPassed();
  }

 private:
  void FindPassed() {
    if (done()) return;
    const Access& next = wave_->accesses[at_];
    for (; run_ < next.run; ++run_)
      of_runs_ += passed_->Between(wave_->runs[run_].first, wave_->runs[run_].last + 1);
    before_ = of_runs_;
    before_ += passed_->Between(wave_->runs[run_].first, next.op);
  }

  const PassedBefore* passed_;
  const WaveRecord* wave_;
  size_t unit_, at_ = 0;
  uint32_t run_ = 0, invalidated_ = 0;
  Passed of_runs_, before_;
};

/// Steps those of a workgroup's waves that no barrier keeps; false if all are done.
bool StepWorkgroup(std::span<Cursor> waves, Pass& pass, double step) {
  uint32_t open = std::numeric_limits<uint32_t>::max();
  for (const Cursor& wave : waves) {
    if (!wave.done()) open = std::min(open, wave.barriers());
  }
  bool any = false;
  for (Cursor& wave : waves) {
    if (wave.done() || wave.barriers() > open) continue;
    wave.Step(pass, step);
    any = true;
  }
  return any;
}

}  // namespace

Traffic CountTraffic(const Machine& machine, std::span<const Op> ops, Shapes& shapes,
                     std::span<const WorkgroupRecord* const> workgroups, const XcdOfUnits& xcd) {
  Pass pass(machine, ops, shapes, xcd);
  const PassedBefore passed(ops);
  std::vector<std::vector<Cursor>> cursors;
  for (size_t i = 0; i < workgroups.size(); ++i) {
    std::vector<Cursor>& waves = cursors.emplace_back();
    for (const WaveRecord& wave : workgroups[i]->waves)
      waves.emplace_back(passed, wave, i % static_cast<size_t>(xcd.units));
  }
  double step = 0;
  for (bool any = true; any && !pass.full(); ++step) {
    any = false;
    for (std::vector<Cursor>& waves : cursors) any |= StepWorkgroup(waves, pass, step);
  }
  // If a pass stopped early, the part that was done counts.
  double done = 0, all = 0;
  for (const std::vector<Cursor>& waves : cursors) {
    for (const Cursor& wave : waves) {
      done += wave.accesses_done();
      all += wave.accesses();
    }
  }
  Traffic traffic = pass.Result();
  traffic.workgroups = static_cast<double>(workgroups.size()) * (all > 0 ? done / all : 1);
  return traffic;
}

}  // namespace gridwise::sim::time
