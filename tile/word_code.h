#pragma once

#include "core/base/types.h"

namespace gridwise::tile {

/// The Itanium ABI's letter of the unsigned integer that has an element's size, as symbols of
/// kernels that only copy have it.
constexpr const char* WordCode(DataType type) {
  switch (SizeOf(type)) {
    case 1:
      return "h";  // unsigned char
    case 2:
      return "t";  // unsigned short
    default:
      return "j";  // unsigned int
  }
}

}  // namespace gridwise::tile
