#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/sim/time/engine/cache.h"
#include "tools/sim/time/engine/resource.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/trace/op.h"
#include "tools/sim/time/trace/record.h"
#include "tools/sim/time/trace/shape.h"

namespace gridwise::sim::time {

/// Of the lines that an instruction asks L2 for: the part that is there, the part that another one
/// is just fetching (which costs no more traffic, but the time), and of the others the part that
/// the Infinity Cache has.
struct Hits {
  double l2 = 1, late = 0, mall = 1;
};

/// How a unit shares what lies below it.
struct Sharing {
  double mhz = 0;                  // shader clock
  double units = 1;                // that work at a time, on the device
  double units_per_die = 1;        // the same, of a die
  double stores_reach_memory = 0;  // part of the stored bytes that memory takes, not the MALL
};

/// Vector and scalar memory of one unit: address units, vector caches and the unit's share of what
/// is below. All times are clocks.
class MemoryPath {
 public:
  /// `hits` by index of the instruction; those behind its end hit L2.
  MemoryPath(const Machine& machine, Shapes& shapes, const Sharing& sharing,
             std::span<const Hits> hits, uint32_t freed);

  /// When the address unit of SIMD `simd` will have done all that it was given.
  double AddressFree(int simd) const;
  /// When what a vector memory instruction that is issued at `t` loads is there, or what it stores
  /// has arrived.
  double Vector(double t, int simd, uint32_t index, const Op& op, std::span<const Access> accesses);
  double Scalar(double t, std::span<const Access> accesses);

  double address_busy() const;
  double l1_lines() const { return l1_lines_; }
  double l1_hits() const { return l1_hits_; }
  const Share& l2_reads() const { return l2_read_; }
  const Share& l2_writes() const { return l2_write_; }
  const Share& mall() const { return mall_; }
  const Share& memory() const { return memory_; }

 private:
  struct L1 {
    Server address;
    Cache lines;
  };
  bool Free(Resource resource) const { return (freed_ & Bit(resource)) != 0; }
  /// When a line that the vector cache lacks is there.
  double Fetch(double t, uint32_t index, uint64_t line);
  double Latency(double clk) const;

  const Machine& machine_;
  Shapes& shapes_;
  const Sharing sharing_;
  const std::span<const Hits> hits_;
  const uint32_t freed_;
  std::vector<L1> l1_;
  Cache array_, scalar_;
  Server scalar_port_;
  Share l2_read_, l2_write_, mall_, memory_;
  double mall_latency_, memory_latency_;
  double l1_lines_ = 0, l1_hits_ = 0;
  /// By instruction: how much of a miss of each kind is due. A line is of the kind that is due
  /// most.
  std::vector<std::array<double, 4>> due_;
};

}  // namespace gridwise::sim::time
