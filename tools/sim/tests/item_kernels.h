// SPDX-License-Identifier: MIT
#pragma once

/// Kernels whose work-items do not see each other: plain C++ that the test runs on the host as
/// well. Each computes element i of out[0, n) (or a stretch of it) from in[0, n).

#if defined(__HIP_DEVICE_COMPILE__)
#define GRIDWISE_ITEM __attribute__((device)) inline
#define GRIDWISE_CALL __attribute__((device, noinline)) inline
#else
#define GRIDWISE_ITEM inline
#define GRIDWISE_CALL __attribute__((noinline)) inline
#endif

namespace gridwise::sim::items {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long;
using i64 = long;

template <class To, class From>
GRIDWISE_ITEM To Bits(From from) {
  return __builtin_bit_cast(To, from);
}

/// A float in [-2048, 2048) with a random fraction; a finite double from two words.
GRIDWISE_ITEM float SmallFloat(u32 word) {
  return static_cast<float>(static_cast<int>(word) >> 8) * 0x1p-12f;
}
GRIDWISE_ITEM double SmallDouble(u32 high, u32 low) {
  return (static_cast<double>(static_cast<int>(high)) + static_cast<double>(low) * 0x1p-32) *
         0x1p-20;
}
GRIDWISE_ITEM u32 Mix(u32 hash, u32 word) { return (hash ^ word) * 0x9e3779b1u + (hash >> 15); }
GRIDWISE_ITEM u32 Mix64(u32 hash, u64 word) {
  return Mix(Mix(hash, static_cast<u32>(word)), static_cast<u32>(word >> 32));
}

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

GRIDWISE_ITEM void FloatBasics(int i, const u32* in, u32* out, int n) {
  const float a = SmallFloat(in[i]), b = SmallFloat(in[(i + 1) % n]),
              c = SmallFloat(in[(i + 2) % n]);
  u32 hash = Mix(Mix(Mix(0, Bits<u32>(a + b)), Bits<u32>(a * b)), Bits<u32>(a - b * c));
  hash = Mix(Mix(hash, Bits<u32>(__builtin_fmaf(a, b, c))), Bits<u32>(b != 0 ? a / b : c));
  hash = Mix(hash, Bits<u32>(__builtin_sqrtf(__builtin_fabsf(a))));
  hash = Mix(Mix(hash, Bits<u32>(__builtin_floorf(a))), Bits<u32>(__builtin_ceilf(b)));
  hash = Mix(Mix(hash, Bits<u32>(__builtin_truncf(c))), Bits<u32>(__builtin_rintf(a)));
  hash = Mix(hash, (a < b) + 2 * (a <= c) + 4 * (b == c) + 8 * (a != a));
  out[i] = Mix(hash, Bits<u32>(__builtin_copysignf(a, b) + (c > 0 ? -a : b)));
}

/// Every float there is: denormals, infinities and NaNs as well. The result's NaN bits are not
/// compared.
GRIDWISE_ITEM void AnyFloat(int i, const u32* in, u32* out, int n) {
  const float a = Bits<float>(in[i]), b = Bits<float>(in[(i + 1) % n]);
  const auto bits = [](float x) { return x != x ? 0x7fc00000u : Bits<u32>(x); };
  out[i] = Mix(Mix(Mix(Mix(0, bits(a + b)), bits(a * b)), bits(a / b)),
               bits(a - b) + (a < b) + 2 * (a == b));
}

GRIDWISE_ITEM void DoubleBasics(int i, const u32* in, u32* out, int n) {
  const double a = SmallDouble(in[i], in[(i + 1) % n]), b = SmallDouble(in[(i + 2) % n], in[i]);
  u32 hash = Mix64(Mix64(Mix64(0, Bits<u64>(a + b)), Bits<u64>(a * b)), Bits<u64>(a - b));
  hash = Mix64(Mix64(hash, Bits<u64>(b != 0 ? a / b : a)), Bits<u64>(__builtin_fma(a, b, a)));
  hash = Mix64(hash, Bits<u64>(__builtin_sqrt(__builtin_fabs(a))));
  hash = Mix64(Mix64(hash, Bits<u64>(__builtin_floor(a))), Bits<u64>(__builtin_trunc(b)));
  out[i] = Mix(hash, (a < b) + 2 * (a >= b) + 4 * (a == b) + 8 * Bits<u32>(static_cast<float>(a)));
}

GRIDWISE_ITEM void Convert(int i, const u32* in, u32* out, int n) {
  const float f = SmallFloat(in[i]);
  const double d = SmallDouble(in[i], in[(i + 1) % n]);
  const u64 w = u64{in[i]} << (i % 33) | in[(i + 1) % n];
  u32 hash = Mix(Mix(0, static_cast<int>(f)), static_cast<u32>(__builtin_fabsf(f)));
  hash = Mix(Mix(hash, Bits<u32>(static_cast<float>(in[i]))),
             Bits<u32>(static_cast<float>(static_cast<int>(in[i]))));
  hash =
      Mix64(Mix64(hash, Bits<u64>(static_cast<double>(in[i]))), Bits<u64>(static_cast<double>(w)));
  hash = Mix64(Mix64(hash, static_cast<i64>(d * 1048576)), static_cast<u64>(__builtin_fabs(d)));
  hash = Mix(Mix(hash, Bits<u32>(static_cast<float>(w))),
             Bits<u32>(static_cast<float>(static_cast<i64>(w))));
  hash = Mix(hash, Bits<u32>(static_cast<float>(static_cast<signed char>(in[i])) +
                             static_cast<float>(u8(in[i] >> 8))));
  out[i] = Mix64(hash, Bits<u64>(static_cast<double>(f)));
}

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
#define GRIDWISE_ITEM_KERNELS(ROW) \
  ROW(DivideInt32) \
  ROW(DivideInt64) \
  ROW(CountBits) \
  ROW(WideArithmetic) \
  ROW(BigIntegers) \
  ROW(FloatBasics) \
  ROW(AnyFloat) \
  ROW(DoubleBasics) \
  ROW(Convert) \
  ROW(PrivateArray) \
  ROW(PrivateBytes) \
  ROW(Calls) \
  ROW(Recursion) \
  ROW(FunctionPointers) \
  ROW(DivergentLoops) \
  ROW(Switches) \
  ROW(BytesAndShorts) \
  ROW(Unaligned) \
  ROW(Strings) \
  ROW(Stencil) \
  ROW(InsertionSort) \
  ROW(BinarySearch) \
  ROW(Clamps) \
  ROW(BitFields) \
  ROW(WideLoads) \
  ROW(Records)
// clang-format on
