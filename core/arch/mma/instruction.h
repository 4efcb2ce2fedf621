// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/arch/mma_shape.h"

namespace gridwise {

/// Accumulators of one matrix instruction: a lane's elements of D, by OwnerOfAcc.
template <MmaShape kMma, DataType kType>
using Acc = Vec<Element<SumType(kType)>, kMma.acc_per_lane()>;

/// The part of A or B that a lane passes: k_per_lane() consecutive k of each of its rows (RowOfA)
/// or columns (ColOfB).
template <MmaShape kMma, DataType kType>
using MmaOperandA = Vec<Element<kType>, kMma.a_rows_of_lane() * kMma.k_per_lane()>;
template <MmaShape kMma, DataType kType>
using MmaOperandB = Vec<Element<kType>, kMma.b_cols_of_lane() * kMma.k_per_lane()>;

/// The matrix instruction of a shape and type, from the target's table (mma/<target>.h).
template <MmaShape kMma, DataType kType>
struct MmaInstruction;

/// A line of a target's table: acc + a * b of `unit` `m` x `n` x `k` for operands of `type`.
#define GRIDWISE_MMA(unit, m, n, k, type, builtin)                                           \
  template <>                                                                                \
  struct MmaInstruction<MmaShape{MmaUnit::unit, m, n, k}, DataType::type> {                  \
    static constexpr MmaShape kMma = {MmaUnit::unit, m, n, k};                               \
    GRIDWISE_DEVICE static Acc<kMma, DataType::type> Do(MmaOperandA<kMma, DataType::type> a, \
                                                        MmaOperandB<kMma, DataType::type> b, \
                                                        Acc<kMma, DataType::type> acc) {     \
      return builtin;                                                                        \
    }                                                                                        \
  };

/// An operand in the instructions' form: bf16 as 16-bit integers, 8-bit elements packed in wider
/// ones.
template <class Packed, class Operand>
GRIDWISE_DEVICE Packed Pack(Operand operand) {
  return __builtin_bit_cast(Packed, operand);
}
using PackedI16x4 = Vec<short, 4>;
using PackedI16x8 = Vec<short, 8>;
using PackedI16x16 = Vec<short, 16>;
using PackedI32x2 = Vec<int, 2>;
using PackedI32x4 = Vec<int, 4>;
using PackedI32x8 = Vec<int, 8>;

}  // namespace gridwise
