// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/tests/item.h"

/// Kernels that address memory in many ways.

namespace gridwise::sim::items {

GRIDWISE_ITEM void PrivateArray(int i, const u32* in, u32* out, int n) {
  u32 table[33];
  for (int k = 0; k < 33; ++k) table[k] = in[(i + k) % n];
  u32 hash = 0;
  for (int k = 0; k < 40; ++k) {
    const u32 at = (hash ^ in[i]) % 33;
    hash = Mix(hash, table[at]);
    table[(at * 7 + k) % 33] += hash;
  }
  out[i] = hash;
}

GRIDWISE_ITEM void PrivateBytes(int i, const u32* in, u32* out, int n) {
  u8 bytes[64];
  for (int k = 0; k < 16; ++k) __builtin_memcpy(bytes + 4 * k, &in[(i + k) % n], 4);
  for (int k = 0; k < 64; ++k) {
    const int other = (bytes[k] + k) % 64;
    const u8 swapped = bytes[other];
    bytes[other] = bytes[k];
    bytes[k] = static_cast<u8>(swapped + k);
  }
  u32 hash = 0;
  for (int k = 0; k < 61; k += 3) {
    u32 word;
    __builtin_memcpy(&word, bytes + k, 4);  // unaligned
    hash = Mix(hash, word);
  }
  out[i] = hash;
}

GRIDWISE_ITEM void BytesAndShorts(int i, const u32* in, u32* out, int n) {
  const auto* bytes = reinterpret_cast<const u8*>(in);
  const auto* sbytes = reinterpret_cast<const signed char*>(in);
  const auto* shorts = reinterpret_cast<const u16*>(in);
  const auto* sshorts = reinterpret_cast<const short*>(in);
  auto* out_bytes = reinterpret_cast<u8*>(out);
  auto* out_shorts = reinterpret_cast<u16*>(out);
  const int at = (i * 7) % (4 * n);
  const int sum =
      bytes[at] - sbytes[(at + 1) % (4 * n)] + 3 * shorts[at / 2] + sshorts[(at / 2 + 1) % (2 * n)];
  out_bytes[4 * i] = static_cast<u8>(sum);
  out_bytes[4 * i + 1] = static_cast<u8>(sum >> 8);
  out_shorts[2 * i + 1] = static_cast<u16>(sum * 31);
}

GRIDWISE_ITEM void Unaligned(int i, const u32* in, u32* out, int n) {
  const auto* bytes = reinterpret_cast<const u8*>(in);
  const int at = (5 * i) % (4 * n - 20);
  u32 word;
  u64 pair[2];
  __builtin_memcpy(&word, bytes + at + 1, 4);
  __builtin_memcpy(pair, bytes + at + 3, 16);
  out[i] = Mix64(Mix64(Mix(0, word), pair[0]), pair[1]);
}

GRIDWISE_ITEM void Strings(int i, const u32* in, u32* out, int n) {
  char text[24];
  int length = 0;
  u32 value = in[i];
  do {  // decimal, last digit first
    text[length++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  for (u32 other = in [(i + 1) % n] >> 12; other != 0; other >>= 4)
    text[length++] = "0123456789abcdef"[other & 15];
  text[length] = 0;
  int digits = 0, end = 0;
  while (text[end] != 0) digits += text[end] >= '0' && text[end] <= '9', ++end;
  u32 hash = 5381;
  for (int k = end - 1; k >= 0; --k) hash = hash * 33 + static_cast<u8>(text[k]);
  out[i] = hash ^ static_cast<u32>(digits << 8 | end);
}

struct alignas(16) Block {
  u32 w[4];
};
GRIDWISE_ITEM void WideLoads(int i, const u32* in, u32* out, int n) {
  if (i % 4 != 0 || i + 4 > n) return;
  const auto* blocks = reinterpret_cast<const Block*>(in);
  Block block = blocks[i / 4];
  const Block other = blocks[(i / 4 * 3) % (n / 4)];
  for (int k = 0; k < 4; ++k) block.w[k] = block.w[k] * 3 + other.w[3 - k];
  reinterpret_cast<Block*>(out)[i / 4] = block;
}

struct Record {
  u32 key;
  u16 parts[5];
  u8 tag;
  u64 value;
};
GRIDWISE_ITEM void Records(int i, const u32* in, u32* out, int n) {
  Record records[3];
  __builtin_memset(records, 0, sizeof(records));
  for (u32 k = 0; k < 3; ++k) {
    Record& r = records[(k + in[i]) % 3];
    r.key += in[(i + k) % n];
    r.parts[in[i] % 5] = static_cast<u16>(r.key >> 3);
    r.tag = static_cast<u8>(k);
    r.value = u64{r.key} * r.parts[(r.key >> 1) % 5];
  }
  const Record copy = records[in[i] % 3];
  out[i] = Mix64(Mix(copy.key, copy.tag), copy.value + copy.parts[2]);
}

}  // namespace gridwise::sim::items

/// Applies ROW(name) to every kernel of this file.
// clang-format off: it indents each line of such a list further than the one before.
#define GRIDWISE_MEMORY_ITEMS(ROW) \
  ROW(PrivateArray) \
  ROW(PrivateBytes) \
  ROW(BytesAndShorts) \
  ROW(Unaligned) \
  ROW(Strings) \
  ROW(WideLoads) \
  ROW(Records)
// clang-format on
