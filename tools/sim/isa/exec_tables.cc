#include "tools/sim/isa/exec_tables.h"

namespace gridwise::sim {

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
  const TableList list = level >= 4   ? exec_level_v4::AllTables()
                         : level >= 3 ? exec_level_v3::AllTables()
                                      : exec_level_v1::AllTables();
  return {list.tables, list.size};
}

int MachineLevel() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return 4;
  if (__builtin_cpu_supports("x86-64-v3")) return 3;
  return 1;
}

}  // namespace gridwise::sim
