// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/tests/item.h"

/// Kernels that call, loop and branch.

namespace gridwise::sim::items {

struct Pair {
  u32 first, second;
};
GRIDWISE_CALL u32 Twist(u32 x, int rounds) {
  for (int k = 0; k < rounds; ++k) x = x * 1664525u + 1013904223u;
  return x;
}
GRIDWISE_CALL Pair Split(u32 x, u32* accumulated) {
  *accumulated += x;
  return {Twist(x, 3), Twist(~x, x % 5)};
}
GRIDWISE_ITEM void Calls(int i, const u32* in, u32* out, int n) {
  u32 accumulated = 0;
  Pair pair = Split(in[i], &accumulated);
  for (int k = 0; k < static_cast<int>(in[i] % 4); ++k)
    pair = Split(pair.first ^ in[(i + k) % n], &accumulated);
  out[i] = pair.first ^ pair.second ^ accumulated;
}

GRIDWISE_CALL u32 Recurse(u32 x, u32 depth) {
  if (depth == 0) return x;
  const u32 left = Recurse(x * 3 + 1, depth - 1);
  return left ^ (x & 1 ? Recurse(left, depth - 1) : x);
}
GRIDWISE_ITEM void Recursion(int i, const u32* in, u32* out, int) {
  out[i] = Recurse(in[i], in[i] % 7);
}

GRIDWISE_CALL u32 PlusOne(u32 x) { return x + 1; }
GRIDWISE_CALL u32 TimesThree(u32 x) { return x * 3; }
GRIDWISE_CALL u32 Invert(u32 x) { return ~x; }
GRIDWISE_ITEM void FunctionPointers(int i, const u32* in, u32* out, int) {
  u32 (*const functions[3])(u32) = {&PlusOne, &TimesThree, &Invert};
  u32 x = in[i];
  for (int k = 0; k < 6; ++k) x = functions[(x >> k) % 3](x);
  out[i] = x;
}

GRIDWISE_ITEM void DivergentLoops(int i, const u32* in, u32* out, int) {
  u32 x = in[i] % 100000 + 1, steps = 0;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    if (++steps > 300) break;
    for (u32 k = 0; k < steps % 3; ++k) {
      if ((x >> k & 3) == 3) continue;
      steps += x & 1;
    }
  }
  out[i] = steps * 1000003u + x;
}

GRIDWISE_ITEM void Switches(int i, const u32* in, u32* out, int) {
  u32 x = in[i];
  for (int k = 0; k < 8; ++k) {
    switch (x % 13) {
      case 0:
        x += 17;
        break;
      case 1:
        x ^= x >> 5;
        [[fallthrough]];
      case 2:
        x *= 5;
        break;
      case 3:
        x = ~x;
        break;
      case 4:
        x -= k;
        break;
      case 5:
        x <<= 1;
        break;
      case 6:
        x >>= 1;
        break;
      case 7:
        x = __builtin_bswap32(x);
        break;
      case 9:
        x += x % 7;
        break;
      case 11:
        k += 1;
        break;
      default:
        x = x * 2654435761u + 1;
    }
  }
  out[i] = x;
}

GRIDWISE_ITEM void Stencil(int i, const u32* in, u32* out, int n) {
  float sum = 0;
  for (int d = -3; d <= 3; ++d) {
    const int at = i + d;
    if (at >= 0 && at < n) sum += SmallFloat(in[at]) * static_cast<float>(4 - (d < 0 ? -d : d));
  }
  out[i] = Bits<u32>(sum);
}

GRIDWISE_ITEM void InsertionSort(int i, const u32* in, u32* out, int n) {
  u32 values[12];
  for (int k = 0; k < 12; ++k) values[k] = in[(i + 5 * k) % n];
  for (int k = 1; k < 12; ++k) {
    const u32 value = values[k];
    int at = k;
    for (; at > 0 && values[at - 1] > value; --at) values[at] = values[at - 1];
    values[at] = value;
  }
  out[i] = Mix(Mix(Mix(0, values[0]), values[5]), values[11] - values[in[i] % 12]);
}

GRIDWISE_ITEM void BinarySearch(int i, const u32* in, u32* out, int n) {
  const u32 wanted = in[i] % 4096;  // in the sequence k * k / 8
  u32 low = 0, high = 200;
  while (low < high) {
    const u32 middle = (low + high) / 2;
    if (middle * middle / 8 < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[i] = low * 65536 + in[(low + i) % n] % 65536;
}

}  // namespace gridwise::sim::items

/// Applies ROW(name) to every kernel of this file.
// clang-format off: it indents each line of such a list further than the one before.
#define GRIDWISE_CONTROL_ITEMS(ROW) \
  ROW(Calls) \
  ROW(Recursion) \
  ROW(FunctionPointers) \
  ROW(DivergentLoops) \
  ROW(Switches) \
  ROW(Stencil) \
  ROW(InsertionSort) \
  ROW(BinarySearch)
// clang-format on
