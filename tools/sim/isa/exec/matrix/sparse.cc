// SPDX-License-Identifier: MIT
#include "tools/sim/isa/bind/alu.h"
#include "tools/sim/isa/exec/formats.h"
#include "tools/sim/isa/exec/level.h"
#include "tools/sim/isa/exec/matrix/matrix.h"
#include "tools/sim/isa/exec/matrix/wmma.h"

/// SMFMAC of CDNA and SWMMAC of gfx12: D += A B, where of every four consecutive k A holds two. A
/// is packed to half the depth and placed as a dense A of that depth; the two bits of index j of a
/// lane say which of its four k element j of the lane is (CDNA4 ISA 7.5, RDNA4 ISA 7.12). EXEC is
/// ignored.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// B has the depth, A half of it.
constexpr MatrixPlan SparsePlan(const MatrixPlan& packed, MatrixPlan plan) {
  for (int k = 0; k < packed.depth; ++k) plan.a[k] = packed.a[k];
  return plan;
}

GRIDWISE_SIM_INLINE void UnpackIndices(const u32* row, int shift, int elements, u8* out) {
  for (int e = 0; e < elements; ++e) {
    for (int l = 0; l < kLanes; ++l)
      out[e * kLanes + l] = static_cast<u8>(row[l] >> (shift + 2 * e) & 3);
  }
}

/// `indices` are placed as the elements of A are.
template <int kDim>
[[gnu::noinline]] void MultiplySparse(const MatrixPlan& p, const u8* indices,
                                      const Operands<f32>& o) {
  constexpr int kVectors = kDim / FloatVector::kWidth;
  for (int r = 0; r < p.registers; ++r) {
    for (int g = 0; g < p.groups; ++g) {
      const int first = r * kLanes + g * kDim;
      FloatVector sum[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        const f32* c = o.c + r * o.c_stride * kLanes + g * kDim;
        sum[v] = FloatVector::Load(c + v * FloatVector::kWidth);
      }
      for (int packed = 0; packed < p.depth / 2; ++packed) {
        const int at = p.a[packed] + p.row[r][g];
        const f32* b = o.b + p.b[packed / 2 * 4 + indices[at]];
        const FloatVector scalar = FloatVector::Fill(o.a[at]);
        for (int v = 0; v < kVectors; ++v)
          sum[v].AddProduct(scalar, FloatVector::Load(b + v * FloatVector::kWidth));
      }
      for (int v = 0; v < kVectors; ++v) sum[v].Store(o.d + first + v * FloatVector::kWidth);
    }
  }
}

/// Uop::imm is the first bit of the indices in their register. Products of integers and their sums
/// are exact in f32; C is added to them as an integer.
template <int kDim, int kDepth, Format kA, Format kB>
void Smfmac(Wave& w, const Uop& u) {
  constexpr int kElements = kDepth / 2 * kDim / kLanes;  // elements of A in a lane
  constexpr int kFourRegisters = 128 / BitsOf(kB);       // chunks of B
  static constexpr MatrixPlan kPlan = SparsePlan(
      CdnaPlan(kDim, 1, kDepth / 2), CdnaPlan(kDim, 1, kDepth, kMaxElements, kFourRegisters));
  alignas(64) f32 a[kElements * kLanes], b[2 * kElements * kLanes];
  u8 indices[kElements * kLanes];
  UnpackFloats(kA, Row(w, u.src[0]), kElements, a);
  UnpackFloats(kB, Row(w, u.src[1]), 2 * kElements, b);
  UnpackIndices(Row(w, u.src[2]), u.imm, kElements, indices);
  if constexpr (IsInteger(kA)) {
    alignas(64) f32 sums[kPlan.registers * kLanes];
    alignas(64) const f32 zero[kLanes] = {};
    MultiplySparse<kDim>(kPlan, indices, {.a = a, .b = b, .c = zero, .c_stride = 0, .d = sums});
    u32* d = Row(w, u.dst);
    for (int i = 0; i < kPlan.registers * kLanes; ++i)
      d[i] += static_cast<u32>(static_cast<i32>(sums[i]));
  } else {
    f32* d = reinterpret_cast<f32*>(Row(w, u.dst));
    MultiplySparse<kDim>(kPlan, indices, {.a = a, .b = b, .c = d, .c_stride = 1, .d = d});
  }
}

/// [0] for wave32, [1] for wave64.
template <int kDepth, int kChunk, int kBits>
constexpr MatrixPlan kSwmmacPlans[2] = {SparsePlan(Gfx12Plan(kDepth / 2, kChunk, kBits, false),
                                                   Gfx12Plan(kDepth, 2 * kChunk, kBits, false)),
                                        SparsePlan(Gfx12Plan(kDepth / 2, kChunk, kBits, true),
                                                   Gfx12Plan(kDepth, 2 * kChunk, kBits, true))};

template <int kDepth, int kChunk, Format kA, Format kB, Format kOut>
void Swmmac(Wave& w, const Uop& u) {
  const auto controls = Bits<WmmaControls>(u.data);
  constexpr int kBits = BitsOf(kA);
  const bool wave64 = controls.wave64 != 0;
  const MatrixPlan& plan = kSwmmacPlans<kDepth, kChunk, kBits>[wave64];
  const int of_a = kDepth / 2 / InputGroups(kDepth / 2, kBits, wave64);  // elements in a lane
  const int of_b = kDepth / InputGroups(kDepth, kBits, wave64);
  constexpr int kMax = kDepth / 4;
  alignas(64) f32 a[kMax * kLanes], b[2 * kMax * kLanes];
  alignas(64) f32 c[kRowsOfD * kLanes], d[kRowsOfD * kLanes];
  u8 indices[kMax * kLanes];
  constexpr Format kUnsigned = kBits == 8 ? Format::kU8 : Format::kU4;
  UnpackFloats(IsInteger(kA) && controls.a == 0 ? kUnsigned : kA, Row(w, u.src[0]), of_a, a);
  UnpackFloats(IsInteger(kB) && controls.b == 0 ? kUnsigned : kB, Row(w, u.src[1]), of_b, b);
  UnpackIndices(Row(w, u.src[2]), u.imm, of_a, indices);
  const Operands<f32> operands = {.a = a, .b = b, .c = c, .c_stride = 1, .d = d};
  u32* rows = Row(w, u.dst);
  const int lanes = plan.groups * kWmmaDim;
  if constexpr (IsInteger(kA)) {
    __builtin_memset(c, 0, sizeof(c));
    MultiplySparse<kWmmaDim>(plan, indices, operands);
    for (int r = 0; r < plan.registers; ++r) {
      for (int l = 0; l < lanes; ++l) {
        u32& sum = rows[r * kLanes + l];
        const u32 x = static_cast<u32>(static_cast<i32>(d[r * kLanes + l]));
        sum = controls.clamp != 0 ? SaturatingSum(x, sum) : x + sum;
      }
    }
  } else {
    NegateHalves(controls.a, of_a, a);
    NegateHalves(controls.b, of_b, b);
    ReadC<12, kOut>(rows, plan.registers, 1, controls, c);
    MultiplySparse<kWmmaDim>(plan, indices, operands);
    WriteD<12, kOut>(d, plan.registers, lanes, controls, (w.mode & kModeFp16Overflow) != 0, rows);
  }
}

/// OpTraits::dwords is the number of elements of A in a lane; registers are counted for a wave32 of
/// gfx12.
constexpr OpTraits SparseTraits(ValueType result, int elements, Format a, Format b,
                                int accumulator) {
  return {.result = result,
          .dwords = static_cast<uint8_t>(elements),
          .flags = MatrixRegisters(elements * BitsOf(a) / 32, 2 * elements * BitsOf(b) / 32,
                                   accumulator)};
}

template <int kDim, int kDepth, Format kA, Format kB = kA>
constexpr Binding SmfmacRow(const char* name, uint8_t targets = kGfx94) {
  constexpr ValueType kType = IsInteger(kA) ? ValueType::kB32 : ValueType::kF32;
  return {name,
          OpClass::kMma,
          &BindSparse,
          &Step<&Smfmac<kDim, kDepth, kA, kB>>,
          SparseTraits(kType, kDepth / 2 * kDim / kLanes, kA, kB, kDim * kDim / kLanes),
          targets};
}

template <int kDepth, Format kA, Format kB, Format kOut>
constexpr Binding SwmmacRow(const char* name) {
  constexpr int kChunk = BitsOf(kA) == 16 ? 4 : kDepth / 4;
  constexpr bool kHalves = BitsOf(kOut) == 16;
  constexpr ValueType kType = IsInteger(kA) ? ValueType::kB32
                              : kHalves     ? ValueType::kF16
                                            : ValueType::kF32;
  return {name,
          OpClass::kMma,
          &BindSparse,
          &Step<&Swmmac<kDepth, kChunk, kA, kB, kOut>>,
          SparseTraits(kType, kDepth / 4, kA, kB, kHalves ? 4 : kRowsOfD),
          kGfx1201};
}

}  // namespace

BindingTable SparseTable() {
  using enum Format;
  static constexpr Binding kTable[] = {
      SmfmacRow<16, 32, kF16>("v_smfmac_f32_16x16x32_f16"),
      SmfmacRow<32, 16, kF16>("v_smfmac_f32_32x32x16_f16"),
      SmfmacRow<16, 32, kBf16>("v_smfmac_f32_16x16x32_bf16"),
      SmfmacRow<32, 16, kBf16>("v_smfmac_f32_32x32x16_bf16"),
      SmfmacRow<16, 64, kI8>("v_smfmac_i32_16x16x64_i8"),
      SmfmacRow<32, 32, kI8>("v_smfmac_i32_32x32x32_i8"),
      SmfmacRow<16, 64, kFp8Fnuz, kFp8Fnuz>("v_smfmac_f32_16x16x64_fp8_fp8", kGfx942),
      SmfmacRow<16, 64, kFp8Fnuz, kBf8Fnuz>("v_smfmac_f32_16x16x64_fp8_bf8", kGfx942),
      SmfmacRow<16, 64, kBf8Fnuz, kFp8Fnuz>("v_smfmac_f32_16x16x64_bf8_fp8", kGfx942),
      SmfmacRow<16, 64, kBf8Fnuz, kBf8Fnuz>("v_smfmac_f32_16x16x64_bf8_bf8", kGfx942),
      SmfmacRow<32, 32, kFp8Fnuz, kFp8Fnuz>("v_smfmac_f32_32x32x32_fp8_fp8", kGfx942),
      SmfmacRow<32, 32, kFp8Fnuz, kBf8Fnuz>("v_smfmac_f32_32x32x32_fp8_bf8", kGfx942),
      SmfmacRow<32, 32, kBf8Fnuz, kFp8Fnuz>("v_smfmac_f32_32x32x32_bf8_fp8", kGfx942),
      SmfmacRow<32, 32, kBf8Fnuz, kBf8Fnuz>("v_smfmac_f32_32x32x32_bf8_bf8", kGfx942),
      SmfmacRow<16, 64, kFp8, kFp8>("v_smfmac_f32_16x16x64_fp8_fp8", kGfx950),
      SmfmacRow<16, 64, kFp8, kBf8>("v_smfmac_f32_16x16x64_fp8_bf8", kGfx950),
      SmfmacRow<16, 64, kBf8, kFp8>("v_smfmac_f32_16x16x64_bf8_fp8", kGfx950),
      SmfmacRow<16, 64, kBf8, kBf8>("v_smfmac_f32_16x16x64_bf8_bf8", kGfx950),
      SmfmacRow<32, 32, kFp8, kFp8>("v_smfmac_f32_32x32x32_fp8_fp8", kGfx950),
      SmfmacRow<32, 32, kFp8, kBf8>("v_smfmac_f32_32x32x32_fp8_bf8", kGfx950),
      SmfmacRow<32, 32, kBf8, kFp8>("v_smfmac_f32_32x32x32_bf8_fp8", kGfx950),
      SmfmacRow<32, 32, kBf8, kBf8>("v_smfmac_f32_32x32x32_bf8_bf8", kGfx950),
      SmfmacRow<16, 64, kF16>("v_smfmac_f32_16x16x64_f16", kGfx950),
      SmfmacRow<32, 32, kF16>("v_smfmac_f32_32x32x32_f16", kGfx950),
      SmfmacRow<16, 64, kBf16>("v_smfmac_f32_16x16x64_bf16", kGfx950),
      SmfmacRow<32, 32, kBf16>("v_smfmac_f32_32x32x32_bf16", kGfx950),
      SmfmacRow<16, 128, kI8>("v_smfmac_i32_16x16x128_i8", kGfx950),
      SmfmacRow<32, 64, kI8>("v_smfmac_i32_32x32x64_i8", kGfx950),
      SmfmacRow<16, 128, kFp8, kFp8>("v_smfmac_f32_16x16x128_fp8_fp8", kGfx950),
      SmfmacRow<16, 128, kFp8, kBf8>("v_smfmac_f32_16x16x128_fp8_bf8", kGfx950),
      SmfmacRow<16, 128, kBf8, kFp8>("v_smfmac_f32_16x16x128_bf8_fp8", kGfx950),
      SmfmacRow<16, 128, kBf8, kBf8>("v_smfmac_f32_16x16x128_bf8_bf8", kGfx950),
      SmfmacRow<32, 64, kFp8, kFp8>("v_smfmac_f32_32x32x64_fp8_fp8", kGfx950),
      SmfmacRow<32, 64, kFp8, kBf8>("v_smfmac_f32_32x32x64_fp8_bf8", kGfx950),
      SmfmacRow<32, 64, kBf8, kFp8>("v_smfmac_f32_32x32x64_bf8_fp8", kGfx950),
      SmfmacRow<32, 64, kBf8, kBf8>("v_smfmac_f32_32x32x64_bf8_bf8", kGfx950),
      SwmmacRow<32, kF16, kF16, kF32>("v_swmmac_f32_16x16x32_f16"),
      SwmmacRow<32, kBf16, kBf16, kF32>("v_swmmac_f32_16x16x32_bf16"),
      SwmmacRow<32, kF16, kF16, kF16>("v_swmmac_f16_16x16x32_f16"),
      SwmmacRow<32, kBf16, kBf16, kBf16>("v_swmmac_bf16_16x16x32_bf16"),
      SwmmacRow<32, kFp8, kFp8, kF32>("v_swmmac_f32_16x16x32_fp8_fp8"),
      SwmmacRow<32, kFp8, kBf8, kF32>("v_swmmac_f32_16x16x32_fp8_bf8"),
      SwmmacRow<32, kBf8, kFp8, kF32>("v_swmmac_f32_16x16x32_bf8_fp8"),
      SwmmacRow<32, kBf8, kBf8, kF32>("v_swmmac_f32_16x16x32_bf8_bf8"),
      SwmmacRow<32, kI8, kI8, kI8>("v_swmmac_i32_16x16x32_iu8"),
      SwmmacRow<32, kI4, kI4, kI4>("v_swmmac_i32_16x16x32_iu4"),
      SwmmacRow<64, kI4, kI4, kI4>("v_swmmac_i32_16x16x64_iu4"),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
