// SPDX-License-Identifier: MIT
#include "tools/sim/isa/bind/alu.h"
#include "tools/sim/isa/bind/matrix_mode.h"
#include "tools/sim/isa/exec/formats.h"
#include "tools/sim/isa/exec/level.h"
#include "tools/sim/isa/exec/matrix/matrix.h"
#include "tools/sim/isa/exec/matrix/mma_exact.h"
#include "tools/sim/isa/exec/matrix/mma_pairwise.h"

/// MFMA of CDNA2, CDNA3 and CDNA4. EXEC is ignored.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// BLGP of the ISA document: which lane each lane of B is read from.
GRIDWISE_SIM_INLINE int PermutedLane(int how, int lane) {
  if (how <= 2) return (how == 2 ? 32 : 0) + lane % 32;
  return how == 3 ? (lane + 16) % kLanes : 16 * (how - 4) + lane % 16;
}
template <class T>
GRIDWISE_SIM_INLINE void PermuteLanes(int how, int rows, T* values) {
  if (how == 0) return;
  for (T* row = values; row < values + rows * kLanes; row += kLanes) {
    T old[kLanes];
    __builtin_memcpy(old, row, sizeof(old));
    for (int l = 0; l < kLanes; ++l) row[l] = old[PermutedLane(how, l)];
  }
}

/// CBSZ and ABID: block b takes its A from block (b & ~mask) + first.
template <class T>
GRIDWISE_SIM_INLINE void ExchangeBlocks(const MatrixPlan& plan, const MatrixControls& controls,
                                        int rows, T* values) {
  if (controls.a_mask == 0) return;
  for (T* row = values; row < values + rows * kLanes; row += kLanes) {
    T old[kLanes];
    __builtin_memcpy(old, row, sizeof(old));
    for (int l = 0; l < kLanes; ++l) {
      const int block = l / plan.dim % plan.blocks;
      row[l] = old[l + ((block & ~controls.a_mask) + controls.a_first - block) * plan.dim];
    }
  }
}

/// Unpacks A and B with `unpack` and multiplies; C and D are rows of T.
template <class T, int kElements, class F, class M>
GRIDWISE_SIM_INLINE void UnpackAndMultiply(Wave& w, const Uop& u, const MatrixPlan& plan, F unpack,
                                           M multiply, const T* c, T* d) {
  alignas(64) T a[kElements * kLanes], b[kElements * kLanes];
  unpack(0, Row(w, u.src[0]), a);
  unpack(1, Row(w, u.src[1]), b);
  const auto controls = Bits<MatrixControls>(u.data);
  ExchangeBlocks(plan, controls, kElements, a);
  PermuteLanes(controls.permute_b, kElements, b);
  multiply(Operands<T>{.a = a, .b = b, .c = c, .c_stride = u.imm, .d = d});
}

/// The bit of MODE that keeps denormals among f32 operands; smaller formats do not ask it, and C
/// and D are kept (CDNA4 ISA, "MFMA").
constexpr u32 kModeInputDenormals = 1u << 4;
GRIDWISE_SIM_INLINE void FlushDenormals(int count, f32* values) {
  for (int i = 0; i < count; ++i) {
    const u32 bits = Bits<u32>(values[i]);
    values[i] = Bits<f32>((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
  }
}

/// gfx942 has two ways to add: exactly as the hardware does, and fast.
template <int kDim, int kBlocks, int kK, Format kA, Format kB>
void MfmaFloat(Wave& w, const Uop& u) {
  constexpr int kElements = kK * kDim * kBlocks / kLanes;
  constexpr bool kHasExact =
      kA != Format::kF32 && kA != Format::kFp8 && kA != Format::kBf8 && kElements <= kExactElements;
  static constexpr MatrixPlan kPlan = CdnaPlan(kDim, kBlocks, kK);
  const auto unpack = [&](int operand, const u32* rows, f32* out) {
    UnpackFloats(operand == 0 ? kA : kB, rows, kElements, out);
    if constexpr (kA == Format::kF32) {
      if ((w.mode & kModeInputDenormals) == 0) FlushDenormals(kElements * kLanes, out);
    }
  };
  const bool cdna3 = Bits<MatrixControls>(u.data).cdna3 != 0;
  const auto multiply = [&](const Operands<f32>& operands) {
    if constexpr (kHasExact) {
      if (cdna3 && ExactMatrices()) return MultiplyExactly(kPlan, kA, kB, operands);
    }
    MultiplyBy<f32, kPlan>(operands);
  };
  UnpackAndMultiply<f32, kElements>(w, u, kPlan, unpack, multiply,
                                    reinterpret_cast<const f32*>(Row(w, u.src[2])),
                                    reinterpret_cast<f32*>(Row(w, u.dst)));
}

/// gfx90a's halves and bf16, in groups of `kGroup` products.
template <int kDim, int kBlocks, int kK, Format kFormat, int kGroup>
void MfmaPairwise(Wave& w, const Uop& u) {
  constexpr int kElements = kK * kDim * kBlocks / kLanes;
  static constexpr MatrixPlan kPlan = CdnaPlan(kDim, kBlocks, kK);
  const auto unpack = [](int, const u32* rows, f32* out) {
    UnpackFloats(kFormat, rows, kElements, out);
    ClearDenormals(LowestNormal(kFormat), kElements * kLanes, out);
  };
  const auto multiply = [](const Operands<f32>& operands) {
    MultiplyPairwise<kDim, kGroup>(kPlan, operands);
  };
  UnpackAndMultiply<f32, kElements>(w, u, kPlan, unpack, multiply,
                                    reinterpret_cast<const f32*>(Row(w, u.src[2])),
                                    reinterpret_cast<f32*>(Row(w, u.dst)));
}

/// f8f6f4 formats by the numbers of CBSZ and BLGP.
constexpr Format kF8f6f4[] = {Format::kFp8, Format::kBf8, Format::kFp6, Format::kBf6, Format::kFp4};

/// Where elements are: 8-bit ones in chunks of 16, smaller ones contiguous.
template <int kDim>
GRIDWISE_SIM_INLINE const MatrixPlan& F8f6f4Plan(bool chunks_a, bool chunks_b) {
  constexpr int kK = 2048 / kDim;
  static constexpr MatrixPlan kPlans[4] = {CdnaPlan(kDim, 1, kK), CdnaPlan(kDim, 1, kK, 16),
                                           CdnaPlan(kDim, 1, kK, kMaxElements, 16),
                                           CdnaPlan(kDim, 1, kK, 16, 16)};
  return kPlans[(chunks_a ? 1 : 0) + (chunks_b ? 2 : 0)];
}

/// Scale of 32 consecutive k: 2^(x - 127) by a byte x of lane (k / 32) dim + row or column; 255 is
/// NaN.
GRIDWISE_SIM_INLINE f64 BlockScale(u32 dword, int shift) {
  const u32 x = dword >> shift & 255;
  return x == 255 ? __builtin_nan("") : Bits<f64>(u64{x + 1023 - 127} << 52);
}

/// D = C + sum over blocks of 32 k of scale_a scale_b A B: each block's products are summed with
/// fused multiply-adds, the scaled sum is added in double and rounded.
template <int kDim>
GRIDWISE_SIM_INLINE void MultiplyScaled(const MatrixPlan& p, const Operands<f32>& o,
                                        const u32* scale_a, int shift_a, const u32* scale_b,
                                        int shift_b) {
  alignas(64) f32 sums[kDim * kDim], part[kDim * kDim];
  alignas(64) const f32 zero[kLanes] = {};
  for (int r = 0; r < p.registers; ++r)
    __builtin_memcpy(sums + r * kLanes, o.c + r * o.c_stride * kLanes, kRowBytes);
  for (int first = 0; first < p.depth; first += 32) {
    Multiply<f32>(p, {.a = o.a,
                      .b = o.b,
                      .c = zero,
                      .c_stride = 0,
                      .d = part,
                      .first = first,
                      .last = first + 32});
    const int lane = first / 32 * kDim;
    f64 columns[kDim];
    for (int j = 0; j < kDim; ++j) columns[j] = BlockScale(scale_b[lane + j], shift_b);
    for (int r = 0; r < p.registers; ++r) {
      for (int g = 0; g < p.groups; ++g) {
        const f64 row = BlockScale(scale_a[lane + p.row[r][g]], shift_a);
        f32* sum = sums + r * kLanes + g * kDim;
        const f32* add = part + r * kLanes + g * kDim;
        for (int j = 0; j < kDim; ++j)
          sum[j] = static_cast<f32>(sum[j] + row * columns[j] * add[j]);
      }
    }
  }
  __builtin_memcpy(o.d, sums, static_cast<size_t>(p.registers) * kRowBytes);
}

template <int kDim, bool kScaled>
void MfmaF8f6f4(Wave& w, const Uop& u) {
  const auto controls = Bits<MatrixControls>(u.data);
  const Format format_a = kF8f6f4[controls.format_a], format_b = kF8f6f4[controls.format_b];
  const MatrixPlan& plan = F8f6f4Plan<kDim>(controls.format_a < 2, controls.format_b < 2);
  alignas(64) f32 a[kMaxElements * kLanes], b[kMaxElements * kLanes];
  UnpackFloats(format_a, Row(w, u.src[0]), kMaxElements, a);
  UnpackFloats(format_b, Row(w, u.src[1]), kMaxElements, b);
  const Operands<f32> operands = {.a = a,
                                  .b = b,
                                  .c = reinterpret_cast<const f32*>(Row(w, u.src[2])),
                                  .c_stride = u.imm,
                                  .d = reinterpret_cast<f32*>(Row(w, u.dst))};
  if constexpr (kScaled) {
    MultiplyScaled<kDim>(plan, operands, Row(w, u.src[3]), 8 * controls.scale_a, Row(w, u.dst2),
                         8 * controls.scale_b);
  } else {
    Multiply<f32>(plan, operands);
  }
}

template <int kDim, int kBlocks, int kK>
void MfmaInt8(Wave& w, const Uop& u) {
  constexpr int kPairs = kK * kDim * kBlocks / kLanes / 2;
  static constexpr MatrixPlan kPlan = CdnaPlan(kDim, kBlocks, kK / 2);
  const auto unpack = [](int, const u32* rows, u32* out) {
    UnpackPairs(Format::kI8, rows, kPairs, out);
  };
  const auto multiply = [](const Operands<u32>& operands) { MultiplyBy<u32, kPlan>(operands); };
  UnpackAndMultiply<u32, kPairs>(w, u, kPlan, unpack, multiply, Row(w, u.src[2]), Row(w, u.dst));
}

/// BLGP changes the signs of A, B and C.
template <int kDim, int kBlocks>
void MfmaDouble(Wave& w, const Uop& u) {
  static constexpr MatrixPlan kPlan = CdnaPlan(kDim, kBlocks, 4, 1, 1, true);
  const u32 negate = Bits<MatrixControls>(u.data).negate;
  alignas(64) f64 c[kPlan.registers * kLanes], d[kPlan.registers * kLanes];
  const auto unpack = [negate](int operand, const u32* rows, f64* out) {
    const int count = operand == 2 ? kPlan.registers : 1;
    UnpackDoubles(rows, count, out);
    for (int i = 0; (negate >> operand & 1) != 0 && i < count * kLanes; ++i) out[i] = -out[i];
  };
  if (u.imm != 0) {
    unpack(2, Row(w, u.src[2]), c);
  } else {  // a constant: one row is all there is
    UnpackDoubles(Row(w, u.src[2]), 1, c);
    for (int l = 0; (negate >> 2) != 0 && l < kLanes; ++l) c[l] = -c[l];
  }
  const auto multiply = [](const Operands<f64>& operands) { Multiply<f64>(kPlan, operands); };
  UnpackAndMultiply<f64, 1>(w, u, kPlan, unpack, multiply, c, d);
  PackDoubles(d, kPlan.registers, Row(w, u.dst));
}

/// Registers of A and B, of C and D, and what the modifiers may be.
constexpr OpTraits MfmaTraits(ValueType result, int blocks, int a, int b, int accumulator) {
  return {.result = result,
          .dwords = static_cast<uint8_t>(blocks),
          .flags = MatrixRegisters(a, b, accumulator)};
}

template <int kDim, int kBlocks, int kK, Format kA, Format kB = kA>
constexpr Binding Mfma(const char* name, uint8_t targets = kGfx9) {
  constexpr int kBits = kK * kDim * kBlocks / kLanes;
  constexpr ValueType kType = IsInteger(kA) ? ValueType::kB32 : ValueType::kF32;
  const OpTraits traits = MfmaTraits(kType, kBlocks, kBits * BitsOf(kA) / 32,
                                     kBits * BitsOf(kB) / 32, kDim * kDim * kBlocks / kLanes);
  if constexpr (IsInteger(kA)) {
    return {name, OpClass::kMma, &BindMfma, &Step<&MfmaInt8<kDim, kBlocks, kK>>, traits, targets};
  } else {
    return {name,   OpClass::kMma, &BindMfma, &Step<&MfmaFloat<kDim, kBlocks, kK, kA, kB>>,
            traits, targets};
  }
}

template <int kDim, int kBlocks, int kK, Format kFormat, int kGroup = 4>
constexpr Binding Pairwise(const char* name) {
  constexpr int kRegisters = kK * kDim * kBlocks / kLanes * BitsOf(kFormat) / 32;
  return {
      name,
      OpClass::kMma,
      &BindMfma,
      &Step<&MfmaPairwise<kDim, kBlocks, kK, kFormat, kGroup>>,
      MfmaTraits(ValueType::kF32, kBlocks, kRegisters, kRegisters, kDim * kDim * kBlocks / kLanes),
      kGfx90a};
}

template <int kDim, int kBlocks>
constexpr Binding MfmaF64(const char* name) {
  return {name,
          OpClass::kMma,
          &BindMfma,
          &Step<&MfmaDouble<kDim, kBlocks>>,
          MfmaTraits(ValueType::kF64, kBlocks, 2, 2, kDim * kDim * kBlocks / kLanes * 2),
          kGfx9};
}

/// Registers of A and B are as their formats need.
template <int kDim, bool kScaled>
constexpr Binding F8f6f4(const char* name) {
  return {name,
          OpClass::kMma,
          &BindF8f6f4,
          &Step<&MfmaF8f6f4<kDim, kScaled>>,
          {.result = ValueType::kF32,
           .dwords = kScaled ? 1 : 0,
           .flags = MatrixRegisters(0, 0, kDim * kDim / kLanes)},
          kGfx950};
}

/// The four pairings of fp8 and bf8.
template <int kDim, int kK, Format kFp, Format kBf>
constexpr Binding Small(const char* name, int pairing, uint8_t targets) {
  return pairing == 0   ? Mfma<kDim, 1, kK, kFp, kFp>(name, targets)
         : pairing == 1 ? Mfma<kDim, 1, kK, kFp, kBf>(name, targets)
         : pairing == 2 ? Mfma<kDim, 1, kK, kBf, kFp>(name, targets)
                        : Mfma<kDim, 1, kK, kBf, kBf>(name, targets);
}
constexpr const char* kSmall32[] = {"v_mfma_f32_32x32x16_fp8_fp8", "v_mfma_f32_32x32x16_fp8_bf8",
                                    "v_mfma_f32_32x32x16_bf8_fp8", "v_mfma_f32_32x32x16_bf8_bf8"};
constexpr const char* kSmall16[] = {"v_mfma_f32_16x16x32_fp8_fp8", "v_mfma_f32_16x16x32_fp8_bf8",
                                    "v_mfma_f32_16x16x32_bf8_fp8", "v_mfma_f32_16x16x32_bf8_bf8"};
template <int kPairing>
constexpr Binding Small32(bool fnuz) {
  return fnuz ? Small<32, 16, Format::kFp8Fnuz, Format::kBf8Fnuz>(kSmall32[kPairing], kPairing,
                                                                  kGfx942)
              : Small<32, 16, Format::kFp8, Format::kBf8>(kSmall32[kPairing], kPairing, kGfx950);
}
template <int kPairing>
constexpr Binding Small16(bool fnuz) {
  return fnuz ? Small<16, 32, Format::kFp8Fnuz, Format::kBf8Fnuz>(kSmall16[kPairing], kPairing,
                                                                  kGfx942)
              : Small<16, 32, Format::kFp8, Format::kBf8>(kSmall16[kPairing], kPairing, kGfx950);
}

constexpr Binding kMma[] = {
    Mfma<32, 1, 8, Format::kF16>("v_mfma_f32_32x32x8_f16", kGfx94),
    Mfma<16, 1, 16, Format::kF16>("v_mfma_f32_16x16x16_f16", kGfx94),
    Mfma<32, 2, 4, Format::kF16>("v_mfma_f32_32x32x4_2b_f16", kGfx94),
    Mfma<16, 4, 4, Format::kF16>("v_mfma_f32_16x16x4_4b_f16", kGfx94),
    Mfma<4, 16, 4, Format::kF16>("v_mfma_f32_4x4x4_16b_f16", kGfx94),
    Mfma<32, 1, 8, Format::kBf16>("v_mfma_f32_32x32x8_bf16", kGfx94),
    Mfma<16, 1, 16, Format::kBf16>("v_mfma_f32_16x16x16_bf16", kGfx94),
    Mfma<32, 2, 4, Format::kBf16>("v_mfma_f32_32x32x4_2b_bf16", kGfx94),
    Mfma<16, 4, 4, Format::kBf16>("v_mfma_f32_16x16x4_4b_bf16", kGfx94),
    Mfma<4, 16, 4, Format::kBf16>("v_mfma_f32_4x4x4_16b_bf16", kGfx94),
    Mfma<32, 1, 2, Format::kF32>("v_mfma_f32_32x32x2_f32"),
    Mfma<16, 1, 4, Format::kF32>("v_mfma_f32_16x16x4_f32"),
    Mfma<32, 2, 1, Format::kF32>("v_mfma_f32_32x32x1_2b_f32"),
    Mfma<16, 4, 1, Format::kF32>("v_mfma_f32_16x16x1_4b_f32"),
    Mfma<4, 16, 1, Format::kF32>("v_mfma_f32_4x4x1_16b_f32"),
    Mfma<32, 1, 16, Format::kI8>("v_mfma_i32_32x32x16_i8", kGfx94),
    Mfma<16, 1, 32, Format::kI8>("v_mfma_i32_16x16x32_i8", kGfx94),
    Mfma<32, 2, 4, Format::kI8>("v_mfma_i32_32x32x4_2b_i8"),
    Mfma<16, 4, 4, Format::kI8>("v_mfma_i32_16x16x4_4b_i8"),
    Mfma<4, 16, 4, Format::kI8>("v_mfma_i32_4x4x4_16b_i8"),
    MfmaF64<16, 1>("v_mfma_f64_16x16x4_f64"),
    MfmaF64<4, 4>("v_mfma_f64_4x4x4_4b_f64"),
    Mfma<32, 1, 4, Format::kXf32>("v_mfma_f32_32x32x4_xf32", kGfx942),
    Mfma<16, 1, 8, Format::kXf32>("v_mfma_f32_16x16x8_xf32", kGfx942),
    Mfma<32, 1, 8, Format::kI8>("v_mfma_i32_32x32x8_i8", kGfx90a),
    Mfma<16, 1, 16, Format::kI8>("v_mfma_i32_16x16x16_i8", kGfx90a),
    Pairwise<32, 1, 8, Format::kF16>("v_mfma_f32_32x32x8_f16"),
    Pairwise<16, 1, 16, Format::kF16>("v_mfma_f32_16x16x16_f16"),
    Pairwise<32, 2, 4, Format::kF16>("v_mfma_f32_32x32x4_2b_f16"),
    Pairwise<16, 4, 4, Format::kF16>("v_mfma_f32_16x16x4_4b_f16"),
    Pairwise<4, 16, 4, Format::kF16>("v_mfma_f32_4x4x4_16b_f16"),
    Pairwise<32, 1, 8, Format::kBf16>("v_mfma_f32_32x32x8_bf16"),
    Pairwise<16, 1, 16, Format::kBf16>("v_mfma_f32_16x16x16_bf16"),
    Pairwise<32, 2, 4, Format::kBf16>("v_mfma_f32_32x32x4_2b_bf16"),
    Pairwise<16, 4, 4, Format::kBf16>("v_mfma_f32_16x16x4_4b_bf16"),
    Pairwise<4, 16, 4, Format::kBf16>("v_mfma_f32_4x4x4_16b_bf16"),
    Pairwise<32, 1, 4, Format::kBf16, 2>("v_mfma_f32_32x32x4_bf16"),
    Pairwise<16, 1, 8, Format::kBf16, 2>("v_mfma_f32_16x16x8_bf16"),
    Pairwise<32, 2, 2, Format::kBf16, 2>("v_mfma_f32_32x32x2_2b_bf16"),
    Pairwise<16, 4, 2, Format::kBf16, 2>("v_mfma_f32_16x16x2_4b_bf16"),
    Pairwise<4, 16, 2, Format::kBf16, 2>("v_mfma_f32_4x4x2_16b_bf16"),
    Small32<0>(true),
    Small32<1>(true),
    Small32<2>(true),
    Small32<3>(true),
    Small32<0>(false),
    Small32<1>(false),
    Small32<2>(false),
    Small32<3>(false),
    Small16<0>(true),
    Small16<1>(true),
    Small16<2>(true),
    Small16<3>(true),
    Small16<0>(false),
    Small16<1>(false),
    Small16<2>(false),
    Small16<3>(false),
    F8f6f4<16, false>("v_mfma_f32_16x16x128_f8f6f4"),
    F8f6f4<32, false>("v_mfma_f32_32x32x64_f8f6f4"),
    F8f6f4<16, true>("v_mfma_scale_f32_16x16x128_f8f6f4"),
    F8f6f4<32, true>("v_mfma_scale_f32_32x32x64_f8f6f4"),
    Mfma<32, 1, 16, Format::kF16>("v_mfma_f32_32x32x16_f16", kGfx950),
    Mfma<16, 1, 32, Format::kF16>("v_mfma_f32_16x16x32_f16", kGfx950),
    Mfma<32, 1, 16, Format::kBf16>("v_mfma_f32_32x32x16_bf16", kGfx950),
    Mfma<16, 1, 32, Format::kBf16>("v_mfma_f32_16x16x32_bf16", kGfx950),
    Mfma<32, 1, 32, Format::kI8>("v_mfma_i32_32x32x32_i8", kGfx950),
    Mfma<16, 1, 64, Format::kI8>("v_mfma_i32_16x16x64_i8", kGfx950),
};

}  // namespace

BindingTable MmaTable() { return {kMma, sizeof(kMma) / sizeof(kMma[0])}; }

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
