// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstring>
#include <iterator>

#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/bind/memory.h"
#include "tools/sim/isa/exec/mask.h"
#include "tools/sim/isa/exec/memory/load_store.h"
#include "tools/sim/isa/exec/memory/memory.h"
#include "tools/sim/isa/exec/memory_tables.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

/// Exchanges between lanes by way of the LDS hardware, and loads that transpose.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// Writes `row` to u.dst in the active lanes.
void WriteActive(Wave& w, const Uop& u, const uint32_t* row) {
  uint32_t* const dst = Row(w, u.dst);
  const uint64_t exec = Exec(w);
  if (exec == w.all_lanes) {
    std::memcpy(dst, row, kRowBytes);
  } else {
    Blend<1>(dst, row, exec);
  }
}

/// `data` as lanes may read it: those that are off have 0.
const uint32_t* ActiveOnly(const Wave& w, const uint32_t* data, uint32_t* buffer) {
  const uint64_t exec = Exec(w);
  if (exec == w.all_lanes) return data;
  ExpandMask(exec, buffer);
  for (int l = 0; l < kLanes; ++l) buffer[l] &= data[l];
  return buffer;
}

/// The lane that lane l names by a byte address, of the group of lanes that l may exchange with:
/// those of the wave, or with kHalves the 32 of its half (RDNA3 ISA 12.5.2; LLVM,
/// GCNSubtarget::supportsWaveWideBPermute).
template <bool kHalves>
GRIDWISE_SIM_INLINE uint32_t NamedLane(const Wave& w, int l, uint32_t address) {
  const uint32_t mask = kHalves || w.all_lanes == kLowHalf ? 31 : 63;
  return (address / 4 & mask) | (static_cast<uint32_t>(l) & ~mask & 63);
}

/// dst[l] = data[the lane that address[l] + imm names]; 0 from inactive lanes unless they are
/// fetched too. Uses no LDS.
template <bool kFetchInactive, bool kHalves>
void BackwardPermute(Wave& w, const Uop& u) {
  const uint32_t* address = Row(w, u.src[0]);
  const uint32_t* data = Row(w, u.src[1]);
  const auto offset = static_cast<uint32_t>(u.imm);
  alignas(64) uint32_t buffer[kLanes];
  if (!kFetchInactive) data = ActiveOnly(w, data, buffer);
  alignas(64) uint32_t result[kLanes];
  for (int l = 0; l < kLanes; ++l) result[l] = data[NamedLane<kHalves>(w, l, address[l] + offset)];
  WriteActive(w, u, result);
}

/// dst[the lane that address[l] + imm names] = data[l] for active l, the highest wins; 0 where no
/// lane sends to.
template <bool kHalves>
void ForwardPermute(Wave& w, const Uop& u) {
  const uint32_t* address = Row(w, u.src[0]);
  const uint32_t* data = Row(w, u.src[1]);
  const auto offset = static_cast<uint32_t>(u.imm);
  alignas(64) uint32_t result[kLanes] = {};
  ForLanes(Exec(w),
           [&](int l) { result[NamedLane<kHalves>(w, l, address[l] + offset)] = data[l]; });
  WriteActive(w, u, result);
}

/// dst[l] = data[from[l]], from a table (ds_swizzle); 0 from inactive lanes.
void Swizzle(Wave& w, const Uop& u) {
  const uint32_t* from = Row(w, u.src[1]);
  alignas(64) uint32_t buffer[kLanes];
  const uint32_t* data = ActiveOnly(w, Row(w, u.src[0]), buffer);
  alignas(64) uint32_t result[kLanes];
  for (int l = 0; l < kLanes; ++l) result[l] = data[from[l] & (kLanes - 1)];
  WriteActive(w, u, result);
}

/// Where a loaded element comes from: the lane that fetched it; which of that lane's elements it is
/// follows from the destination lane alone, lane mod elements.
using SourceLane = int (*)(int lane, int element);

/// CDNA4: 16 lanes fetch rows of a matrix, 16 / kElements lanes to a row; lane l of them gets
/// column l of the rows.
template <int kElements>
constexpr int CdnaSource(int lane, int element) {
  constexpr int kLanesPerRow = 16 / kElements;
  return (lane & ~15) + lane / kElements % kLanesPerRow + kLanesPerRow * element;
}
/// RDNA4, 16-bit elements: 8 lanes fetch and transpose 8 x 8.
constexpr int Rdna16Source(int lane, int element) { return (lane & ~7) + element; }
/// RDNA4, 8-bit elements: 16 lanes fetch 8 x 16, in groups of four rows, each as its left and its
/// right half.
constexpr int Rdna8Source(int lane, int element) {
  return (lane & ~15) + element / 4 * 8 + lane / 8 % 2 * 4 + element % 4;
}

/// Loads kDwords dwords per lane and exchanges their elements of kBits bits between the lanes. The
/// hardware wants all lanes on. With kLowHalf the lanes 0 to 31 of a wave64 do so, and lane 32 + l
/// gets the second half of what lane l of a wave32 would: there a matrix instruction has it.
template <auto kLoad, int kDwords, int kBits, SourceLane kSource, bool kLowHalf>
bool LoadTransposed(Wave& w, const Uop& u) {
  constexpr int kElements = 32 * kDwords / kBits;
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  if (exec != w.all_lanes)
    return RaiseFault(w, u, "transposes while some lanes are off, which is not defined",
                      __builtin_ctzll(~exec));
  Uop raw = u;
  raw.dst = TempRef(0);
  const bool halves = kLowHalf && exec == ~uint64_t{0};
  if (halves) w.s[kExecLo + 1] = 0;
  const bool loaded = kLoad(w, raw);
  SetScalar64(w, kExecLo, exec);
  if (!loaded) return false;
  const uint32_t* in = Row(w, TempRef(0));
  uint32_t* out = Row(w, u.dst);
  const int lanes = halves ? kLanes / 2 : __builtin_popcountll(exec);
  const int registers = halves ? kDwords / 2 : kDwords;
  for (int l = 0; l < lanes; ++l) {
    const int from_bit = l % kElements * kBits;
    const uint32_t* word = in + from_bit / 32 * kLanes;
    const bool straddles = from_bit % 32 + kBits > 32;
    unsigned __int128 packed = 0;
    for (int n = 0; n < kElements; ++n) {
      const int s = kSource(l, n);
      const uint64_t bits = word[s] | (straddles ? uint64_t{word[s + kLanes]} << 32 : 0);
      const uint64_t element = bits >> from_bit % 32 & ((uint64_t{1} << kBits) - 1);
      packed |= static_cast<unsigned __int128>(element) << (n * kBits);
    }
    for (int d = 0; d < kDwords; ++d) {
      out[d % registers * kLanes + d / registers * lanes + l] =
          static_cast<uint32_t>(packed >> 32 * d);
    }
  }
  return true;
}

constexpr OpTraits Reads(uint8_t dwords) { return {.dwords = dwords, .flags = kMemoryLoad}; }

}  // namespace

#define PERMUTE(NAME, HANDLER, TARGETS) \
  {NAME, kLds, &BindLdsPermute, &Step<&HANDLER>, Reads(1), TARGETS}
#define TRANSPOSED(NAME, CLASS, BIND, SPACE, DWORDS, BITS, SOURCE, LOW_HALF)             \
  {                                                                                      \
    NAME, OpClass::CLASS, &BIND,                                                         \
        &Step<&LoadTransposed<&SPACE<Load<DWORDS>>, DWORDS, BITS, &SOURCE, LOW_HALF>>, { \
      .dwords = DWORDS, .flags = kMemoryLoad | (LOW_HALF ? kLoadsMatrix : 0)             \
    }                                                                                    \
  }

BindingTable ExchangeTable() {
  static constexpr OpClass kLds = OpClass::kLds;
  static constexpr uint8_t kWhole = kGfx9 | kGfx1201;  // those that exchange in all of a wave64
  static constexpr Binding kTable[] = {
      PERMUTE("ds_bpermute_b32", (BackwardPermute<false, false>), kWhole),
      PERMUTE("ds_bpermute_b32", (BackwardPermute<false, true>), kGfx1100),
      PERMUTE("ds_bpermute_fi_b32", (BackwardPermute<true, false>), kGfx1201),
      PERMUTE("ds_permute_b32", ForwardPermute<false>, kWhole),
      PERMUTE("ds_permute_b32", ForwardPermute<true>, kGfx1100),
      {"ds_swizzle_b32", kLds, &BindLdsSwizzle, &Step<&Swizzle>, Reads(1)},
      TRANSPOSED("ds_read_b64_tr_b16", kLds, BindLds, Lds, 2, 16, CdnaSource<4>, false),
      TRANSPOSED("ds_read_b64_tr_b8", kLds, BindLds, Lds, 2, 8, CdnaSource<8>, false),
      TRANSPOSED("ds_read_b64_tr_b4", kLds, BindLds, Lds, 2, 4, CdnaSource<16>, false),
      TRANSPOSED("ds_read_b96_tr_b6", kLds, BindLds, Lds, 3, 6, CdnaSource<16>, false),
      TRANSPOSED("global_load_tr_b128", kVmem, BindGlobal, Global, 4, 16, Rdna16Source, true),
      TRANSPOSED("global_load_tr_b64", kVmem, BindGlobal, Global, 2, 8, Rdna8Source, true),
  };
  return {kTable, std::size(kTable)};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
