#include <cstddef>
#include <cstdint>
#include <iterator>

#include "tools/sim/isa/bind_memory.h"
#include "tools/sim/isa/binding.h"
#include "tools/sim/isa/exec_load_store.h"
#include "tools/sim/isa/exec_memory.h"
#include "tools/sim/isa/exec_memory_tables.h"
#include "tools/sim/isa/uop.h"
#include "tools/sim/machine/wave.h"

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

/// The first lane of `lanes` that does not access one allocation, or -1.
int FirstOutside(Wave& w, const LaneAddresses& at, uint32_t bytes, uint64_t lanes) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const int l = __builtin_ctzll(lanes);
    const uint64_t address = reinterpret_cast<uint64_t>(at.base) + at.offset[l];
    if (!InAllocation(w, address, address + bytes)) return l;
  }
  return -1;
}

/// The parts of a gfx9 buffer resource (CDNA3 ISA, "Buffer Resource Descriptor").
struct Resource {
  uint64_t base;
  uint32_t stride, records;
  bool swizzled, add_thread_id;
};
Resource ReadResource(const uint32_t* dwords) {
  return {.base = (uint64_t{dwords[1] & 0xffff} << 32) | dwords[0],
          .stride = dwords[1] >> 16 & 0x3fff,
          .records = dwords[2],
          .swizzled = (dwords[1] >> 31) != 0,
          .add_thread_id = (dwords[3] >> 23 & 1) != 0};
}

}  // namespace

// Range rules of gfx9 buffers: with IDXEN and a stride, index < num_records. Else a dword is in
// range when its end, voffset + instruction offset + soffset + 4 * (n + 1), is at most num_records.
// What is out of range reads as 0 and is not written; an atomic is in range as a whole or not at
// all.
bool ResolveBuffer(Wave& w, const Uop& u, Access access, BufferAddresses& out) {
  const Resource resource = ReadResource(Row(w, u.src[2]));
  if (resource.swizzled)
    return RaiseFault(w, u, "uses a swizzled buffer resource, which is not supported");
  if (resource.add_thread_id)
    return RaiseFault(w, u, "uses a buffer resource with ADD_TID, which is not supported");
  const uint64_t exec = Exec(w);
  const uint64_t scalar = *Row(w, u.src[3]);
  const bool indexed = (u.data & kBufferIdxen) != 0;
  const bool structured = indexed && resource.stride != 0;
  if (u.data & kBufferOffen) {
    const uint32_t* offset = Row(w, NextRow(u.src[0], indexed ? 1 : 0));
    for (int l = 0; l < kLanes; ++l) out.offset[l] = offset[l] + static_cast<uint32_t>(u.imm);
  } else {
    for (int l = 0; l < kLanes; ++l) out.offset[l] = static_cast<uint32_t>(u.imm);
  }
  uint64_t in_range = 0, partial = 0;
  if (structured) {
    const uint32_t* index = Row(w, u.src[0]);
    if (resource.records != 0) in_range = LanesUpTo(index, resource.records - 1) & exec;
    for (uint64_t left = in_range; left != 0; left &= left - 1) {
      const int l = __builtin_ctzll(left);
      const uint64_t offset = uint64_t{index[l]} * resource.stride + out.offset[l];
      if (offset > ~uint32_t{0})
        return RaiseFault(w, u, "reaches more than 4 GiB past a buffer's base", l);
      out.offset[l] = static_cast<uint32_t>(offset);
    }
  } else {
    const int64_t room = static_cast<int64_t>(resource.records) - static_cast<int64_t>(scalar);
    if (room >= access.bytes)
      in_range = LanesUpTo(out.offset, static_cast<uint32_t>(room - access.bytes)) & exec;
    const bool by_dword = access.bytes > 4 && access.reads != access.writes;
    if (by_dword && in_range != exec && room >= 4) {
      partial = LanesUpTo(out.offset, static_cast<uint32_t>(room - 4)) & exec & ~in_range;
    }
  }
  out.at = {.base = reinterpret_cast<std::byte*>(resource.base + scalar),
            .offset = out.offset,
            .lanes = in_range,
            .zeroed = exec & ~in_range & ~partial};
  out.partial = partial;
  int outside = -1;
  if (in_range != 0) {
    const OffsetBounds bounds = BoundsOf(out.offset, in_range);
    const uint64_t base = resource.base + scalar;
    if (!InAllocation(w, base + bounds.least, base + bounds.greatest + access.bytes)) {
      outside = FirstOutside(w, out.at, access.bytes, in_range);
    }
  }
  if (outside < 0 && partial != 0) outside = FirstOutside(w, out.at, 4, partial);
  if (outside < 0) return true;
  return RaiseFault(w, u, OutsideAllocations(access), outside,
                    resource.base + scalar + out.offset[outside], access.bytes);
}

namespace {

/// Loads to LDS (CDNA3 ISA, "Memory Buffer Load to LDS"): lane l's dword goes to M0[17:0] +
/// instruction offset + 4 * l.
template <typename T>
struct LoadToLds {
  static constexpr Access kAccess = {.bytes = sizeof(T), .reads = true, .writes = false};

  static uint32_t Address(const Wave& w, const Uop& u, int lane) {
    return (w.s[kM0] & 0x3ffff) + static_cast<uint32_t>(u.imm) + 4 * static_cast<uint32_t>(lane);
  }
  static void Put(Wave& w, const Uop& u, int l, T value) {
    const uint32_t extended = static_cast<uint32_t>(static_cast<int32_t>(value));
    std::memcpy(w.lds + Address(w, u, l), &extended, 4);
  }
  static void Lane(Wave& w, const Uop& u, int l, const std::byte* p) { Put(w, u, l, LoadAs<T>(p)); }
  static void Zero(Wave& w, const Uop& u, int l) { Put(w, u, l, 0); }
};

template <auto kLoad, typename Op>
bool ToLds(Wave& w, const Uop& u) {
  const uint64_t exec = Exec(w);
  if (exec == 0) return true;
  const int last = 63 - __builtin_clzll(exec);
  const uint32_t address = Op::Address(w, u, last);
  if (uint64_t{address} + 4 > w.lds_bytes) {
    return RaiseFault(w, u, "writes LDS outside what the workgroup has", last, address, 4,
                      AddressSpace::kLds);
  }
  if (w.observe != nullptr) [[unlikely]] {  // the LDS side first, then what is loaded
    uint32_t to[kLanes];
    for (int l = 0; l < kLanes; ++l) to[l] = Op::Address(w, u, l);
    Observe(w, u, {4, false, true}, w.lds, to, exec);
  }
  return kLoad(w, u);
}

constexpr OpTraits Loads(uint8_t dwords) { return {.dwords = dwords, .flags = kMemoryLoad}; }
constexpr OpTraits Stores(uint8_t dwords) { return {.dwords = dwords, .flags = kMemoryStore}; }

}  // namespace

#define ROW(NAME, BIND, SPACE, TRAITS, ...) \
  {NAME, OpClass::kVmem, &BIND, &Step<&SPACE<__VA_ARGS__>>, TRAITS}

#define LOADS_AND_STORES(PREFIX, BIND, SPACE)                                                     \
  ROW(PREFIX "_load_dword", BIND, SPACE, Loads(1), Load<1>),                                      \
      ROW(PREFIX "_load_dwordx2", BIND, SPACE, Loads(2), Load<2>),                                \
      ROW(PREFIX "_load_dwordx3", BIND, SPACE, Loads(3), Load<3>),                                \
      ROW(PREFIX "_load_dwordx4", BIND, SPACE, Loads(4), Load<4>),                                \
      ROW(PREFIX "_load_ubyte", BIND, SPACE, Loads(1), LoadPart<uint8_t, Place::kDword>),         \
      ROW(PREFIX "_load_sbyte", BIND, SPACE, Loads(1), LoadPart<int8_t, Place::kDword>),          \
      ROW(PREFIX "_load_ushort", BIND, SPACE, Loads(1), LoadPart<uint16_t, Place::kDword>),       \
      ROW(PREFIX "_load_sshort", BIND, SPACE, Loads(1), LoadPart<int16_t, Place::kDword>),        \
      ROW(PREFIX "_load_ubyte_d16", BIND, SPACE, Loads(1), LoadPart<uint8_t, Place::kLow>),       \
      ROW(PREFIX "_load_ubyte_d16_hi", BIND, SPACE, Loads(1), LoadPart<uint8_t, Place::kHigh>),   \
      ROW(PREFIX "_load_sbyte_d16", BIND, SPACE, Loads(1), LoadPart<int8_t, Place::kLow>),        \
      ROW(PREFIX "_load_sbyte_d16_hi", BIND, SPACE, Loads(1), LoadPart<int8_t, Place::kHigh>),    \
      ROW(PREFIX "_load_short_d16", BIND, SPACE, Loads(1), LoadPart<uint16_t, Place::kLow>),      \
      ROW(PREFIX "_load_short_d16_hi", BIND, SPACE, Loads(1), LoadPart<uint16_t, Place::kHigh>),  \
      ROW(PREFIX "_store_dword", BIND, SPACE, Stores(1), Store<1>),                               \
      ROW(PREFIX "_store_dwordx2", BIND, SPACE, Stores(2), Store<2>),                             \
      ROW(PREFIX "_store_dwordx3", BIND, SPACE, Stores(3), Store<3>),                             \
      ROW(PREFIX "_store_dwordx4", BIND, SPACE, Stores(4), Store<4>),                             \
      ROW(PREFIX "_store_byte", BIND, SPACE, Stores(1), StorePart<uint8_t, Place::kDword>),       \
      ROW(PREFIX "_store_byte_d16_hi", BIND, SPACE, Stores(1), StorePart<uint8_t, Place::kHigh>), \
      ROW(PREFIX "_store_short", BIND, SPACE, Stores(1), StorePart<uint16_t, Place::kDword>),     \
      ROW(PREFIX "_store_short_d16_hi", BIND, SPACE, Stores(1), StorePart<uint16_t, Place::kHigh>)

#define TO_LDS_ROW(NAME, BIND, SPACE, T) \
  {NAME, OpClass::kVmem, &BIND, &Step<&ToLds<&SPACE<LoadToLds<T>>, LoadToLds<T>>>, Loads(1)}

BindingTable VmemTable() {
  static constexpr Binding kTable[] = {
      LOADS_AND_STORES("global", BindGlobal, Global),
      LOADS_AND_STORES("flat", BindFlat, Flat),
      LOADS_AND_STORES("scratch", BindScratch, Scratch),
      LOADS_AND_STORES("buffer", BindBuffer, Buffer),
      TO_LDS_ROW("global_load_lds_dword", BindGlobalToLds, Global, uint32_t),
      TO_LDS_ROW("global_load_lds_ubyte", BindGlobalToLds, Global, uint8_t),
      TO_LDS_ROW("global_load_lds_sbyte", BindGlobalToLds, Global, int8_t),
      TO_LDS_ROW("global_load_lds_ushort", BindGlobalToLds, Global, uint16_t),
      TO_LDS_ROW("global_load_lds_sshort", BindGlobalToLds, Global, int16_t),
      // What BindBuffer looks up when a load has the modifier "lds".
      TO_LDS_ROW("buffer_load_dword lds", BindBuffer, Buffer, uint32_t),
      TO_LDS_ROW("buffer_load_ubyte lds", BindBuffer, Buffer, uint8_t),
      TO_LDS_ROW("buffer_load_sbyte lds", BindBuffer, Buffer, int8_t),
      TO_LDS_ROW("buffer_load_ushort lds", BindBuffer, Buffer, uint16_t),
      TO_LDS_ROW("buffer_load_sshort lds", BindBuffer, Buffer, int16_t),
      {"buffer_wbl2", OpClass::kVmem, &BindCacheControl, nullptr},
      {"buffer_inv", OpClass::kVmem, &BindCacheControl, nullptr},
  };
  return {kTable, std::size(kTable)};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
