// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/tests/item.h"

/// Kernels that compute with integers and bits.

namespace gridwise::sim::items {

GRIDWISE_ITEM void DivideInt32(int i, const u32* in, u32* out, int n) {
  const u32 a = in[i], b = in[(i + 1) % n] >> (i % 31) | 1;
  const int sa = static_cast<int>(a), sb = static_cast<int>(b >> 1) - 1000000;
  u32 hash = Mix(Mix(0, a / b), a % b);
  if (sb != 0 && sb != -1) hash = Mix(Mix(hash, sa / sb), sa % sb);
  out[i] = Mix(Mix(hash, a / 7), static_cast<u32>(sa / 10));
}

GRIDWISE_ITEM void DivideInt64(int i, const u32* in, u32* out, int n) {
  const u64 a = u64{in[i]} << 32 | in[(i + 1) % n];
  const u64 b = ((u64{in[(i + 2) % n]} << 32 | in[(i + 3) % n]) >> (i % 63)) | 1;
  const i64 sa = static_cast<i64>(a), sb = static_cast<i64>(b >> 1) + 3;
  out[i] = Mix64(Mix64(Mix64(Mix64(0, a / b), a % b), sa / sb), sa % sb);
}

GRIDWISE_ITEM void CountBits(int i, const u32* in, u32* out, int n) {
  const u32 a = in[i] | 1;
  const u64 w = u64{in[(i + 1) % n]} << (i % 33) | 1;
  u32 hash = Mix(Mix(Mix(0, __builtin_popcount(a)), __builtin_clz(a)),
                 __builtin_ctz((a & ~1u) | 1u << 31));
  hash =
      Mix(Mix(Mix(hash, __builtin_popcountl(w)), __builtin_clzl(w)), __builtin_ctzl(w << (i % 7)));
  hash = Mix(Mix(hash, __builtin_bitreverse32(a)), __builtin_bswap32(a));
  hash = Mix64(Mix64(hash, __builtin_bitreverse64(w)), __builtin_bswap64(w));
  out[i] = Mix(hash, __builtin_rotateleft32(a, i % 32) ^ __builtin_rotateright32(a, in[i] % 32));
}

GRIDWISE_ITEM void WideArithmetic(int i, const u32* in, u32* out, int n) {
  const u64 a = u64{in[i]} << 32 | in[(i + 1) % n],
            b = u64{in[(i + 2) % n]} << 32 | in[(i + 3) % n];
  const int shift = in[i] % 64;
  u32 hash = Mix64(Mix64(0, a * b), a + b);
  hash = Mix64(Mix64(Mix64(hash, a << shift), a >> shift), static_cast<i64>(a) >> shift);
  hash = Mix64(hash, static_cast<u64>((static_cast<unsigned __int128>(a) * b) >> 64));
  hash = Mix64(hash, static_cast<u64>(
                         (static_cast<__int128>(static_cast<i64>(a)) * static_cast<i64>(b)) >> 64));
  hash = Mix64(hash, a > b ? a - b : b - a);
  out[i] = Mix64(hash, static_cast<i64>(a) < static_cast<i64>(b) ? a ^ b : a & ~b);
}

GRIDWISE_ITEM void BigIntegers(int i, const u32* in, u32* out, int n) {
  u64 a[4], b[4], sum[4], difference[4];
  for (int w = 0; w < 4; ++w) {
    a[w] = u64{in[(i + w) % n]} << 32 | in[(i + 2 * w) % n];
    b[w] = ~a[w] ^ (in[(i + 3 * w) % n] & 1);
  }
  u64 carry = in[i] & 1, borrow = 0;
  for (int w = 0; w < 4; ++w) {
    u64 partial;
    const u64 c1 = __builtin_add_overflow(a[w], b[w], &partial),
              c2 = __builtin_add_overflow(partial, carry, &sum[w]);
    carry = c1 | c2;
    const u64 b1 = __builtin_sub_overflow(a[w], b[w], &partial);
    borrow = b1 | __builtin_sub_overflow(partial, borrow, &difference[w]);
  }
  u32 hash = static_cast<u32>(carry + 2 * borrow);
  for (int w = 0; w < 4; ++w) hash = Mix64(Mix64(hash, sum[w]), difference[w]);
  out[i] = hash;
}

GRIDWISE_ITEM void Clamps(int i, const u32* in, u32* out, int n) {
  const int a = static_cast<int>(in[i]), b = static_cast<int>(in[(i + 1) % n]),
            c = static_cast<int>(in[(i + 2) % n]);
  const auto min = [](auto x, auto y) { return x < y ? x : y; };
  const auto max = [](auto x, auto y) { return x > y ? x : y; };
  int saturated;
  if (__builtin_add_overflow(a, b, &saturated)) saturated = a < 0 ? -2147483647 - 1 : 2147483647;
  u32 hash = Mix(Mix(0, max(min(a, b), min(max(a, b), c))), saturated);
  hash = Mix(Mix(hash, min(min(in[i], in[(i + 1) % n]), 77777u)), max(max(a, b), c));
  hash = Mix(hash, static_cast<u32>(a < 0 ? -static_cast<i64>(a) : a));
  const float f = SmallFloat(in[i]);
  out[i] =
      Mix(hash, Bits<u32>(min(max(f, -1.0f), 1.0f)) ^ static_cast<u32>(min(max(a, -128), 127)));
}

struct Packet {
  u32 kind : 3;
  u32 length : 11;
  int offset : 13;
  u32 flags : 5;
};
GRIDWISE_ITEM void BitFields(int i, const u32* in, u32* out, int n) {
  Packet packet = Bits<Packet>(in[i]);
  const Packet other = Bits<Packet>(in[(i + 1) % n]);
  packet.length += other.length;
  packet.offset -= other.offset;
  packet.flags ^= other.kind;
  out[i] = Bits<u32>(packet) + static_cast<u32>(packet.offset) * packet.length;
}

}  // namespace gridwise::sim::items

/// Applies ROW(name) to every kernel of this file.
// clang-format off: it indents each line of such a list further than the one before.
#define GRIDWISE_INTEGER_ITEMS(ROW) \
  ROW(DivideInt32) \
  ROW(DivideInt64) \
  ROW(CountBits) \
  ROW(WideArithmetic) \
  ROW(BigIntegers) \
  ROW(Clamps) \
  ROW(BitFields)
// clang-format on
