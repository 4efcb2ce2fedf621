// SPDX-License-Identifier: MIT
#include "tools/sim/time/engine/memory_path.h"

#include <algorithm>

namespace gridwise::sim::time {
namespace {

constexpr double kScalarLineBytes = 64;  // CDNA and RDNA ISA documents
constexpr double kScalarWays = 4;
constexpr double kArrayWays = 16;
constexpr double kScalarBytesPerClk = 16;  // mt4g: 13 to 15 reached

}  // namespace

MemoryPath::MemoryPath(const Machine& machine, Shapes& shapes, Levels& below, uint32_t freed)
    : machine_(machine),
      shapes_(shapes),
      below_(below),
      freed_(freed),
      array_(machine.array_cache_bytes, machine.line_bytes, kArrayWays),
      scalar_(machine.scalar_bytes, kScalarLineBytes, kScalarWays) {
  const auto l1s = static_cast<size_t>(machine.l1s);
  for (size_t i = 0; i < l1s; ++i)
    l1_.push_back({{}, Cache(machine.l1_bytes, machine.line_bytes, machine.l1_ways)});
}

double MemoryPath::Latency(double clk) const { return Free(Resource::kLatency) ? clk / 2 : clk; }

double MemoryPath::AddressFree(int simd) const {
  return l1_[static_cast<size_t>(simd) * l1_.size() / static_cast<size_t>(machine_.simds)]
      .address.free;
}

double MemoryPath::Fetch(double t, uint32_t index, uint64_t line) {
  if (machine_.array_cache_bytes <= 0) return below_.Read(t, index, line);
  if (Cache::Line* found = array_.Find(line))
    return std::max(t + Latency(machine_.array_cache_latency), found->ready);
  const double done = below_.Read(t, index, line);
  array_.Insert(line, done);
  return done;
}

double MemoryPath::Vector(double t, int simd, uint32_t index, const Op& op,
                          std::span<const Access> accesses) {
  L1& l1 = L1Of(simd);
  double clk = 1, bytes = 0;
  for (const Access& access : accesses) {
    if (access.lds) continue;
    const MemoryCost& cost = shapes_.MemoryCostOf(access.shape, access.base);
    clk = std::max(clk, cost.address_clk);
    bytes += cost.bytes;
  }
  if (Free(Resource::kAddress)) clk = 0;
  const double start = l1.address.Take(t, clk);
  // Latencies are those of one lane, which the address unit is busy with for so long.
  const double idle = (machine_.cdna() ? kLanes : kLanes / 2) / machine_.address_lanes;
  const double looked_up = start + std::max(0.0, clk - idle);
  double done = looked_up + machine_.issue_clk;
  const bool loads = !op.store;
  for (const Access& access : accesses) {
    if (access.lds) continue;
    const MemoryCost& cost = shapes_.MemoryCostOf(access.shape, access.base);
    const uint64_t first = access.base / static_cast<uint64_t>(machine_.line_bytes);
    for (const int32_t relative : cost.lines) {
      const uint64_t line = first + static_cast<uint64_t>(static_cast<int64_t>(relative));
      if (!loads) {
        below_.Stored(looked_up, line);
        continue;
      }
      ++l1_lines_;
      Cache::Line* found = op.bypasses_l1 || op.atomic ? nullptr : l1.lines.Find(line);
      l1_hits_ += found != nullptr;
      if (found != nullptr) {
        done = std::max({done, looked_up + Latency(machine_.l1_latency), found->ready});
        continue;
      }
      const double ready = Fetch(looked_up, index, line);
      done = std::max(done, ready);
      if (!op.bypasses_l1 && !op.atomic) l1.lines.Insert(line, ready);
    }
  }
  if (op.store || op.atomic) done = std::max(done, below_.Write(looked_up, bytes));
  return done;
}

double MemoryPath::Scalar(double t, std::span<const Access> accesses) {
  double done = t + Latency(machine_.scalar_latency);
  for (const Access& access : accesses) {
    const double bytes = shapes_.at(access.shape).bytes;
    const double start = scalar_port_.Take(t, std::max(1.0, bytes / kScalarBytesPerClk));
    const auto line_bytes = static_cast<uint64_t>(kScalarLineBytes);
    const uint64_t last =
        (access.base + static_cast<uint64_t>(std::max(bytes, 1.0)) - 1) / line_bytes;
    for (uint64_t line = access.base / line_bytes; line <= last; ++line) {
      double ready = start + Latency(machine_.scalar_latency);
      if (Cache::Line* found = scalar_.Find(line)) {
        ready = std::max(ready, found->ready);
      } else {
        ready += Latency(machine_.scalar_miss_clk);
        scalar_.Insert(line, ready);
      }
      done = std::max(done, ready);
    }
  }
  return done;
}

double MemoryPath::address_busy() const {
  double busy = 0;
  for (const L1& l1 : l1_) busy += l1.address.busy;
  return busy / static_cast<double>(l1_.size());
}

}  // namespace gridwise::sim::time
