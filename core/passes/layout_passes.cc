#include "core/passes/layout_passes.h"

#include <cstddef>
#include <optional>
#include <utility>

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

/// The lines of x along w that are copied with their padding; nothing if they are not.
std::optional<Lines> WidenedLines(const ConvProblem& problem) {
  const ConvProblem simple = Simplify(WithoutTranspositions(problem));
  const std::optional<Folded> folded = Fold(simple);
  if (!folded || !folded->copies) return std::nullopt;
  const PerAxis size = simple.AxesOf(Tensor::kX).size;
  return Lines{.count = size[0] * size[1] * size[2],
               .from_line = size[3] * simple.c,
               .to_line = folded->to_cells * simple.c,
               .before = folded->pad * simple.c};
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
          .shape = {.workgroups = {WidenWorkgroups(lines), 1, 1}, .threads = {kWidenThreads, 1, 1}},
          .arguments = BytesOf(PlanWiden(lines)),
          .addresses = {{offsetof(WidenArgs, from), from}, {offsetof(WidenArgs, to), to}},
          .map = {}};
}

}  // namespace

ConvProblem SimpleProblem(const ConvProblem& problem) {
  const ConvProblem simple = Simplify(WithoutTranspositions(problem));
  const std::optional<Folded> folded = Fold(simple);
  return folded ? folded->problem : simple;
}

double LayoutPassCycles(const ConvProblem& problem, const DeviceFacts& device) {
  double cycles = 0;
  for (const Tensor tensor : {problem.a(), problem.b(), problem.out()}) {
    if (!IsTransposed(problem, tensor)) continue;
    cycles += PassCycles(device, 2.0 * static_cast<double>(BytesOfTensor(problem, tensor)));
  }
  if (const std::optional<Lines> lines = WidenedLines(problem)) {
    const auto elements = static_cast<double>(lines->ToElements());
    cycles += PassCycles(device, 2 * elements * SizeOf(problem.type));
  }
  return cycles;
}

Places LayoutPasses::AddBefore(LaunchPlan& plan) const {
  Places places;
  for (auto [tensor, place] : {std::pair(problem_.a(), &places.a), {problem_.b(), &places.b}}) {
    if (!IsTransposed(problem_, tensor)) continue;
    const Place copy = {Memory::kWorkspace, plan.Reserve(BytesOfTensor(problem_, tensor))};
    plan.launches.push_back(MakeTransposeLaunch(
        gfx_, problem_.type, Transposed(MatricesOf(problem_, tensor)), *place, copy));
    *place = copy;
  }
  if (const std::optional<Lines> lines = WidenedLines(problem_)) {
    const Place copy = {Memory::kWorkspace,
                        plan.Reserve(lines->ToElements() * SizeOf(problem_.type))};
    plan.launches.push_back(MakeWidenLaunch(gfx_, problem_.type, *lines, places.a, copy));
    places.a = copy;
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
