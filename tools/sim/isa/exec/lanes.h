// SPDX-License-Identifier: MIT
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "tools/sim/isa/bind/alu.h"
#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/exec/level.h"
#include "tools/sim/isa/exec/mask.h"
#include "tools/sim/wave/uop.h"

/// Vector operations from scalar ones: a table line gives a lambda over the values of one lane, and
/// its parameter types say how operands are read, how constants are made and how the result is
/// written:
///
///   Valu("v_lshl_add_u32", [](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }),
///
/// The loop over lanes is vectorised by the compiler for the level that the file is compiled for.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

/// Operands with two 16-bit values.
struct PkB16 {
  u32 bits;
};
struct PkF16 {
  u32 bits;
};
/// The number of the lane: no operand.
struct LaneIndex {
  int value;
};
/// The MODE register: no operand.
struct ModeBits {
  u32 bits;
  GRIDWISE_SIM_INLINE bool SaturatesHalves() const { return (bits & kModeFp16Overflow) != 0; }
};
/// A result with a bit of a lane mask (carry).
template <class T>
struct WithMask {
  T value;
  bool mask;
};

template <class T>
struct Lane {  // 32-bit types
  static constexpr int kRows = 1;
  static T Load(const u32* row, int l) { return Bits<T>(row[l]); }
  static void Store(u32* row, int l, T value) { row[l] = Bits<u32>(value); }
};
template <class T>
struct Lane16 {
  static constexpr int kRows = 1;
  static T Load(const u32* row, int l) { return Bits<T>(static_cast<u16>(row[l])); }
  static void Store(u32* row, int l, T value) { row[l] = Bits<u16>(value); }
};
template <>
struct Lane<u16> : Lane16<u16> {};
template <>
struct Lane<i16> : Lane16<i16> {};
template <>
struct Lane<f16> : Lane16<f16> {};
template <class T>
struct Lane64 {
  static constexpr int kRows = 2;
  static T Load(const u32* row, int l) { return Bits<T>(row[l] | u64{row[l + kLanes]} << 32); }
  static void Store(u32* row, int l, T value) {
    row[l] = static_cast<u32>(Bits<u64>(value));
    row[l + kLanes] = static_cast<u32>(Bits<u64>(value) >> 32);
  }
};
template <>
struct Lane<u64> : Lane64<u64> {};
template <>
struct Lane<i64> : Lane64<i64> {};
template <>
struct Lane<f64> : Lane64<f64> {};
template <>
struct Lane<bool> {  // a row of 0 and ~0
  static constexpr int kRows = 1;
  static bool Load(const u32* row, int l) { return row[l] != 0; }
};
template <>
struct Lane<LaneIndex> {
  static constexpr int kRows = 0;
  static LaneIndex Load(const u32*, int l) { return {l}; }
};
template <>
struct Lane<ModeBits> {
  static constexpr int kRows = 0;
  static ModeBits Load(const u32* mode, int) { return {*mode}; }
};

template <class T>
inline constexpr ValueType kTypeOf = ValueType::kB32;
template <>
inline constexpr ValueType kTypeOf<f32> = ValueType::kF32;
template <>
inline constexpr ValueType kTypeOf<u64> = ValueType::kB64;
template <>
inline constexpr ValueType kTypeOf<i64> = ValueType::kI64;
template <>
inline constexpr ValueType kTypeOf<f64> = ValueType::kF64;
template <>
inline constexpr ValueType kTypeOf<u16> = ValueType::kB16;
template <>
inline constexpr ValueType kTypeOf<i16> = ValueType::kB16;
template <>
inline constexpr ValueType kTypeOf<f16> = ValueType::kF16;
template <>
inline constexpr ValueType kTypeOf<PkB16> = ValueType::kPkB16;
template <>
inline constexpr ValueType kTypeOf<PkF16> = ValueType::kPkF16;
template <>
inline constexpr ValueType kTypeOf<bool> = ValueType::kMask;
template <>
inline constexpr ValueType kTypeOf<LaneIndex> = ValueType::kNone;
template <>
inline constexpr ValueType kTypeOf<ModeBits> = ValueType::kNone;
template <class T>
inline constexpr ValueType kTypeOf<WithMask<T>> = kTypeOf<T>;

/// The integer of 16 or 32 bits nearest to x.
template <class T>
GRIDWISE_SIM_INLINE T Saturate(i64 x) {
  constexpr i64 kLowest = T(-1) < T(0) ? -(i64{1} << (sizeof(T) * 8 - 1)) : 0;
  constexpr i64 kHighest =
      T(-1) < T(0) ? (i64{1} << (sizeof(T) * 8 - 1)) - 1 : (i64{1} << (sizeof(T) * 8)) - 1;
  return static_cast<T>(x < kLowest ? kLowest : x > kHighest ? kHighest : x);
}

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

template <class F, class R, class... A>
constexpr Binding MakeValu(const char* name, R (F::*)(A...) const, uint32_t flags, BindFn bind) {
  OpTraits traits{
      .result = kTypeOf<R>, .args = {kTypeOf<A>...}, .arg_count = sizeof...(A), .flags = flags};
  if (__is_same(R, bool)) traits.result = ValueType::kMask;
  traits.second_mask = requires(R r) { r.mask; };
  return {name, OpClass::kValu, bind, &Step<&Lanewise<F, R, A...>::Run>, traits};
}

/// The binding on some targets only.
constexpr Binding On(uint8_t targets, Binding binding) {
  binding.targets = targets;
  return binding;
}

/// The binding with another handler than that of the lane function, which says what it computes.
constexpr Binding WithHandler(ExecFn handler, Binding binding) {
  binding.exec = handler;
  return binding;
}

/// An operation of one value per lane.
template <class F>
constexpr Binding Valu(const char* name, F, uint32_t flags = 0) {
  return MakeValu<F>(name, &F::operator(), flags, &BindValu);
}

/// v_pk_*: a lane function of 16-bit values applied to both halves.
template <class>
using AlwaysU32 = u32;
template <class>
using AlwaysU64 = u64;
template <class F, class T, class... A>
constexpr Binding MakePacked(const char* name, T (F::*)(A...) const, uint32_t flags) {
  constexpr ValueType kType = __is_same(T, f16) ? ValueType::kPkF16 : ValueType::kPkB16;
  const auto both = [](auto... packed) {
    const u32 low = Bits<u16>(F{}(Bits<A>(static_cast<u16>(packed))...));
    const u32 high = Bits<u16>(F{}(Bits<A>(static_cast<u16>(packed >> 16))...));
    return low | high << 16;
  };
  using Both = decltype(both);
  OpTraits traits{.result = kType, .args = {}, .arg_count = sizeof...(A), .flags = flags};
  for (size_t i = 0; i < sizeof...(A); ++i) traits.args[i] = kType;
  return {name, OpClass::kValu, &BindValu, &Step<&Lanewise<Both, u32, AlwaysU32<A>...>::Run>,
          traits};
}
template <class F>
constexpr Binding Packed(const char* name, F, uint32_t flags = 0) {
  return MakePacked<F>(name, &F::operator(), flags);
}

/// v_pk_*_f32: a lane function of floats applied to both registers of a pair.
template <class F, class... A>
constexpr Binding MakePackedF32(const char* name, f32 (F::*)(A...) const) {
  const auto both = [](auto... pair) {
    const u64 low = Bits<u32>(F{}(Bits<A>(static_cast<u32>(pair))...));
    const u64 high = Bits<u32>(F{}(Bits<A>(static_cast<u32>(pair >> 32))...));
    return low | high << 32;
  };
  using Both = decltype(both);
  OpTraits traits{.result = ValueType::kPkF32, .args = {}, .arg_count = sizeof...(A)};
  for (size_t i = 0; i < sizeof...(A); ++i) traits.args[i] = ValueType::kPkF32;
  return {name, OpClass::kValu, &BindValu, &Step<&Lanewise<Both, u64, AlwaysU64<A>...>::Run>,
          traits};
}
template <class F>
constexpr Binding PackedF32(const char* name, F) {
  return MakePackedF32<F>(name, &F::operator());
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
