// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/isa/bind/alu.h"
#include "tools/sim/isa/exec/level.h"
#include "tools/sim/wave/wave.h"

/// The types of a lane function's parameters and result, and how a lane's value of each is read
/// from and written to the rows of the register file.

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

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
