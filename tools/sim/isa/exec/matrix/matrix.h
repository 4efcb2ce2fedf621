// SPDX-License-Identifier: MIT
#pragma once

#include <immintrin.h>

#include "tools/sim/isa/exec/level.h"

/// Matrix instructions D = A B + C on matrices spread over the lanes of a wave. An instruction is
/// data: element formats, and a plan that says where elements are. Operands are unpacked once to
/// rows of kLanes values, one row for each element that a lane holds; then one kernel for all
/// shapes multiplies: fused multiply-adds in the order of k for floats, sums that wrap for
/// integers.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

inline constexpr int kMaxDepth = 128;
/// Elements of an operand in one lane, at most: 16x16x128 and 32x32x64.
inline constexpr int kMaxElements = 32;

/// Where the elements of a matrix instruction are. Unpacked operands are rows [element][lane]: row
/// i of A (column i of B) of block b at depth k is at a[k] + b dim + i (b[k] + b dim + i). Lane
/// group g has `dim` lanes, for the columns of D, of block g / (groups / blocks per register) in
/// the case of 4x4; its register r of a block holds row[r][g].
struct MatrixPlan {
  int dim = 0, blocks = 1, depth = 0;
  int groups = 0;     // of `dim` lanes in a wave
  int registers = 0;  // values of D in a lane and block
  u16 a[kMaxDepth] = {}, b[kMaxDepth] = {};
  u8 row[16][4] = {};
};

/// CDNA: 64 / (dim * blocks) lane groups share a row, each with E = depth dim blocks / 64
/// consecutive k: element k is in lane group k / E at position k % E. Elements come in chunks of
/// `chunk`, so that position p of group g is k = (p / chunk) chunk groups + g chunk + p % chunk.
/// Register r of lane group g holds row 4 G (r / 4) + 4 g + r % 4 of D with G = 64 / dim groups;
/// with doubles, row G r + g.
constexpr void PlaceInputs(const MatrixPlan& p, int chunk, u16* offset) {
  const int elements = p.depth * p.dim * p.blocks / kLanes;
  const int sharing = kLanes / (p.dim * p.blocks);
  if (chunk > elements) chunk = elements;
  for (int k = 0; k < p.depth; ++k) {
    const int group = k / chunk % sharing, position = k / (chunk * sharing) * chunk + k % chunk;
    offset[k] = static_cast<u16>(position * kLanes + group * p.dim * p.blocks);
  }
}
constexpr MatrixPlan CdnaPlan(int dim, int blocks, int depth, int chunk_a = kMaxElements,
                              int chunk_b = kMaxElements, bool doubles = false) {
  MatrixPlan p{.dim = dim, .blocks = blocks, .depth = depth, .groups = kLanes / dim};
  p.registers = dim * dim * blocks / kLanes / (dim == 4 ? 1 : blocks);
  PlaceInputs(p, chunk_a, p.a);
  PlaceInputs(p, chunk_b, p.b);
  for (int r = 0; dim > 4 && r < p.registers; ++r) {
    for (int g = 0; g < p.groups; ++g) {
      p.row[r][g] =
          static_cast<u8>(doubles ? p.groups * r + g : 4 * p.groups * (r / 4) + 4 * g + r % 4);
    }
  }
  return p;
}

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

struct DoubleVector {
  f64 v[4];
  static constexpr int kWidth = 4;
  GRIDWISE_SIM_INLINE static DoubleVector Load(const f64* p) { return {{p[0], p[1], p[2], p[3]}}; }
  GRIDWISE_SIM_INLINE static DoubleVector Fill(f64 x) { return {{x, x, x, x}}; }
  GRIDWISE_SIM_INLINE void Store(f64* p) const { __builtin_memcpy(p, v, sizeof(v)); }
  GRIDWISE_SIM_INLINE void AddProduct(const DoubleVector& a, const DoubleVector& b) {
    for (int i = 0; i < 4; ++i) v[i] = __builtin_fma(a.v[i], b.v[i], v[i]);
  }
};

/// Two 16-bit integers of consecutive k in each value of A and B; sums have 32 bits and wrap.
struct PairVector {
#if defined(__AVX512BW__)
  __m512i v;
  static constexpr int kWidth = 16;
  GRIDWISE_SIM_INLINE static PairVector Load(const u32* p) { return {_mm512_loadu_si512(p)}; }
  GRIDWISE_SIM_INLINE static PairVector Fill(u32 x) {
    return {_mm512_set1_epi32(static_cast<i32>(x))};
  }
  GRIDWISE_SIM_INLINE void Store(u32* p) const { _mm512_storeu_si512(p, v); }
  GRIDWISE_SIM_INLINE void AddProduct(PairVector a, PairVector b) {
    v = _mm512_add_epi32(v, _mm512_madd_epi16(a.v, b.v));
  }
#elif defined(__AVX2__)
  __m256i v;
  static constexpr int kWidth = 8;
  GRIDWISE_SIM_INLINE static PairVector Load(const u32* p) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
  }
  GRIDWISE_SIM_INLINE static PairVector Fill(u32 x) {
    return {_mm256_set1_epi32(static_cast<i32>(x))};
  }
  GRIDWISE_SIM_INLINE void Store(u32* p) const {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v);
  }
  GRIDWISE_SIM_INLINE void AddProduct(PairVector a, PairVector b) {
    v = _mm256_add_epi32(v, _mm256_madd_epi16(a.v, b.v));
  }
#else
  __m128i v;
  static constexpr int kWidth = 4;
  GRIDWISE_SIM_INLINE static PairVector Load(const u32* p) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
  }
  GRIDWISE_SIM_INLINE static PairVector Fill(u32 x) {
    return {_mm_set1_epi32(static_cast<i32>(x))};
  }
  GRIDWISE_SIM_INLINE void Store(u32* p) const {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v);
  }
  GRIDWISE_SIM_INLINE void AddProduct(PairVector a, PairVector b) {
    v = _mm_add_epi32(v, _mm_madd_epi16(a.v, b.v));
  }
#endif
};

template <class T>
struct VectorOf;
template <>
struct VectorOf<f32> {
  using Type = FloatVector;
};
template <>
struct VectorOf<f64> {
  using Type = DoubleVector;
};
template <>
struct VectorOf<u32> {
  using Type = PairVector;
};

GRIDWISE_SIM_INLINE f32 MulAdd(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
GRIDWISE_SIM_INLINE f64 MulAdd(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
GRIDWISE_SIM_INLINE u32 MulAdd(u32 a, u32 b, u32 c) {
  const auto half = [](u32 x, int i) { return i32{static_cast<i16>(x >> (16 * i))}; };
  return c + static_cast<u32>(half(a, 0) * half(b, 0) + half(a, 1) * half(b, 1));
}

/// The operands of one multiplication: unpacked A and B, and rows of C and D. C is read at a stride
/// of `c_stride` rows: 0 for a constant. Only depths [first, last) are multiplied; last 0: all.
template <class T>
struct Operands {
  const T* a;
  const T* b;
  const T* c;
  int c_stride;
  T* d;
  int first = 0, last = 0;
};

/// Whether the rows of an operand that `offset` names are all +0 for depths [first, last).
template <class T, int kDim, class Offsets>
GRIDWISE_SIM_INLINE bool IsZero(const T* operand, const Offsets& offset, int first, int last) {
  constexpr T kZeros[kDim] = {};
  for (int k = first; k < last; ++k) {
    if (__builtin_memcmp(operand + offset[k], kZeros, sizeof(kZeros)) != 0) return false;
  }
  return true;
}

/// Rows of a block that are summed at once: eight vectors or more.
template <class T, int kDim>
inline constexpr int kRowsAtOnce = kDim / VectorOf<T>::Type::kWidth >= 4 ? 2 : 4;

/// Adds the products of depths [first, last) to the sums of block `block`. Rows of C are read
/// before rows of D with the same lanes are written in steps of kRowsAtOnce registers.
template <class T, int kDim>
GRIDWISE_SIM_INLINE void MultiplyBlock(const MatrixPlan& p, const Operands<T>& o, int block,
                                       int first, int last) {
  using Vector = typename VectorOf<T>::Type;
  constexpr int kVectors = kDim / Vector::kWidth;
  constexpr int kRows = kRowsAtOnce<T, kDim>;
  const T* const a = o.a + block * kDim;
  const T* const b = o.b + block * kDim;
  for (int r = 0; r < p.registers; r += kRows) {
    for (int g = 0; g < p.groups; ++g) {
      const T* rows[kRows];
      Vector sum[kRows][kVectors];
      for (int i = 0; i < kRows; ++i) {
        rows[i] = a + p.row[r + i][g];
        const T* c = o.c + (block * p.registers + r + i) * o.c_stride * kLanes + g * kDim;
        for (int v = 0; v < kVectors; ++v) sum[i][v] = Vector::Load(c + v * Vector::kWidth);
      }
      for (int k = first; k < last; ++k) {
        Vector columns[kVectors];
        for (int v = 0; v < kVectors; ++v)
          columns[v] = Vector::Load(b + p.b[k] + v * Vector::kWidth);
        for (int i = 0; i < kRows; ++i) {
          const Vector scalar = Vector::Fill(rows[i][p.a[k]]);
          for (int v = 0; v < kVectors; ++v) sum[i][v].AddProduct(scalar, columns[v]);
        }
      }
      for (int i = 0; i < kRows; ++i) {
        T* d = o.d + (block * p.registers + r + i) * kLanes + g * kDim;
        for (int v = 0; v < kVectors; ++v) sum[i][v].Store(d + v * Vector::kWidth);
      }
    }
  }
}

/// Registers of a D that may overlap C by other rows, at most.
inline constexpr int kOverlapping = 4;

/// C, or a copy of it where D may overlap it by other rows and not all of them are summed at once:
/// a row of D would be written before the row of C in its place is read.
template <class T, int kDim>
GRIDWISE_SIM_INLINE const T* WholeC(const MatrixPlan& p, const Operands<T>& o, T* copy) {
  const int rows = p.blocks * p.registers;
  if (kRowsAtOnce<T, kDim> >= kOverlapping || rows > kOverlapping) return o.c;
  if (o.c == o.d || o.c_stride == 0) return o.c;
  __builtin_memcpy(copy, o.c, static_cast<size_t>(rows) * kLanes * sizeof(T));
  return copy;
}

/// Blocks of 16x16 and 32x32.
template <class T, int kDim>
GRIDWISE_SIM_INLINE void MultiplyBlocks(const MatrixPlan& p, Operands<T> o, int first, int last) {
  T c[kOverlapping * kLanes];
  o.c = WholeC<T, kDim>(p, o, c);
  for (int block = 0; block < p.blocks; ++block) {
    // Adding a product of zeros once is adding it often.
    if (first < last && IsZero<T, kDim>(o.a + block * kDim, p.a, first, last) &&
        IsZero<T, kDim>(o.b + block * kDim, p.b, first, last)) {
      MultiplyBlock<T, kDim>(p, o, block, first, first + 1);
    } else {
      MultiplyBlock<T, kDim>(p, o, block, first, last);
    }
  }
}

/// 4x4. With 16 blocks register r holds row r, lane 4 b + j column j of block b; with 4 (doubles)
/// lane 16 i + 4 b + j holds row i.
template <class T>
[[gnu::noinline]] void MultiplySmall(const MatrixPlan& p, const Operands<T>& o) {
  T sums[4][kLanes];
  for (int r = 0; r < p.registers; ++r) {
    for (int l = 0; l < kLanes; ++l) {
      const int block = l / 4 % p.blocks, row = p.blocks == 16 ? r : l / 16;
      const T* a = o.a + block * 4 + row;
      const T* b = o.b + block * 4 + l % 4;
      T sum = o.c[r * o.c_stride * kLanes + l];
      for (int k = 0; k < p.depth; ++k) sum = MulAdd(a[p.a[k]], b[p.b[k]], sum);
      sums[r][l] = sum;
    }
  }
  __builtin_memcpy(o.d, sums, static_cast<size_t>(p.registers) * kLanes * sizeof(T));
}

/// By any plan.
template <class T>
[[gnu::noinline]] void Multiply(const MatrixPlan& p, const Operands<T>& o) {
  const int last = o.last != 0 ? o.last : p.depth;
  if (p.dim == 32) {
    MultiplyBlocks<T, 32>(p, o, o.first, last);
  } else if (p.dim == 16) {
    MultiplyBlocks<T, 16>(p, o, o.first, last);
  } else {
    MultiplySmall<T>(p, o);
  }
}

/// By one plan, all depths of it: loops and places of elements are constants of the code.
template <class T, const MatrixPlan& kPlan>
[[gnu::noinline]] void MultiplyBy(const Operands<T>& o) {
  if constexpr (kPlan.dim == 4) {
    MultiplySmall<T>(kPlan, o);
  } else {
    MultiplyBlocks<T, kPlan.dim>(kPlan, o, 0, kPlan.depth);
  }
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
