#include <immintrin.h>

#include "tools/sim/isa/bind_alu.h"
#include "tools/sim/isa/exec_level.h"

/// MFMA: D = A B + C on matrices spread over the lanes of a wave. Layouts are those of AMD's matrix
/// instruction calculator: with B blocks of size dim x dim and K elements of depth, 64 / (dim * B)
/// lanes share a row, each with E = K dim B / 64 consecutive k; element k of row i of block b is in
/// lane b dim + (k / E) dim B + i at position k % E. EXEC is ignored. Sums are fused multiply-adds
/// in the order of k: exact for f32 and f64 inputs on CDNA3 and for integers; for f16 and bf16 the
/// hardware rounds groups of products differently in the last bits.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

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

/// Sums wrap.
struct IntVector {
  u32 v[8];
  static constexpr int kWidth = 8;
  GRIDWISE_SIM_INLINE static IntVector Load(const u32* p) {
    IntVector r;
    __builtin_memcpy(r.v, p, sizeof(r.v));
    return r;
  }
  GRIDWISE_SIM_INLINE static IntVector Fill(u32 x) { return {{x, x, x, x, x, x, x, x}}; }
  GRIDWISE_SIM_INLINE void Store(u32* p) const { __builtin_memcpy(p, v, sizeof(v)); }
  GRIDWISE_SIM_INLINE void AddProduct(const IntVector& a, const IntVector& b) {
    for (int i = 0; i < 8; ++i) v[i] += a.v[i] * b.v[i];
  }
};

/// Input types: how many elements are in a dword, and element p of lane l of an operand.
struct InF16 {
  using Value = f32;
  static constexpr int kPerDword = 2;
  GRIDWISE_SIM_INLINE static f32 Get(u32 dword, int p) {
    return static_cast<f32>(Bits<f16>(static_cast<u16>(dword >> (16 * p))));
  }
};
struct InBf16 {
  using Value = f32;
  static constexpr int kPerDword = 2;
  GRIDWISE_SIM_INLINE static f32 Get(u32 dword, int p) {
    return Bits<f32>(p == 0 ? dword << 16 : dword & 0xffff0000);
  }
};
struct InF32 {
  using Value = f32;
  static constexpr int kPerDword = 1;
  GRIDWISE_SIM_INLINE static f32 Get(u32 dword, int) { return Bits<f32>(dword); }
};
struct InI8 {
  using Value = u32;
  static constexpr int kPerDword = 4;
  GRIDWISE_SIM_INLINE static u32 Get(u32 dword, int p) {
    return static_cast<u32>(static_cast<i32>(static_cast<i8>(dword >> (8 * p))));
  }
};
template <class T>
struct VectorOf;
template <>
struct VectorOf<f32> {
  using Type = FloatVector;
};
template <>
struct VectorOf<u32> {
  using Type = IntVector;
};

#if defined(__F16C__) && !defined(__AVX512F__)
/// The low halves of a row as kLanes floats, then the high ones; compilers convert one half at a
/// time.
GRIDWISE_SIM_INLINE void UnpackHalves(const u32* row, f32* out) {
  for (int l = 0; l < kLanes; l += 8) {
    const __m256i dwords = _mm256_load_si256(reinterpret_cast<const __m256i*>(row + l));
    const __m256i low = _mm256_and_si256(dwords, _mm256_set1_epi32(0xffff));
    const __m256i high = _mm256_srli_epi32(dwords, 16);
    const __m256i halves =
        _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0xd8);  // 8 low, 8 high ones
    _mm256_storeu_ps(out + l, _mm256_cvtph_ps(_mm256_castsi256_si128(halves)));
    _mm256_storeu_ps(out + kLanes + l, _mm256_cvtph_ps(_mm256_extracti128_si256(halves, 1)));
  }
}
#endif

template <int kDim_, int kBlocks_, int kK_, class In>
struct Shape {
  using Value = typename In::Value;
  static constexpr int kDim = kDim_, kBlocks = kBlocks_, kK = kK_;
  static constexpr int kElements = kK * kDim * kBlocks / kLanes;  // of a lane
  static_assert(kElements >= 1 && kElements * kLanes == kK * kDim * kBlocks);

  /// Where element k of row 0 of block b is among the unpacked elements [kElements][kLanes].
  static constexpr int Offset(int b, int k) {
    return (k % kElements) * kLanes + b * kDim + (k / kElements) * kDim * kBlocks;
  }

  GRIDWISE_SIM_INLINE static void Unpack(const u32* rows, Value* out) {
#if defined(__F16C__) && !defined(__AVX512F__)
    if constexpr (__is_same(In, InF16)) {
      for (int r = 0; r < kElements / 2; ++r) UnpackHalves(rows + r * kLanes, out + 2 * r * kLanes);
      return;
    }
#endif
    for (int e = 0; e < kElements; ++e) {
      const u32* row = rows + e / In::kPerDword * kLanes;
      for (int l = 0; l < kLanes; ++l) out[e * kLanes + l] = In::Get(row[l], e % In::kPerDword);
    }
  }
};

/// 32x32 and 16x16: register r of lane group g holds row 4 G (r / 4) + 4 g + r % 4 of the block,
/// where G lane groups of kDim lanes make a wave. C is read at a stride of imm registers: 0 for a
/// constant.
template <class S>
void Mfma(Wave& w, const Uop& u) {
  using Value = typename S::Value;
  using Vector = typename VectorOf<Value>::Type;
  constexpr int kGroups = kLanes / S::kDim;
  constexpr int kRegisters = S::kDim * S::kDim / kLanes;  // of a block
  constexpr int kVectors = S::kDim / Vector::kWidth;
  constexpr int kRows =
      kVectors >= 4 ? 2 : 4;  // that are summed at once: eight vectors, half of the x86 registers
  alignas(64) Value a[S::kElements * kLanes], b[S::kElements * kLanes];
  S::Unpack(Row(w, u.src[0]), a);
  S::Unpack(Row(w, u.src[1]), b);
  const Value* c = reinterpret_cast<const Value*>(Row(w, u.src[2]));
  Value* d = reinterpret_cast<Value*>(Row(w, u.dst));
  for (int block = 0; block < S::kBlocks; ++block) {
    for (int r = 0; r < kRegisters; r += kRows) {
      for (int g = 0; g < kGroups; ++g) {
        const int row = 4 * kGroups * (r / 4) + 4 * g + r % 4;
        const int reg = block * kRegisters + r;
        Vector sum[kRows][kVectors];
        for (int i = 0; i < kRows; ++i) {
          for (int v = 0; v < kVectors; ++v) {
            sum[i][v] =
                Vector::Load(c + (reg + i) * u.imm * kLanes + g * S::kDim + v * Vector::kWidth);
          }
        }
        for (int k = 0; k < S::kK; ++k) {
          const Value* bk = b + S::Offset(block, k);
          const Value* ak = a + S::Offset(block, k) + row;
          Vector columns[kVectors];
          for (int v = 0; v < kVectors; ++v) columns[v] = Vector::Load(bk + v * Vector::kWidth);
          for (int i = 0; i < kRows; ++i) {
            const Vector scalar = Vector::Fill(ak[i]);
            for (int v = 0; v < kVectors; ++v) sum[i][v].AddProduct(scalar, columns[v]);
          }
        }
        for (int i = 0; i < kRows; ++i) {
          for (int v = 0; v < kVectors; ++v) {
            sum[i][v].Store(d + (reg + i) * kLanes + g * S::kDim + v * Vector::kWidth);
          }
        }
      }
    }
  }
}

GRIDWISE_SIM_INLINE f32 MulAdd(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
GRIDWISE_SIM_INLINE u32 MulAdd(u32 a, u32 b, u32 c) { return a * b + c; }

/// 4x4 with 16 blocks: register r holds row r, lane 4 b + j column j of block b.
template <class S>
void MfmaSmall(Wave& w, const Uop& u) {
  using Value = typename S::Value;
  alignas(64) Value a[S::kElements * kLanes], b[S::kElements * kLanes];
  S::Unpack(Row(w, u.src[0]), a);
  S::Unpack(Row(w, u.src[1]), b);
  const Value* c = reinterpret_cast<const Value*>(Row(w, u.src[2]));
  Value* d = reinterpret_cast<Value*>(Row(w, u.dst));
  for (int r = 0; r < 4; ++r) {
    for (int l = 0; l < kLanes; ++l) {
      const int block = l / 4;
      Value sum = c[r * u.imm * kLanes + l];
      for (int k = 0; k < S::kK; ++k)
        sum = MulAdd(a[S::Offset(block, k) + r], b[S::Offset(block, k) + l % 4], sum);
      d[r * kLanes + l] = sum;
    }
  }
}

GRIDWISE_SIM_INLINE f64 Double(const u32* rows, int l) {
  return Bits<f64>(rows[l] | u64{rows[l + kLanes]} << 32);
}

/// f64, 16x16x4 with one block and 4x4x4 with four: A and B have k = lane / 16 and row or column
/// lane % 16, which for 4x4 is block (lane / 4) % 4 and row or column lane % 4. Register pair r of
/// lane l holds row 4 r + l / 16, column l % 16.
template <int kDim>
void MfmaF64(Wave& w, const Uop& u) {
  constexpr int kPairs = kDim == 16 ? 4 : 1;
  alignas(64) f64 a[kLanes], b[kLanes], sums[kPairs][kLanes];
  for (int l = 0; l < kLanes; ++l) {
    a[l] = Double(Row(w, u.src[0]), l);
    b[l] = Double(Row(w, u.src[1]), l);
  }
  const u32* c = Row(w, u.src[2]);
  for (int r = 0; r < kPairs; ++r) {
    for (int l = 0; l < kLanes; ++l) {
      const int column = l % 16, first = column / kDim * kDim;
      f64 sum = Double(c + 2 * r * u.imm * kLanes, l);
      for (int k = 0; k < 4; ++k)
        sum = __builtin_fma(a[16 * k + first + 4 * r + l / 16], b[16 * k + column], sum);
      sums[r][l] = sum;
    }
  }
  u32* d = Row(w, u.dst);
  for (int i = 0; i < kPairs * kLanes; ++i) {
    const u64 bits = Bits<u64>(sums[i / kLanes][i % kLanes]);
    d[2 * (i / kLanes) * kLanes + i % kLanes] = static_cast<u32>(bits);
    d[(2 * (i / kLanes) + 1) * kLanes + i % kLanes] = static_cast<u32>(bits >> 32);
  }
}

/// Registers of a source operand and of the accumulator.
constexpr uint32_t MmaRegisters(int source, int accumulator) {
  return static_cast<uint32_t>(source | accumulator << 8);
}

template <int kDim, int kBlocks, int kK, class In>
constexpr Binding Matrix(const char* name) {
  using S = Shape<kDim, kBlocks, kK, In>;
  constexpr ValueType kType = __is_same(In, InI8) ? ValueType::kB32 : ValueType::kF32;
  const uint32_t registers =
      MmaRegisters(S::kElements / In::kPerDword, kDim * kDim * kBlocks / kLanes);
  if constexpr (kDim == 4) {
    return {name,
            OpClass::kMma,
            &BindMfma,
            &Step<&MfmaSmall<S>>,
            {.result = kType, .flags = registers}};
  } else {
    return {name, OpClass::kMma, &BindMfma, &Step<&Mfma<S>>, {.result = kType, .flags = registers}};
  }
}

}  // namespace

BindingTable MmaTable() {
  static constexpr Binding kTable[] = {
      Matrix<32, 1, 8, InF16>("v_mfma_f32_32x32x8_f16"),
      Matrix<16, 1, 16, InF16>("v_mfma_f32_16x16x16_f16"),
      Matrix<32, 2, 4, InF16>("v_mfma_f32_32x32x4_2b_f16"),
      Matrix<16, 4, 4, InF16>("v_mfma_f32_16x16x4_4b_f16"),
      Matrix<4, 16, 4, InF16>("v_mfma_f32_4x4x4_16b_f16"),
      Matrix<32, 1, 8, InBf16>("v_mfma_f32_32x32x8_bf16"),
      Matrix<16, 1, 16, InBf16>("v_mfma_f32_16x16x16_bf16"),
      Matrix<32, 2, 4, InBf16>("v_mfma_f32_32x32x4_2b_bf16"),
      Matrix<16, 4, 4, InBf16>("v_mfma_f32_16x16x4_4b_bf16"),
      Matrix<4, 16, 4, InBf16>("v_mfma_f32_4x4x4_16b_bf16"),
      Matrix<32, 1, 2, InF32>("v_mfma_f32_32x32x2_f32"),
      Matrix<16, 1, 4, InF32>("v_mfma_f32_16x16x4_f32"),
      Matrix<32, 2, 1, InF32>("v_mfma_f32_32x32x1_2b_f32"),
      Matrix<16, 4, 1, InF32>("v_mfma_f32_16x16x1_4b_f32"),
      Matrix<4, 16, 1, InF32>("v_mfma_f32_4x4x1_16b_f32"),
      Matrix<32, 1, 16, InI8>("v_mfma_i32_32x32x16_i8"),
      Matrix<16, 1, 32, InI8>("v_mfma_i32_16x16x32_i8"),
      Matrix<32, 2, 4, InI8>("v_mfma_i32_32x32x4_2b_i8"),
      Matrix<16, 4, 4, InI8>("v_mfma_i32_16x16x4_4b_i8"),
      Matrix<4, 16, 4, InI8>("v_mfma_i32_4x4x4_16b_i8"),
      {"v_mfma_f64_16x16x4_f64",
       OpClass::kMma,
       &BindMfma,
       &Step<&MfmaF64<16>>,
       {.result = ValueType::kF64, .flags = MmaRegisters(2, 8)}},
      {"v_mfma_f64_4x4x4_4b_f64",
       OpClass::kMma,
       &BindMfma,
       &Step<&MfmaF64<4>>,
       {.result = ValueType::kF64, .flags = MmaRegisters(2, 2)}},
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
