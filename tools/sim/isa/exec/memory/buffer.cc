// SPDX-License-Identifier: MIT
#include "tools/sim/isa/exec/memory/buffer.h"

#include <cstddef>
#include <cstdint>

#include "tools/sim/isa/exec/memory/memory.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// The lanes with value[lane] <= limit.
uint64_t LanesUpTo(const uint32_t* value, uint32_t limit) {
  uint64_t mask = 0;
#ifdef __AVX2__
  const __m256i limits = _mm256_set1_epi32(static_cast<int>(limit));
  for (int l = 0; l < kLanes; l += 8) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(value + l));
    const __m256i within = _mm256_cmpeq_epi32(_mm256_min_epu32(v, limits), v);
    mask |=
        static_cast<uint64_t>(static_cast<uint8_t>(_mm256_movemask_ps(_mm256_castsi256_ps(within))))
        << l;
  }
#else
  for (int l = 0; l < kLanes; ++l) mask |= uint64_t{value[l] <= limit} << l;
#endif
  return mask;
}

/// The parts of a buffer resource (CDNA3, RDNA3 and RDNA4 ISA, "Buffer Resource").
struct Resource {
  uint64_t base;
  uint32_t stride, records;
  uint32_t element;      // bytes of a swizzled buffer's pieces; 0: linear
  uint32_t index_group;  // records whose pieces lie next to each other in a swizzled buffer
  uint32_t check;        // RDNA: OOB_SELECT
  bool add_thread_id;
  uint32_t data_format;  // CDNA: stride[17:14] of a resource with ADD_TID
};
Resource ReadResource(const uint32_t* dwords, bool rdna) {
  Resource r = {.base = (uint64_t{dwords[1] & 0xffff} << 32) | dwords[0],
                .stride = dwords[1] >> 16 & 0x3fff,
                .records = dwords[2],
                .element = 0,
                .index_group = 8u << (dwords[3] >> 21 & 3),
                .check = dwords[3] >> 28 & 3,
                .add_thread_id = (dwords[3] >> 23 & 1) != 0,
                .data_format = dwords[3] >> 15 & 15};
  if (rdna) {
    const uint32_t swizzle = dwords[1] >> 30;
    r.element = swizzle == 0 ? 0 : swizzle == 3 ? 16 : 4;
  } else if (dwords[1] >> 31 != 0 && r.add_thread_id) {
    r.element = 4;  // CDNA swizzles with ADD_TID only, by dwords
  }
  return r;
}

/// One lane of the general case. `index`: of the VGPR, 0 without IDXEN; `offset`: VGPR and
/// instruction.
struct LaneRange {
  uint64_t start;     // after the base
  uint32_t phase;     // start of a swizzled access within a piece
  uint32_t in_range;  // bytes
};

/// How many of `bytes` bytes from `offset` end at or before `limit`, in dwords or (`whole`) all or
/// none.
uint32_t BytesUpTo(uint64_t offset, uint32_t bytes, uint64_t limit, bool whole) {
  if (offset + bytes <= limit) return bytes;
  if (whole || offset >= limit) return 0;
  return static_cast<uint32_t>(limit - offset) / 4 * 4;
}

/// Where a record's byte is in the buffer.
void Place(const Resource& r, uint64_t stride, uint32_t index, uint32_t offset, LaneRange& lane) {
  if (r.element == 0) {
    lane.start = index * stride + offset;
    return;
  }
  const uint64_t piece = offset / r.element * r.element;
  lane.phase = offset % r.element;
  lane.start = (index / r.index_group * stride + piece) * r.index_group +
               index % r.index_group * r.element + lane.phase;
}

/// CDNA: with ADD_TID and no IDXEN unchecked; with IDXEN and a stride, index < num_records; else
/// offsets are checked as bytes, soffset included.
LaneRange CdnaLane(const Resource& r, const Uop& u, int l, uint32_t index, uint32_t offset,
                   uint32_t scalar, uint32_t bytes, bool whole) {
  const bool indexed = (u.data & kBufferIdxen) != 0;
  const bool adds = r.add_thread_id && (r.element != 0 || !indexed);
  LaneRange lane = {0, 0, bytes};
  if (!r.add_thread_id || indexed) {
    if (indexed && r.stride != 0) {
      lane.in_range = index < r.records ? bytes : 0;
    } else {
      lane.in_range = BytesUpTo(uint64_t{offset} + scalar, bytes, r.records, whole);
    }
  }
  uint64_t stride = r.stride;
  if (adds && (u.data & kBufferFormat) == 0) stride |= uint64_t{r.data_format} << 14;
  Place(r, stride, adds ? index + static_cast<uint32_t>(l) : index, offset, lane);
  return lane;
}

/// RDNA3 and RDNA4: the resource says what is checked. IDXEN's index takes the place of the
/// thread's.
LaneRange RdnaLane(Resource r, const Uop& u, int l, uint32_t index, uint32_t offset,
                   uint32_t scalar, uint32_t bytes, bool whole) {
  const bool indexed = (u.data & kBufferIdxen) != 0;
  if (!indexed && r.add_thread_id) index = static_cast<uint32_t>(l);
  if (!indexed && !r.add_thread_id) r.element = 0;
  LaneRange lane = {0, 0, 0};
  Place(r, r.stride, index, offset, lane);
  const uint32_t of_record = BytesUpTo(offset, bytes, r.stride, whole);
  switch (r.check) {
    case 0:
      lane.in_range = index < r.records ? of_record : 0;
      break;
    case 1:
      lane.in_range = index < r.records ? bytes : 0;
      break;
    case 2:
      lane.in_range = r.records != 0 ? bytes : 0;
      break;
    default: {
      const uint32_t records = r.records - (scalar < r.records ? scalar : r.records);
      if (r.element != 0 && r.stride != 0) {
        lane.in_range = index < records ? of_record : 0;
      } else {
        lane.in_range = BytesUpTo(lane.start, bytes, records, whole);
      }
    }
  }
  return lane;
}

/// The first lane of `lanes` that does not access one allocation, or -1.
int FirstOutside(Wave& w, const LaneAddresses& at, uint32_t bytes, uint64_t lanes) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const int l = __builtin_ctzll(lanes);
    const uint64_t address = reinterpret_cast<uint64_t>(at.base) + at.offset[l];
    if (!InAllocation(w, address, address + bytes)) return l;
  }
  return -1;
}

/// A resource whose lanes all are at offset + a common base, and whose range is a number of bytes:
/// fills `in_range` and `out`.
uint64_t ResolveRaw(uint64_t exec, uint32_t records, uint32_t scalar, uint32_t bytes, bool by_dword,
                    BufferAddresses& out) {
  const int64_t room = static_cast<int64_t>(records) - static_cast<int64_t>(scalar);
  uint64_t in_range = 0;
  if (room >= bytes) in_range = LanesUpTo(out.offset, static_cast<uint32_t>(room - bytes)) & exec;
  if (by_dword && bytes > 4 && in_range != exec && room >= 4) {
    out.partial = LanesUpTo(out.offset, static_cast<uint32_t>(room - 4)) & exec & ~in_range;
    ForLanes(out.partial, [&](int l) {
      out.dwords[l] = static_cast<uint8_t>((static_cast<uint32_t>(room) - out.offset[l]) / 4);
    });
  }
  return in_range;
}

/// All others, lane by lane. False: an offset is too large to represent.
bool ResolveLanes(Wave& w, const Uop& u, const Resource& r, uint64_t exec, uint32_t scalar,
                  uint32_t bytes, bool by_dword, BufferAddresses& out, uint64_t& in_range) {
  const bool rdna = (u.data & kBufferRdna) != 0;
  const uint32_t* index = (u.data & kBufferIdxen) != 0 ? Row(w, u.src[0]) : kNoOffsets;
  in_range = 0;
  for (uint64_t left = exec; left != 0; left &= left - 1) {
    const int l = __builtin_ctzll(left);
    const bool whole = !by_dword || bytes <= 4;
    const LaneRange lane = rdna ? RdnaLane(r, u, l, index[l], out.offset[l], scalar, bytes, whole)
                                : CdnaLane(r, u, l, index[l], out.offset[l], scalar, bytes, whole);
    if (lane.in_range == 0) continue;
    if (lane.start > ~uint32_t{0})
      return RaiseFault(w, u, "reaches more than 4 GiB past a buffer's base", l);
    out.offset[l] = static_cast<uint32_t>(lane.start);
    out.phase[l] = static_cast<uint8_t>(lane.phase);
    out.dwords[l] = static_cast<uint8_t>((lane.in_range + 3) / 4);
    const bool swizzled =
        r.element != 0 && (!rdna || (u.data & kBufferIdxen) != 0 || r.add_thread_id);
    out.piece = swizzled ? r.element : 0;
    (swizzled || lane.in_range != bytes ? out.partial : in_range) |= uint64_t{1} << l;
  }
  out.piece_stride = r.element * r.index_group;
  return true;
}

/// The first lane that reaches outside the allocations, or -1.
int FirstUnallocated(Wave& w, uint32_t bytes, const BufferAddresses& out) {
  const LaneAddresses& at = out.at;
  if (at.lanes != 0) {
    const OffsetBounds bounds = BoundsOf(at.offset, at.lanes);
    const uint64_t base = reinterpret_cast<uint64_t>(at.base);
    if (!InAllocation(w, base + bounds.least, base + bounds.greatest + bytes)) {
      const int l = FirstOutside(w, at, bytes, at.lanes);
      if (l >= 0) return l;
    }
  }
  for (uint64_t left = out.partial; left != 0; left &= left - 1) {
    const int l = __builtin_ctzll(left);
    const uint32_t used = out.dwords[l] * 4u < bytes ? out.dwords[l] * 4u : bytes;
    const uint32_t step = out.piece == 0 ? used : 1;
    for (uint32_t i = 0; i < used; i += step) {
      const uint64_t address = reinterpret_cast<uint64_t>(BufferByte(out, l, i));
      if (!InAllocation(w, address, address + step)) return l;
    }
  }
  return -1;
}

/// Each lane's offset of VGPR and instruction.
void ReadOffsets(Wave& w, const Uop& u, uint32_t* offset) {
  if (u.data & kBufferOffen) {
    const uint32_t* of_lanes = Row(w, NextRow(u.src[0], (u.data & kBufferIdxen) != 0 ? 1 : 0));
    for (int l = 0; l < kLanes; ++l) offset[l] = of_lanes[l] + static_cast<uint32_t>(u.imm);
  } else {
    for (int l = 0; l < kLanes; ++l) offset[l] = static_cast<uint32_t>(u.imm);
  }
}

/// Whether the resource is that of the wave's scratch, swizzled by dwords as Wave::scratch is: how
/// gfx90a reaches scratch (LLVM AMDGPUUsage, "Private Segment Buffer").
bool IsScratch(Wave& w, const Uop& u) {
  const uint32_t* resource = Row(w, u.src[2]);
  if ((resource[3] >> 23 & 1) == 0 || (u.data & (kBufferRdna | kBufferIdxen)) != 0) return false;
  const Resource r = ReadResource(resource, false);
  return w.scratch_bytes != 0 && r.base == reinterpret_cast<uint64_t>(w.scratch) && r.stride == 0 &&
         r.element == 4;
}

/// The scalar offset counts bytes of all lanes.
bool AtScratchBuffer(Wave& w, const Uop& u, const Operation& op) {
  constexpr uint32_t kRow = 4 * kLanes;
  const uint32_t scalar = *Row(w, u.src[3]);
  if (scalar % kRow != 0)
    return RaiseFault(w, u, "has a scalar offset into scratch that is no multiple of 256", -1);
  alignas(64) uint32_t offset[kLanes];
  ReadOffsets(w, u, offset);
  for (uint32_t& lane : offset) lane += scalar / kLanes;
  return AtScratchOffsets(w, u, offset, Exec(w), op);
}

}  // namespace

bool ResolveBuffer(Wave& w, const Uop& u, Access access, bool by_dword, BufferAddresses& out) {
  const bool rdna = (u.data & kBufferRdna) != 0;
  const bool indexed = (u.data & kBufferIdxen) != 0;
  const Resource r = ReadResource(Row(w, u.src[2]), rdna);
  if (!rdna && !r.add_thread_id && Row(w, u.src[2])[1] >> 31 != 0) [[unlikely]]
    NoteNotKnown(w, u);  // whether it swizzles
  const uint64_t exec = Exec(w);
  const uint32_t scalar = *Row(w, u.src[3]);
  ReadOffsets(w, u, out.offset);
  out.partial = 0;
  out.piece = 0;
  uint64_t in_range = 0;
  const bool raw = rdna ? !indexed && !r.add_thread_id && r.check == 3
                        : !r.add_thread_id && (!indexed || r.stride == 0);
  if (raw) {
    in_range = ResolveRaw(exec, r.records, scalar, access.bytes, by_dword, out);
  } else if (!ResolveLanes(w, u, r, exec, scalar, access.bytes, by_dword, out, in_range)) {
    return false;
  }
  out.at = {.base = reinterpret_cast<std::byte*>(r.base + scalar),
            .offset = out.offset,
            .lanes = in_range,
            .zeroed = exec & ~in_range & ~out.partial};
  const int outside = FirstUnallocated(w, access.bytes, out);
  if (outside < 0) {
    return CheckAligned(w, u, access, reinterpret_cast<uint64_t>(out.at.base), out.offset,
                        in_range | out.partial);
  }
  return RaiseFault(w, u, OutsideAllocations(access), outside,
                    r.base + scalar + out.offset[outside], access.bytes);
}

namespace {

/// Applies `op` to the lanes in `partial` of a swizzled buffer: in place if a lane's bytes lie
/// together (which those of atomics do), else by way of a copy.
void ApplySwizzled(Wave& w, const Uop& u, const BufferAddresses& a, const Operation& op) {
  const Access access = op.access;
  ForLanes(a.partial, [&](int l) {
    const uint32_t bytes = a.dwords[l] * 4u < access.bytes ? a.dwords[l] * 4u : access.bytes;
    for (uint32_t i = 0; i < bytes; i += a.piece) {
      const uint32_t left = bytes - i;
      ObserveLane(w, u, {left < a.piece ? left : a.piece, access.reads, access.writes},
                  BufferByte(a, l, i), l);
    }
    if (bytes == access.bytes && a.phase[l] + bytes <= a.piece)
      return op.lane(w, u, l, BufferByte(a, l, 0));
    alignas(16) std::byte copy[16] = {};
    for (uint32_t i = 0; i < bytes; ++i) copy[i] = *BufferByte(a, l, i);
    op.lane(w, u, l, copy);
    if (!access.writes) return;
    for (uint32_t i = 0; i < bytes; ++i) *BufferByte(a, l, i) = copy[i];
  });
}

}  // namespace

bool AtBuffer(Wave& w, const Uop& u, const Operation& op) {
  if (IsScratch(w, u)) [[unlikely]]
    return AtScratchBuffer(w, u, op);
  BufferAddresses addresses;
  if (!ResolveBuffer(w, u, op.access, op.partial != nullptr, addresses)) return false;
  op.apply(w, u, addresses.at);
  if (addresses.partial == 0) [[likely]]
    return true;
  if (addresses.piece != 0) {
    ApplySwizzled(w, u, addresses, op);
    return true;
  }
  ForLanes(addresses.partial, [&](int l) {
    std::byte* const at = addresses.at.base + addresses.offset[l];
    const uint32_t dwords = addresses.dwords[l];
    ObserveLane(w, u, {4 * dwords, op.access.reads, op.access.writes}, at, l);
    op.partial(w, u, l, at, dwords);
  });
  return true;
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
