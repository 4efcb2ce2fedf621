#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridwise::sim::time {

/// Tags of a cache with sets of `ways` lines, the least recently used of which goes. A line carries
/// the time from which on it is there.
class Cache {
 public:
  Cache(double bytes, double line_bytes, double ways);

  struct Line {
    uint64_t number = ~uint64_t{0};
    uint64_t used = 0;
    double ready = 0;
  };
  /// The line `number`, or null; counts as a use.
  Line* Find(uint64_t number);
  /// Puts the line `number`, which is not there, into it.
  void Insert(uint64_t number, double ready);

 private:
  Line* SetOf(uint64_t number) { return &lines_[number % sets_ * ways_]; }

  size_t sets_, ways_;
  uint64_t clock_ = 0;
  std::vector<Line> lines_;
};

}  // namespace gridwise::sim::time
