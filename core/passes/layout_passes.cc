#include "core/passes/layout_passes.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/math.h"
#include "core/conv/fold.h"
#include "core/conv/simplify.h"
#include "core/conv/sub_gemms.h"
#include "core/conv/tap_columns.h"
#include "core/conv/tap_rows.h"
#include "core/passes/convert_args.h"
#include "core/passes/pass_code.h"
#include "core/passes/pass_cycles.h"
#include "core/passes/plan_overlap_add.h"
#include "core/passes/plan_reduce.h"
#include "core/passes/plan_sum_tap_rows.h"
#include "core/passes/plan_transpose.h"
#include "core/passes/plan_widen.h"

namespace gridwise {
namespace {

DataType TypeOf(const ConvProblem& problem, Tensor tensor) {
  return tensor == problem.out() ? problem.output_type() : problem.type;
}

std::int64_t BytesOfTensor(const ConvProblem& problem, Tensor tensor) {
  return problem.AxesOf(tensor).Elements() * SizeOf(TypeOf(problem, tensor));
}

/// The matrices, cells by channels, that a tensor of x or y is in NHWGC, one for each image. In
/// NGCHW they are transposed.
Matrices MatricesOf(const ConvProblem& problem, Tensor tensor) {
  const PerAxis size = problem.AxesOf(tensor).size;
  return {.count = size[0], .rows = size[1] * size[2] * size[3], .columns = size[4] * size[5]};
}

Matrices Transposed(const Matrices& matrices) {
  return {.count = matrices.count, .rows = matrices.columns, .columns = matrices.rows};
}

/// Whether a tensor is not as kernels have it.
bool IsTransposed(const ConvProblem& problem, Tensor tensor) {
  if (problem.layout != Layout::kNGCHW || tensor == Tensor::kW) return false;
  const Matrices matrices = MatricesOf(problem, tensor);
  return matrices.rows > 1 && matrices.columns > 1;
}

ConvProblem WithoutTranspositions(ConvProblem problem) {
  if (problem.layout == Layout::kNGCHW) problem.layout = Layout::kNHWGC;
  return problem;
}

/// Whether kernels load by a copy engine, which wants multiples of kCopyBytes.
constexpr std::int64_t kCopyBytes = 16;
bool HasCopyEngine(const ConvProblem& problem, Gfx gfx) {
  const bool loads_type = SizeOf(problem.type) == 2 || problem.type == DataType::kI8;
  return TraitsOf(gfx).mma_unit == MmaUnit::kWgmma && loads_type;
}

/// Whether cells of few channels are copied for the copy engine.
bool CopiesCells(Cells cells) {
  return cells == Cells::kSpaced || cells == Cells::kGroupsApart || cells == Cells::kSpacedTaps;
}

/// What becomes of a problem, step by step.
struct Prepared {
  ConvProblem simple;  // without transpositions, of the type that operands are copied in
  ConvProblem deeper;  // with more channels of x or y, which are copied
  // Without a copy engine: simple, if that can be folded.
  // Or else, if it pays, with taps as columns or rows.
  std::optional<Folded> folded;
  std::optional<TapColumns> columns;
  std::optional<TapRows> rows;

  ConvProblem problem;  // what kernels compute, but for the strides of padded cells

  bool writes_sums() const { return columns || rows; }
};

constexpr std::int64_t kMostElements = std::int64_t{1} << 31;  // see PlanWiden
/// Channels that the copy engine loads at once. It is slower at filling in zeros than at loading
/// them: what is copied anyway is filled up.
constexpr std::int64_t kSlab = 64, kShortSlab = 32;

/// Whether y of backward-data is copied with a whole slab of channels.
bool FillsSlab(const ConvProblem& simple) {
  return simple.direction == Direction::kBackwardData && simple.groups == 1 && simple.k < kSlab &&
         simple.k * SizeOf(simple.type) % kCopyBytes != 0 && simple.layout == Layout::kNHWGC &&
         simple.weight_layout == WeightLayout::kGKYXC &&
         simple.strides == decltype(simple.strides){} &&
         simple.batch * simple.out_cells() < kMostElements / kSlab;
}

/// Of forward of few channels: the convolution of a copy of x whose cells are what output cells see
/// along w, filled up to a slab of channels. (Runs of x that overlap need no copy, see Fold, but
/// end within a slab.) Nothing if it cannot be folded or is too large.
std::optional<ConvProblem> WithRuns(const ConvProblem& simple) {
  if (!Fold(simple)) return std::nullopt;
  const Dim& w = simple.dims[2];
  ConvProblem runs = simple;
  runs.layout = Layout::kNHWGC;
  runs.weight_layout = WeightLayout::kGKYXC;
  runs.c = AlignUp(simple.c * w.filter, simple.c * w.filter > kShortSlab ? kSlab : kShortSlab);
  runs.dims[2] = Dim{.in = w.out()};
  if (runs.AxesOf(Tensor::kX).Elements() >= kMostElements) return std::nullopt;
  return runs;
}

/// Of backward-weight of few channels and many taps: the same copy of x, whose cells are only as
/// far apart as the copy engine wants them, so that dw has as many channels as a filter line in
/// memory.
std::optional<ConvProblem> WithRunsOfWeight(const ConvProblem& simple) {
  constexpr std::int64_t kManyTaps = 9;
  const std::int64_t bytes = SizeOf(simple.type);
  const Dim& w = simple.dims[2];
  if (simple.direction != Direction::kBackwardWeight || simple.groups != 1 || w.filter == 1 ||
      w.dilation != 1 || simple.c * bytes >= kCopyBytes || simple.filter_taps() <= kManyTaps ||
      simple.layout != Layout::kNHWGC || simple.weight_layout != WeightLayout::kGKYXC ||
      simple.strides != decltype(simple.strides){} || simple.epilogue.tensors > 0) {
    return std::nullopt;
  }
  ConvProblem runs = simple;
  runs.c = simple.c * w.filter;
  runs.dims[2] = Dim{.in = w.out()};
  const std::int64_t cell = AlignUp(runs.c, kCopyBytes / bytes), line = w.out() * cell;
  const std::int64_t slice = simple.dims[1].in * line, image = simple.dims[0].in * slice;
  if (simple.batch * image >= kMostElements) return std::nullopt;
  runs.strides[static_cast<std::size_t>(Tensor::kX)] = {image, slice, line, cell, runs.c, 1};
  return runs;
}

/// Patches that are further apart along h than the copy engine's boxes have steps for: a line of
/// patches is an image. x is the same in memory. In backward-data a line of each is a sub-GEMM.
ConvProblem WithImagesOfPatches(ConvProblem simple) {
  constexpr std::int64_t kMostSteps = 8;
  auto& [d, h, w] = simple.dims;
  const bool cuts = h.stride > kMostSteps && h.filter == h.stride && h.in == h.out() * h.filter &&
                    h.pad_begin == 0 && h.dilation == 1;
  if (!cuts || d != Dim{} || simple.direction == Direction::kBackwardData ||
      simple.strides != decltype(simple.strides){}) {
    return simple;
  }
  const bool forward = simple.direction == Direction::kForward;
  for (int i = 0; forward && i < simple.epilogue.tensors; ++i) {
    const PerAxis& stride = simple.epilogue.d[static_cast<std::size_t>(i)].stride;
    if (stride[0] != stride[2] * h.out()) return simple;
  }
  for (EpilogueTensor& tensor : simple.epilogue.d) {
    if (forward) tensor.stride[0] = tensor.stride[2];
  }
  simple.batch *= h.out();
  h = Dim{.in = h.filter, .filter = h.filter};
  return simple;
}

/// Whether kernels compute several groups at a time as they are.
bool AreSeveral(const ConvProblem& problem) {
  const std::int64_t c = problem.c_per_group(), k = problem.k_per_group();
  return c == k && c <= kSlab && (c & (c - 1)) == 0;
}

/// The channels of a group's operand that gather rows have a use for: whole slabs, of i8 whatever
/// the copy engine finds.
std::int64_t WholeChannels(DataType type, std::int64_t channels) {
  if (type == DataType::kI8) return AlignUp(channels, kCopyBytes);
  return AlignUp(channels, channels > kShortSlab ? kSlab : kShortSlab);
}

/// Whether the copy engine loads groups of x, or of y in backward-data, and there lines of w, as
/// fast as copies that are filled up: it is slow at groups that begin within a sector of the cache,
/// and copies pay where much is loaded several times.
bool GroupsAreLoaded(const ConvProblem& simple) {
  constexpr std::int64_t kSectorBytes = 32, kSeveralTimes = 4;
  const bool forward = simple.direction == Direction::kForward;
  const std::int64_t much = forward ? 500'000 : 800'000;  // w is copied as well
  const std::int64_t bytes = SizeOf(simple.type);
  const std::int64_t channels = forward ? simple.c_per_group() : simple.k_per_group();
  if (channels * bytes % kCopyBytes != 0) return false;
  if (!forward && simple.c_per_group() * bytes % kCopyBytes != 0) return false;
  const std::int64_t cells = forward ? simple.in_cells() : simple.out_cells();
  const std::int64_t loads = simple.out_cells() * simple.filter_taps();
  const std::int64_t lines = simple.batch * loads * simple.groups * CeilDiv(channels, kSlab);
  return channels * bytes % kSectorBytes == 0 || loads < kSeveralTimes * cells || lines < much;
}

/// Of many groups: those of x, or of y in backward-data, filled up to WholeChannels, but for groups
/// that are computed several at a time. Nothing if they are not filled up.
std::optional<ConvProblem> WithWholeGroups(const ConvProblem& simple) {
  const std::int64_t c = simple.c_per_group(), k = simple.k_per_group();
  const bool has_maps =
      simple.type != DataType::kI8 && GroupsAreLoaded(simple) &&
      (SubGemmCount(simple) * simple.groups <= kMostMapsOfGroups || HasAxisOfGroups(simple));
  if (simple.direction == Direction::kBackwardWeight || simple.groups == 1 || AreSeveral(simple) ||
      has_maps || simple.layout != Layout::kNHWGC || simple.weight_layout != WeightLayout::kGKYXC ||
      simple.strides != decltype(simple.strides){}) {
    return std::nullopt;
  }
  ConvProblem whole = simple;
  const bool forward = simple.direction == Direction::kForward;
  (forward ? whole.c : whole.k) = simple.groups * WholeChannels(simple.type, forward ? c : k);
  if (whole == simple || whole.a_elements() >= kMostElements) return std::nullopt;
  return whole;
}

/// Elements from one group to the next where groups are copied so that kernels compute several at a
/// time: as many of x as of y, a power of two. 0: they are not.
std::int64_t PowerApart(const ConvProblem& problem) {
  const std::int64_t most = std::max(problem.c_per_group(), problem.k_per_group());
  if (problem.groups == 1 || AreSeveral(problem)) return 0;
  auto apart = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(most)));
  // And cells are multiples of what the copy engine loads.
  while (problem.groups * apart * SizeOf(problem.type) % kCopyBytes != 0) apart *= 2;
  return apart <= kSlab ? apart : 0;
}

/// Elements from one group of x or y to the next, where it is copied. In backward-weight, groups
/// begin where the copy engine can load them.
std::int64_t GroupsApart(const ConvProblem& simple, Tensor tensor, Cells cells) {
  const std::int64_t power = cells == Cells::kGroupsApart ? PowerApart(simple) : 0;
  if (power > 0) return power;
  const std::int64_t channels = simple.AxesOf(tensor).size[5];
  const bool is_loaded =
      simple.direction != Direction::kBackwardWeight || simple.groups == 1 || AreSeveral(simple);
  return is_loaded ? channels : AlignUp(channels, kCopyBytes / SizeOf(simple.type));
}

/// What kernels with a copy engine compute of a problem whose taps are not columns or rows.
ConvProblem WithSlabs(const ConvProblem& simple) {
  ConvProblem deeper = simple;
  if (FillsSlab(simple)) {
    deeper.k = kSlab;
  } else if (const std::optional<ConvProblem> whole = WithWholeGroups(simple)) {
    deeper = *whole;
  } else if (const std::optional<ConvProblem> runs = WithRuns(simple)) {
    deeper = *runs;
  } else if (const std::optional<ConvProblem> of_weight = WithRunsOfWeight(simple)) {
    deeper = *of_weight;
  }
  return deeper;
}

/// All but what kernels compute.
Prepared PrepareForms(const ConvProblem& problem, Gfx gfx, Cells cells) {
  Prepared prepared = {.simple = Simplify(WithoutTranspositions(problem)),
                       .deeper = {},
                       .folded = {},
                       .columns = {},
                       .rows = {},
                       .problem = {}};
  const DataType copied = CopiedType(problem, gfx, cells);
  if (copied != problem.type) {
    prepared.simple.out_type = problem.output_type();
    prepared.simple.type = copied;
  }
  if (HasCopyEngine(prepared.simple, gfx)) prepared.simple = WithImagesOfPatches(prepared.simple);
  prepared.deeper = prepared.simple;
  const bool apart = cells == Cells::kGroupsApart && SpacesGroups(prepared.simple, gfx);
  if (apart || !CopiesCells(cells)) return prepared;
  const bool copies = HasCopyEngine(prepared.simple, gfx);
  const bool may_have_taps =
      copies ? cells == Cells::kSpacedTaps : TraitsOf(gfx).mma_unit != MmaUnit::kWgmma;
  std::optional<Folded> folded;
  if (!copies || may_have_taps) folded = Fold(prepared.simple);
  if (may_have_taps) {
    if (!folded) prepared.columns = ChooseTapColumns(prepared.simple, gfx);
    prepared.rows = ChooseTapRows(prepared.simple, gfx);
  }
  if (!copies) prepared.folded = std::move(folded);
  if (copies && !prepared.writes_sums()) prepared.deeper = WithSlabs(prepared.simple);
  return prepared;
}

Prepared Prepare(const ConvProblem& problem, Gfx gfx, Cells cells) {
  Prepared prepared = PrepareForms(problem, gfx, cells);
  prepared.problem = prepared.columns  ? Simplify(prepared.columns->problem)
                     : prepared.rows   ? Simplify(prepared.rows->problem)
                     : prepared.folded ? prepared.folded->problem
                                       : prepared.deeper;
  return prepared;
}

/// Of backward-data, the groups of cells of y that get more channels, or of w, which get more rows;
/// nothing if they do not.
std::optional<Lines> FilledLines(const Prepared& prepared, Tensor tensor) {
  const std::int64_t from = prepared.simple.k_per_group(), to = prepared.deeper.k_per_group();
  if (from == to || tensor == Tensor::kX) return std::nullopt;
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
  if (prepared.simple.groups == 1 || from == to) return std::nullopt;
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
  if (!HasCopyEngine(simple, gfx) || !CopiesCells(cells)) return std::nullopt;
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
      .to_line = apart != channels ? apart : AlignUp(line, kCopyBytes / SizeOf(simple.type))};
  if (lines.to_line == line || lines.ToElements() >= kMostElements) return std::nullopt;
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

KernelLaunch MakeTransposeLaunch(Gfx gfx, DataType type, const Matrices& matrices,
                                 const Place& from, const Place& to) {
  return {.code = PassCode("transpose", SizeOf(type), gfx),
          .shape = TransposeShape(matrices),
          .arguments = BytesOf(PlanTranspose(matrices)),
          .addresses = {{offsetof(TransposeArgs, from), from}, {offsetof(TransposeArgs, to), to}},
          .map = {}};
}

KernelLaunch MakeConvertLaunch(Gfx gfx, DataType from_type, DataType to_type, std::int64_t elements,
                               const Place& from, const Place& to) {
  const std::int64_t workgroups =
      CeilDiv<std::int64_t>(elements, kConvertThreads * kConvertElements);
  return {.code = PassCode("convert", from_type, to_type, gfx),
          .shape = {.workgroups = {static_cast<unsigned>(workgroups), 1, 1},
                    .threads = {kConvertThreads, 1, 1},
                    .begins_early = BeginsEarly(gfx)},
          .arguments = BytesOf(ConvertArgs{.from = nullptr, .to = nullptr, .elements = elements}),
          .addresses = {{offsetof(ConvertArgs, from), from}, {offsetof(ConvertArgs, to), to}},
          .map = {}};
}

/// Bytes of the widest words that there is a kernel for, and the lines in such words.
std::pair<int, Lines> InWidestWords(Gfx gfx, DataType type, const Lines& lines) {
  const int bytes = SizeOf(type);
  if (TraitsOf(gfx).mma_unit != MmaUnit::kWgmma) return {bytes, lines};
  for (const int word : {16, 8}) {
    const std::optional<Lines> words = InWords(lines, word / bytes);
    if (words) return {word, *words};
  }
  return {bytes, lines};
}

KernelLaunch MakeWidenLaunch(Gfx gfx, DataType type, const Lines& lines, const Place& from,
                             const Place& to) {
  const auto [bytes, words] = InWidestWords(gfx, type, lines);
  return {.code = PassCode("widen", bytes, gfx),
          .shape = {.workgroups = {WidenWorkgroups(words), 1, 1},
                    .threads = {kWidenThreads, 1, 1},
                    .begins_early = BeginsEarly(gfx)},
          .arguments = BytesOf(PlanWiden(words)),
          .addresses = {{offsetof(WidenArgs, from), from}, {offsetof(WidenArgs, to), to}},
          .map = {}};
}

/// The tensors that the operands are made of.
struct OperandTensor {
  Tensor tensor;
  Place Places::* place;
};
std::vector<OperandTensor> OperandTensors(const ConvProblem& problem) {
  std::vector<OperandTensor> tensors = {{problem.a(), &Places::a}, {problem.b(), &Places::b}};
  if (problem.operand_sums[0].adds) tensors.push_back({problem.a(), &Places::a1});
  if (problem.operand_sums[1].adds) tensors.push_back({problem.b(), &Places::b1});
  return tensors;
}

/// What kernels compute, with the strides of padded cells.
ConvProblem ProblemOf(const Prepared& prepared, Gfx gfx, Cells cells) {
  ConvProblem simple = prepared.problem;
  for (const Tensor tensor : {simple.a(), simple.b()}) {
    if (const std::optional<Lines> lines = PaddedCells(simple, tensor, gfx, cells)) {
      simple.strides[static_cast<std::size_t>(tensor)] = StridesOf(simple.AxesOf(tensor), *lines);
    }
  }
  return simple;
}

/// Estimated cycles of the passes.
double CyclesOf(const ConvProblem& problem, const Prepared& prepared, const DeviceFacts& device,
                Cells cells) {
  double cycles = 0;
  const std::vector<OperandTensor> operands = OperandTensors(problem);
  const auto add_transposition = [&](Tensor tensor) {
    if (!IsTransposed(problem, tensor)) return;
    cycles += PassCycles(device, 2.0 * static_cast<double>(BytesOfTensor(problem, tensor)));
  };
  for (const OperandTensor& operand : operands) add_transposition(operand.tensor);
  add_transposition(problem.out());
  const DataType copied = prepared.simple.type;
  const auto add = [&](const std::optional<Lines>& lines) {
    if (!lines) return;
    const auto elements = static_cast<double>(lines->ToElements());
    cycles += PassCycles(device, 2 * elements * SizeOf(copied));
  };
  for (const auto& [tensor, place] : operands) {
    if (copied != problem.type) {
      const auto elements = static_cast<double>(problem.AxesOf(tensor).Elements());
      cycles += PassCycles(device, elements * (SizeOf(problem.type) + SizeOf(copied)));
    }
    add(GroupLines(prepared, tensor));
    add(RunLines(prepared, tensor));
    add(WidenedLines(prepared, tensor));
    add(ColumnLines(prepared, tensor));
    add(RowLines(prepared, tensor));
    add(FilledLines(prepared, tensor));
    add(PaddedCells(prepared.problem, tensor, device.gfx, cells));
  }
  return cycles;
}

}  // namespace

bool HasAxisOfGroups(const ConvProblem& simple) {
  const auto is_near = [](const Dim& dim) {
    return dim.dilated_filter() <= kMostCellsBesideGroups && dim.stride <= kMostCellsBesideGroups &&
           std::max(dim.pad_begin, dim.pad_end) < kMostCellsBesideGroups;
  };
  return simple.dims[0] == Dim{} && is_near(simple.dims[1]) && is_near(simple.dims[2]);
}

DataType CopiedType(const ConvProblem& problem, Gfx gfx, Cells cells) {
  if (TraitsOf(gfx).mma_unit != MmaUnit::kWgmma || cells == Cells::kAsTheyAre) return problem.type;
  if (IsFloat8(problem.type)) {
    return problem.output_type() == DataType::kBF16 ? DataType::kBF16 : DataType::kF16;
  }
  constexpr std::int64_t kMostTerms = (1 << 24) / (128 * 128);
  const bool is_exact = problem.type == DataType::kI8 && problem.reduction_length() <= kMostTerms;
  return is_exact && cells == Cells::kFloatsAsTheyAre ? DataType::kF16 : problem.type;
}

bool SpacesGroups(const ConvProblem& problem, Gfx gfx) {
  ConvProblem copied = problem;
  copied.type = CopiedType(problem, gfx, Cells::kGroupsApart);
  return HasCopyEngine(copied, gfx) && PowerApart(copied) > 0;
}

ConvProblem SimpleProblem(const ConvProblem& problem, Gfx gfx, Cells cells) {
  return ProblemOf(Prepare(problem, gfx, cells), gfx, cells);
}

SimpleForm SimpleFormOf(const ConvProblem& problem, const DeviceFacts& device, Cells cells) {
  const Prepared prepared = Prepare(problem, device.gfx, cells);
  return {.problem = ProblemOf(prepared, device.gfx, cells),
          .pass_cycles = CyclesOf(problem, prepared, device, cells),
          .writes_sums = prepared.writes_sums()};
}

Places LayoutPasses::AddBefore(LaunchPlan& plan) const {
  Places places;
  const std::vector<OperandTensor> operands = OperandTensors(problem_);
  for (const auto& [tensor, member] : operands) {
    if (!IsTransposed(problem_, tensor)) continue;
    Place& place = places.*member;
    const Place copy = {Memory::kWorkspace, plan.Reserve(BytesOfTensor(problem_, tensor))};
    plan.launches.push_back(MakeTransposeLaunch(
        gfx_, problem_.type, Transposed(MatricesOf(problem_, tensor)), place, copy));
    place = copy;
  }
  const Prepared prepared = Prepare(problem_, gfx_, cells_);
  const DataType copied = prepared.simple.type;
  const auto widen = [&](const std::optional<Lines>& lines, Place& place) {
    if (!lines) return;
    const Place copy = {Memory::kWorkspace, plan.Reserve(lines->ToElements() * SizeOf(copied))};
    plan.launches.push_back(MakeWidenLaunch(gfx_, copied, *lines, place, copy));
    place = copy;
  };
  for (const auto& [tensor, member] : operands) {
    Place& place = places.*member;
    if (copied != problem_.type) {
      const std::int64_t elements = problem_.AxesOf(tensor).Elements();
      const Place copy = {Memory::kWorkspace, plan.Reserve(elements * SizeOf(copied))};
      plan.launches.push_back(
          MakeConvertLaunch(gfx_, problem_.type, copied, elements, place, copy));
      place = copy;
    }
    widen(GroupLines(prepared, tensor), place);
    widen(RunLines(prepared, tensor), place);
    widen(FilledLines(prepared, tensor), place);
    widen(WidenedLines(prepared, tensor), place);
    widen(ColumnLines(prepared, tensor), place);
    if (member == &Places::a) places.whole_a = place;
    if (member == &Places::b) places.whole_b = place;
    widen(RowLines(prepared, tensor), place);
    widen(PaddedCells(prepared.problem, tensor, gfx_, cells_), place);
  }
  if (IsTransposed(problem_, problem_.out())) {
    places.out = {Memory::kWorkspace, plan.Reserve(BytesOfTensor(problem_, problem_.out()))};
  }
  return places;
}

void LayoutPasses::AddSums(int splits, std::int64_t sums_at, const Places& places,
                           LaunchPlan& plan) const {
  const Prepared prepared = Prepare(problem_, gfx_, cells_);
  if (prepared.columns) {
    AddOverlapAddLaunch(prepared.simple, *prepared.columns, gfx_, splits, sums_at, places, plan);
  } else if (prepared.rows) {
    AddSumTapRowsLaunch(prepared.simple, *prepared.rows, gfx_, splits, sums_at, places.whole_a,
                        places, plan);
  } else {
    AddReduceLaunches(prepared.problem, gfx_, splits, sums_at, places, plan);
  }
}

void LayoutPasses::AddAfter(const Places& places, LaunchPlan& plan) const {
  if (!IsTransposed(problem_, problem_.out())) return;
  plan.launches.push_back(MakeTransposeLaunch(gfx_, problem_.output_type(),
                                              MatricesOf(problem_, problem_.out()), places.out,
                                              {Memory::kOut}));
}

}  // namespace gridwise
