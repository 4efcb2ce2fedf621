// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/hopper.h"

/// The matrix unit as a warp uses it: 16 x 16 of A times 16 x 8 of B, from registers, at once.
/// Source: PTX ISA 9.0, "Matrix multiply-accumulate operation using mma instruction".
///
/// Lane l of the warp, with g = l / 4 and q = l % 4, has of 8 x 8 matrices of 2-byte elements row
/// g, columns 2 q and 2 q + 1. A is four of them: rows 0 and 8, then the same 8 columns further; B,
/// transposed, the two of rows k 0 and 8. Sums d[2 h + e] are row g + 8 h and column 2 q + e.

namespace gridwise {

struct Matrices4 {
  unsigned part[4];
};

#if defined(__NVPTX__)

/// A warp loads 8 x 8 matrices of 2-byte elements, transposed: lane l passes the address of row
/// l % 8 of matrix l / 8, as it lies.
GRIDWISE_DEVICE Matrices4 LoadTransposed4(SharedAddress from) {
  Matrices4 m;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m.part[0]), "=r"(m.part[1]), "=r"(m.part[2]), "=r"(m.part[3])
               : "r"(from)
               : "memory");
  return m;
}

/// The same as they lie.
GRIDWISE_DEVICE Matrices4 LoadMatrices4(SharedAddress from) {
  Matrices4 m;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m.part[0]), "=r"(m.part[1]), "=r"(m.part[2]), "=r"(m.part[3])
               : "r"(from)
               : "memory");
  return m;
}

/// d += a * b, whose elements are kType, f16 or bf16.
template <DataType kType>
GRIDWISE_DEVICE void WarpMma(float (&d)[4], const Matrices4& a, unsigned b0, unsigned b1) {
  if constexpr (kType == DataType::kF16) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a.part[0]), "r"(a.part[1]), "r"(a.part[2]), "r"(a.part[3]), "r"(b0), "r"(b1));
  } else {
    static_assert(kType == DataType::kBF16);
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a.part[0]), "r"(a.part[1]), "r"(a.part[2]), "r"(a.part[3]), "r"(b0), "r"(b1));
  }
}

#else  // on the host, see hopper/on_host.h

[[gnu::noinline]] inline Matrices4 LoadTransposed4(SharedAddress from) {
  const auto all = ExchangeInWarp({from});
  const int lane = ThreadId() % 32;
  Matrices4 m = {};
  for (int i = 0; i < 4; ++i) {
    for (int e = 0; e < 2; ++e) {
      unsigned short value;
      std::memcpy(&value, dynamic_shared_memory + all[i * 8 + lane % 4 * 2 + e][0] + lane / 4 * 2,
                  2);
      m.part[i] |= static_cast<unsigned>(value) << (16 * e);
    }
  }
  return m;
}

[[gnu::noinline]] inline Matrices4 LoadMatrices4(SharedAddress from) {
  const auto all = ExchangeInWarp({from});
  const int lane = ThreadId() % 32;
  Matrices4 m = {};
  for (int i = 0; i < 4; ++i) {
    std::memcpy(&m.part[i], dynamic_shared_memory + all[i * 8 + lane / 4][0] + lane % 4 * 4, 4);
  }
  return m;
}

template <DataType kType>
inline void WarpMma(float (&d)[4], const Matrices4& a, unsigned b0, unsigned b1) {
  const auto all = ExchangeInWarp({a.part[0], a.part[1], a.part[2], a.part[3], b0, b1});
  const auto element = [](unsigned pair, int e) {
    return static_cast<float>(
        std::bit_cast<Element<kType> >(static_cast<unsigned short>(pair >> (16 * e))));
  };
  const int lane = ThreadId() % 32;
  for (int i = 0; i < 4; ++i) {
    const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    for (int k = 0; k < 16; ++k) {
      const auto& of_a = all[row % 8 * 4 + k % 8 / 2];
      const auto& of_b = all[column * 4 + k % 8 / 2];
      d[i] += element(of_a[row / 8 + k / 8 * 2], k % 2) * element(of_b[4 + k / 8], k % 2);
    }
  }
}

#endif

}  // namespace gridwise
