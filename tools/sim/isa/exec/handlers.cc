// SPDX-License-Identifier: MIT
#include "tools/sim/isa/exec/handlers.h"

#include <cstdlib>
#include <limits>
#include <span>

#include "absl/strings/numbers.h"

namespace gridwise::sim {

// Which levels are compiled is a build setting, --//tools/sim/isa:levels.
inline namespace exec_level_v1 {
TableList AllTables();
}
namespace exec_level_v3 {
TableList AllTables();
}
namespace exec_level_v4 {
TableList AllTables();
}

namespace {

// The tables of a level: 1, 3 or 4 (x86-64, -v3, -v4); empty if it is not compiled.
std::span<const BindingTable> TablesOfLevel(int level) {
  TableList list = {};
#ifdef GRIDWISE_SIM_HAS_V1
  if (level == 1) list = exec_level_v1::AllTables();
#endif
#ifdef GRIDWISE_SIM_HAS_V3
  if (level == 3) list = exec_level_v3::AllTables();
#endif
#ifdef GRIDWISE_SIM_HAS_V4
  if (level == 4) list = exec_level_v4::AllTables();
#endif
  return {list.tables, list.size};
}

std::vector<int> UsableLevels() {
  __builtin_cpu_init();
  std::vector<int> levels = {1};
  if (__builtin_cpu_supports("x86-64-v3")) levels.push_back(3);
  if (__builtin_cpu_supports("x86-64-v4")) levels.push_back(4);
  std::erase_if(levels, [](int level) { return TablesOfLevel(level).empty(); });
  return levels;
}

}  // namespace

const std::vector<const Handlers*>& UsableHandlers() {
  static const auto* const kUsable = [] {
    auto* usable = new std::vector<const Handlers*>();
    for (const int level : UsableLevels())
      usable->push_back(new Handlers(level, TablesOfLevel(level)));
    return usable;
  }();
  return *kUsable;
}

const Handlers& BestHandlers() {
  static const Handlers* const kBest = [] {
    int highest = std::numeric_limits<int>::max();
    const char* lowered = std::getenv("GRIDWISE_SIM_LEVEL");
    if (lowered != nullptr && lowered[0] == 'v' && !absl::SimpleAtoi(lowered + 1, &highest)) {
      highest = std::numeric_limits<int>::max();
    }
    const std::vector<const Handlers*>& usable = UsableHandlers();
    const Handlers* best = usable.empty() ? new Handlers(0, {}) : usable.front();
    for (const Handlers* handlers : usable) {
      if (handlers->level() <= highest) best = handlers;
    }
    return best;
  }();
  return *kBest;
}

}  // namespace gridwise::sim
