#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "tools/sim/isa/bind_memory.h"
#include "tools/sim/isa/binding.h"
#include "tools/sim/isa/exec_memory.h"
#include "tools/sim/isa/exec_memory_tables.h"
#include "tools/sim/isa/uop.h"
#include "tools/sim/machine/wave.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

/// Offset of a scalar load: immediate plus SGPR src[3] if there is one.
GRIDWISE_SIM_INLINE uint64_t ScalarOffset(Wave& w, const Uop& u) {
  uint64_t offset = static_cast<int64_t>(u.imm);
  if (u.src[3] != kNoRef) offset += *Row(w, u.src[3]);
  return offset;
}

/// dst = the kDwords dwords at src[2] + offset, whose low two bits are ignored.
template <int kDwords>
bool ScalarLoad(Wave& w, const Uop& u) {
  const uint64_t address = (Read64(w, u.src[2]) + ScalarOffset(w, u)) & ~uint64_t{3};
  if (!InAllocation(w, address, address + 4 * kDwords)) {
    return RaiseFault(w, u, "reads outside every allocation", -1, address, 4 * kDwords);
  }
  ObserveLane(w, u, {4 * kDwords, true, false}, reinterpret_cast<void*>(address), 0);
  std::memcpy(Row(w, u.dst), reinterpret_cast<const std::byte*>(address), 4 * kDwords);
  return true;
}

/// The same from a buffer resource; dwords past num_records (times the stride, if there is one) are
/// 0.
template <int kDwords>
bool ScalarBufferLoad(Wave& w, const Uop& u) {
  const uint32_t* resource = Row(w, u.src[2]);
  const uint64_t base = (uint64_t{resource[1] & 0xffff} << 32) | resource[0];
  const uint64_t stride = resource[1] >> 16 & 0x3fff;
  const uint64_t records = resource[2] * (stride == 0 ? 1 : stride);
  const uint64_t offset = ScalarOffset(w, u) & ~uint64_t{3};
  uint32_t result[kDwords];
  for (int d = 0; d < kDwords; ++d) {
    const uint64_t at = offset + 4 * d;
    result[d] = 0;
    if (at + 4 > records) continue;
    if (!InAllocation(w, base + at, base + at + 4)) {
      return RaiseFault(w, u, "reads outside every allocation", -1, base + at, 4);
    }
    Uop one = u;
    one.dst.bits += static_cast<uint32_t>(4 * d);
    ObserveLane(w, one, {4, true, false}, reinterpret_cast<void*>(base + at), 0);
    std::memcpy(&result[d], reinterpret_cast<const std::byte*>(base + at), 4);
  }
  std::memcpy(Row(w, u.dst), result, sizeof(result));
  return true;
}

constexpr OpTraits Loads(uint8_t dwords) { return {.dwords = dwords, .flags = kMemoryLoad}; }

}  // namespace

BindingTable SmemTable() {
  static constexpr OpClass kSmem = OpClass::kSmem;
  static constexpr Binding kTable[] = {
      {"s_load_dword", kSmem, &BindScalarLoad, &Step<&ScalarLoad<1>>, Loads(1)},
      {"s_load_dwordx2", kSmem, &BindScalarLoad, &Step<&ScalarLoad<2>>, Loads(2)},
      {"s_load_dwordx4", kSmem, &BindScalarLoad, &Step<&ScalarLoad<4>>, Loads(4)},
      {"s_load_dwordx8", kSmem, &BindScalarLoad, &Step<&ScalarLoad<8>>, Loads(8)},
      {"s_load_dwordx16", kSmem, &BindScalarLoad, &Step<&ScalarLoad<16>>, Loads(16)},
      {"s_buffer_load_dword", kSmem, &BindScalarBufferLoad, &Step<&ScalarBufferLoad<1>>, Loads(1)},
      {"s_buffer_load_dwordx2", kSmem, &BindScalarBufferLoad, &Step<&ScalarBufferLoad<2>>,
       Loads(2)},
      {"s_buffer_load_dwordx4", kSmem, &BindScalarBufferLoad, &Step<&ScalarBufferLoad<4>>,
       Loads(4)},
      {"s_buffer_load_dwordx8", kSmem, &BindScalarBufferLoad, &Step<&ScalarBufferLoad<8>>,
       Loads(8)},
      {"s_buffer_load_dwordx16", kSmem, &BindScalarBufferLoad, &Step<&ScalarBufferLoad<16>>,
       Loads(16)},
  };
  return {kTable, std::size(kTable)};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
