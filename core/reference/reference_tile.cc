// SPDX-License-Identifier: MIT
#include "core/reference/reference_tile.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/base/math.h"

// Compiled for several instruction sets; the loader picks the best that the machine has.
#if defined(__x86_64__)
#define GRIDWISE_MULTIVERSION \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GRIDWISE_MULTIVERSION
#endif

namespace gridwise {
namespace {

constexpr int kBlockRows = ReferenceTile::kBlockRows;
constexpr int kBlockCols = ReferenceTile::kBlockCols;
typedef double Vector __attribute__((vector_size(kBlockCols * sizeof(double)), aligned(8)));

/// sums[kBlockRows][kBlockCols] += a[steps][kBlockRows]^T * b[steps][kBlockCols].
GRIDWISE_MULTIVERSION
void MultiplyBlock(const double* a, const double* b, int steps, double* sums) {
  Vector* out = reinterpret_cast<Vector*>(sums);
  Vector sum0 = out[0], sum1 = out[1], sum2 = out[2], sum3 = out[3];
  for (int step = 0; step < steps; ++step, a += kBlockRows, b += kBlockCols) {
    const Vector row = *reinterpret_cast<const Vector*>(b);
    sum0 += a[0] * row;
    sum1 += a[1] * row;
    sum2 += a[2] * row;
    sum3 += a[3] * row;
  }
  out[0] = sum0, out[1] = sum1, out[2] = sum2, out[3] = sum3;
}

/// to[step][kWidth] = starts[kWidth][step].
template <int kWidth>
void PackTransposed(const std::array<const float*, kWidth>& starts, int steps, double* to) {
  for (int step = 0; step < steps; ++step, to += kWidth) {
    for (int line = 0; line < kWidth; ++line) to[line] = static_cast<double>(starts[line][step]);
  }
}

constexpr std::array<float, PackedOperand::kMaxSteps> kZeros = {};

/// Packs kWidth lines, of which starts.size() exist and null ones are zero.
template <int kWidth>
void PackPanel(std::span<const float* const> starts, int steps, double* to) {
  std::array<const float*, kWidth> lines;
  lines.fill(kZeros.data());
  for (size_t line = 0; line < starts.size(); ++line) {
    if (starts[line] != nullptr) lines[line] = starts[line];
  }
  PackTransposed<kWidth>(lines, steps, to);
}

}  // namespace

PackedOperand::PackedOperand(int width, int max_lines)
    : width_(width), packed_(static_cast<size_t>(AlignUp(max_lines, width)) * size_t{kMaxSteps}) {}

void PackedOperand::Reset(int lines) { panels_ = CeilDiv(lines, width_); }

void PackedOperand::SetSteps(int step, std::span<const float* const> starts, int count) {
  for (int panel = 0; panel < panels_; ++panel) {
    double* to = &packed_[(panel * kMaxSteps + step) * width_];
    const size_t first = static_cast<size_t>(panel) * static_cast<size_t>(width_);
    const auto lines = starts.subspan(first, std::min<size_t>(width_, starts.size() - first));
    if (width_ == kBlockRows) {
      PackPanel<kBlockRows>(lines, count, to);
    } else {
      PackPanel<kBlockCols>(lines, count, to);
    }
  }
}

void PackedOperand::SetLines(int step, int first_line, const float* start, int count) {
  for (int line = 0; line < count; line += width_) {
    double* to = &packed_[((first_line + line) / width_ * kMaxSteps + step) * width_];
    const int present = start == nullptr ? 0 : std::min(width_, count - line);
    for (int i = 0; i < present; ++i) to[i] = static_cast<double>(start[line + i]);
    for (int i = present; i < width_; ++i) to[i] = 0;
  }
}

ReferenceTile::ReferenceTile()
    : a_(kBlockRows, kRows), b_(kBlockCols, kCols), sums_(size_t{kRows} * kCols) {}

void ReferenceTile::Reset(int rows, int cols) {
  a_.Reset(rows);
  b_.Reset(cols);
  steps_ = 0;
  std::fill_n(sums_.begin(), a_.panels() * kBlockRows * b_.panels() * kBlockCols, 0.0);
}

int ReferenceTile::AddSteps(int count) {
  if (steps_ + count > kMaxSteps) Multiply();
  const int first = steps_;
  steps_ += count;
  return first;
}

void ReferenceTile::Multiply() {
  double* sums = sums_.data();
  for (int col = 0; col < b_.panels(); ++col) {
    for (int row = 0; row < a_.panels(); ++row, sums += kBlockRows * kBlockCols) {
      MultiplyBlock(a_.panel(row), b_.panel(col), steps_, sums);
    }
  }
  steps_ = 0;
}

}  // namespace gridwise
