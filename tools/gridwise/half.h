#pragma once

#include <bit>
#include <cstdint>

namespace gridwise {

/// IEEE 754 binary16 in memory. Conversions are the compiler's: exact to float, to nearest even
/// from float.
struct Half {
  uint16_t bits = 0;

  constexpr Half() = default;
  explicit constexpr Half(float value)
      : bits(std::bit_cast<uint16_t>(static_cast<_Float16>(value))) {}
  constexpr float ToFloat() const { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
};

}  // namespace gridwise
