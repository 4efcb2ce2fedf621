// SPDX-License-Identifier: MIT
#pragma once

#include <immintrin.h>

#include "tools/sim/isa/exec/level.h"
#include "tools/sim/isa/exec/rounding.h"

/// The vectors of the host that matrix products are computed with: columns of D side by side.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

#if defined(__AVX512F__)
struct FloatVector {
  __m512 v;
  static constexpr int kWidth = 16;
  GRIDWISE_SIM_INLINE static FloatVector Load(const f32* p) { return {_mm512_loadu_ps(p)}; }
  GRIDWISE_SIM_INLINE static FloatVector Fill(f32 x) { return {_mm512_set1_ps(x)}; }
  GRIDWISE_SIM_INLINE void Store(f32* p) const { _mm512_storeu_ps(p, v); }
  GRIDWISE_SIM_INLINE void AddProduct(FloatVector a, FloatVector b) {
    v = _mm512_fmadd_ps(a.v, b.v, v);
  }
};
#elif defined(__FMA__)
struct FloatVector {
  __m256 v;
  static constexpr int kWidth = 8;
  GRIDWISE_SIM_INLINE static FloatVector Load(const f32* p) { return {_mm256_loadu_ps(p)}; }
  GRIDWISE_SIM_INLINE static FloatVector Fill(f32 x) { return {_mm256_set1_ps(x)}; }
  GRIDWISE_SIM_INLINE void Store(f32* p) const { _mm256_storeu_ps(p, v); }
  GRIDWISE_SIM_INLINE void AddProduct(FloatVector a, FloatVector b) {
    v = _mm256_fmadd_ps(a.v, b.v, v);
  }
};
#else
struct FloatVector {
  f32 v[4];
  static constexpr int kWidth = 4;
  GRIDWISE_SIM_INLINE static FloatVector Load(const f32* p) { return {{p[0], p[1], p[2], p[3]}}; }
  GRIDWISE_SIM_INLINE static FloatVector Fill(f32 x) { return {{x, x, x, x}}; }
  GRIDWISE_SIM_INLINE void Store(f32* p) const { __builtin_memcpy(p, v, sizeof(v)); }
  GRIDWISE_SIM_INLINE void AddProduct(FloatVector a, FloatVector b) {
    for (int i = 0; i < 4; ++i) v[i] = __builtin_fmaf(a.v[i], b.v[i], v[i]);
  }
};
#endif

struct DoubleVector {
  f64 v[4];
  static constexpr int kWidth = 4;
  GRIDWISE_SIM_INLINE static DoubleVector Load(const f64* p) { return {{p[0], p[1], p[2], p[3]}}; }
  GRIDWISE_SIM_INLINE static DoubleVector Fill(f64 x) { return {{x, x, x, x}}; }
  GRIDWISE_SIM_INLINE void Store(f64* p) const { __builtin_memcpy(p, v, sizeof(v)); }
  GRIDWISE_SIM_INLINE void AddProduct(const DoubleVector& a, const DoubleVector& b) {
    for (int i = 0; i < 4; ++i) v[i] = __builtin_fma(a.v[i], b.v[i], v[i]);
  }
};

/// Two 16-bit integers of consecutive k in each value of A and B; sums have 32 bits and wrap.
struct PairVector {
#if defined(__AVX512BW__)
  __m512i v;
  static constexpr int kWidth = 16;
  GRIDWISE_SIM_INLINE static PairVector Load(const u32* p) { return {_mm512_loadu_si512(p)}; }
  GRIDWISE_SIM_INLINE static PairVector Fill(u32 x) {
    return {_mm512_set1_epi32(static_cast<i32>(x))};
  }
  GRIDWISE_SIM_INLINE void Store(u32* p) const { _mm512_storeu_si512(p, v); }
  GRIDWISE_SIM_INLINE void AddProduct(PairVector a, PairVector b) {
    v = _mm512_add_epi32(v, _mm512_madd_epi16(a.v, b.v));
  }
#elif defined(__AVX2__)
  __m256i v;
  static constexpr int kWidth = 8;
  GRIDWISE_SIM_INLINE static PairVector Load(const u32* p) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
  }
  GRIDWISE_SIM_INLINE static PairVector Fill(u32 x) {
    return {_mm256_set1_epi32(static_cast<i32>(x))};
  }
  GRIDWISE_SIM_INLINE void Store(u32* p) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v);
  }
  GRIDWISE_SIM_INLINE void AddProduct(PairVector a, PairVector b) {
    v = _mm256_add_epi32(v, _mm256_madd_epi16(a.v, b.v));
  }
#else
  __m128i v;
  static constexpr int kWidth = 4;
  GRIDWISE_SIM_INLINE static PairVector Load(const u32* p) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
  }
  GRIDWISE_SIM_INLINE static PairVector Fill(u32 x) {
    return {_mm_set1_epi32(static_cast<i32>(x))};
  }
  GRIDWISE_SIM_INLINE void Store(u32* p) const {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v);
  }
  GRIDWISE_SIM_INLINE void AddProduct(PairVector a, PairVector b) {
    v = _mm_add_epi32(v, _mm_madd_epi16(a.v, b.v));
  }
#endif
};

template <class T>
struct VectorOf;
template <>
struct VectorOf<f32> {
  using Type = FloatVector;
};
template <>
struct VectorOf<f64> {
  using Type = DoubleVector;
};
template <>
struct VectorOf<u32> {
  using Type = PairVector;
};

/// Of elements that are pairs of 16-bit integers: c + both products.
GRIDWISE_SIM_INLINE u32 Fma(u32 a, u32 b, u32 c) {
  const auto half = [](u32 x, int i) { return i32{static_cast<i16>(x >> (16 * i))}; };
  return c + static_cast<u32>(half(a, 0) * half(b, 0) + half(a, 1) * half(b, 1));
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
