// SPDX-License-Identifier: MIT
#include "tools/sim/isa/exec/lanes.h"
#include "tools/sim/isa/exec/lanewise.h"

/// Micro-ops before and after a vector operation. They move whole rows between registers and temp
/// rows and ignore EXEC, except those that write registers.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

template <int kRows>
void Spread(Wave& w, const Uop& u) {
  const u32* value = Row(w, u.src[0]);
  u32* row = Row(w, u.dst);
  for (int r = 0; r < kRows; ++r) {
    const u32 dword = value[r];
    for (int l = 0; l < kLanes; ++l) row[r * kLanes + l] = dword;
  }
}

/// dst = ((src >> imm) & data[31:0]) ^ data[63:32].
void Fetch32(Wave& w, const Uop& u) {
  const u32* src = Row(w, u.src[0]);
  u32* dst = Row(w, u.dst);
  const u32 keep = static_cast<u32>(u.data), flip = static_cast<u32>(u.data >> 32),
            shift = static_cast<u32>(u.imm);
  GRIDWISE_SIM_FOR_LANES(l) dst[l] = (src[l] >> shift & keep) ^ flip;
}

template <class T>
void FetchSigned(Wave& w, const Uop& u) {
  const u32* src = Row(w, u.src[0]);
  u32* dst = Row(w, u.dst);
  const u32 shift = static_cast<u32>(u.imm);
  GRIDWISE_SIM_FOR_LANES(l)
  dst[l] = static_cast<u32>(static_cast<i32>(static_cast<T>(src[l] >> shift)));
}

/// The sign of a double: as Fetch32 on the high dwords, without shift.
void Fetch64(Wave& w, const Uop& u) {
  const u32* src = Row(w, u.src[0]);
  u32* dst = Row(w, u.dst);
  const u32 keep = static_cast<u32>(u.data), flip = static_cast<u32>(u.data >> 32);
  GRIDWISE_SIM_FOR_LANES(l) {
    const u32 low = src[l], high = src[l + kLanes];
    dst[l] = low;
    dst[l + kLanes] = (high & keep) ^ flip;
  }
}

/// op_sel (imm bit 0) and op_sel_hi (bit 1) say which half is the low and which the high one; data
/// flips signs.
void FetchHalves(Wave& w, const Uop& u) {
  const u32* src = Row(w, u.src[0]);
  u32* dst = Row(w, u.dst);
  const u32 low = u.imm & 1 ? 16 : 0, high = u.imm & 2 ? 16 : 0, flip = static_cast<u32>(u.data);
  GRIDWISE_SIM_FOR_LANES(l) dst[l] = ((src[l] >> low & 0xffff) | (src[l] >> high << 16)) ^ flip;
}

/// The same for the two registers of a v_pk_*_f32 operand.
void FetchPair(Wave& w, const Uop& u) {
  const u32* src = Row(w, u.src[0]);
  u32* dst = Row(w, u.dst);
  const u32* low = src + (u.imm & 1 ? kLanes : 0);
  const u32* high = src + (u.imm & 2 ? kLanes : 0);
  const u32 flip_low = static_cast<u32>(u.data), flip_high = static_cast<u32>(u.data >> 32);
  GRIDWISE_SIM_FOR_LANES(l) {
    const u32 a = low[l], b = high[l];
    dst[l] = a ^ flip_low;
    dst[l + kLanes] = b ^ flip_high;
  }
}

/// A half (shifted down by imm) as a float, with sign changes.
void FetchHalfAsFloat(Wave& w, const Uop& u) {
  const u32* src = Row(w, u.src[0]);
  u32* dst = Row(w, u.dst);
  const u32 keep = static_cast<u32>(u.data), flip = static_cast<u32>(u.data >> 32),
            shift = static_cast<u32>(u.imm);
  GRIDWISE_SIM_FOR_LANES(l) {
    const f32 value = static_cast<f32>(Bits<f16>(static_cast<u16>(src[l] >> shift)));
    dst[l] = (Bits<u32>(value) & keep) ^ flip;
  }
}

/// dst[l] = src[from[l]]; if `kInRows`, from[l] is in the row of 16 lanes that l is in.
template <bool kInRows>
GRIDWISE_SIM_INLINE void Permute(const u32* src, const u32* from, u32* dst) {
#ifdef __AVX2__
  if constexpr (kInRows) {
    const auto load = [](const u32* p) {
      return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
    };
    for (int row = 0; row < kLanes; row += 16) {
      const __m256i low = load(src + row), high = load(src + row + 8);
      for (int half = row; half < row + 16; half += 8) {
        const __m256i index = load(from + half);
        const __m256 a = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, index));
        const __m256 b = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, index));
        const __m256 is_high = _mm256_castsi256_ps(_mm256_slli_epi32(index, 28));
        _mm256_store_ps(reinterpret_cast<float*>(dst + half), _mm256_blendv_ps(a, b, is_high));
      }
    }
    return;
  }
#endif
  for (int l = 0; l < kLanes; ++l) dst[l] = src[from[l] & (kLanes - 1)];
}

/// DPP: lane l reads lane src[1][l], if l is in data2 (it has a source) and that lane is active.
/// Lanes outside data (row and bank masks) are not written; lanes without a source read 0 with bit
/// 0 of imm (bound_ctrl) and are not written without. With bit 1 (fi) lanes that are off count as
/// active. Leaves Wave::lane_mask.
template <bool kInRows>
void FetchDpp(Wave& w, const Uop& u) {
  const u32* from = Row(w, u.src[1]);
  const u64 exec = u.imm & 2 ? w.all_lanes : Exec(w);
  alignas(64) u32 value[kLanes];
  Permute<kInRows>(Row(w, u.src[0]), from, value);
  u64 found = u.data2;
  if (exec != w.all_lanes) {
    alignas(64) u32 active[kLanes], source_active[kLanes];
    ExpandMask(exec, active);
    Permute<kInRows>(active, from, source_active);
    found &= GatherMask(source_active);
  }
  u32* dst = Row(w, u.dst);
  if ((found & w.all_lanes) == w.all_lanes) {
    __builtin_memcpy(dst, value, kRowBytes);
  } else {
    alignas(64) u32 select[kLanes];
    ExpandMask(found, select);
    for (int l = 0; l < kLanes; ++l) dst[l] = value[l] & select[l];
  }
  w.lane_mask = u.data & (u.imm & 1 ? ~u64{0} : found);
}

/// dst = row imm + M0[7:0] of the vector registers.
bool FetchIndexed(Wave& w, const Uop& u) {
  const u32 index = static_cast<u32>(u.imm) + (w.s[kM0] & 0xff);
  if (index >= kVectorRegisters) return RaiseFault(w, u, "indexes past the vector registers");
  __builtin_memcpy(Row(w, u.dst), w.v[index], kRowBytes);
  return true;
}

/// Writes src to the register dst in the lanes of EXEC.
void Commit(Wave& w, const Uop& u) { Blend<1>(Row(w, u.dst), Row(w, u.src[0]), Exec(w)); }

/// The same in the lanes that FetchDpp found.
template <int kRows>
void CommitDpp(Wave& w, const Uop& u) {
  const u64 mask = Exec(w) & w.lane_mask;
  if (mask == w.all_lanes) {
    __builtin_memcpy(Row(w, u.dst), Row(w, u.src[0]), kRows * kRowBytes);
  } else {
    Blend<kRows>(Row(w, u.dst), Row(w, u.src[0]), mask);
  }
}

bool CommitIndexed(Wave& w, const Uop& u) {
  const u32 index = static_cast<u32>(u.imm) + (w.s[kM0] & 0xff);
  if (index >= kVectorRegisters) return RaiseFault(w, u, "indexes past the vector registers");
  Blend<1>(w.v[index], Row(w, u.src[0]), Exec(w));
  return true;
}

/// Part of a register: dst = (dst & data[31:0]) | ((src << imm) & data[63:32]).
void CommitPart(Wave& w, const Uop& u) {
  const u32* src = Row(w, u.src[0]);
  MaskedRows<1> result(w, u.dst);
  const u32* old = result.rows;
  u32* out = result.out();
  const u32 keep = static_cast<u32>(u.data), put = static_cast<u32>(u.data >> 32),
            shift = static_cast<u32>(u.imm);
  GRIDWISE_SIM_FOR_LANES(l) out[l] = (old[l] & keep) | (src[l] << shift & put);
  result.Commit();
}

/// The same in the lanes that FetchDpp found.
void CommitPartDpp(Wave& w, const Uop& u) {
  const u64 exec = Exec(w);
  SetScalar64(w, kExecLo, exec & w.lane_mask);
  CommitPart(w, u);
  SetScalar64(w, kExecLo, exec);
}

/// The lane mask dst without the lanes that FetchDpp did not find.
void DppMask(Wave& w, const Uop& u) { WriteMask(w, u.dst, ReadMask(w, u.dst) & w.lane_mask); }
void CopyMask(Wave& w, const Uop& u) { WriteMask(w, u.dst, ReadMask(w, u.src[0])); }

/// max(min(x, 1), 0), and NaN is 0 (DX10_CLAMP, which compilers always set).
template <class T>
GRIDWISE_SIM_INLINE T Clamp(T x) {
  return x > T(0) ? (x < T(1) ? x : T(1)) : T(0);
}

constexpr Binding Prepare(const char* name, ExecFn exec) {
  return {name, OpClass::kOther, nullptr, exec};
}

}  // namespace

BindingTable PrepareTable() {
  static constexpr Binding kTable[] = {
      Prepare("@spread32", &Step<&Spread<1>>),
      Prepare("@spread64", &Step<&Spread<2>>),
      Prepare("@fetch32", &Step<&Fetch32>),
      Prepare("@fetch64", &Step<&Fetch64>),
      Prepare("@fetch_i8", &Step<&FetchSigned<i8>>),
      Prepare("@fetch_i16", &Step<&FetchSigned<i16>>),
      Prepare("@fetch_halves", &Step<&FetchHalves>),
      Prepare("@fetch_pair", &Step<&FetchPair>),
      Prepare("@fetch_half_as_float", &Step<&FetchHalfAsFloat>),
      Prepare("@fetch_dpp", &Step<&FetchDpp<false>>),
      Prepare("@fetch_dpp_row", &Step<&FetchDpp<true>>),
      Prepare("@fetch_indexed", &Step<&FetchIndexed>),
      Prepare("@commit", &Step<&Commit>),
      Prepare("@commit_dpp1", &Step<&CommitDpp<1>>),
      Prepare("@commit_dpp2", &Step<&CommitDpp<2>>),
      Prepare("@commit_indexed", &Step<&CommitIndexed>),
      Prepare("@commit_part", &Step<&CommitPart>),
      Prepare("@commit_part_dpp", &Step<&CommitPartDpp>),
      Prepare("@dpp_mask", &Step<&DppMask>),
      Prepare("@copy_mask", &Step<&CopyMask>),
      Valu("@clamp_f32", [](f32 x) { return Clamp(x); }),
      Valu("@clamp_f64", [](f64 x) { return Clamp(x); }),
      Valu("@clamp_f16", [](f16 x) { return Clamp(x); }),
      Packed("@clamp_pk_f16", [](f16 x) { return Clamp(x); }),
      PackedF32("@clamp_pk_f32", [](f32 x) { return Clamp(x); }),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
