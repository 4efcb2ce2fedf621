// SPDX-License-Identifier: MIT
#include "tools/sim/isa/exec/matrix/wmma.h"

#include "tools/sim/isa/bind/alu.h"
#include "tools/sim/isa/bind/matrix_mode.h"
#include "tools/sim/isa/exec/formats.h"
#include "tools/sim/isa/exec/level.h"
#include "tools/sim/isa/exec/matrix/matrix.h"

/// WMMA of RDNA3 and RDNA4, 16x16 tiles. EXEC is ignored. Sums are fused multiply-adds in the order
/// of k, and 16-bit results are rounded once, at the end; those of f16 and bf16 may also be exact.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// gfx11: row i of A (column i of B) is in lane i, and again in every further group of 16 lanes;
/// register v of lane group g holds row v groups + g of D.
constexpr MatrixPlan Gfx11Plan(int depth, bool wave64) {
  MatrixPlan p{.dim = kWmmaDim, .depth = depth, .groups = wave64 ? 4 : 2};
  p.registers = kWmmaDim / p.groups;
  for (int k = 0; k < depth; ++k) p.a[k] = p.b[k] = static_cast<u16>(k * kLanes);
  for (int r = 0; r < p.registers; ++r) {
    for (int g = 0; g < p.groups; ++g) p.row[r][g] = static_cast<u8>(p.groups * r + g);
  }
  return p;
}

/// kGeneration is 11 or 12; kDepth counts values of kBits bits: for integers, pairs.
template <int kGeneration, int kDepth, int kChunk, int kBits, bool kWave64>
constexpr MatrixPlan kPlan =
    kGeneration == 11 ? Gfx11Plan(kDepth, kWave64) : Gfx12Plan(kDepth, kChunk, kBits, kWave64);
constexpr int Elements(int generation, int depth, int bits, bool wave64) {
  return generation == 11 ? depth : depth / InputGroups(depth, bits, wave64);
}

template <int kGeneration, int kDepth, int kChunk, Format kA, Format kB, Format kOut>
void WmmaFloat(Wave& w, const Uop& u) {
  const auto controls = Bits<WmmaControls>(u.data);
  const bool wave64 = controls.wave64 != 0;
  constexpr auto& kPlan32 = kPlan<kGeneration, kDepth, kChunk, BitsOf(kA), false>;
  constexpr auto& kPlan64 = kPlan<kGeneration, kDepth, kChunk, BitsOf(kA), true>;
  const MatrixPlan& plan = wave64 ? kPlan64 : kPlan32;
  const int elements = Elements(kGeneration, kDepth, BitsOf(kA), wave64);
  alignas(64) f32 a[kDepth * kLanes], b[kDepth * kLanes];
  alignas(64) f32 c[kRowsOfD * kLanes], d[kRowsOfD * kLanes];
  UnpackFloats(kA, Row(w, u.src[0]), elements, a);
  UnpackFloats(kB, Row(w, u.src[1]), elements, b);
  NegateHalves(controls.a, elements, a);
  NegateHalves(controls.b, elements, b);
  ReadC<kGeneration, kOut>(Row(w, u.src[2]), plan.registers, u.imm, controls, c);
  const bool saturate = (w.mode & kModeFp16Overflow) != 0;
  const Operands<f32> operands = {.a = a, .b = b, .c = c, .c_stride = 1, .d = d};
  if (BitsOf(kA) == 16 && ExactMatrices()) {
    MultiplyExactly<kGeneration, kA, kOut>(plan, operands, saturate);
  } else {
    (wave64 ? &MultiplyBy<f32, kPlan64> : &MultiplyBy<f32, kPlan32>)(operands);
  }
  WriteD<kGeneration, kOut>(d, plan.registers, plan.groups * kWmmaDim, controls, saturate,
                            Row(w, u.dst));
}

/// Elements are signed or not as the controls say. The products' sum has less than 32 bits; C is
/// added to it, wrapping or saturating.
template <int kGeneration, int kDepth, int kChunk, int kBits>
void WmmaInteger(Wave& w, const Uop& u) {
  const auto controls = Bits<WmmaControls>(u.data);
  const bool wave64 = controls.wave64 != 0;
  constexpr auto& kPlan32 = kPlan<kGeneration, kDepth / 2, kChunk / 2, 2 * kBits, false>;
  constexpr auto& kPlan64 = kPlan<kGeneration, kDepth / 2, kChunk / 2, 2 * kBits, true>;
  const MatrixPlan& plan = wave64 ? kPlan64 : kPlan32;
  const int pairs = Elements(kGeneration, kDepth / 2, 2 * kBits, wave64);
  alignas(64) u32 a[kDepth / 2 * kLanes], b[kDepth / 2 * kLanes], d[kRowsOfD * kLanes];
  constexpr Format kSigned = kBits == 8 ? Format::kI8 : Format::kI4;
  constexpr Format kUnsigned = kBits == 8 ? Format::kU8 : Format::kU4;
  UnpackPairs(controls.a != 0 ? kSigned : kUnsigned, Row(w, u.src[0]), pairs, a);
  UnpackPairs(controls.b != 0 ? kSigned : kUnsigned, Row(w, u.src[1]), pairs, b);
  alignas(64) const u32 zero[kLanes] = {};
  (wave64 ? &MultiplyBy<u32, kPlan64>
          : &MultiplyBy<u32, kPlan32>)({.a = a, .b = b, .c = zero, .c_stride = 0, .d = d});
  const u32* c = Row(w, u.src[2]);
  u32* out = Row(w, u.dst);
  for (int r = 0; r < plan.registers; ++r) {
    for (int l = 0; l < plan.groups * kWmmaDim; ++l) {
      const u32 x = d[r * kLanes + l], y = c[r * u.imm * kLanes + l];
      out[r * kLanes + l] = controls.clamp != 0 ? SaturatingSum(x, y) : x + y;
    }
  }
}

/// Registers are those of a wave32.
template <int kGeneration, int kDepth, Format kA, Format kB, Format kOut>
constexpr Binding Wmma(const char* name) {
  constexpr bool kInteger = IsInteger(kA);
  // 16-bit elements of gfx12 come in chunks of 4, smaller ones are contiguous.
  constexpr int kContiguous = kDepth / 2;
  constexpr int kChunk = BitsOf(kA) == 16 ? 4 : kContiguous;
  constexpr int kElements = Elements(kGeneration, kDepth, BitsOf(kA), false);
  constexpr bool kPacked = kGeneration == 12 && BitsOf(kOut) == 16;
  constexpr ValueType kC = kOut == Format::kF16    ? ValueType::kF16
                           : kOut == Format::kBf16 ? ValueType::kB16
                           : kInteger              ? ValueType::kB32
                                                   : ValueType::kF32;
  OpTraits traits{.result = kC,
                  .dwords = static_cast<uint8_t>(BitsOf(kA)),
                  .flags = MatrixRegisters(kElements * BitsOf(kA) / 32, kElements * BitsOf(kB) / 32,
                                           kPacked ? 4 : kRowsOfD)};
  constexpr uint8_t kTargets = kGeneration == 11 ? kGfx1100 : kGfx1201;
  if constexpr (kInteger) {
    return {name,      OpClass::kMma,
            &BindWmma, &Step<&WmmaInteger<kGeneration, kDepth, kChunk, BitsOf(kA)>>,
            traits,    kTargets};
  } else {
    return {name,      OpClass::kMma,
            &BindWmma, &Step<&WmmaFloat<kGeneration, kDepth, kChunk, kA, kB, kOut>>,
            traits,    kTargets};
  }
}

}  // namespace

BindingTable WmmaTable() {
  using enum Format;
  static constexpr Binding kTable[] = {
      Wmma<11, 16, kF16, kF16, kF32>("v_wmma_f32_16x16x16_f16"),
      Wmma<11, 16, kBf16, kBf16, kF32>("v_wmma_f32_16x16x16_bf16"),
      Wmma<11, 16, kF16, kF16, kF16>("v_wmma_f16_16x16x16_f16"),
      Wmma<11, 16, kBf16, kBf16, kBf16>("v_wmma_bf16_16x16x16_bf16"),
      Wmma<11, 16, kI8, kI8, kI8>("v_wmma_i32_16x16x16_iu8"),
      Wmma<11, 16, kI4, kI4, kI4>("v_wmma_i32_16x16x16_iu4"),
      Wmma<12, 16, kF16, kF16, kF32>("v_wmma_f32_16x16x16_f16"),
      Wmma<12, 16, kBf16, kBf16, kF32>("v_wmma_f32_16x16x16_bf16"),
      Wmma<12, 16, kF16, kF16, kF16>("v_wmma_f16_16x16x16_f16"),
      Wmma<12, 16, kBf16, kBf16, kBf16>("v_wmma_bf16_16x16x16_bf16"),
      Wmma<12, 16, kFp8, kFp8, kF32>("v_wmma_f32_16x16x16_fp8_fp8"),
      Wmma<12, 16, kFp8, kBf8, kF32>("v_wmma_f32_16x16x16_fp8_bf8"),
      Wmma<12, 16, kBf8, kFp8, kF32>("v_wmma_f32_16x16x16_bf8_fp8"),
      Wmma<12, 16, kBf8, kBf8, kF32>("v_wmma_f32_16x16x16_bf8_bf8"),
      Wmma<12, 16, kI8, kI8, kI8>("v_wmma_i32_16x16x16_iu8"),
      Wmma<12, 16, kI4, kI4, kI4>("v_wmma_i32_16x16x16_iu4"),
      Wmma<12, 32, kI4, kI4, kI4>("v_wmma_i32_16x16x32_iu4"),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
