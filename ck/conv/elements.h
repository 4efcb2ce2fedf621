/// Tensors of any DataType on the host, as bytes in memory and as numbers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ck/base/types.h"

namespace gridwise {

/// `value` rounded to the nearest element of `type`, ties to even; too large ones become infinite.
float RoundTo(DataType type, float value);

/// The elements nearest to `values`, as they lie in memory.
std::vector<std::byte> Encode(DataType type, std::span<const float> values);

/// The numbers in `bytes`, exactly; a last element that is not whole is left out.
std::vector<float> Decode(DataType type, std::span<const std::byte> bytes);

}  // namespace gridwise
