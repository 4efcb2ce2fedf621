// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/tests/item.h"

/// Whole small algorithms on numbers, of the kinds that library code is made of.

namespace gridwise::sim::items {

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

}  // namespace gridwise::sim::items

/// Applies ROW(name) to every kernel of this file.
// clang-format off: it indents each line of such a list further than the one before.
#define GRIDWISE_NUMERIC_PROGRAM_ITEMS(ROW) \
  ROW(Philox) \
  ROW(ShaRounds) \
  ROW(Elimination) \
  ROW(Mandelbrot) \
  ROW(NumberTransform) \
  ROW(Divisors)
// clang-format on
