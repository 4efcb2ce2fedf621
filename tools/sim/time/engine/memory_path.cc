#include "tools/sim/time/engine/memory_path.h"

#include <algorithm>
#include <iterator>

namespace gridwise::sim::time {
namespace {

constexpr double kScalarLineBytes = 64;  // CDNA and RDNA ISA documents
constexpr double kScalarWays = 4;
constexpr double kArrayWays = 16;
constexpr double kScalarBytesPerClk = 16;  // mt4g: 13 to 15 reached

/// Bytes a clock of `gbs` GB/s at `mhz`.
double BytesPerClk(double gbs, double mhz) { return gbs * 1000 / mhz; }

}  // namespace

MemoryPath::MemoryPath(const Machine& machine, Shapes& shapes, const Sharing& sharing,
                       std::span<const Hits> hits, uint32_t freed)
    : machine_(machine),
      shapes_(shapes),
      sharing_(sharing),
      hits_(hits),
      freed_(freed),
      array_(machine.array_cache_bytes, machine.line_bytes, kArrayWays),
      scalar_(machine.scalar_bytes, kScalarLineBytes, kScalarWays),
      mall_latency_(machine.mall_latency_ns * sharing.mhz / 1000),
      memory_latency_(machine.dram_latency_ns * sharing.mhz / 1000) {
  const auto l1s = static_cast<size_t>(machine.l1s);
  for (size_t i = 0; i < l1s; ++i)
    l1_.push_back({{}, Cache(machine.l1_bytes, machine.line_bytes, machine.l1_ways)});
  const double widest = machine.l1_read_bytes * machine.l1s;
  const auto share = [&](double rate) {
    return Share{.rate = std::min(rate, widest), .credit = machine.share_credit_clk};
  };
  l2_read_ = share(machine.l2_read_bytes / sharing.units_per_die);
  l2_write_ = share(machine.l2_write_bytes / sharing.units_per_die);
  mall_ = share(BytesPerClk(machine.mall_gbs, sharing.mhz) / sharing.units);
  memory_ = share(BytesPerClk(machine.dram_read_gbs, sharing.mhz) / sharing.units);
}

double MemoryPath::Latency(double clk) const { return Free(Resource::kLatency) ? clk / 2 : clk; }

double MemoryPath::AddressFree(int simd) const {
  return l1_[static_cast<size_t>(simd) * l1_.size() / static_cast<size_t>(machine_.simds)]
      .address.free;
}

double MemoryPath::Fetch(double t, uint32_t index, uint64_t line) {
  const double bytes = machine_.line_bytes;
  if (machine_.array_cache_bytes > 0) {
    if (Cache::Line* found = array_.Find(line))
      return std::max(t + Latency(machine_.array_cache_latency), found->ready);
  }
  double done = Free(Resource::kL2) ? t : l2_read_.Take(t, bytes);
  double latency = machine_.l2_latency;
  if (index < hits_.size()) {
    enum Kind { kL2, kLate, kMall, kMemory };
    const Hits& hits = hits_[index];
    const double missed = std::max(0.0, 1 - hits.l2 - hits.late);
    const double parts[] = {hits.l2, hits.late, missed * hits.mall, missed * (1 - hits.mall)};
    if (due_.size() <= index) due_.resize(index + 1);
    auto& due = due_[index];
    for (size_t i = 0; i < due.size(); ++i) due[i] += parts[i];
    const auto most = std::max_element(due.begin(), due.end());
    *most -= 1;
    const auto kind = static_cast<Kind>(std::distance(due.begin(), most));
    if ((kind == kMall || kind == kMemory) && !Free(Resource::kMall))
      done = std::max(done, mall_.Take(t, bytes));
    if (kind == kMemory && !Free(Resource::kMemory)) done = std::max(done, memory_.Take(t, bytes));
    if (kind == kMall || (kind == kLate && hits.mall >= 0.5)) latency = mall_latency_;
    if (kind == kMemory || (kind == kLate && hits.mall < 0.5)) latency = memory_latency_;
  }
  done += Latency(latency);
  if (machine_.array_cache_bytes > 0) array_.Insert(line, done);
  return done;
}

double MemoryPath::Vector(double t, int simd, uint32_t index, const Op& op,
                          std::span<const Access> accesses) {
  L1& l1 = l1_[static_cast<size_t>(simd) * l1_.size() / static_cast<size_t>(machine_.simds)];
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
      if (!loads) break;
      const uint64_t line = first + static_cast<uint64_t>(static_cast<int64_t>(relative));
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
  if (op.store || op.atomic) {
    double arrived = Free(Resource::kL2) ? looked_up : l2_write_.Take(looked_up, bytes);
    // What L2 takes it has to give on, in the long run.
    if (!Free(Resource::kMall)) arrived = std::max(arrived, mall_.Take(looked_up, bytes));
    if (!Free(Resource::kMemory) && sharing_.stores_reach_memory > 0) {
      // Memory takes writes at a rate of its own; the share is one of time.
      const double as_reads = bytes * machine_.dram_read_gbs / machine_.dram_write_gbs;
      arrived = std::max(arrived, memory_.Take(looked_up, as_reads * sharing_.stores_reach_memory));
    }
    done = std::max(done, arrived + Latency(machine_.l2_latency));
  }
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
