#include "tools/sim/isa/bind_alu.h"
#include "tools/sim/isa/exec_formats.h"
#include "tools/sim/isa/exec_level.h"
#include "tools/sim/isa/exec_matrix.h"

/// MFMA of CDNA3 and CDNA4. EXEC is ignored, and so is MODE: products are not flushed.

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

/// Unpacks A and B with `unpack` and multiplies; C and D are rows of T.
template <class T, int kElements, class F>
GRIDWISE_SIM_INLINE void UnpackAndMultiply(Wave& w, const Uop& u, const MatrixPlan& plan, F unpack,
                                           const T* c, T* d) {
  alignas(64) T a[kElements * kLanes], b[kElements * kLanes];
  unpack(0, Row(w, u.src[0]), a);
  unpack(1, Row(w, u.src[1]), b);
  const auto controls = Bits<MatrixControls>(u.data);
  PermuteLanes(controls.permute_b, kElements, b);
  Multiply<T>(plan, {.a = a,
                     .b = b,
                     .c = c,
                     .c_stride = u.imm,
                     .d = d,
                     .a_mask = controls.a_mask,
                     .a_first = controls.a_first});
}

template <int kDim, int kBlocks, int kK, Format kA, Format kB>
void MfmaFloat(Wave& w, const Uop& u) {
  constexpr int kElements = kK * kDim * kBlocks / kLanes;
  static constexpr MatrixPlan kPlan = CdnaPlan(kDim, kBlocks, kK);
  const auto unpack = [](int operand, const u32* rows, f32* out) {
    UnpackFloats(operand == 0 ? kA : kB, rows, kElements, out);
  };
  UnpackAndMultiply<f32, kElements>(w, u, kPlan, unpack,
                                    reinterpret_cast<const f32*>(Row(w, u.src[2])),
                                    reinterpret_cast<f32*>(Row(w, u.dst)));
}

template <int kDim, int kBlocks, int kK>
void MfmaInt8(Wave& w, const Uop& u) {
  constexpr int kPairs = kK * kDim * kBlocks / kLanes / 2;
  static constexpr MatrixPlan kPlan = CdnaPlan(kDim, kBlocks, kK / 2);
  const auto unpack = [](int, const u32* rows, u32* out) {
    UnpackPairs(Format::kI8, rows, kPairs, out);
  };
  UnpackAndMultiply<u32, kPairs>(w, u, kPlan, unpack, Row(w, u.src[2]), Row(w, u.dst));
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
  UnpackAndMultiply<f64, 1>(w, u, kPlan, unpack, c, d);
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

template <int kDim, int kBlocks>
constexpr Binding MfmaF64(const char* name) {
  return {name,
          OpClass::kMma,
          &BindMfma,
          &Step<&MfmaDouble<kDim, kBlocks>>,
          MfmaTraits(ValueType::kF64, kBlocks, 2, 2, kDim * kDim * kBlocks / kLanes * 2),
          kGfx9};
}

}  // namespace

BindingTable MmaTable() {
  static constexpr Binding kTable[] = {
      Mfma<32, 1, 8, Format::kF16>("v_mfma_f32_32x32x8_f16"),
      Mfma<16, 1, 16, Format::kF16>("v_mfma_f32_16x16x16_f16"),
      Mfma<32, 2, 4, Format::kF16>("v_mfma_f32_32x32x4_2b_f16"),
      Mfma<16, 4, 4, Format::kF16>("v_mfma_f32_16x16x4_4b_f16"),
      Mfma<4, 16, 4, Format::kF16>("v_mfma_f32_4x4x4_16b_f16"),
      Mfma<32, 1, 8, Format::kBf16>("v_mfma_f32_32x32x8_bf16"),
      Mfma<16, 1, 16, Format::kBf16>("v_mfma_f32_16x16x16_bf16"),
      Mfma<32, 2, 4, Format::kBf16>("v_mfma_f32_32x32x4_2b_bf16"),
      Mfma<16, 4, 4, Format::kBf16>("v_mfma_f32_16x16x4_4b_bf16"),
      Mfma<4, 16, 4, Format::kBf16>("v_mfma_f32_4x4x4_16b_bf16"),
      Mfma<32, 1, 2, Format::kF32>("v_mfma_f32_32x32x2_f32"),
      Mfma<16, 1, 4, Format::kF32>("v_mfma_f32_16x16x4_f32"),
      Mfma<32, 2, 1, Format::kF32>("v_mfma_f32_32x32x1_2b_f32"),
      Mfma<16, 4, 1, Format::kF32>("v_mfma_f32_16x16x1_4b_f32"),
      Mfma<4, 16, 1, Format::kF32>("v_mfma_f32_4x4x1_16b_f32"),
      Mfma<32, 1, 16, Format::kI8>("v_mfma_i32_32x32x16_i8"),
      Mfma<16, 1, 32, Format::kI8>("v_mfma_i32_16x16x32_i8"),
      Mfma<32, 2, 4, Format::kI8>("v_mfma_i32_32x32x4_2b_i8"),
      Mfma<16, 4, 4, Format::kI8>("v_mfma_i32_16x16x4_4b_i8"),
      Mfma<4, 16, 4, Format::kI8>("v_mfma_i32_4x4x4_16b_i8"),
      MfmaF64<16, 1>("v_mfma_f64_16x16x4_f64"),
      MfmaF64<4, 4>("v_mfma_f64_4x4x4_4b_f64"),
      // gfx950
      Mfma<32, 1, 16, Format::kF16>("v_mfma_f32_32x32x16_f16", kGfx950),
      Mfma<16, 1, 32, Format::kF16>("v_mfma_f32_16x16x32_f16", kGfx950),
      Mfma<32, 1, 16, Format::kBf16>("v_mfma_f32_32x32x16_bf16", kGfx950),
      Mfma<16, 1, 32, Format::kBf16>("v_mfma_f32_16x16x32_bf16", kGfx950),
      Mfma<32, 1, 32, Format::kI8>("v_mfma_i32_32x32x32_i8", kGfx950),
      Mfma<16, 1, 64, Format::kI8>("v_mfma_i32_16x16x64_i8", kGfx950),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
