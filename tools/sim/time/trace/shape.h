// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim::time {

/// Where the lanes of an access are, relative to the first of them.
struct Shape {
  uint32_t bytes = 0;  // per lane
  bool writes = false;
  uint64_t lanes = 0;
  std::vector<int64_t> offset;  // per lane, lowest first; the first is 0

  friend bool operator==(const Shape&, const Shape&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Shape& shape) {
    return H::combine(std::move(h), shape.bytes, shape.writes, shape.lanes, shape.offset);
  }
};

/// The cost of a vector memory access above L2: clocks of the address unit, and the lines that it
/// touches, relative to the line of its first lane.
struct MemoryCost {
  double address_clk = 0;
  double bytes = 0;  // bytes that its lanes move
  std::vector<int32_t> lines;
};

/// The cost of an LDS access: clocks of LDS as a whole, and of the port of its SIMD.
struct LdsCost {
  double clk = 0, port_clk = 0;
  int conflicts = 0;  // clocks beyond those without bank conflicts
};

/// The shapes of a launch's accesses, each stored once, and their costs, computed once for each
/// shape and offset of the base in a line or in a row of banks.
class Shapes {
 public:
  Shapes(const Machine& machine, TargetBit target) : machine_(machine), target_(target) {}

  /// The shape of an access whose lanes `lanes` are at `address`; `base` becomes the first one's.
  uint32_t Intern(uint64_t lanes, const uint64_t* address, uint32_t bytes, bool writes,
                  uint64_t& base);
  /// Whether lanes at `address` have this shape.
  static bool Is(const Shape& shape, uint64_t lanes, const uint64_t* address, uint32_t bytes,
                 bool writes);
  const Shape& at(uint32_t shape) const { return *shapes_[shape]; }

  /// The same shapes with their costs on another machine. This object and `machine` must outlive
  /// the result, and no more shapes may be added to it.
  Shapes On(const Machine& machine) const;

  const MemoryCost& MemoryCostOf(uint32_t shape, uint64_t base);
  const LdsCost& LdsCostOf(uint32_t shape, uint64_t base);

 private:
  MemoryCost ComputeMemory(const Shape& shape, uint64_t place) const;
  double OfFullestTagRam(const std::vector<int32_t>& lines, int64_t first_line) const;
  LdsCost ComputeLds(const Shape& shape, uint64_t base) const;

  const Machine& machine_;
  const TargetBit target_;
  Shape scratch_;  // the shape being looked up
  absl::node_hash_map<Shape, uint32_t> index_;
  std::vector<const Shape*> shapes_;  // into index_'s keys
  absl::node_hash_map<uint64_t, MemoryCost> memory_;
  absl::node_hash_map<uint64_t, LdsCost> lds_;
};

}  // namespace gridwise::sim::time
