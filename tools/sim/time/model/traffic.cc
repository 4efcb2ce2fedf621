#include "tools/sim/time/model/traffic.h"

#include <algorithm>

#include "tools/sim/time/engine/cache.h"

namespace gridwise::sim::time {
namespace {

/// Lines that are looked up at most; by then the rates are known.
constexpr int64_t kMostLines = 4'000'000;
/// A line that was asked for so many steps ago is still under way.
constexpr double kStepsUnderWay = 1;

struct Count {
  double requests = 0, l2 = 0, late = 0;
};

class Pass {
 public:
  Pass(const Machine& machine, std::span<const Op> ops, Shapes& shapes, int64_t units, double part)
      : machine_(machine),
        ops_(ops),
        shapes_(shapes),
        l2_(machine.l2_bytes * part, machine.line_bytes, machine.l2_ways),
        l1_(static_cast<size_t>(units),
            Cache(machine.l1_bytes * machine.l1s, machine.line_bytes, machine.l1_ways)),
        counts_(ops.size()) {}

  bool full() const { return lines_ >= kMostLines; }

  /// The memory instruction behind `at` of a wave on `unit`, in step `step`.
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
    if (found == nullptr) l2_.Insert(line, step);
    if (op.store) return;
    ++count.requests;
    if (found == nullptr) return;
    ++(step - found->ready <= kStepsUnderWay ? count.late : count.l2);
  }

  const Machine& machine_;
  const std::span<const Op> ops_;
  Shapes& shapes_;
  Cache l2_;
  std::vector<Cache> l1_;
  std::vector<Count> counts_;
  int64_t lines_ = 0;
};

}  // namespace

Traffic TrafficOf(const Machine& machine, std::span<const Op> ops, Shapes& shapes,
                  std::span<const WorkgroupRecord* const> workgroups, int64_t units, double part) {
  Pass pass(machine, ops, shapes, units, part);
  struct Cursor {
    const WaveRecord* wave;
    size_t unit, at;
  };
  std::vector<Cursor> waves;
  for (size_t i = 0; i < workgroups.size(); ++i) {
    for (const WaveRecord& wave : workgroups[i]->waves)
      waves.push_back({&wave, i % static_cast<size_t>(units), 0});
  }
  double step = 0;
  for (bool any = true; any && !pass.full(); ++step) {
    any = false;
    for (Cursor& cursor : waves) {
      if (cursor.at >= cursor.wave->accesses.size()) continue;
      pass.Step(*cursor.wave, cursor.at, cursor.unit, step);
      any = true;
    }
  }
  // Of a pass that stopped early the part that was done counts.
  double done = 0, all = 0;
  for (const Cursor& cursor : waves) {
    done += static_cast<double>(cursor.at);
    all += static_cast<double>(cursor.wave->accesses.size());
  }
  Traffic traffic = pass.Result();
  traffic.workgroups = static_cast<double>(workgroups.size()) * (all > 0 ? done / all : 1);
  return traffic;
}

}  // namespace gridwise::sim::time
