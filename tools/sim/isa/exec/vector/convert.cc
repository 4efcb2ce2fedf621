// SPDX-License-Identifier: MIT
#include "tools/sim/isa/exec/float.h"
#include "tools/sim/isa/exec/lanes.h"
#include "tools/sim/isa/exec/rounding.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// Truncates and saturates; NaN is 0.
GRIDWISE_SIM_INLINE i32 ToI32(f64 x) {
  const f64 limited = x < -2147483648.0 ? -2147483648.0 : x > 2147483647.0 ? 2147483647.0 : x;
  return IsNan(x) ? 0 : static_cast<i32>(limited);
}
GRIDWISE_SIM_INLINE u32 ToU32(f64 x) {
  const f64 limited = x > 0 ? (x > 4294967295.0 ? 4294967295.0 : x) : 0;  // NaN too
  return static_cast<u32>(static_cast<i64>(limited));
}
GRIDWISE_SIM_INLINE i32 ToI32(f32 x) {
  const i32 in_range = static_cast<i32>(x >= -0x1p31f && x < 0x1p31f ? x : 0.0f);
  return x >= 0x1p31f ? 0x7fffffff : x < -0x1p31f ? static_cast<i32>(0x80000000) : in_range;
}
GRIDWISE_SIM_INLINE u32 ToU32(f32 x) {
  const bool high = x >= 0x1p31f;
  const f32 reduced = high ? x - 0x1p31f : x;
  const u32 low =
      static_cast<u32>(static_cast<i32>(reduced > 0 && reduced < 0x1p31f ? reduced : 0.0f));
  return x >= 0x1p32f ? ~0u : high ? low + 0x80000000u : low;
}
GRIDWISE_SIM_INLINE i16 ToI16(f16 x) {
  const i32 wide = ToI32(static_cast<f32>(x));
  return static_cast<i16>(wide < -32768 ? -32768 : wide > 32767 ? 32767 : wide);
}
GRIDWISE_SIM_INLINE u16 ToU16(f16 x) {
  const u32 wide = ToU32(static_cast<f32>(x));
  return static_cast<u16>(wide > 65535 ? 65535 : wide);
}

GRIDWISE_SIM_INLINE u32 ExtractByte(u32 x, int i) { return x >> (8 * i) & 0xff; }
/// Normalised integers: round to nearest even of x * scale, clamped; NaN is 0.
GRIDWISE_SIM_INLINE u32 Normalised(f32 x, f32 lowest, f32 scale) {
  const f32 limited = IsNan(x) ? 0.0f : x < lowest ? lowest : x > 1.0f ? 1.0f : x;
  return static_cast<u32>(static_cast<i32>(__builtin_nearbyintf(limited * scale))) & 0xffff;
}

}  // namespace

BindingTable ValuConvertTable() {
  static constexpr Binding kTable[] = {
      Valu("v_cvt_f32_i32", [](i32 a) { return static_cast<f32>(a); }),
      Valu("v_cvt_f32_u32", [](u32 a) { return static_cast<f32>(a); }),
      Valu("v_cvt_f64_i32", [](i32 a) { return static_cast<f64>(a); }),
      Valu("v_cvt_f64_u32", [](u32 a) { return static_cast<f64>(a); }),
      Valu("v_cvt_i32_f32", [](f32 a) { return ToI32(a); }),
      Valu("v_cvt_u32_f32", [](f32 a) { return ToU32(a); }),
      Valu("v_cvt_i32_f64", [](f64 a) { return ToI32(a); }),
      Valu("v_cvt_u32_f64", [](f64 a) { return ToU32(a); }),
      Valu("v_cvt_f16_f32", [](f32 a) { return static_cast<f16>(a); }),
      Valu("v_cvt_f32_f16", [](f16 a) { return static_cast<f32>(a); }),
      Valu("v_cvt_f64_f32", [](f32 a) { return static_cast<f64>(a); }),
      Valu("v_cvt_f32_f64", [](f64 a) { return static_cast<f32>(a); }),
      Valu("v_cvt_f16_u16", [](u16 a) { return static_cast<f16>(static_cast<f32>(a)); }),
      Valu("v_cvt_f16_i16", [](i16 a) { return static_cast<f16>(static_cast<f32>(a)); }),
      Valu("v_cvt_u16_f16", [](f16 a) { return ToU16(a); }),
      Valu("v_cvt_i16_f16", [](f16 a) { return ToI16(a); }),
      Valu("v_cvt_f32_ubyte0", [](u32 a) { return static_cast<f32>(ExtractByte(a, 0)); }),
      Valu("v_cvt_f32_ubyte1", [](u32 a) { return static_cast<f32>(ExtractByte(a, 1)); }),
      Valu("v_cvt_f32_ubyte2", [](u32 a) { return static_cast<f32>(ExtractByte(a, 2)); }),
      Valu("v_cvt_f32_ubyte3", [](u32 a) { return static_cast<f32>(ExtractByte(a, 3)); }),
      // The sum is exact: 0.5 less a bit is no half.
      Valu("v_cvt_rpi_i32_f32",
           [](f32 a) { return ToI32(__builtin_floor(static_cast<f64>(a) + 0.5)); }),
      Valu("v_cvt_flr_i32_f32", [](f32 a) { return ToI32(__builtin_floorf(a)); }),
      Valu("v_cvt_pkrtz_f16_f32",
           [](f32 a, f32 b) { return HalfTowardsZero(a) | HalfTowardsZero(b) << 16; }),
      Valu("v_cvt_pknorm_i16_f32",
           [](f32 a, f32 b) { return Normalised(a, -1, 32767) | Normalised(b, -1, 32767) << 16; }),
      Valu("v_cvt_pknorm_u16_f32",
           [](f32 a, f32 b) { return Normalised(a, 0, 65535) | Normalised(b, 0, 65535) << 16; }),
      Valu("v_cvt_pk_u16_u32",
           [](u32 a, u32 b) { return (a > 65535 ? 65535 : a) | (b > 65535 ? 65535 : b) << 16; }),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
