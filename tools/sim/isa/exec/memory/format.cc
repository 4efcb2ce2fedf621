// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/bind/buffer_format.h"
#include "tools/sim/isa/bind/memory.h"
#include "tools/sim/isa/exec/memory/buffer.h"
#include "tools/sim/isa/exec/memory/memory.h"
#include "tools/sim/isa/exec/memory_tables.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

/// Buffer accesses that convert: tbuffer_*, whose format is in the instruction, and
/// buffer_load_format and buffer_store_format, whose format and component selection are in the
/// resource.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

constexpr uint32_t LowBits(uint32_t bits) { return bits >= 32 ? ~0u : (1u << bits) - 1; }

/// A float with 5 bits of exponent, `mantissa` bits and no sign, as a float.
float SmallFloat(uint32_t value, uint32_t mantissa) {
  const uint32_t half = value << (10 - mantissa);  // with sign 0
  return static_cast<float>(__builtin_bit_cast(_Float16, static_cast<uint16_t>(half)));
}
uint32_t ToSmallFloat(float value, uint32_t mantissa) {  // negative numbers are 0; truncates
  const auto half = static_cast<_Float16>(value);
  if (half < 0) return 0;
  return __builtin_bit_cast(uint16_t, half) >> (10 - mantissa) & LowBits(5 + mantissa);
}

/// A component of memory as 32 bits: a float, or an integer of the integer formats.
uint32_t Decode(uint32_t raw, uint32_t bits, NumberFormat number) {
  const uint32_t sign = 1u << (bits - 1);
  const auto extended = static_cast<int32_t>((raw ^ sign) - sign);
  const auto as_bits = [](float f) { return __builtin_bit_cast(uint32_t, f); };
  switch (number) {
    case NumberFormat::kUnorm:
      return as_bits(static_cast<float>(raw / static_cast<double>(LowBits(bits))));
    case NumberFormat::kSnorm: {
      const double value = extended / static_cast<double>(LowBits(bits - 1));
      return as_bits(static_cast<float>(value < -1 ? -1 : value));
    }
    case NumberFormat::kUscaled:
      return as_bits(static_cast<float>(raw));
    case NumberFormat::kSscaled:
      return as_bits(static_cast<float>(extended));
    case NumberFormat::kSint:
      return static_cast<uint32_t>(extended);
    case NumberFormat::kFloat:
      if (bits == 16)
        return as_bits(
            static_cast<float>(__builtin_bit_cast(_Float16, static_cast<uint16_t>(raw))));
      return bits == 32 ? raw : as_bits(SmallFloat(raw, bits - 5));
    default:
      return raw;
  }
}

double Clamped(double value, double least, double greatest) {  // NaN: least
  return value > least ? (value < greatest ? value : greatest) : least;
}

uint32_t Encode(uint32_t value, uint32_t bits, NumberFormat number) {
  const double real = __builtin_bit_cast(float, value);
  const double most = LowBits(bits), half = LowBits(bits - 1);
  const auto integer = [](double x) { return static_cast<uint32_t>(static_cast<int64_t>(x)); };
  const auto nearest = [&](double x) { return integer(__builtin_rint(x)); };
  switch (number) {
    case NumberFormat::kUnorm:
      return nearest(Clamped(real != real ? 0 : real, 0, 1) * most);
    case NumberFormat::kSnorm:
      return nearest(Clamped(real != real ? 0 : real, -1, 1) * half) & LowBits(bits);
    case NumberFormat::kUscaled:
      return integer(Clamped(real != real ? 0 : real, 0, most));
    case NumberFormat::kSscaled:
      return integer(Clamped(real != real ? 0 : real, -half - 1, half)) & LowBits(bits);
    case NumberFormat::kUint:
      return value < LowBits(bits) ? value : LowBits(bits);
    case NumberFormat::kSint:
      return integer(Clamped(static_cast<int32_t>(value), -half - 1, half)) & LowBits(bits);
    case NumberFormat::kFloat:
      if (bits == 16)
        return __builtin_bit_cast(uint16_t,
                                  static_cast<_Float16>(__builtin_bit_cast(float, value)));
      return bits == 32 ? value : ToSmallFloat(__builtin_bit_cast(float, value), bits - 5);
    default:
      return value & LowBits(bits);
  }
}

bool IsInteger(NumberFormat n) { return n == NumberFormat::kUint || n == NumberFormat::kSint; }

/// Format and component selection of an access.
struct Element {
  BufferFormat format;
  uint32_t select[4];  // 0: zero, 1: one, 4 + n: component n
  uint32_t bytes;
};

Element ElementOf(Wave& w, const Uop& u) {
  Element e = {.format = Unpacked(u.data2), .select = {4, 5, 6, 7}, .bytes = 0};
  if (u.data2 == 0) {
    const uint32_t word3 = Row(w, u.src[2])[3];
    if (u.data & kBufferRdna) {
      e.format = UnifiedFormat(word3 >> 12 & 63);
    } else {
      e.format = FormatOf(word3 >> 15 & 15, static_cast<NumberFormat>(word3 >> 12 & 7));
    }
    for (int i = 0; i < 4; ++i) e.select[i] = word3 >> (3 * i) & 7;
  }
  for (const uint8_t bits : e.format.bits) e.bytes += bits;
  e.bytes /= 8;
  return e;
}

/// How a component is kept in registers: one to a register, or as halves.
enum class Width { kDword, kHalves, kHighHalf };

/// A half that fills no pair keeps the other half of its register, or makes it 0 where registers
/// have error correction, see Place.
enum class OtherHalf { kKept, kZero };

/// 16 bits of a component: a half, or the low bits of an integer.
uint32_t Narrow(uint32_t value, NumberFormat number) {
  if (IsInteger(number)) return value & 0xffff;
  return __builtin_bit_cast(uint16_t, static_cast<_Float16>(__builtin_bit_cast(float, value)));
}
uint32_t Widen(uint32_t half, NumberFormat number) {
  if (number == NumberFormat::kUint) return half;
  if (number == NumberFormat::kSint)
    return static_cast<uint32_t>(int32_t{static_cast<int16_t>(half)});
  const auto value = __builtin_bit_cast(_Float16, static_cast<uint16_t>(half));
  return __builtin_bit_cast(uint32_t, static_cast<float>(value));
}

template <Width kWidth, OtherHalf kOther>
void PutComponent(uint32_t* row, int l, int i, uint32_t value, NumberFormat number) {
  if constexpr (kWidth == Width::kDword) {
    row[i * kLanes + l] = value;
  } else {
    uint32_t& reg = row[i / 2 * kLanes + l];
    const bool high = kWidth == Width::kHighHalf || i % 2 != 0;
    const uint32_t half = Narrow(value, number);
    const bool alone = kWidth == Width::kHighHalf || !high;  // so far
    if (kOther == OtherHalf::kZero && alone) reg = 0;
    reg = high ? (reg & 0xffff) | half << 16 : (reg & 0xffff0000) | half;
  }
}
template <Width kWidth>
uint32_t GetComponent(const uint32_t* row, int l, int i, NumberFormat number) {
  if constexpr (kWidth == Width::kDword) return row[i * kLanes + l];
  const uint32_t reg = row[i / 2 * kLanes + l];
  return Widen((kWidth == Width::kHighHalf || i % 2 != 0 ? reg >> 16 : reg) & 0xffff, number);
}

/// Calls body(lane, bytes of its element) for the lanes in range, by way of a copy, and
/// `outside(lane)` for the others. An element is in range as a whole or not at all.
template <bool kStore, typename Body, typename Outside>
bool ForElements(Wave& w, const Uop& u, uint32_t bytes, const Body& body, const Outside& outside) {
  const Access access = {bytes, !kStore, kStore};
  BufferAddresses addresses;
  if (!ResolveBuffer(w, u, access, false, addresses)) return false;
  ForLanes(addresses.at.zeroed, outside);
  ForLanes(addresses.at.lanes | addresses.partial, [&](int l) {
    std::byte copy[16] = {};
    const uint32_t step = addresses.piece == 0 ? bytes : 1;
    for (uint32_t i = 0; i < bytes; i += step)
      ObserveLane(w, u, {step, !kStore, kStore}, BufferByte(addresses, l, i), l);
    if constexpr (!kStore) {
      for (uint32_t i = 0; i < bytes; ++i) copy[i] = *BufferByte(addresses, l, i);
    }
    body(l, copy);
    if constexpr (kStore) {
      for (uint32_t i = 0; i < bytes; ++i) *BufferByte(addresses, l, i) = copy[i];
    }
  });
  return true;
}

template <int kComponents, Width kWidth, OtherHalf kOther>
bool FormatLoad(Wave& w, const Uop& u) {
  const Element e = ElementOf(w, u);
  const NumberFormat number = e.format.number;
  const uint32_t one = IsInteger(number) ? 1 : __builtin_bit_cast(uint32_t, 1.0f);
  uint32_t* row = Row(w, u.dst);
  const auto outside = [&](int l) {
    for (int i = 0; i < kComponents; ++i) PutComponent<kWidth, kOther>(row, l, i, 0, number);
  };
  if (e.bytes == 0) return RaiseFault(w, u, "loads from a buffer with an invalid format");
  const auto load = [&](int l, const std::byte* bytes) {
    unsigned __int128 packed = 0;
    __builtin_memcpy(&packed, bytes, 16);
    uint32_t components[4];
    for (int c = 0; c < 4; ++c) {
      const uint32_t bits = e.format.bits[c];
      components[c] = c == 3 ? one : 0;
      if (bits != 0)
        components[c] = Decode(static_cast<uint32_t>(packed) & LowBits(bits), bits, number);
      packed >>= bits;
    }
    for (int i = 0; i < kComponents; ++i) {
      const uint32_t s = e.select[i];
      PutComponent<kWidth, kOther>(row, l, i,
                                   s >= 4   ? components[s - 4]
                                   : s == 1 ? one
                                            : 0,
                                   number);
    }
  };
  return ForElements<false>(w, u, e.bytes, load, outside);
}

template <int kComponents, Width kWidth>
bool FormatStore(Wave& w, const Uop& u) {
  const Element e = ElementOf(w, u);
  const uint32_t* row = Row(w, u.src[1]);
  if (e.bytes == 0) return RaiseFault(w, u, "stores to a buffer with an invalid format");
  const auto store = [&](int l, std::byte* bytes) {
    uint32_t components[4] = {};
    for (int i = 0; i < kComponents; ++i) {
      if (e.select[i] >= 4)
        components[e.select[i] - 4] = GetComponent<kWidth>(row, l, i, e.format.number);
    }
    unsigned __int128 packed = 0;
    uint32_t shift = 0;
    for (int c = 0; c < 4; ++c) {
      const uint32_t bits = e.format.bits[c];
      if (bits == 0) continue;
      packed |= static_cast<unsigned __int128>(Encode(components[c], bits, e.format.number))
                << shift;
      shift += bits;
    }
    __builtin_memcpy(bytes, &packed, 16);
  };
  return ForElements<true>(w, u, e.bytes, store, [](int) {});
}

constexpr OpTraits Loads(int dwords, bool typed) {
  return {.dwords = static_cast<uint8_t>(dwords),
          .flags = kMemoryLoad | kFormatted | (typed ? kTyped : 0)};
}
constexpr OpTraits Stores(int dwords, bool typed) {
  return {.dwords = static_cast<uint8_t>(dwords),
          .flags = kMemoryStore | kFormatted | (typed ? kTyped : 0)};
}

}  // namespace

#define LOAD_ROW(PREFIX, TYPED, SUFFIX, COMPONENTS, DWORDS, WIDTH, OTHER, TARGETS) \
  {PREFIX "_load_format_" SUFFIX,                                                  \
   OpClass::kVmem,                                                                 \
   &BindBuffer,                                                                    \
   &Step<&FormatLoad<COMPONENTS, WIDTH, OTHER>>,                                   \
   Loads(DWORDS, TYPED),                                                           \
   TARGETS}
#define PAIR(PREFIX, TYPED, SUFFIX, COMPONENTS, DWORDS, WIDTH)                               \
  LOAD_ROW(PREFIX, TYPED, SUFFIX, COMPONENTS, DWORDS, WIDTH, OtherHalf::kKept, kRdna),       \
      LOAD_ROW(PREFIX, TYPED, SUFFIX, COMPONENTS, DWORDS, WIDTH, OtherHalf::kZero, kGfx9), { \
    PREFIX "_store_format_" SUFFIX, OpClass::kVmem, &BindBuffer,                             \
        &Step<&FormatStore<COMPONENTS, WIDTH>>, Stores(DWORDS, TYPED)                        \
  }
#define FORMAT_ROWS(PREFIX, TYPED)                                                               \
  PAIR(PREFIX, TYPED, "x", 1, 1, Width::kDword), PAIR(PREFIX, TYPED, "xy", 2, 2, Width::kDword), \
      PAIR(PREFIX, TYPED, "xyz", 3, 3, Width::kDword),                                           \
      PAIR(PREFIX, TYPED, "xyzw", 4, 4, Width::kDword),                                          \
      PAIR(PREFIX, TYPED, "d16_x", 1, 1, Width::kHalves),                                        \
      PAIR(PREFIX, TYPED, "d16_xy", 2, 1, Width::kHalves),                                       \
      PAIR(PREFIX, TYPED, "d16_xyz", 3, 2, Width::kHalves),                                      \
      PAIR(PREFIX, TYPED, "d16_xyzw", 4, 2, Width::kHalves)

BindingTable FormatTable() {
  static constexpr Binding kTable[] = {
      FORMAT_ROWS("buffer", false),
      PAIR("buffer", false, "d16_hi_x", 1, 1, Width::kHighHalf),
      FORMAT_ROWS("tbuffer", true),
  };
  return {kTable, std::size(kTable)};
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
