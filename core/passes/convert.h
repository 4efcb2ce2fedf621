// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/factor.h"
#include "core/arch/gpu.h"
#include "core/passes/convert_args.h"

namespace gridwise {

/// Copies 8-bit elements as elements of a type that has all their values, kConvertElements per
/// lane. The copy is aligned to that many.
template <DataType kFrom, DataType kTo>
GRIDWISE_DEVICE void ConvertTile(const ConvertArgs& args) {
  using Codes = Vec<unsigned char, kConvertElements>;
  using Values = Vec<Element<kTo>, kConvertElements>;
  const long first =
      (static_cast<long>(BlockIdX()) * kConvertThreads + ThreadId()) * kConvertElements;
  const auto* const from = static_cast<const unsigned char*>(args.from) + first;
  auto* const to = static_cast<Element<kTo>*>(args.to) + first;
  const auto convert = [](unsigned char code) {
    return static_cast<Element<kTo>>(ToFactor<kFrom>(static_cast<Element<kFrom>>(code)));
  };
  const bool is_aligned = reinterpret_cast<unsigned long>(from) % sizeof(Codes) == 0;
  if (first + kConvertElements <= args.elements && is_aligned) {
    const Codes codes = *reinterpret_cast<const Codes*>(from);
    Values values;
#pragma unroll
    for (int i = 0; i < kConvertElements; ++i) values[i] = convert(codes[i]);
    *reinterpret_cast<Values*>(to) = values;
    return;
  }
  for (int i = 0; i < kConvertElements && first + i < args.elements; ++i) to[i] = convert(from[i]);
}

}  // namespace gridwise
