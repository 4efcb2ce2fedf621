// SPDX-License-Identifier: MIT
#include "tools/sim/time/engine/levels.h"

#include <algorithm>
#include <iterator>

namespace gridwise::sim::time {
namespace {

/// Bytes a clock of `gbs` GB/s at `mhz`.
double BytesPerClk(double gbs, double mhz) { return gbs * 1000 / mhz; }

SharedLevels OfWholeXcd(const Machine& machine, SharedLevels sharing) {
  sharing.units = machine.xcds;
  sharing.units_per_xcd = 1;
  return sharing;
}

}  // namespace

Levels::Levels(const Machine& machine, const SharedLevels& sharing, double widest, uint32_t freed)
    : machine_(machine), stores_reach_memory_(sharing.stores_reach_memory), freed_(freed) {
  const auto share = [&](double rate) {
    return Share{.rate = std::min(rate, widest), .credit = machine.share_credit_clk};
  };
  l2_read_ = share(machine.l2_read_bytes / sharing.units_per_xcd);
  l2_write_ = share(machine.l2_write_bytes / sharing.units_per_xcd);
  mall_ = share(BytesPerClk(machine.mall_gbs, sharing.mhz) / sharing.units);
  memory_ = share(BytesPerClk(machine.dram_read_gbs, sharing.mhz) / sharing.units);
  latency_ = {machine.l2_latency, machine.mall_latency_ns * sharing.mhz / 1000,
              machine.dram_latency_ns * sharing.mhz / 1000};
  if (Free(Resource::kLatency)) {
    for (double& latency : latency_) latency /= 2;
  }
}

double Levels::Read(double t, uint32_t index, uint64_t line) {
  const double bytes = machine_.line_bytes;
  double done = Free(Resource::kL2) ? t : l2_read_.Take(t, bytes);
  const Found found = Look(index, line);
  if (found.fetched && !Free(Resource::kMall)) done = std::max(done, mall_.Take(t, bytes));
  if (found.fetched && found.latency_of == Source::kMemory && !Free(Resource::kMemory))
    done = std::max(done, memory_.Take(t, bytes));
  done = std::max(done + latency_[static_cast<size_t>(found.latency_of)], found.ready);
  if (found.fetched) Fetched(line, done);
  return done;
}

double Levels::Write(double t, double bytes) {
  double arrived = Free(Resource::kL2) ? t : l2_write_.Take(t, bytes);
  // In the long run, L2 must pass on what it takes.
  if (!Free(Resource::kMall)) arrived = std::max(arrived, mall_.Take(t, bytes));
  if (!Free(Resource::kMemory) && stores_reach_memory_ > 0) {
    // Memory takes writes at a rate of its own; the share is one of time.
    const double as_reads = bytes * machine_.dram_read_gbs / machine_.dram_write_gbs;
    arrived = std::max(arrived, memory_.Take(t, as_reads * stores_reach_memory_));
  }
  return arrived + latency_[static_cast<size_t>(Source::kL2)];
}

LevelsOfUnit::LevelsOfUnit(const Machine& machine, const SharedLevels& sharing,
                           std::span<const Hits> hits, uint32_t freed)
    : Levels(machine, sharing, machine.l1_read_bytes * machine.l1s, freed), hits_(hits) {}

Levels::Found LevelsOfUnit::Look(uint32_t index, uint64_t) {
  if (index >= hits_.size()) return {};
  enum Kind { kL2, kLate, kMall, kMemory };
  const Hits& hits = hits_[index];
  const double missed = std::max(0.0, 1 - hits.l2 - hits.late);
  const double parts[] = {hits.l2, hits.late, missed * hits.mall, missed * (1 - hits.mall)};
  if (due_.size() <= index) due_.resize(index + 1);
  auto& due = due_[index];
  for (size_t i = 0; i < due.size(); ++i) due[i] += parts[i];
  const auto most = std::max_element(due.begin(), due.end());
  *most -= 1;
  switch (static_cast<Kind>(std::distance(due.begin(), most))) {
    case kL2:
      return {};
    case kLate:
      return {.latency_of = hits.mall >= 0.5 ? Source::kMall : Source::kMemory};
    case kMall:
      return {.latency_of = Source::kMall, .fetched = true};
    case kMemory:
      return {.latency_of = Source::kMemory, .fetched = true};
  }
  return {};
}

LevelsOfXcd::LevelsOfXcd(const Machine& machine, const SharedLevels& sharing, double mall_hits,
                         uint32_t freed)
    : Levels(machine, OfWholeXcd(machine, sharing), std::numeric_limits<double>::infinity(), freed),
      l2_(machine.l2_bytes, machine.line_bytes, machine.l2_ways, L2SetsBy(machine)),
      l2_kept_(sharing.l2_kept),
      mall_hits_(mall_hits) {}

Levels::Found LevelsOfXcd::Look(uint32_t, uint64_t line) {
  ++requests_;
  if (const Cache::Line* found = l2_.Find(line)) return {.ready = found->ready};
  if (l2_kept_.Take(line)) {
    l2_.Insert(line, 0);
    return {};
  }
  ++misses_;
  mall_due_ += mall_hits_;
  if (mall_due_ < 1) return {.latency_of = Source::kMemory, .fetched = true};
  mall_due_ -= 1;
  return {.latency_of = Source::kMall, .fetched = true};
}

void LevelsOfXcd::Stored(double t, uint64_t line) {
  if (l2_.Find(line) == nullptr) l2_.Insert(line, t);
}

}  // namespace gridwise::sim::time
