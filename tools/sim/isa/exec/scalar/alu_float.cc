// SPDX-License-Identifier: MIT
#include <cmath>
#include <iterator>

#include "tools/sim/isa/exec/float.h"
#include "tools/sim/isa/exec/min_max.h"
#include "tools/sim/isa/exec/rounding.h"
#include "tools/sim/isa/exec/scalar/scalar.h"

/// Floats on the scalar unit (RDNA4 ISA, "SALU Floating Point Operations"). 16-bit values are low
/// halves; 16-bit results clear the high one.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

GRIDWISE_SIM_INLINE f16 Half(f32 x) { return static_cast<f16>(x); }
GRIDWISE_SIM_INLINE f32 Float(f16 x) { return static_cast<f32>(x); }
GRIDWISE_SIM_INLINE i32 ToI32(f32 x) {
  if (IsNan(x)) return 0;
  return x >= 0x1p31f ? 0x7fffffff : x < -0x1p31f ? -0x7fffffff - 1 : static_cast<i32>(x);
}
GRIDWISE_SIM_INLINE u32 ToU32(f32 x) {
  return !(x > 0) ? 0 : x >= 0x1p32f ? ~0u : static_cast<u32>(static_cast<i64>(x));
}

template <class F>
constexpr Binding Float12(const char* name, F f, uint32_t flags = 0) {
  Binding binding = Salu(name, f, flags);
  binding.targets = kGfx1201;
  return binding;
}

#define GRIDWISE_SIM_SCALAR_COMPARE(name, expression)                          \
  Float12("s_cmp_" name "_f32", [](f32 a, f32 b) { return Scc{expression}; }), \
      Float12("s_cmp_" name "_f16", [](f16 x, f16 y) {                         \
        const f32 a = Float(x), b = Float(y);                                  \
        return Scc{expression};                                                \
      })

/// Instructions of the vector unit's transcendental part on scalar operands, which do with MODE
/// what those of vectors do (exec/vector/float.cc).
#define GRIDWISE_SIM_PSEUDO_SCALAR(name, expression)               \
  Float12(                                                         \
      "v_s_" name "_f32",                                          \
      [](f32 x) {                                                  \
        const f32 a = Flush(x);                                    \
        return Flush(static_cast<f32>(expression));                \
      },                                                           \
      kScalarRoundsItself),                                        \
      Float12(                                                     \
          "v_s_" name "_f16",                                      \
          [](f16 x) {                                              \
            const f32 a = Float(x);                                \
            return static_cast<f16>(static_cast<f32>(expression)); \
          },                                                       \
          kScalarRoundsItself)

}  // namespace

constexpr Binding kSaluFloat[] = {
    Float12("s_add_f32", [](f32 a, f32 b) { return a + b; }),
    Float12("s_sub_f32", [](f32 a, f32 b) { return a - b; }),
    Float12("s_mul_f32", [](f32 a, f32 b) { return a * b; }),
    Float12(
        "s_min_num_f32", [](f32 a, f32 b) { return ExtremeNumber<false>(a, b); }, kScalarSelects),
    Float12(
        "s_max_num_f32", [](f32 a, f32 b) { return ExtremeNumber<true>(a, b); }, kScalarSelects),
    Float12(
        "s_minimum_f32", [](f32 a, f32 b) { return ExtremeOrNan<false>(a, b); }, kScalarSelects),
    Float12(
        "s_maximum_f32", [](f32 a, f32 b) { return ExtremeOrNan<true>(a, b); }, kScalarSelects),
    Float12(
        "s_fmac_f32", [](f32 d, f32 a, f32 b) { return Fma(a, b, d); }, kReadsDestination),
    Float12("s_fmaak_f32", [](f32 a, f32 b, f32 k) { return Fma(a, b, k); }),
    Float12("s_fmamk_f32", [](f32 a, f32 k, f32 b) { return Fma(a, k, b); }),
    Float12("s_ceil_f32", [](f32 a) { return __builtin_ceilf(a); }),
    Float12("s_floor_f32", [](f32 a) { return __builtin_floorf(a); }),
    Float12("s_trunc_f32", [](f32 a) { return __builtin_truncf(a); }),
    Float12(
        "s_rndne_f32", [](f32 a) { return __builtin_nearbyintf(a); }, kScalarRoundsItself),
    Float12("s_add_f16", [](f16 a, f16 b) { return Half(Float(a) + Float(b)); }),
    Float12("s_sub_f16", [](f16 a, f16 b) { return Half(Float(a) - Float(b)); }),
    Float12("s_mul_f16", [](f16 a, f16 b) { return Half(Float(a) * Float(b)); }),
    Float12(
        "s_min_num_f16", [](f16 a, f16 b) { return ExtremeNumber<false>(a, b); }, kScalarSelects),
    Float12(
        "s_max_num_f16", [](f16 a, f16 b) { return ExtremeNumber<true>(a, b); }, kScalarSelects),
    Float12(
        "s_minimum_f16", [](f16 a, f16 b) { return ExtremeOrNan<false>(a, b); }, kScalarSelects),
    Float12(
        "s_maximum_f16", [](f16 a, f16 b) { return ExtremeOrNan<true>(a, b); }, kScalarSelects),
    Float12(
        "s_fmac_f16", [](f16 d, f16 a, f16 b) { return Fma(a, b, d); }, kReadsDestination),
    Float12("s_ceil_f16", [](f16 a) { return Half(__builtin_ceilf(Float(a))); }),
    Float12("s_floor_f16", [](f16 a) { return Half(__builtin_floorf(Float(a))); }),
    Float12("s_trunc_f16", [](f16 a) { return Half(__builtin_truncf(Float(a))); }),
    Float12(
        "s_rndne_f16", [](f16 a) { return Half(__builtin_nearbyintf(Float(a))); },
        kScalarRoundsItself),
    Float12("s_cvt_f32_i32", [](i32 a) { return static_cast<f32>(a); }),
    Float12("s_cvt_f32_u32", [](u32 a) { return static_cast<f32>(a); }),
    Float12("s_cvt_i32_f32", [](f32 a) { return ToI32(a); }),
    Float12("s_cvt_u32_f32", [](f32 a) { return ToU32(a); }),
    Float12("s_cvt_f16_f32", [](f32 a) { return Half(a); }),
    Float12("s_cvt_f32_f16", [](f16 a) { return Float(a); }),
    Float12("s_cvt_hi_f32_f16", [](u32 a) { return Float(Bits<f16>(static_cast<u16>(a >> 16))); }),
    Float12("s_cvt_pk_rtz_f16_f32",
            [](f32 a, f32 b) { return HalfTowardsZero(a) | HalfTowardsZero(b) << 16; }),
    GRIDWISE_SIM_SCALAR_COMPARE("lt", a < b),
    GRIDWISE_SIM_SCALAR_COMPARE("eq", a == b),
    GRIDWISE_SIM_SCALAR_COMPARE("le", a <= b),
    GRIDWISE_SIM_SCALAR_COMPARE("gt", a > b),
    GRIDWISE_SIM_SCALAR_COMPARE("lg", a<b || a> b),
    GRIDWISE_SIM_SCALAR_COMPARE("ge", a >= b),
    GRIDWISE_SIM_SCALAR_COMPARE("o", !IsNan(a) && !IsNan(b)),
    GRIDWISE_SIM_SCALAR_COMPARE("u", IsNan(a) || IsNan(b)),
    GRIDWISE_SIM_SCALAR_COMPARE("nge", !(a >= b)),
    GRIDWISE_SIM_SCALAR_COMPARE("nlg", !(a < b || a > b)),
    GRIDWISE_SIM_SCALAR_COMPARE("ngt", !(a > b)),
    GRIDWISE_SIM_SCALAR_COMPARE("nle", !(a <= b)),
    GRIDWISE_SIM_SCALAR_COMPARE("neq", a != b),
    GRIDWISE_SIM_SCALAR_COMPARE("nlt", !(a < b)),
    GRIDWISE_SIM_PSEUDO_SCALAR("exp", exp2f(a)),
    GRIDWISE_SIM_PSEUDO_SCALAR("log", log2f(a)),
    GRIDWISE_SIM_PSEUDO_SCALAR("rcp", 1.0f / a),
    GRIDWISE_SIM_PSEUDO_SCALAR("rsq", 1.0 / __builtin_sqrt(static_cast<f64>(a))),
    GRIDWISE_SIM_PSEUDO_SCALAR("sqrt", __builtin_sqrtf(a)),
};

BindingTable SaluFloatTable() { return {kSaluFloat, std::size(kSaluFloat)}; }

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
