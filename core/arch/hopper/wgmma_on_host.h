// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>

#include "core/arch/factor.h"
#include "core/arch/hopper.h"
#include "core/arch/hopper/matrix_descriptor.h"
#include "core/arch/mma_shape.h"

/// wgmma.h on the host, see on_host.h.

namespace gridwise {

inline void WgmmaFence() {}
inline void WgmmaCommit() {}
/// Lanes of a warp execute these together: all of them have arrived before one of them continues.
template <int kLeft>
inline void WgmmaWait() {
  SyncWarp();
}
template <class Sum, int kSums>
inline void Touch(Sum (&)[kSums]) {}

/// Where an operand's element of `size` bytes is in shared memory: in a row of A, or a column of B,
/// at k.
inline SharedAddress OperandAt(MatrixDescriptor operand, OperandOrder order, int bytes, int row,
                               int k) {
  const auto start = static_cast<unsigned>(operand & 0x3fff) * 16;
  const auto leading = static_cast<unsigned>(operand >> 16 & 0x3fff) * 16;
  const auto stride = static_cast<unsigned>(operand >> 32 & 0x3fff) * 16;
  const int swizzle = 256 >> static_cast<int>(operand >> 62);
  const unsigned at = order == OperandOrder::kRunsAlongK
                          ? static_cast<unsigned>(row / 8) * stride + row % 8 * swizzle + k * bytes
                          : static_cast<unsigned>(row / 64) * leading +
                                static_cast<unsigned>(k / 8) * stride + k % 8 * 128 +
                                row % 64 * bytes;
  return Swizzled(start + at, swizzle);
}

/// Sums of products of `a(row, k)` and `b(column, k)` over kK values of k.
template <int kN, int kK, class Sum>
inline void MultiplyOnHost(Sum (&d)[kN / 2], int keep, auto&& a, auto&& b) {
  const int thread = ThreadId() % 128, lane = thread % 32;
  std::array<std::array<decltype(a(0, 0)), kK>, 2> of_rows;  // A's, converted once
  for (int i = 0; i < 2; ++i) {
    const int row = thread / 32 * 16 + lane / 4 + i * 8;
    for (int k = 0; k < kK; ++k) of_rows[i][k] = a(row, k);
  }
  for (int i = 0; i < kN / 4; ++i) {
    const int column = i / 2 * 8 + lane % 4 * 2 + i % 2;
    std::array<decltype(b(0, 0)), kK> of_column;
    for (int k = 0; k < kK; ++k) of_column[k] = b(column, k);
    for (int of_row = 0; of_row < 2; ++of_row) {
      Sum& sum = d[i / 2 * 4 + of_row * 2 + i % 2];
      if (keep == 0) sum = 0;
      for (int k = 0; k < kK; ++k) sum += of_rows[of_row][k] * of_column[k];
    }
  }
}
/// An element of an operand in shared memory: of a row or column, at k.
template <DataType kType, OperandOrder kOrder>
inline auto ElementsOf(MatrixDescriptor operand) {
  return [operand](int row, int k) {
    return ToFactor<kType>(*reinterpret_cast<const Element<kType>*>(
        dynamic_shared_memory + OperandAt(operand, kOrder, SizeOf(kType), row, k)));
  };
}

template <int kN, DataType kType, OperandOrder kA, OperandOrder kB>
inline void Wgmma(Element<SumType(kType)> (&d)[kN / 2], MatrixDescriptor a, MatrixDescriptor b,
                  int keep) {
  MultiplyOnHost<kN, WgmmaK(kType)>(d, keep, ElementsOf<kType, kA>(a), ElementsOf<kType, kB>(b));
}

template <int kN, DataType kType, OperandOrder kB>
inline void WgmmaOfRegisters(float (&d)[kN / 2], const unsigned (&a)[4], MatrixDescriptor b,
                             int keep) {
  const auto all = ExchangeInWarp({a[0], a[1], a[2], a[3]});
  const auto of_a = [&all](int row, int k) {
    if constexpr (SizeOf(kType) == 4) {
      const unsigned word = all[row % 8 * 4 + k % 4][row % 16 / 8 + k / 4 * 2];
      return ToFactor<kType>(std::bit_cast<Element<kType>>(word));
    } else {
      const unsigned pair = all[row % 8 * 4 + k % 8 / 2][row % 16 / 8 + k / 8 * 2];
      return static_cast<float>(
          std::bit_cast<Element<kType>>(static_cast<unsigned short>(pair >> (16 * (k % 2)))));
    }
  };
  MultiplyOnHost<kN, WgmmaK(kType)>(d, keep, of_a, ElementsOf<kType, kB>(b));
}

}  // namespace gridwise
