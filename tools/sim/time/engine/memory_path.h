// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/sim/time/engine/cache.h"
#include "tools/sim/time/engine/levels.h"
#include "tools/sim/time/engine/resource.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/trace/op.h"
#include "tools/sim/time/trace/record.h"
#include "tools/sim/time/trace/shape.h"

namespace gridwise::sim::time {

/// Vector and scalar memory of one unit: address units and vector caches. All times are clocks.
class MemoryPath {
 public:
  MemoryPath(const Machine& machine, Shapes& shapes, Levels& below, uint32_t freed);

  /// When the address unit of SIMD `simd` will have done all that it was given.
  double AddressFree(int simd) const;
  /// When what a vector memory instruction that is issued at `t` loads is there, or what it stores
  /// has arrived.
  double Vector(double t, int simd, uint32_t index, const Op& op, std::span<const Access> accesses);
  double Scalar(double t, std::span<const Access> accesses);
  /// The vector cache of SIMD `simd` has no line any more.
  void Invalidate(int simd) { L1Of(simd).lines.Clear(); }

  double address_busy() const;
  double l1_lines() const { return l1_lines_; }
  double l1_hits() const { return l1_hits_; }
  const Levels& below() const { return below_; }

 private:
  struct L1 {
    Server address;
    Cache lines;
  };
  L1& L1Of(int simd) {
    return l1_[static_cast<size_t>(simd) * l1_.size() / static_cast<size_t>(machine_.simds)];
  }
  bool Free(Resource resource) const { return (freed_ & Bit(resource)) != 0; }
  /// When a line that the vector cache lacks is there.
  double Fetch(double t, uint32_t index, uint64_t line);
  double Latency(double clk) const;

  const Machine& machine_;
  Shapes& shapes_;
  Levels& below_;
  const uint32_t freed_;
  std::vector<L1> l1_;
  Cache array_, scalar_;
  Server scalar_port_;
  double l1_lines_ = 0, l1_hits_ = 0;
};

}  // namespace gridwise::sim::time
