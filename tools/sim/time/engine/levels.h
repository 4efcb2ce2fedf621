// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tools/sim/time/engine/cache.h"
#include "tools/sim/time/engine/resource.h"
#include "tools/sim/time/machine/machine.h"

namespace gridwise::sim::time {

/// Where the lines are that an instruction asks L2 for: the part that L2 has, the part that another
/// instruction is fetching (which costs time, but no more traffic), and the part of the others that
/// the Infinity Cache has.
struct Hits {
  double l2 = 1, late = 0, mall = 1;
};

inline SetsBy L2SetsBy(const Machine& machine) {
  return machine.l2_xor_sets != 0 ? SetsBy::kXor : SetsBy::kLowBits;
}

/// What a unit shares with others of the memory below it.
struct SharedLevels {
  double mhz = 0;                  // shader clock
  double units = 1;                // units of the device that work at a time
  double units_per_xcd = 1;        // units of an XCD that work at a time
  double l2_kept = 0;              // part of the launch's lines that L2 has from the launch before
  double stores_reach_memory = 0;  // part of the stored bytes that memory takes, not the MALL
};

/// The levels below the vector caches: L2, MALL and memory. All times are clocks.
class Levels {
 public:
  /// `freed` are bits of Resource.
  Levels(const Machine& machine, const SharedLevels& sharing, double widest, uint32_t freed);
  Levels(const Levels&) = delete;
  Levels& operator=(const Levels&) = delete;
  virtual ~Levels() = default;

  /// When the line arrives that instruction `index` requests at `t`.
  double Read(double t, uint32_t index, uint64_t line);
  /// When `bytes` arrive that are stored at `t`.
  double Write(double t, double bytes);
  /// Notes that a store at `t` is to this line. Write counts its bytes.
  virtual void Stored(double t, uint64_t line) = 0;

  const Share& l2_reads() const { return l2_read_; }
  const Share& l2_writes() const { return l2_write_; }
  const Share& mall() const { return mall_; }
  const Share& memory() const { return memory_; }

 protected:
  enum class Source : uint8_t { kL2, kMall, kMemory };
  struct Found {
    Source latency_of = Source::kL2;
    bool fetched = false;                                     // from there, for this request
    double ready = -std::numeric_limits<double>::infinity();  // no earlier
  };
  virtual Found Look(uint32_t index, uint64_t line) = 0;
  /// L2 has the line from `ready` on.
  virtual void Fetched(uint64_t line, double ready) = 0;

 private:
  bool Free(Resource resource) const { return (freed_ & Bit(resource)) != 0; }

  const Machine& machine_;
  const double stores_reach_memory_;
  const uint32_t freed_;
  Share l2_read_, l2_write_, mall_, memory_;
  std::array<double, 3> latency_;  // by Source
};

/// A unit's share of the levels. Each level has a given part of the unit's lines.
class LevelsOfUnit final : public Levels {
 public:
  /// `hits` by index of the instruction; those after its end hit L2.
  LevelsOfUnit(const Machine& machine, const SharedLevels& sharing, std::span<const Hits> hits,
               uint32_t freed);
  void Stored(double, uint64_t) override {}

 private:
  Found Look(uint32_t index, uint64_t line) override;
  void Fetched(uint64_t, double) override {}

  const std::span<const Hits> hits_;
  /// How much of a miss of each kind is due, per instruction. The next line is of the kind that is
  /// most overdue.
  std::vector<std::array<double, 4>> due_;
};

/// An XCD's L2, line by line, and its share of the other levels. The MALL has a part of the lines.
class LevelsOfXcd final : public Levels {
 public:
  LevelsOfXcd(const Machine& machine, const SharedLevels& sharing, double mall_hits,
              uint32_t freed);
  void Stored(double t, uint64_t line) override;

  double requests() const { return requests_; }
  double misses() const { return misses_; }

 private:
  Found Look(uint32_t index, uint64_t line) override;
  void Fetched(uint64_t line, double ready) override { l2_.Insert(line, ready); }

  Cache l2_;
  KeptLines l2_kept_;
  const double mall_hits_;
  double mall_due_ = 0;
  double requests_ = 0, misses_ = 0;
};

}  // namespace gridwise::sim::time
