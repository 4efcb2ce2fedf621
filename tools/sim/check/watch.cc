// SPDX-License-Identifier: MIT
#include "tools/sim/check/watch.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace gridwise::sim {
namespace {

struct Wanted {
  std::mutex mutex;
  std::vector<WatchedRange> ranges;
};
Wanted& Process() {
  static auto* const wanted = new Wanted;
  return *wanted;
}

}  // namespace

void WatchedRange::Note(uint64_t first, uint64_t last, uint32_t instruction) {
  for (uint64_t a = std::max(first, begin); a < std::min(last, end); ++a) {
    uint8_t& count = writes[a - begin];
    if (count != 255) ++count;
    instructions[a - begin] = instruction;
  }
}

void WatchNextLaunch(uint64_t address, uint64_t bytes) {
  const std::lock_guard lock(Process().mutex);
  Process().ranges.push_back(
      {address, address + bytes, std::vector<uint8_t>(bytes), std::vector<uint32_t>(bytes)});
}

std::vector<WatchedRange> TakeWatchedRanges() {
  const std::lock_guard lock(Process().mutex);
  return std::exchange(Process().ranges, {});
}

}  // namespace gridwise::sim
