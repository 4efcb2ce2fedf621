#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/sim/isa/binding.h"
#include "tools/sim/isa/uop.h"

/// What the handler files of one x86 level share: value types, and the tables that they export.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i8 = int8_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
using f16 = _Float16;
using f32 = float;
using f64 = double;

template <class To, class From>
GRIDWISE_SIM_INLINE To Bits(From from) {
  return __builtin_bit_cast(To, from);
}

// exec_salu.cc
BindingTable SaluArithmeticTable();
BindingTable SaluBitsTable();
BindingTable SaluCompareTable();
BindingTable SaluExecTable();
// exec_salu_float.cc
BindingTable SaluFloatTable();
// exec_mode.cc
BindingTable ModeTable();
// exec_valu_rdna.cc
BindingTable ValuRdnaTable();
BindingTable ValuRdnaFloatTable();
// exec_control.cc
BindingTable ControlTable();
// exec_prepare.cc
BindingTable PrepareTable();
// exec_valu_int.cc
BindingTable ValuIntTable();
BindingTable ValuInt16Table();
// exec_valu_float.cc
BindingTable ValuF32Table();
BindingTable ValuF16Table();
BindingTable ValuF64Table();
// exec_valu_div.cc
BindingTable ValuDivideTable();
// exec_valu_cmp.cc
BindingTable ValuCompareIntTable();
BindingTable ValuCompareFloatTable();
// exec_valu_cvt.cc
BindingTable ValuConvertTable();
// exec_valu_packed.cc
BindingTable ValuPackedTable();
// exec_valu_lane.cc
BindingTable ValuLaneTable();
// exec_valu_cdna4.cc
BindingTable ValuCdna4Table();
// exec_valu_small.cc
BindingTable ValuSmallTable();
// exec_scale_convert.cc
BindingTable ScaleConvertTable();
// exec_wmma.cc
BindingTable WmmaTable();
// exec_mma.cc
BindingTable MmaTable();
// exec_sparse.cc
BindingTable SparseTable();

/// All tables of this level.
TableList AllTables();

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
