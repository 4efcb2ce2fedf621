// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/wave/uop.h"

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

// exec/scalar/alu.cc
BindingTable SaluArithmeticTable();
BindingTable SaluBitsTable();
BindingTable SaluCompareTable();
BindingTable SaluExecTable();
// exec/scalar/alu_float.cc
BindingTable SaluFloatTable();
// exec/scalar/mode.cc
BindingTable ModeTable();
// exec/vector/rdna.cc
BindingTable ValuRdnaTable();
BindingTable ValuRdnaFloatTable();
// exec/scalar/control.cc
BindingTable ControlTable();
// exec/vector/prepare.cc
BindingTable PrepareTable();
// exec/vector/int.cc
BindingTable ValuIntTable();
BindingTable ValuInt16Table();
// exec/vector/int_clamp.cc
BindingTable ValuClampTable();
// exec/vector/float.cc
BindingTable ValuF32Table();
BindingTable ValuF16Table();
BindingTable ValuF64Table();
// exec/vector/divide.cc
BindingTable ValuDivideTable();
// exec/vector/compare.cc
BindingTable ValuCompareIntTable();
BindingTable ValuCompareFloatTable();
// exec/vector/convert.cc
BindingTable ValuConvertTable();
// exec/vector/packed.cc
BindingTable ValuPackedTable();
// exec/vector/lane.cc
BindingTable ValuLaneTable();
// exec/vector/cdna4.cc
BindingTable ValuCdna4Table();
// exec/vector/small.cc
BindingTable ValuSmallTable();
// exec/vector/scale_convert.cc
BindingTable ScaleConvertTable();
// exec/matrix/wmma.cc
BindingTable WmmaTable();
// exec/matrix/mma.cc
BindingTable MmaTable();
// exec/matrix/sparse.cc
BindingTable SparseTable();

/// All tables of this level.
TableList AllTables();

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
