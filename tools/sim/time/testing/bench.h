// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "tools/sim/isa/target.h"
#include "tools/sim/time/engine/unit.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/trace/op.h"
#include "tools/sim/time/trace/record.h"
#include "tools/sim/time/trace/shape.h"

namespace gridwise::sim::time {

/// Where lane l of an access is: base + l * stride.
struct Lanes {
  uint64_t base = 0;
  int64_t stride = 4;
  uint32_t bytes = 4;  // per lane
  int count = 64;      // the first ones
};

/// A program of a few instructions, and records of waves that execute it, made by hand.
class Bench {
 public:
  explicit Bench(std::string_view gfx);
  /// On a machine of one's own, whose launches and code take the time that it says.
  explicit Bench(const Machine& machine);

  /// Adds instructions as text; the index of the first. Registers that the text shows are read and
  /// written: the first operand is the result, but of stores, comparisons and waits.
  uint32_t Code(std::initializer_list<std::string_view> lines);

  /// Waves of the workgroup that is being made. The record of the last one can be added to:
  void Wave();
  /// it executes the instructions [first, last],
  void Execute(uint32_t first, uint32_t last);
  /// and `op` of those has accessed memory or LDS.
  void Touch(uint32_t op, const Lanes& lanes, bool lds = false);
  /// As many more waves as needed to be `count`, like the last one.
  void Repeat(int count);
  /// The next workgroup; the first one need not be asked for.
  void Workgroup() { groups_.emplace_back(); }

  /// Times what was made, on a unit that has the levels below L1 for itself alone unless sharing()
  /// says otherwise. Fetching instructions and launching waves takes no time.
  UnitTime Time(int resident = 1, uint32_t freed = 0);
  /// The same workgroups on `units` of an XCD.
  XcdTime TimeOnXcd(int units, int resident = 1, double mall_hits = 1);
  SharedLevels& sharing() { return work_.sharing; }
  void set_parts(int parts) { work_.parts = parts; }
  /// By instruction: what of its lines L2 has; those after the end hit it.
  std::vector<Hits>& hits() { return hits_; }
  Machine& machine() { return machine_; }
  std::span<const Op> code() const { return code_; }
  Shapes& shapes() { return shapes_; }
  /// The workgroup that is being made; it stays where it is.
  WorkgroupRecord& group() { return groups_.back(); }

 private:
  Machine machine_;
  std::vector<const WorkgroupRecord*> PrepareWork(int resident);

  const SimTarget& target_;
  std::vector<Op> code_;
  Shapes shapes_;
  std::deque<WorkgroupRecord> groups_;
  std::vector<Hits> hits_;
  UnitWork work_;
};

}  // namespace gridwise::sim::time
