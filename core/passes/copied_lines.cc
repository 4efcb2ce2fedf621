#include "core/passes/copied_lines.h"

#include <cstddef>
#include <cstdint>

#include "core/base/math.h"
#include "core/passes/copy_engine.h"
#include "core/passes/plan_sum_tap_rows.h"
#include "core/rewrite/fold.h"
#include "core/rewrite/tap_columns.h"
#include "core/rewrite/tap_rows.h"

namespace gridwise {
namespace {

/// Of backward-data, the groups of cells of y that get more channels, or of w, which get more rows;
/// nothing if they do not.
std::optional<Lines> FilledLines(const Prepared& prepared, Tensor tensor) {
  const std::int64_t from = prepared.simple.k_per_group(), to = prepared.deeper.k_per_group();
  if (from == to || tensor == Tensor::kX || prepared.merged_groups() > 1) return std::nullopt;
  const std::int64_t elements = prepared.simple.AxesOf(tensor).Elements();
  const std::int64_t of_channel =
      tensor == Tensor::kW ? elements / (prepared.simple.groups * from) : 1;
  return Lines{.count = elements / from / of_channel,
               .from_line = from * of_channel,
               .to_line = to * of_channel};
}

/// Of forward, the groups of cells of x, and of w its taps, that get more channels; nothing if they
/// do not.
std::optional<Lines> GroupLines(const Prepared& prepared, Tensor tensor) {
  const std::int64_t from = prepared.simple.c_per_group(), to = prepared.deeper.c_per_group();
  if (prepared.simple.groups == 1 || from == to || prepared.merged_groups() > 1)
    return std::nullopt;
  return Lines{
      .count = prepared.simple.AxesOf(tensor).Elements() / from, .from_line = from, .to_line = to};
}

/// What output cells see along w, or the filter's taps along w: the cells of `deeper`. Nothing if
/// it has those of `simple`.
std::optional<Lines> RunLines(const Prepared& prepared, Tensor tensor) {
  const std::int64_t c = prepared.simple.c, channels = prepared.deeper.c;
  if (prepared.simple.groups > 1 || c == channels || tensor == Tensor::kY) return std::nullopt;
  const Dim& w = prepared.simple.dims[2];
  const TensorAxes axes = prepared.deeper.AxesOf(tensor);
  const std::int64_t count = axes.Elements() / channels,
                     to = axes.stride[3 + (tensor == Tensor::kW)];
  if (tensor == Tensor::kW) {
    return Lines{.count = count, .from_line = w.filter * c, .to_line = to};
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

/// The lines of x along w that are copied with their padding, or the taps of w if cells get more
/// channels; nothing if they are not copied.
std::optional<Lines> WidenedLines(const Prepared& prepared, Tensor tensor) {
  if (!prepared.folded || !prepared.folded->copies) return std::nullopt;
  const Folded& folded = *prepared.folded;
  const PerAxis size = prepared.simple.AxesOf(tensor).size;
  const std::int64_t c = prepared.simple.c;
  if (tensor == Tensor::kW) {
    if (folded.cell == c) return std::nullopt;
    return Lines{.count = prepared.simple.w_elements() / c, .from_line = c, .to_line = folded.cell};
  }
  const std::int64_t lines = size[0] * size[1] * size[2];
  if (folded.cell == c) {
    return Lines{.count = lines,
                 .from_line = size[3] * c,
                 .to_line = folded.to_cells * c,
                 .before = folded.pad * c};
  }
  return Lines{.count = lines * folded.to_cells,
               .from_line = size[3],
               .to_line = folded.cell,
               .before = folded.pad,
               .item = c,
               .of_row = folded.to_cells,
               .step = 1,
               .used = c};
}

/// w of forward in the order that its taps have as columns, or of backward-data with columns of
/// zeros behind them; nothing if it is not copied.
std::optional<Lines> ColumnLines(const Prepared& prepared, Tensor tensor) {
  if (!prepared.columns || !prepared.columns->copies_weights || tensor != Tensor::kW) {
    return std::nullopt;
  }
  const ConvProblem& simple = prepared.simple;
  if (simple.direction == Direction::kBackwardData) {
    const std::int64_t line = simple.c * prepared.columns->taps;
    return Lines{.count = simple.w_elements() / line,
                 .from_line = line,
                 .to_line = prepared.columns->problem.c};
  }
  const std::int64_t taps = prepared.columns->taps, items = simple.w_elements() / simple.c;
  return Lines{.count = items,
               .from_line = items,
               .to_line = simple.c,
               .item = simple.c,
               .of_row = items / taps,
               .step = taps,
               .from_row = 1,
               .used = simple.c};
}

/// What cells of x meet of dy along w, where taps are rows; nothing if they are not.
std::optional<Lines> RowLines(const Prepared& prepared, Tensor tensor) {
  if (!prepared.rows || tensor != Tensor::kY) return std::nullopt;
  return LinesOfTapRows(prepared.simple, *prepared.rows);
}

/// The cells of an operand, of w its taps, that are copied so that they, or their groups, lie
/// multiples of 16 bytes apart; nothing if they are not.
std::optional<Lines> PaddedCells(const ConvProblem& simple, Tensor tensor, Gfx gfx, Cells cells) {
  if (!HasCopyEngine(simple, gfx, cells) || !CopiesCells(cells)) return std::nullopt;
  const TensorAxes axes = simple.AxesOf(tensor);
  const bool weights = tensor == Tensor::kW;
  // Groups of so few channels are not what the copy engine loads filters for, but in backward-data,
  // where w lies along c, if those of y are whole slabs.
  const bool has_slabs =
      simple.direction == Direction::kBackwardData && simple.k_per_group() % kShortSlab == 0;
  const bool powers = cells == Cells::kGroupsApart && PowerApart(simple) > 0;
  if (weights && simple.groups > 1 && (powers || !has_slabs)) return std::nullopt;
  if (simple.strides[static_cast<std::size_t>(tensor)] != PerAxis{} ||
      (weights ? simple.weight_layout != WeightLayout::kGKYXC : simple.layout != Layout::kNHWGC)) {
    return std::nullopt;
  }
  const std::int64_t channels = axes.size[5];
  const std::int64_t apart = weights ? channels : GroupsApart(simple, tensor, cells);
  const std::int64_t line = weights || apart != channels ? channels : axes.size[4] * channels;
  const Lines lines = {
      .count = axes.Elements() / line,
      .from_line = line,
      .to_line = apart != channels ? apart : AlignUp(line, CopyElements(simple.type))};
  if (lines.to_line == line || lines.ToElements() >= kMostWidened) return std::nullopt;
  return lines;
}

/// The strides of a packed tensor whose innermost axis, or for cells axes, became longer.
PerAxis StridesOf(const TensorAxes& axes, const Lines& lines) {
  PerAxis strides = axes.stride;
  for (std::int64_t& stride : strides) {
    if (stride >= lines.from_line) stride = stride / lines.from_line * lines.to_line;
  }
  return strides;
}

}  // namespace

CopiedLines CopiedLinesOf(const Prepared& prepared, Tensor tensor, Gfx gfx, Cells cells) {
  return {.whole = {GroupLines(prepared, tensor), RunLines(prepared, tensor),
                    FilledLines(prepared, tensor), WidenedLines(prepared, tensor),
                    ColumnLines(prepared, tensor)},
          .apart = {RowLines(prepared, tensor), PaddedCells(prepared.problem, tensor, gfx, cells)}};
}

ConvProblem ProblemOf(const Prepared& prepared, Gfx gfx, Cells cells) {
  ConvProblem simple = prepared.problem;
  for (const Tensor tensor : {simple.a(), simple.b()}) {
    if (const std::optional<Lines> lines = PaddedCells(simple, tensor, gfx, cells)) {
      simple.strides[static_cast<std::size_t>(tensor)] = StridesOf(simple.AxesOf(tensor), *lines);
    }
  }
  return simple;
}

}  // namespace gridwise
