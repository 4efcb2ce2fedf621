// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/arch/parts.h"
#include "core/passes/split_args.h"

namespace gridwise {

/// Element `i` of the tensor to split, if groups are merged.
GRIDWISE_DEVICE float MergedElement(const SplitArgs& args, int i) {
  const int line = static_cast<int>(Divide(static_cast<unsigned>(i), args.by_line));
  const int of_line = i - line * args.merged * args.item;
  const int group = static_cast<int>(Divide(static_cast<unsigned>(of_line), args.by_item));
  const int own = static_cast<int>(Divide(static_cast<unsigned>(line), args.by_of_group));
  if (group != (own & (args.merged - 1))) return 0;
  return static_cast<const float*>(args.from)[line * args.item + of_line - group * args.item];
}

/// Splits f32 into parts, kSplitElements per lane. The parts are aligned to that many.
GRIDWISE_DEVICE void SplitTile(const SplitArgs& args) {
  using Four = Vec<float, 4>;
  using Words = Vec<unsigned, kSplitElements / 2>;
  const long first = (static_cast<long>(BlockIdX()) * kSplitThreads + ThreadId()) * kSplitElements;
  if (first >= args.elements) return;
  const float* const from = static_cast<const float*>(args.from) + first;
  const bool is_aligned = reinterpret_cast<unsigned long>(from) % sizeof(Four) == 0;
  float values[kSplitElements] = {};
  if (args.merged > 1) {
#pragma unroll
    for (int i = 0; i < kSplitElements; ++i) {
      if (first + i < args.elements) values[i] = MergedElement(args, static_cast<int>(first) + i);
    }
  } else if (first + kSplitElements <= args.elements && is_aligned) {
#pragma unroll
    for (int i = 0; i < kSplitElements; i += 4) {
      const Four four = *reinterpret_cast<const Four*>(from + i);
#pragma unroll
      for (int e = 0; e < 4; ++e) values[i + e] = four[e];
    }
  } else {
#pragma unroll
    for (int i = 0; i < kSplitElements; ++i) {
      if (first + i < args.elements) values[i] = from[i];
    }
  }
  static_assert(kSplitParts == kParts);
  Words parts[kParts];
#pragma unroll
  for (int i = 0; i < kSplitElements; i += 2) {
    const PairOfParts pair = PartsOf(values[i], values[i + 1]);
#pragma unroll
    for (int p = 0; p < kParts; ++p) parts[p][i / 2] = pair.part[p];
  }
  auto* const to = static_cast<unsigned short*>(args.to) + first;
#pragma unroll
  for (int p = 0; p < kParts; ++p) *reinterpret_cast<Words*>(to + p * args.apart) = parts[p];
}

}  // namespace gridwise
