// SPDX-License-Identifier: MIT
#include "tools/sim/isa/exec/level.h"
#include "tools/sim/isa/exec/memory_tables.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

TableList AllTables() {
  static const BindingTable kTables[] = {
      SaluArithmeticTable(),  // one on a line
      SaluBitsTable(),       SaluCompareTable(),  SaluExecTable(),       SaluFloatTable(),
      ControlTable(),        ModeTable(),         PrepareTable(),        ValuIntTable(),
      ValuInt16Table(),      ValuClampTable(),    ValuF32Table(),        ValuF16Table(),
      ValuF64Table(),        ValuDivideTable(),   ValuCompareIntTable(), ValuCompareFloatTable(),
      ValuConvertTable(),    ValuPackedTable(),   ValuLaneTable(),       ValuCdna4Table(),
      ValuSmallTable(),      ScaleConvertTable(), WmmaTable(),           ValuRdnaTable(),
      ValuRdnaFloatTable(),  MmaTable(),          SparseTable(),         SmemTable(),
      VmemTable(),           LdsTable(),          AtomicTable(),         ExchangeTable(),
      FormatTable(),         WaveSyncTable(),
  };
  return {kTables, sizeof(kTables) / sizeof(kTables[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
