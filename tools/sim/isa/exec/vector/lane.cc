// SPDX-License-Identifier: MIT
#include "tools/sim/isa/bind/alu.h"
#include "tools/sim/isa/exec/lanes.h"
#include "tools/sim/isa/exec/level.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// The lowest active lane's value, lane 0 if there is none.
void ReadFirstLane(Wave& w, const Uop& u) {
  const u64 exec = Exec(w);
  *Row(w, u.dst) = Row(w, u.src[0])[exec == 0 ? 0 : __builtin_ctzll(exec)];
}

/// A lane number that an instruction gives counts modulo the lanes of the wave.
GRIDWISE_SIM_INLINE u32 LaneNumber(const Wave& w, u32 lane) {
  return lane & (w.all_lanes >> 32 != 0 ? 63 : 31);
}

/// EXEC does not matter.
void ReadLane(Wave& w, const Uop& u) {
  *Row(w, u.dst) = Row(w, u.src[0])[LaneNumber(w, *Row(w, u.src[1]))];
}

void WriteLane(Wave& w, const Uop& u) {
  Row(w, u.dst)[LaneNumber(w, *Row(w, u.src[1]))] = *Row(w, u.src[0]);
}

/// Halves at bit imm of dst and bit data of src[0] (RDNA3 ISA, V_SWAP_B16).
void SwapHalves(Wave& w, const Uop& u) {
  u32* a = Row(w, u.dst);
  u32* b = Row(w, u.src[0]);
  const u32 to = static_cast<u32>(u.imm), from = static_cast<u32>(u.data);
  const u64 exec = Exec(w);
  for (int l = 0; l < kLanes; ++l) {
    if ((exec >> l & 1) == 0) continue;
    const u32 x = a[l] >> to & 0xffff, y = b[l] >> from & 0xffff;
    a[l] = (a[l] & ~(0xffffu << to)) | y << to;
    b[l] = (b[l] & ~(0xffffu << from)) | x << from;
  }
}

/// v_permlane16 and its kin: an active lane reads the lane kFlip ^ its row, selected by four bits
/// of the scalars src[1] and src[2], or with kVector of its own dword of src[1]. A source lane that
/// is off is read with imm bit 0, reads as 0 with bit 1, and leaves the destination alone
/// otherwise.
template <int kFlip, bool kVector>
void Permlane(Wave& w, const Uop& u) {
  const u32* src = Row(w, u.src[0]);
  const u32* select = Row(w, u.src[1]);
  const u64 scalars = kVector ? 0 : u64{*select} | u64{*Row(w, u.src[2])} << 32;
  u32* dst = Row(w, u.dst);
  const u64 exec = Exec(w);
  alignas(64) u32 value[kLanes];
  u64 written = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    const u32 picked = kVector ? select[l] & 15 : static_cast<u32>(scalars >> (l % 16 * 4)) & 15;
    const u32 from = ((l & ~15u) ^ kFlip) + picked;
    const bool valid = (exec >> from & 1) != 0 || (u.imm & 1) != 0;
    value[l] = valid ? src[from] : 0;
    written |= u64{valid || (u.imm & 2) != 0} << l;
  }
  Blend<1>(dst, value, exec & written);
}

/// The halves of a wave64 exchanged; a wave32 has one (RDNA3 ISA, V_PERMLANE64_B32).
void Permlane64(Wave& w, const Uop& u) {
  if (w.all_lanes >> 32 == 0) return;
  const u32* src = Row(w, u.src[0]);
  alignas(64) u32 value[kLanes];
  for (int l = 0; l < kLanes; ++l) value[l] = src[l ^ 32];
  Blend<1>(Row(w, u.dst), value, Exec(w));
}

/// v_movrel: registers data[15:0] (destination) and data[31:16] (source) plus what M0 says: the
/// fields of M0 at bits imm[4:0] and imm[12:8], of the widths of data2[31:0] and data2[63:32] as
/// masks.
template <bool kSwaps>
bool VectorRelative(Wave& w, const Uop& u) {
  const u32 m0 = w.s[kM0], shifts = static_cast<u32>(u.imm);
  const u32 to =
      (static_cast<u32>(u.data) & 0xffff) + (m0 >> (shifts & 31) & static_cast<u32>(u.data2));
  const u32 from = (static_cast<u32>(u.data) >> 16) +
                   (m0 >> (shifts >> 8 & 31) & static_cast<u32>(u.data2 >> 32));
  const bool scalar = !(u.src[0] == kNoRef);
  if (to >= kAgprBase || (!scalar && from >= kAgprBase))
    return RaiseFault(w, u, "indexes past the vector registers");
  const u32* src = scalar ? Row(w, u.src[0]) : w.v[from];
  alignas(64) u32 value[kLanes];
  for (int l = 0; l < kLanes; ++l) value[l] = src[l];
  if (kSwaps) Blend<1>(w.v[from], w.v[to], Exec(w));
  Blend<1>(w.v[to], value, Exec(w));
  return true;
}

void Swap(Wave& w, const Uop& u) {
  u32* a = Row(w, u.dst);
  u32* b = Row(w, u.src[0]);
  const u64 exec = Exec(w);
  for (int l = 0; l < kLanes; ++l) {
    if ((exec >> l & 1) == 0) continue;
    const u32 old = a[l];
    a[l] = b[l];
    b[l] = old;
  }
}

}  // namespace

BindingTable ValuLaneTable() {
  static constexpr Binding kTable[] = {
      {"v_readfirstlane_b32", OpClass::kValu, &BindReadLane, &Step<&ReadFirstLane>},
      {"v_readlane_b32", OpClass::kValu, &BindReadLane, &Step<&ReadLane>},
      {"v_writelane_b32", OpClass::kValu, &BindWriteLane, &Step<&WriteLane>},
      {"v_swap_b32", OpClass::kValu, &BindSwap, &Step<&Swap>},
      On(kGfx1100, {"v_swap_b16", OpClass::kValu, &BindSwap, &Step<&SwapHalves>}),
      On(kRdna, {"v_permlane16_b32", OpClass::kValu, &BindPermlane, &Step<&Permlane<0, false>>}),
      On(kRdna, {"v_permlanex16_b32", OpClass::kValu, &BindPermlane, &Step<&Permlane<16, false>>}),
      On(kRdna, {"v_permlane16_var_b32", OpClass::kValu, &BindPermlane, &Step<&Permlane<0, true>>}),
      On(kRdna,
         {"v_permlanex16_var_b32", OpClass::kValu, &BindPermlane, &Step<&Permlane<16, true>>}),
      On(kRdna, {"v_permlane64_b32", OpClass::kValu, &BindPermlane, &Step<&Permlane64>}),
      On(kRdna, {"v_movrels_b32", OpClass::kValu, &BindRelative, &Step<&VectorRelative<false>>}),
      On(kRdna, {"v_movreld_b32", OpClass::kValu, &BindRelative, &Step<&VectorRelative<false>>}),
      On(kRdna, {"v_movrelsd_b32", OpClass::kValu, &BindRelative, &Step<&VectorRelative<false>>}),
      On(kRdna, {"v_movrelsd_2_b32", OpClass::kValu, &BindRelative, &Step<&VectorRelative<false>>}),
      On(kRdna, {"v_swaprel_b32", OpClass::kValu, &BindRelative, &Step<&VectorRelative<true>>}),
  };
  return {kTable, sizeof(kTable) / sizeof(kTable[0])};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
