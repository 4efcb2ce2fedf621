// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "tools/sim/isa/exec/level.h"
#include "tools/sim/isa/exec/matrix/plan.h"
#include "tools/sim/isa/exec/matrix/vectors.h"
#include "tools/sim/isa/exec/rounding.h"

/// Matrix instructions D = A B + C on matrices spread over the lanes of a wave. An instruction is
/// data: element formats, and a plan that says where elements are. Operands are unpacked once to
/// rows of kLanes values, one row for each element that a lane holds; then one kernel for all
/// shapes multiplies: fused multiply-adds in the order of k for floats, sums that wrap for
/// integers.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

/// The operands of one multiplication: unpacked A and B, and rows of C and D. C is read at a stride
/// of `c_stride` rows: 0 for a constant. Only depths [first, last) are multiplied; last 0: all.
template <class T>
struct Operands {
  const T* a;
  const T* b;
  const T* c;
  int c_stride;
  T* d;
  int first = 0, last = 0;
};

/// Whether the rows of an operand that `offset` names are all +0 for depths [first, last).
template <class T, int kDim, class Offsets>
GRIDWISE_SIM_INLINE bool IsZero(const T* operand, const Offsets& offset, int first, int last) {
  constexpr T kZeros[kDim] = {};
  for (int k = first; k < last; ++k) {
    if (__builtin_memcmp(operand + offset[k], kZeros, sizeof(kZeros)) != 0) return false;
  }
  return true;
}

/// Rows of a block that are summed at once: eight vectors or more.
template <class T, int kDim>
inline constexpr int kRowsAtOnce = kDim / VectorOf<T>::Type::kWidth >= 4 ? 2 : 4;

/// Adds the products of depths [first, last) to the sums of block `block`. Rows of C are read
/// before rows of D with the same lanes are written in steps of kRowsAtOnce registers.
template <class T, int kDim>
GRIDWISE_SIM_INLINE void MultiplyBlock(const MatrixPlan& p, const Operands<T>& o, int block,
                                       int first, int last) {
  using Vector = typename VectorOf<T>::Type;
  constexpr int kVectors = kDim / Vector::kWidth;
  constexpr int kRows = kRowsAtOnce<T, kDim>;
  const T* const a = o.a + block * kDim;
  const T* const b = o.b + block * kDim;
  for (int r = 0; r < p.registers; r += kRows) {
    for (int g = 0; g < p.groups; ++g) {
      const T* rows[kRows];
      Vector sum[kRows][kVectors];
      for (int i = 0; i < kRows; ++i) {
        rows[i] = a + p.row[r + i][g];
        const T* c = o.c + (block * p.registers + r + i) * o.c_stride * kLanes + g * kDim;
        for (int v = 0; v < kVectors; ++v) sum[i][v] = Vector::Load(c + v * Vector::kWidth);
      }
      for (int k = first; k < last; ++k) {
        Vector columns[kVectors];
        for (int v = 0; v < kVectors; ++v)
          columns[v] = Vector::Load(b + p.b[k] + v * Vector::kWidth);
        for (int i = 0; i < kRows; ++i) {
          const Vector scalar = Vector::Fill(rows[i][p.a[k]]);
          for (int v = 0; v < kVectors; ++v) sum[i][v].AddProduct(scalar, columns[v]);
        }
      }
      for (int i = 0; i < kRows; ++i) {
        T* d = o.d + (block * p.registers + r + i) * kLanes + g * kDim;
        for (int v = 0; v < kVectors; ++v) sum[i][v].Store(d + v * Vector::kWidth);
      }
    }
  }
}

/// Registers of a D that may overlap C by other rows, at most.
inline constexpr int kOverlapping = 4;

/// C, or a copy of it where D may overlap it by other rows and not all of them are summed at once:
/// a row of D would be written before the row of C in its place is read.
template <class T, int kDim>
GRIDWISE_SIM_INLINE const T* WholeC(const MatrixPlan& p, const Operands<T>& o, T* copy) {
  const int rows = p.blocks * p.registers;
  if (kRowsAtOnce<T, kDim> >= kOverlapping || rows > kOverlapping) return o.c;
  if (o.c == o.d || o.c_stride == 0) return o.c;
  __builtin_memcpy(copy, o.c, static_cast<size_t>(rows) * kLanes * sizeof(T));
  return copy;
}

/// Blocks of 16x16 and 32x32.
template <class T, int kDim>
GRIDWISE_SIM_INLINE void MultiplyBlocks(const MatrixPlan& p, Operands<T> o, int first, int last) {
  T c[kOverlapping * kLanes];
  o.c = WholeC<T, kDim>(p, o, c);
  for (int block = 0; block < p.blocks; ++block) {
    // Adding a product of zeros once is adding it often.
    if (first < last && IsZero<T, kDim>(o.a + block * kDim, p.a, first, last) &&
        IsZero<T, kDim>(o.b + block * kDim, p.b, first, last)) {
      MultiplyBlock<T, kDim>(p, o, block, first, first + 1);
    } else {
      MultiplyBlock<T, kDim>(p, o, block, first, last);
    }
  }
}

/// 4x4. With 16 blocks register r holds row r, lane 4 b + j column j of block b; with 4 (doubles)
/// lane 16 i + 4 b + j holds row i.
template <class T>
[[gnu::noinline]] void MultiplySmall(const MatrixPlan& p, const Operands<T>& o) {
  T sums[4][kLanes];
  for (int r = 0; r < p.registers; ++r) {
    for (int l = 0; l < kLanes; ++l) {
      const int block = l / 4 % p.blocks, row = p.blocks == 16 ? r : l / 16;
      const T* a = o.a + block * 4 + row;
      const T* b = o.b + block * 4 + l % 4;
      T sum = o.c[r * o.c_stride * kLanes + l];
      for (int k = 0; k < p.depth; ++k) sum = Fma(a[p.a[k]], b[p.b[k]], sum);
      sums[r][l] = sum;
    }
  }
  __builtin_memcpy(o.d, sums, static_cast<size_t>(p.registers) * kLanes * sizeof(T));
}

/// By any plan.
template <class T>
[[gnu::noinline]] void Multiply(const MatrixPlan& p, const Operands<T>& o) {
  const int last = o.last != 0 ? o.last : p.depth;
  if (p.dim == 32) {
    MultiplyBlocks<T, 32>(p, o, o.first, last);
  } else if (p.dim == 16) {
    MultiplyBlocks<T, 16>(p, o, o.first, last);
  } else {
    MultiplySmall<T>(p, o);
  }
}

/// By one plan, all depths of it: loops and places of elements are constants of the code.
template <class T, const MatrixPlan& kPlan>
[[gnu::noinline]] void MultiplyBy(const Operands<T>& o) {
  if constexpr (kPlan.dim == 4) {
    MultiplySmall<T>(kPlan, o);
  } else {
    MultiplyBlocks<T, kPlan.dim>(kPlan, o, 0, kPlan.depth);
  }
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
