// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace gridwise::sim::time {

/// Which set of a cache a line goes to.
enum class SetsBy : uint8_t {
  kLowBits,  // the low bits of the line's number: lines a power of two apart crowd into few sets
  kXor,      // an exclusive or of all of its bits, which spreads those too
};

/// Tags of a cache with sets of `ways` lines, which replaces the least recently used line. A line
/// carries the time at which it arrives. A lookup with many ways is as fast as one with few.
class Cache {
 public:
  Cache(double bytes, double line_bytes, double ways, SetsBy sets_by = SetsBy::kLowBits);

  struct Line {
    uint64_t number = 0;
    double ready = 0;
    uint32_t set = 0;
    uint32_t newer = 0, older = 0;  // neighbours in its set, in the order of use
    uint32_t next = 0;              // the next in its chain
  };
  /// The line `number`, or null; counts as a use. Valid until the next call.
  Line* Find(uint64_t number);
  /// Inserts the line `number`, which must not be in the cache.
  void Insert(uint64_t number, double ready);
  /// Drops all lines.
  void Clear();

 private:
  struct Set {
    uint32_t newest = 0, oldest = 0, size = 0;
  };
  uint32_t SetOf(uint64_t number) const;
  /// The first of the lines whose numbers have the same hash.
  uint32_t& ChainOf(uint64_t number);
  /// Takes the line out of its set's order, or puts it there as the newest.
  void Unlink(const Line& line);
  void MakeNewest(uint32_t at);

  uint32_t ways_;
  SetsBy sets_by_;
  std::vector<Set> sets_;
  std::vector<Line> lines_;
  std::vector<uint32_t> chains_;
  int chain_shift_;
};

/// Chooses the lines that a cache has from the launch before: evenly, a part of those that a launch
/// requests for the first time.
class KeptLines {
 public:
  explicit KeptLines(double part) : part_(part) {}

  /// Whether `line`, which the cache has not loaded since the launch began, is one of them.
  bool Take(uint64_t line);

 private:
  const double part_;
  double due_ = 0;
  absl::flat_hash_set<uint64_t> seen_;
};

}  // namespace gridwise::sim::time
