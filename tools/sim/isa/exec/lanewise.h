// SPDX-License-Identifier: MIT
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <utility>

#include "tools/sim/isa/exec/lane_values.h"
#include "tools/sim/isa/exec/level.h"
#include "tools/sim/isa/exec/mask.h"
#include "tools/sim/wave/uop.h"

/// The handler of a lane function: a loop over the lanes of a wave, which the compiler vectorises
/// for the level that the file is compiled for.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

/// Every iteration reads its operands before it writes, and lanes are independent, so rows that
/// overlap do no harm.
#if defined(__clang__)
#define GRIDWISE_SIM_FOR_LANES(l) \
  _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < kLanes; ++l)
#else
#define GRIDWISE_SIM_FOR_LANES(l) _Pragma("GCC ivdep") for (int l = 0; l < kLanes; ++l)
#endif

/// The lanes whose dword has its top bit set.
GRIDWISE_SIM_INLINE u64 GatherMask(const u32* row) {
  u64 mask = 0;
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  for (int i = 0; i < 4; ++i)
    mask |= u64{_mm512_movepi32_mask(_mm512_load_si512(row + 16 * i))} << (16 * i);
#elif defined(__AVX__)
  for (int i = 0; i < 8; ++i) {
    const __m256 lanes = _mm256_load_ps(reinterpret_cast<const float*>(row + 8 * i));
    mask |= u64{static_cast<u32>(_mm256_movemask_ps(lanes))} << (8 * i);
  }
#else
  for (int i = 0; i < 16; ++i) {
    const __m128 lanes = _mm_load_ps(reinterpret_cast<const float*>(row + 4 * i));
    mask |= u64{static_cast<u32>(_mm_movemask_ps(lanes))} << (4 * i);
  }
#endif
  return mask;
}

/// Writes rows that a handler computes: straight to the register when every lane is on, else by way
/// of a buffer.
template <int kRows>
struct MaskedRows {
  GRIDWISE_SIM_INLINE MaskedRows(Wave& w, Ref dst)
      : exec(Exec(w)), full(exec == w.all_lanes), rows(Row(w, dst)) {}
  GRIDWISE_SIM_INLINE u32* out() { return full ? rows : buffer; }
  GRIDWISE_SIM_INLINE void Commit() {
    if (!full) Blend<kRows>(rows, buffer, exec);
  }
  u64 exec;
  bool full;
  u32* rows;
  alignas(64) u32 buffer[kRows * kLanes];
};

/// Row of source `i`; a mask operand is expanded into `buffer`.
template <class T>
GRIDWISE_SIM_INLINE const u32* SourceRow(Wave& w, Ref ref, u32* buffer) {
  if constexpr (__is_same(T, bool)) {
    ExpandMask(ReadMask(w, ref), buffer);
    return buffer;
  } else if constexpr (__is_same(T, LaneIndex)) {
    return nullptr;
  } else if constexpr (__is_same(T, ModeBits)) {
    return &w.mode;
  } else {
    return Row(w, ref);
  }
}

/// The handler of a lane function F: R(A...), whose operands are Uop::src in order. R is a value
/// (Uop::dst, a vector register), bool (dst, a lane mask) or WithMask (dst, and dst2 for the mask).
template <class F, class R, class... A>
struct Lanewise {
  template <size_t... kI>
  GRIDWISE_SIM_INLINE static void Values(Wave& w, const Uop& u, std::index_sequence<kI...>) {
    alignas(64) u32 masks[kLanes];
    const u32* const rows[] = {SourceRow<A>(w, u.src[kI], masks)...};
    MaskedRows<Lane<R>::kRows> result(w, u.dst);
    u32* const out = result.out();
    GRIDWISE_SIM_FOR_LANES(l) Lane<R>::Store(out, l, F{}(Lane<A>::Load(rows[kI], l)...));
    result.Commit();
  }
  template <size_t... kI>
  GRIDWISE_SIM_INLINE static void Mask(Wave& w, const Uop& u, std::index_sequence<kI...>) {
    alignas(64) u32 masks[kLanes];
    alignas(64) u32 out[kLanes];
    const u32* const rows[] = {SourceRow<A>(w, u.src[kI], masks)...};
    GRIDWISE_SIM_FOR_LANES(l) out[l] = F{}(Lane<A>::Load(rows[kI], l)...) ? ~0u : 0u;
    WriteMask(w, u.dst, GatherMask(out) & Exec(w));
  }
  template <class T, size_t... kI>
  GRIDWISE_SIM_INLINE static void Both(Wave& w, const Uop& u, std::index_sequence<kI...>) {
    alignas(64) u32 masks[kLanes];
    alignas(64) u32 out_mask[kLanes];
    const u32* const rows[] = {SourceRow<A>(w, u.src[kI], masks)...};
    MaskedRows<Lane<T>::kRows> result(w, u.dst);
    u32* const out = result.out();
    GRIDWISE_SIM_FOR_LANES(l) {
      const R both = F{}(Lane<A>::Load(rows[kI], l)...);
      Lane<T>::Store(out, l, both.value);
      out_mask[l] = both.mask ? ~0u : 0u;
    }
    result.Commit();
    WriteMask(w, u.dst2, GatherMask(out_mask) & result.exec);
  }
  template <class T>
  static void Dispatch(Wave& w, const Uop& u, const WithMask<T>*) {
    Both<T>(w, u, std::index_sequence_for<A...>());
  }
  static void Dispatch(Wave& w, const Uop& u, const bool*) {
    Mask(w, u, std::index_sequence_for<A...>());
  }
  static void Dispatch(Wave& w, const Uop& u, const void*) {
    Values(w, u, std::index_sequence_for<A...>());
  }
  static void Run(Wave& w, const Uop& u) { Dispatch(w, u, static_cast<const R*>(nullptr)); }
};

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
