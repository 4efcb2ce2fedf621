// SPDX-License-Identifier: MIT
#include "core/passes/copied_lines.h"

#include <cstddef>
#include <cstdint>

#include "core/passes/plan_sum_tap_rows.h"
#include "core/rewrite/fold.h"
#include "core/rewrite/tap_columns.h"
#include "core/rewrite/tap_rows.h"

namespace gridwise {
namespace {

/// Backward-data: the groups of pixels of y that get more channels, or of w, which get more rows.
/// Returns nullopt if they do not.
std::optional<Lines> FilledLines(const Prepared& prepared, Tensor tensor) {
  const std::int64_t from = prepared.canonical.k_per_group(), to = prepared.deeper.k_per_group();
  if (from == to || tensor == Tensor::kX || prepared.merged_groups() > 1) return std::nullopt;
  if (prepared.has_runs_of_y()) return std::nullopt;
  const std::int64_t elements = prepared.canonical.AxesOf(tensor).Elements();
  const std::int64_t of_channel =
      tensor == Tensor::kW ? elements / (prepared.canonical.groups * from) : 1;
  return Lines{.count = elements / from / of_channel,
               .from_line = from * of_channel,
               .to_line = to * of_channel};
}

/// Forward: the groups of pixels of x, and taps of w, that get more channels. Returns nullopt if
/// they do not.
std::optional<Lines> GroupLines(const Prepared& prepared, Tensor tensor) {
  const std::int64_t from = prepared.canonical.c_per_group(), to = prepared.deeper.c_per_group();
  if (prepared.has_runs_of_x() || from == to || prepared.merged_groups() > 1) return std::nullopt;
  return Lines{.count = prepared.canonical.AxesOf(tensor).Elements() / from,
               .from_line = from,
               .to_line = to};
}

/// The pixels of `deeper`: what output pixels see along w, or the filter's taps along w. If these
/// pixels overlap, they are in lines of x with their padding. Returns nullopt if it has the pixels
/// of `canonical`.
std::optional<Lines> RunLines(const Prepared& prepared, Tensor tensor) {
  const std::int64_t c = prepared.canonical.c, channels = prepared.deeper.c;
  if (!prepared.has_runs_of_x() || tensor == Tensor::kY) return std::nullopt;
  const Dim& w = prepared.canonical.dims[2];
  const TensorAxes axes = prepared.deeper.AxesOf(tensor);
  const std::int64_t count = axes.Elements() / channels,
                     to = axes.stride[3 + (tensor == Tensor::kW)];
  if (tensor == Tensor::kW) {
    return Lines{.count = count, .from_line = w.filter * c, .to_line = to};
  }
  if (to < channels) {
    return Lines{.count = axes.size[0] * axes.size[1] * axes.size[2],
                 .from_line = w.in * c,
                 .to_line = axes.stride[2],
                 .before = w.pad_begin * c};
  }
  return Lines{.count = count,
               .from_line = w.in,
               .to_line = to,
               .before = w.pad_begin,
               .item = c,
               .of_row = w.out(),
               .step = w.stride,
               .used = w.filter * c};
}

/// Prepared::has_runs_of_y: the lines of y along w, with their padding and maybe more channels.
std::optional<Lines> RunLinesOfY(const Prepared& prepared, Tensor tensor) {
  if (!prepared.has_runs_of_y() || tensor != Tensor::kY) return std::nullopt;
  const ConvProblem& canonical = prepared.canonical;
  const Dim& w = canonical.dims[2];
  const std::int64_t pixels = w.in + w.filter - 1, before = w.filter - 1 - w.pad_begin;
  const std::int64_t lines = canonical.batch * canonical.out_pixels() / w.out();
  const std::int64_t channels = prepared.deeper.AxesOf(tensor).stride[3];
  if (channels == canonical.k) {
    return Lines{.count = lines,
                 .from_line = w.out() * channels,
                 .to_line = pixels * channels,
                 .before = before * channels};
  }
  return Lines{.count = lines * pixels,
               .from_line = w.out(),
               .to_line = channels,
               .before = before,
               .item = canonical.k,
               .of_row = pixels,
               .step = 1,
               .used = canonical.k};
}

/// The lines of x along w that are copied with their padding, or the taps of w if pixels get more
/// channels. Returns nullopt if they are not copied.
std::optional<Lines> WidenedLines(const Prepared& prepared, Tensor tensor) {
  if (!prepared.folded || !prepared.folded->copies) return std::nullopt;
  const Folded& folded = *prepared.folded;
  const PerAxis size = prepared.canonical.AxesOf(tensor).size;
  const std::int64_t c = prepared.canonical.c;
  if (tensor == Tensor::kW) {
    if (folded.pixel == c) return std::nullopt;
    return Lines{
        .count = prepared.canonical.w_elements() / c, .from_line = c, .to_line = folded.pixel};
  }
  const std::int64_t lines = size[0] * size[1] * size[2];
  if (folded.pixel == c) {
    return Lines{.count = lines,
                 .from_line = size[3] * c,
                 .to_line = folded.to_pixels * c,
                 .before = folded.pad * c};
  }
  return Lines{.count = lines * folded.to_pixels,
               .from_line = size[3],
               .to_line = folded.pixel,
               .before = folded.pad,
               .item = c,
               .of_row = folded.to_pixels,
               .step = 1,
               .used = c};
}

/// w of forward in the order that its taps have as columns, or of backward-data followed by columns
/// of zeros. Returns nullopt if it is not copied.
std::optional<Lines> ColumnLines(const Prepared& prepared, Tensor tensor) {
  if (!prepared.columns || !prepared.columns->copies_weights || tensor != Tensor::kW) {
    return std::nullopt;
  }
  const ConvProblem& canonical = prepared.canonical;
  if (canonical.direction == Direction::kBackwardData) {
    const std::int64_t line = canonical.c * prepared.columns->taps;
    return Lines{.count = canonical.w_elements() / line,
                 .from_line = line,
                 .to_line = prepared.columns->problem.c};
  }
  const std::int64_t taps = prepared.columns->taps, items = canonical.w_elements() / canonical.c;
  return Lines{.count = items,
               .from_line = items,
               .to_line = canonical.c,
               .item = canonical.c,
               .of_row = items / taps,
               .step = taps,
               .from_row = 1,
               .used = canonical.c};
}

/// The pixels of dy that pixels of x meet along w, if taps are rows; otherwise nullopt.
std::optional<Lines> RowLines(const Prepared& prepared, Tensor tensor) {
  if (!prepared.rows || tensor != Tensor::kY) return std::nullopt;
  return LinesOfTapRows(prepared.canonical, *prepared.rows);
}

/// The strides of a packed tensor whose innermost axis, or axes for pixels, became longer.
PerAxis StridesOf(const TensorAxes& axes, const Lines& lines) {
  PerAxis strides = axes.stride;
  for (std::int64_t& stride : strides) {
    if (stride >= lines.from_line) stride = stride / lines.from_line * lines.to_line;
  }
  return strides;
}

}  // namespace

CopiedLines FindCopiedLines(const Prepared& prepared, Tensor tensor, Gfx gfx,
                            const OperandForm& form) {
  std::optional<Lines> filled = FilledLines(prepared, tensor);
  std::optional<Lines> padded = form.PaddedPixels(prepared.problem, tensor, gfx);
  // Copies of sums' columns and of folded channels would come between these two.
  const bool are_adjacent = filled && padded && !prepared.writes_sums() && !prepared.folded;
  if (const auto joined = are_adjacent ? Joined(*filled, *padded) : std::nullopt) {
    filled.reset();
    padded = joined;
  }
  return {.whole = {GroupLines(prepared, tensor), RunLines(prepared, tensor), filled,
                    RunLinesOfY(prepared, tensor), WidenedLines(prepared, tensor),
                    ColumnLines(prepared, tensor)},
          .apart = {RowLines(prepared, tensor), padded}};
}

ConvProblem ProblemOf(const Prepared& prepared, Gfx gfx, const OperandForm& form) {
  ConvProblem canonical = prepared.problem;
  for (const Tensor tensor : {canonical.a(), canonical.b()}) {
    if (const std::optional<Lines> lines = form.PaddedPixels(canonical, tensor, gfx)) {
      canonical.strides[static_cast<std::size_t>(tensor)] =
          StridesOf(canonical.AxesOf(tensor), *lines);
    }
  }
  if (form.transposes_w(prepared.problem)) {
    const PerAxis size = canonical.AxesOf(Tensor::kW).size;
    const std::int64_t x = size[5] * size[1], y = size[4] * x, z = size[3] * y;
    canonical.strides[static_cast<std::size_t>(Tensor::kW)] = {size[2] * z, 1, z, y, x, size[1]};
  }
  return canonical;
}

}  // namespace gridwise
