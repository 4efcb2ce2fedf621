// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "tools/sim/machine/launch.h"
#include "tools/sim/machine/launch_probe.h"
#include "tools/sim/memory/memory.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/trace/record.h"
#include "tools/sim/time/trace/shape.h"

namespace gridwise::sim::time {

/// Records what the workgroups of a launch do. May be attached to several launches of the same
/// kernel and grid, which execute different workgroups.
class Recorder final : public LaunchProbe {
 public:
  Recorder(const Machine& machine, TargetBit target) : shapes_(machine, target) {}

  ProbeWants wants() const override { return {.accesses = true, .runs = true}; }
  void Begin(const Launch& launch) override { launch_ = &launch; }
  std::unique_ptr<GroupProbe> OfThread(std::span<Wave> waves) override;

  /// What waves do after their recorded part. If the first wave of a workgroup goes on, it shows
  /// how many instructions there are (waves are taken to have them in the same proportions to the
  /// end) and what memory the waves that go on touch.
  enum class Behind { kGoOn, kFirstGoesOn, kEnd };
  /// Sets that waves are recorded up to the first taken branch after this many instructions, of
  /// their own or of a first wave that goes on alone. Applies from the next launch on.
  void Limit(int64_t instructions, Behind behind) {
    most_ = instructions;
    behind_ = behind;
  }

  /// Records only these workgroups of later launches, by linear index.
  void Only(std::span<const int64_t> workgroups) {
    only_.emplace(workgroups.begin(), workgroups.end());
  }

  /// The record of the workgroup of that linear index, or null.
  const WorkgroupRecord* Find(int64_t index) const;
  /// Whether a record was cut.
  bool any_cut() const { return any_cut_; }
  int64_t workgroups() const { return static_cast<int64_t>(records_.size()); }
  Shapes& shapes() { return shapes_; }
  /// The footprint of the recorded parts of workgroups. Those across the grid are recorded whole.
  Footprint footprint() const;

 private:
  class Group;
  /// An allocation, and the ranges from the first to the last byte that workgroups touched and
  /// loaded.
  struct Touched {
    Interval allocation, bytes, loaded;
  };

  void Add(const Touched& touched);
  int64_t IndexOf(const std::array<uint32_t, 3>& id) const;

  const Launch* launch_ = nullptr;
  int64_t most_ = std::numeric_limits<int64_t>::max();
  Behind behind_ = Behind::kGoOn;
  std::optional<absl::flat_hash_set<int64_t>> only_;
  std::mutex mutex_;  // guards what follows
  Shapes shapes_;
  absl::node_hash_map<int64_t, WorkgroupRecord> records_;
  absl::flat_hash_map<uint64_t, Touched> allocations_;  // by first address
  bool any_cut_ = false;
};

}  // namespace gridwise::sim::time
