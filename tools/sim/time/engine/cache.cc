#include "tools/sim/time/engine/cache.h"

#include <algorithm>

namespace gridwise::sim::time {

Cache::Cache(double bytes, double line_bytes, double ways)
    : sets_(std::max<size_t>(1, static_cast<size_t>(bytes / (line_bytes * ways)))),
      ways_(static_cast<size_t>(ways)),
      lines_(sets_ * ways_) {}

Cache::Line* Cache::Find(uint64_t number) {
  Line* const set = SetOf(number);
  for (size_t way = 0; way < ways_; ++way) {
    if (set[way].number != number) continue;
    set[way].used = ++clock_;
    return &set[way];
  }
  return nullptr;
}

void Cache::Insert(uint64_t number, double ready) {
  Line* const set = SetOf(number);
  Line* const oldest = std::min_element(
      set, set + ways_, [](const Line& a, const Line& b) { return a.used < b.used; });
  *oldest = {.number = number, .used = ++clock_, .ready = ready};
}

}  // namespace gridwise::sim::time
