#include "core/passes/layout_passes.h"

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/math.h"
#include "core/conv/fold.h"
#include "core/conv/simplify.h"
#include "core/passes/pass_code.h"
#include "core/passes/pass_cycles.h"
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
  return TraitsOf(gfx).mma_unit == MmaUnit::kWgmma && SizeOf(problem.type) == 2;
}

/// What becomes of a problem, step by step.
struct Prepared {
  ConvProblem simple;            // without transpositions
  ConvProblem deeper;            // with some more channels of x or y, which are zeros
  std::optional<Folded> folded;  // deeper, if that can be

  const ConvProblem& problem() const { return folded ? folded->problem : deeper; }
};

/// Whether y of backward-data is copied with a whole slab of channels: it is copied anyway, for the
/// copy engine, which is slower at filling in zeros than at loading them.
bool FillsSlab(const ConvProblem& simple, Gfx gfx) {
  constexpr std::int64_t kSlab = 64;
  return HasCopyEngine(simple, gfx) && simple.direction == Direction::kBackwardData &&
         simple.groups == 1 && simple.k < kSlab &&
         simple.k * SizeOf(simple.type) % kCopyBytes != 0 && simple.layout == Layout::kNHWGC &&
         simple.weight_layout == WeightLayout::kGKYXC &&
         simple.strides == decltype(simple.strides){} &&
         simple.batch * simple.out_cells() < (std::int64_t{1} << 31) / kSlab;
}

Prepared Prepare(const ConvProblem& problem, Gfx gfx) {
  Prepared prepared = {
      .simple = Simplify(WithoutTranspositions(problem)), .deeper = {}, .folded = {}};
  prepared.deeper = prepared.simple;
  if (FillsSlab(prepared.simple, gfx)) {
    prepared.deeper.k = 64;
    return prepared;
  }
  prepared.folded = Fold(prepared.simple);
  if (!prepared.folded || !HasCopyEngine(problem, gfx)) return prepared;
  // As many that runs of cells begin where the copy engine can.
  ConvProblem deeper = prepared.simple;
  const std::int64_t of_run = SizeOf(problem.type) * deeper.dims[2].stride;
  deeper.c = AlignUp(deeper.c, kCopyBytes / Gcd(kCopyBytes, of_run));
  prepared.folded = Fold(deeper, kCopyBytes / SizeOf(problem.type));
  if (prepared.folded) prepared.deeper = deeper;
  return prepared;
}

/// The cells of y that get more channels, or w, which gets more rows; nothing if they do not.
std::optional<Lines> FilledLines(const Prepared& prepared, Tensor tensor) {
  const std::int64_t from = prepared.simple.k, to = prepared.deeper.k;
  if (from == to || tensor == Tensor::kX) return std::nullopt;
  const std::int64_t elements = prepared.simple.AxesOf(tensor).Elements();
  const std::int64_t of_channel = tensor == Tensor::kW ? elements / from : 1;
  return Lines{.count = elements / from / of_channel,
               .from_line = from * of_channel,
               .to_line = to * of_channel,
               .before = 0};
}

/// What is copied for folding: of x lines along w with their padding, and cells of x or taps of w
/// that get more channels; nothing if neither.
std::optional<Lines> FoldedLines(const Prepared& prepared, Tensor tensor) {
  const std::int64_t from = prepared.simple.c, to = prepared.deeper.c;
  const bool copies = tensor == Tensor::kX && prepared.folded && prepared.folded->copies;
  if (from == to && !copies) return std::nullopt;
  const PerAxis size = prepared.simple.AxesOf(tensor).size;
  if (!copies) {
    return Lines{.count = prepared.simple.AxesOf(tensor).Elements() / from,
                 .from_line = from,
                 .to_line = to,
                 .before = 0};
  }
  return Lines{.count = size[0] * size[1] * size[2],
               .from_line = size[3],
               .to_line = prepared.folded->to_cells,
               .before = prepared.folded->pad,
               .from_item = from,
               .to_item = to};
}

/// The cells of an operand, of w its taps, that are copied so that they lie multiples of 16 bytes
/// apart; nothing if they are not.
std::optional<Lines> PaddedCells(const ConvProblem& simple, Tensor tensor, Gfx gfx) {
  if (!HasCopyEngine(simple, gfx)) return std::nullopt;
  const TensorAxes axes = simple.AxesOf(tensor);
  const bool weights = tensor == Tensor::kW;
  // Groups of so few channels are not what the copy engine loads filters for.
  if (weights && simple.groups > 1) return std::nullopt;
  if (simple.strides[static_cast<std::size_t>(tensor)] != PerAxis{} ||
      (weights ? simple.weight_layout != WeightLayout::kGKYXC : simple.layout != Layout::kNHWGC)) {
    return std::nullopt;
  }
  const std::int64_t line = weights ? axes.size[5] : axes.size[4] * axes.size[5];
  const Lines lines = {.count = axes.Elements() / line,
                       .from_line = line,
                       .to_line = AlignUp(line, kCopyBytes / SizeOf(simple.type)),
                       .before = 0};
  constexpr std::int64_t kMostElements = std::int64_t{1} << 31;  // see PlanWiden
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

KernelLaunch MakeWidenLaunch(Gfx gfx, DataType type, const Lines& lines, const Place& from,
                             const Place& to) {
  return {.code = PassCode("widen", SizeOf(type), gfx),
          .shape = {.workgroups = {WidenWorkgroups(lines), 1, 1},
                    .threads = {kWidenThreads, 1, 1},
                    .begins_early = BeginsEarly(gfx)},
          .arguments = BytesOf(PlanWiden(lines)),
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

}  // namespace

ConvProblem SimpleProblem(const ConvProblem& problem, Gfx gfx) {
  ConvProblem simple = Prepare(problem, gfx).problem();
  for (const Tensor tensor : {simple.a(), simple.b()}) {
    if (const std::optional<Lines> lines = PaddedCells(simple, tensor, gfx)) {
      simple.strides[static_cast<std::size_t>(tensor)] = StridesOf(simple.AxesOf(tensor), *lines);
    }
  }
  return simple;
}

double LayoutPassCycles(const ConvProblem& problem, const DeviceFacts& device) {
  double cycles = 0;
  const std::vector<OperandTensor> operands = OperandTensors(problem);
  const auto add_transposition = [&](Tensor tensor) {
    if (!IsTransposed(problem, tensor)) return;
    cycles += PassCycles(device, 2.0 * static_cast<double>(BytesOfTensor(problem, tensor)));
  };
  for (const OperandTensor& operand : operands) add_transposition(operand.tensor);
  add_transposition(problem.out());
  const auto add = [&](const std::optional<Lines>& lines) {
    if (!lines) return;
    const auto elements = static_cast<double>(lines->ToElements());
    cycles += PassCycles(device, 2 * elements * SizeOf(problem.type));
  };
  const Prepared prepared = Prepare(problem, device.gfx);
  for (const auto& [tensor, place] : operands) {
    add(FoldedLines(prepared, tensor));
    add(FilledLines(prepared, tensor));
    add(PaddedCells(prepared.problem(), tensor, device.gfx));
  }
  return cycles;
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
  const auto widen = [&](const std::optional<Lines>& lines, Place& place) {
    if (!lines) return;
    const Place copy = {Memory::kWorkspace,
                        plan.Reserve(lines->ToElements() * SizeOf(problem_.type))};
    plan.launches.push_back(MakeWidenLaunch(gfx_, problem_.type, *lines, place, copy));
    place = copy;
  };
  const Prepared prepared = Prepare(problem_, gfx_);
  for (const auto& [tensor, member] : operands) {
    Place& place = places.*member;
    widen(FoldedLines(prepared, tensor), place);
    widen(FilledLines(prepared, tensor), place);
    widen(PaddedCells(prepared.problem(), tensor, gfx_), place);
  }
  if (IsTransposed(problem_, problem_.out())) {
    places.out = {Memory::kWorkspace, plan.Reserve(BytesOfTensor(problem_, problem_.out()))};
  }
  return places;
}

void LayoutPasses::AddAfter(const Places& places, LaunchPlan& plan) const {
  if (!IsTransposed(problem_, problem_.out())) return;
  plan.launches.push_back(MakeTransposeLaunch(gfx_, problem_.output_type(),
                                              MatricesOf(problem_, problem_.out()), places.out,
                                              {Memory::kOut}));
}

}  // namespace gridwise
