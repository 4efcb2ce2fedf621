#include "tools/sim/isa/bind/tables.h"

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

}  // namespace gridwise::sim
