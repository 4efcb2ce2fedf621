// SPDX-License-Identifier: MIT
#pragma once

/// More kernels in the manner of item_kernels.h: number formats, and whole small algorithms of the
/// kinds that library code is made of.

#include "tools/sim/tests/item_kernels.h"

namespace gridwise::sim::items {

GRIDWISE_ITEM void Halves(int i, const u32* in, u32* out, int n) {
  using half = _Float16;
  typedef half half2 __attribute__((ext_vector_type(2)));
  const half a = static_cast<half>(SmallFloat(in[i]) * 0x1p-6f),
             b = static_cast<half>(SmallFloat(in[(i + 1) % n]) * 0x1p-8f);
  const half2 x = {a, b}, y = {b, static_cast<half>(1.5f)};
  const half2 sum = x + y, product = x * y, difference = x - y;
  u32 hash = Mix(Mix(Mix(0, Bits<u32>(sum)), Bits<u32>(product)), Bits<u32>(difference));
  hash = Mix(Mix(hash, Bits<u16>(static_cast<half>(a + b))), Bits<u16>(static_cast<half>(a * b)));
  hash = Mix(hash, Bits<u32>(static_cast<float>(a)));
  out[i] = Mix(hash, (a < b) + 2 * static_cast<int>(b) +
                         16 * Bits<u16>(static_cast<half>(static_cast<short>(in[i]))));
}

/// Sums of products of pairs of halves, each operation rounded to half.
GRIDWISE_ITEM void HalfDots(int i, const u32* in, u32* out, int n) {
  typedef _Float16 half2 __attribute__((ext_vector_type(2)));
  half2 sum = {0, 0};
  for (int k = 0; k < 12; ++k) {
    const u32 word = in[(i + k) % n];
    const half2 a = {static_cast<_Float16>(static_cast<int>(word % 64) - 32),
                     static_cast<_Float16>(static_cast<int>(word >> 8 & 63) * 0.125f)};
    const half2 b = {a.y, static_cast<_Float16>(0.5f)};
    const half2 product = a * b;
    sum = sum + product;
  }
  const half2 smallest = __builtin_elementwise_min(sum, half2{4, -3});
  out[i] = Mix(Bits<u32>(sum), Bits<u32>(smallest));
}

/// The bits of the bfloat16 that is nearest to a finite `x`, ties to even.
GRIDWISE_ITEM u32 ToBfloat(float x) {
#if defined(__HIP_DEVICE_COMPILE__)
  return Bits<u16>(static_cast<__bf16>(x));  // an instruction where the target has one
#else
  const u32 bits = Bits<u32>(x);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
#endif
}
GRIDWISE_ITEM float FromBfloat(u32 bits) { return Bits<float>(bits << 16); }
GRIDWISE_ITEM void Bfloats(int i, const u32* in, u32* out, int n) {
  float sum = 0;
  u32 hash = 0;
  for (int k = 0; k < 8; ++k) {
    const float a = FromBfloat(ToBfloat(SmallFloat(in[(i + k) % n])));
    const float b = FromBfloat(ToBfloat(SmallFloat(in[(i + 2 * k) % n]) * 0x1p-9f));
    sum = FromBfloat(ToBfloat(sum + a * b));
    hash = Mix(hash, ToBfloat(a) << 16 | ToBfloat(sum));
  }
  out[i] = hash;
}

/// An 8-bit float of 4 exponent bits with bias 7 and 3 fraction bits (OCP E4M3), by hand.
GRIDWISE_ITEM float FromFp8(u32 bits) {
  const u32 exponent = bits >> 3 & 15, fraction = bits & 7;
  const float magnitude = exponent == 0 ? static_cast<float>(fraction) * 0x1p-9f
                                        : Bits<float>((exponent + 120) << 23 | fraction << 20);
  return bits & 0x80 ? -magnitude : magnitude;
}
GRIDWISE_ITEM u32 ToFp8(float x) {
  const u32 sign = Bits<u32>(x) >> 24 & 0x80;
  const float magnitude = __builtin_fabsf(x);
  if (magnitude >= 448) return sign | 0x7e;
  u32 best = 0;
  for (u32 low = 0, high = 0x7e; low <= high;) {  // the greatest code that is not above
    const u32 middle = (low + high) / 2;
    if (FromFp8(middle) <= magnitude) {
      best = middle;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  const float below = magnitude - FromFp8(best), above = FromFp8(best + 1) - magnitude;
  if (above < below || (above == below && best % 2 == 1)) ++best;
  return sign | best;
}
GRIDWISE_ITEM void Fp8(int i, const u32* in, u32* out, int n) {
  const u32 a = in[i] & 0xff, b = in[(i + 1) % n] & 0xff;
  const float product = FromFp8(a & 0x7f) * FromFp8((b & 0x7f) | (b & 0x80));
  out[i] =
      ToFp8(product) | ToFp8(SmallFloat(in[i]) * 0x1p-4f) << 8 | ToFp8(FromFp8(a & 0x77)) << 16;
}

/// Ten rounds of the counter-based random number generator Philox 4x32.
GRIDWISE_ITEM void Philox(int i, const u32* in, u32* out, int) {
  u32 c[4] = {static_cast<u32>(i), in[i], 3, 4}, key[2] = {0x12345678, in[i] >> 7};
  for (int round = 0; round < 10; ++round) {
    const u64 p0 = u64{0xd2511f53} * c[0], p1 = u64{0xcd9e8d57} * c[2];
    const u32 next[4] = {static_cast<u32>(p1 >> 32) ^ c[1] ^ key[0], static_cast<u32>(p1),
                         static_cast<u32>(p0 >> 32) ^ c[3] ^ key[1], static_cast<u32>(p0)};
    for (int k = 0; k < 4; ++k) c[k] = next[k];
    key[0] += 0x9e3779b9;
    key[1] += 0xbb67ae85;
  }
  out[i] = c[0] ^ c[1] ^ c[2] ^ c[3];
}

/// The SHA-256 compression's message schedule and rounds, with constants made up on the way.
GRIDWISE_ITEM void ShaRounds(int i, const u32* in, u32* out, int n) {
  const auto rotate = [](u32 x, int by) { return x >> by | x << (32 - by); };
  u32 w[64], state[8];
  for (int k = 0; k < 16; ++k) w[k] = in[(i + k) % n];
  for (int k = 16; k < 64; ++k) {
    const u32 s0 = rotate(w[k - 15], 7) ^ rotate(w[k - 15], 18) ^ w[k - 15] >> 3;
    const u32 s1 = rotate(w[k - 2], 17) ^ rotate(w[k - 2], 19) ^ w[k - 2] >> 10;
    w[k] = w[k - 16] + s0 + w[k - 7] + s1;
  }
  for (u32 k = 0; k < 8; ++k) state[k] = 0x6a09e667u + k * 0x9e3779b9u;
  for (u32 k = 0; k < 64; ++k) {
    const u32 e = state[4], a = state[0];
    const u32 t1 = state[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                   ((e & state[5]) ^ (~e & state[6])) + k * 0x428a2f98u + w[k];
    const u32 t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                   ((a & state[1]) ^ (a & state[2]) ^ (state[1] & state[2]));
    for (int s = 7; s > 0; --s) state[s] = state[s - 1];
    state[4] += t1;
    state[0] = t1 + t2;
  }
  out[i] = state[0] ^ state[3] ^ state[7];
}

/// Edit distance of two strings of 10 letters, by one row of the table.
GRIDWISE_ITEM void EditDistance(int i, const u32* in, u32* out, int n) {
  u8 a[10], b[10], row[11];
  for (int k = 0; k < 10; ++k) {
    a[k] = in[(i + k) % n] % 4;
    b[k] = in[(i + 7 * k) % n] % 4;
  }
  for (int k = 0; k <= 10; ++k) row[k] = static_cast<u8>(k);
  for (int r = 1; r <= 10; ++r) {
    u8 diagonal = row[0];
    row[0] = static_cast<u8>(r);
    for (int c = 1; c <= 10; ++c) {
      const int replaced = diagonal + (a[r - 1] != b[c - 1]);
      const int shorter = (row[c] < row[c - 1] ? row[c] : row[c - 1]) + 1;
      diagonal = row[c];
      row[c] = static_cast<u8>(replaced < shorter ? replaced : shorter);
    }
  }
  out[i] = row[10];
}

/// Quicksort with a stack of its own.
GRIDWISE_ITEM void QuickSort(int i, const u32* in, u32* out, int n) {
  int values[24], stack[32], top = 0;
  for (int k = 0; k < 24; ++k) values[k] = static_cast<int>(in[(i + 3 * k) % n]) >> 8;
  stack[top++] = 0;
  stack[top++] = 23;
  while (top > 0) {
    const int high = stack[--top], low = stack[--top];
    if (low >= high) continue;
    const int pivot = values[(low + high) / 2];
    int left = low, right = high;
    while (left <= right) {
      while (values[left] < pivot) ++left;
      while (values[right] > pivot) --right;
      if (left > right) break;
      const int swapped = values[left];
      values[left++] = values[right];
      values[right--] = swapped;
    }
    stack[top++] = low;
    stack[top++] = right;
    stack[top++] = left;
    stack[top++] = high;
  }
  u32 hash = 0;
  for (const int value : values) hash = Mix(hash, static_cast<u32>(value));
  out[i] = hash;
}

/// A system of four equations in doubles, by elimination with a pivot in each column.
GRIDWISE_ITEM void Elimination(int i, const u32* in, u32* out, int n) {
  double m[4][5];
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 5; ++c) m[r][c] = SmallDouble(in[(i + 5 * r + c) % n], in[(i + c) % n]);
  }
  for (int c = 0; c < 4; ++c) {
    int pivot = c;
    for (int r = c + 1; r < 4; ++r) {
      if (__builtin_fabs(m[r][c]) > __builtin_fabs(m[pivot][c])) pivot = r;
    }
    for (int k = 0; k < 5; ++k) {
      const double swapped = m[c][k];
      m[c][k] = m[pivot][k];
      m[pivot][k] = swapped;
    }
    if (m[c][c] == 0) continue;
    for (int r = 0; r < 4; ++r) {
      const double factor = r == c ? 0 : m[r][c] / m[c][c];
      for (int k = c; k < 5; ++k) m[r][k] = m[r][k] - factor * m[c][k];
    }
  }
  u32 hash = 0;
  for (int r = 0; r < 4; ++r) hash = Mix64(hash, Bits<u64>(m[r][4] / m[r][r]));
  out[i] = hash;
}

/// Steps until a point leaves the circle: loops of another length in each lane.
GRIDWISE_ITEM void Mandelbrot(int i, const u32* in, u32* out, int) {
  const float x0 = SmallFloat(in[i]) * 0x1p-10f, y0 = SmallFloat(in[i] * 77) * 0x1p-10f;
  float x = 0, y = 0;
  u32 steps = 0;
  while (steps < 60) {
    const float xx = x * x, yy = y * y;
    if (xx + yy > 4) break;
    const float xy = x * y;
    y = 2 * xy + y0;
    x = xx - yy + x0;
    ++steps;
  }
  out[i] = steps << 20 ^ Bits<u32>(x);
}

/// An FFT of 8 points over integers modulo 65537, whose eighth root of unity is 4096.
GRIDWISE_ITEM void NumberTransform(int i, const u32* in, u32* out, int n) {
  u32 x[8];
  for (int k = 0; k < 8; ++k) x[(k & 1) << 2 | (k & 2) | k >> 2] = in[(i + k) % n] % 65537;
  for (int half = 1; half < 8; half *= 2) {
    u64 root = 1;
    for (int k = 0; k < 4 / half; ++k) root = root * 4096 % 65537;
    for (int base = 0; base < 8; base += 2 * half) {
      u64 factor = 1;
      for (int k = base; k < base + half; ++k) {
        const u32 product = static_cast<u32>(x[k + half] * factor % 65537);
        x[k + half] = (x[k] + 65537 - product) % 65537;
        x[k] = (x[k] + product) % 65537;
        factor = factor * root % 65537;
      }
    }
  }
  u32 hash = 0;
  for (const u32 value : x) hash = Mix(hash, value);
  out[i] = hash;
}

/// Greatest common divisors of 64-bit numbers, by remainders and by shifts.
GRIDWISE_ITEM void Divisors(int i, const u32* in, u32* out, int n) {
  u64 a = u64{in[i]} * (in[(i + 1) % n] % 1000 + 1), b = u64{in[i] % 100000} * 360 + 12;
  u64 x = a | 1, y = b;
  while (b != 0) {
    const u64 rest = a % b;
    a = b;
    b = rest;
  }
  while (y != 0) {
    y >>= __builtin_ctzl(y);
    const u64 less = x < y ? x : y, more = x < y ? y : x;
    x = less;
    y = more - less;
  }
  out[i] = Mix64(Mix64(0, a), x);
}

struct Shape {
  GRIDWISE_CALL Shape(u32 size) : size(size) {}
  GRIDWISE_CALL virtual u32 Area() const { return size; }
  GRIDWISE_CALL virtual u32 Corners() const { return 0; }
  u32 size;
};
struct Square : Shape {
  using Shape::Shape;
  GRIDWISE_CALL u32 Area() const override { return size * size; }
  GRIDWISE_CALL u32 Corners() const override { return 4; }
};
struct Triangle : Shape {
  using Shape::Shape;
  GRIDWISE_CALL u32 Area() const override { return size * size / 2; }
  GRIDWISE_CALL u32 Corners() const override { return 3; }
};
GRIDWISE_ITEM void VirtualCalls(int i, const u32* in, u32* out, int) {
  const Shape shape(in[i]);
  const Square square(in[i] >> 9);
  const Triangle triangle(in[i] >> 4);
  const Shape* const shapes[3] = {&shape, &square, &triangle};
  u32 hash = 0;
  for (int k = 0; k < 3; ++k) {
    const Shape& chosen = *shapes[(in[i] >> k) % 3];
    hash = Mix(hash, chosen.Area() + chosen.Corners());
  }
  out[i] = hash;
}

/// Numbers out of text: an optional sign, digits, a point, more digits.
GRIDWISE_ITEM void ParseNumbers(int i, const u32* in, u32* out, int n) {
  char text[16];
  for (int k = 0; k < 15; ++k) text[k] = "0123456789+-. 75"[in[(i + k) % n] >> (k % 5) & 15];
  text[15] = 0;
  enum { kStart, kWhole, kFraction } state = kStart;
  u32 hash = 0, value = 0, scale = 1;
  bool negative = false;
  for (const char* at = text;; ++at) {
    const bool digit = *at >= '0' && *at <= '9';
    if (digit) {
      value = value * 10 + static_cast<u32>(*at - '0');
      scale *= state == kFraction ? 10 : 1;
      if (state == kStart) state = kWhole;
    } else if (*at == '.' && state == kWhole) {
      state = kFraction;
    } else if (state == kStart && (*at == '-' || *at == '+')) {
      negative = *at == '-';
    } else if (state != kStart) {
      hash = Mix(hash, negative ? ~(value / scale) : value % scale + value);
      value = 0, scale = 1, negative = false, state = kStart;
    }
    if (*at == 0) break;
  }
  out[i] = hash;
}

}  // namespace gridwise::sim::items

/// Applies ROW(name) to every kernel of this file.
// clang-format off: as in item_kernels.h
#define GRIDWISE_PROGRAM_KERNELS(ROW) \
  ROW(Halves) \
  ROW(HalfDots) \
  ROW(Bfloats) \
  ROW(Fp8) \
  ROW(Philox) \
  ROW(ShaRounds) \
  ROW(EditDistance) \
  ROW(QuickSort) \
  ROW(Elimination) \
  ROW(Mandelbrot) \
  ROW(NumberTransform) \
  ROW(Divisors) \
  ROW(VirtualCalls) \
  ROW(ParseNumbers)
// clang-format on
