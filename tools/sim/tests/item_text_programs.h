// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/tests/item.h"

/// Whole small algorithms that search, sort, parse and dispatch.

namespace gridwise::sim::items {

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
// clang-format off: it indents each line of such a list further than the one before.
#define GRIDWISE_TEXT_PROGRAM_ITEMS(ROW) \
  ROW(EditDistance) \
  ROW(QuickSort) \
  ROW(VirtualCalls) \
  ROW(ParseNumbers)
// clang-format on
