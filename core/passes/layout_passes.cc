// SPDX-License-Identifier: MIT
#include "core/passes/layout_passes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/math.h"
#include "core/cost/pass_cycles.h"
#include "core/passes/copied_lines.h"
#include "core/passes/copy_launches.h"
#include "core/passes/plan_columns.h"
#include "core/passes/plan_overlap_add.h"
#include "core/passes/plan_reduce.h"
#include "core/passes/plan_sum_tap_rows.h"
#include "core/passes/split_args.h"

namespace gridwise {
namespace {

DataType TypeOf(const ConvProblem& problem, Tensor tensor) {
  return tensor == problem.out() ? problem.output_type() : problem.type;
}

std::int64_t BytesOfTensor(const ConvProblem& problem, Tensor tensor) {
  return problem.AxesOf(tensor).Elements() * SizeOf(TypeOf(problem, tensor));
}

/// The matrices, pixels by channels, of a tensor x or y in NHWGC, one for each image. In NGCHW they
/// are transposed.
Matrices MatricesOf(const ConvProblem& problem, Tensor tensor) {
  const PerAxis size = problem.AxesOf(tensor).size;
  return {.count = size[0], .rows = size[1] * size[2] * size[3], .columns = size[4] * size[5]};
}

Matrices Transposed(const Matrices& matrices) {
  return {.count = matrices.count, .rows = matrices.columns, .columns = matrices.rows};
}

/// Whether a tensor's layout differs from the kernels'.
bool IsTransposed(const ConvProblem& problem, Tensor tensor) {
  if (problem.layout != Layout::kNGCHW || tensor == Tensor::kW) return false;
  const Matrices matrices = MatricesOf(problem, tensor);
  return matrices.rows > 1 && matrices.columns > 1;
}

/// The tensors from which the operands are made.
struct OperandTensor {
  Tensor tensor;
  MemoryOffset TensorOffsets::* where;
};
std::vector<OperandTensor> OperandTensors(const ConvProblem& problem) {
  std::vector<OperandTensor> tensors = {{problem.a(), &TensorOffsets::a},
                                        {problem.b(), &TensorOffsets::b}};
  if (problem.operand_sums[0].adds) tensors.push_back({problem.a(), &TensorOffsets::a1});
  if (problem.operand_sums[1].adds) tensors.push_back({problem.b(), &TensorOffsets::b1});
  return tensors;
}

/// Elements from B's first to the end of its last.
std::int64_t ElementsOfB(const ConvProblem& canonical) {
  const TensorAxes axes = canonical.AxesOf(canonical.b());
  std::int64_t elements = 1;
  for (std::size_t axis = 0; axis < axes.size.size(); ++axis) {
    elements += (axes.size[axis] - 1) * axes.stride[axis];
  }
  return elements;
}

/// Arguments for `problem`, which kernels compute.
SplitArgs PlanSplit(const Prepared& prepared, const ConvProblem& problem) {
  SplitArgs args = {};
  args.elements = ElementsOfB(problem);
  args.apart = PartElements(problem);
  args.merged = 1;
  if (prepared.merged_groups() == 1) return args;
  const std::int64_t item = prepared.canonical.c_per_group();
  const auto magic = [](std::int64_t n) { return MakeMagicDiv(static_cast<unsigned>(n)); };
  args.merged = static_cast<int>(prepared.merged_groups());
  args.item = static_cast<int>(item);
  args.by_line = magic(item * args.merged);
  args.by_item = magic(item);
  args.by_of_group = magic(prepared.canonical.k_per_group() * prepared.canonical.filter_taps());
  return args;
}

/// Whether operands are converted to type `copied`. (Elements of f32 and tf32 are the same.)
bool Converts(const ConvProblem& problem, DataType copied) {
  return StoredType(copied) != StoredType(problem.type);
}

/// w of backward-data, to transpose: the output channels by taps and input channels of each group.
Matrices MatricesOfW(const ConvProblem& canonical) {
  return {.count = canonical.groups,
          .rows = canonical.k_per_group(),
          .columns = canonical.filter_taps() * canonical.c_per_group()};
}

/// Adds copies of a tensor's lines, each made from the one before, and moves `where` to the last.
void AddCopies(std::span<const std::optional<Lines>> all, DataType type, MemoryOffset& where,
               std::vector<LinesCopy>& copies, LaunchPlan& plan) {
  for (const std::optional<Lines>& lines : all) {
    if (!lines) continue;
    const MemoryOffset copy = {Memory::kWorkspace,
                               plan.Reserve(lines->ToElements() * SizeOf(type))};
    copies.push_back({*lines, where, copy});
    where = copy;
  }
}

/// Estimated cycles of the passes.
double CyclesOf(const ConvProblem& problem, const Prepared& prepared, const DeviceFacts& device,
                const OperandForm& form) {
  double cycles = 0;
  const std::vector<OperandTensor> operands = OperandTensors(problem);
  const auto add_transposition = [&](Tensor tensor) {
    if (!IsTransposed(problem, tensor)) return;
    cycles += PassCycles(device, 2.0 * static_cast<double>(BytesOfTensor(problem, tensor)));
  };
  for (const OperandTensor& operand : operands) add_transposition(operand.tensor);
  add_transposition(problem.out());
  const DataType copied = prepared.canonical.type;
  LaunchPlan scratch;  // only the sizes of copies count here
  std::vector<std::vector<LinesCopy>> of_tensors;
  for (const auto& [tensor, where] : operands) {
    if (Converts(problem, copied)) {
      const auto elements = static_cast<double>(problem.AxesOf(tensor).Elements());
      cycles += PassCycles(device, elements * (SizeOf(problem.type) + SizeOf(copied)));
    }
    MemoryOffset from = {Memory::kA};
    std::vector<LinesCopy>& copies = of_tensors.emplace_back();
    const CopiedLines lines = FindCopiedLines(prepared, tensor, device.gfx, form);
    AddCopies(lines.whole, copied, from, copies, scratch);
    AddCopies(lines.apart, copied, from, copies, scratch);
  }
  for (const std::vector<LinesCopy>& launch : CopiesOfLaunches(device.gfx, copied, of_tensors)) {
    double elements = 0;
    for (const LinesCopy& copy : launch) elements += static_cast<double>(copy.lines.ToElements());
    cycles += PassCycles(device, 2 * elements * SizeOf(copied));
  }
  if (form.transposes_w(prepared.problem)) {
    const auto elements = static_cast<double>(prepared.problem.w_elements());
    cycles += PassCycles(device, 2 * elements * SizeOf(copied));
  }
  if (form.splits_b()) {
    const double bytes = SizeOf(problem.type) + kSplitParts * SizeOf(kPartType);
    const auto elements = static_cast<double>(ElementsOfB(ProblemOf(prepared, device.gfx, form)));
    cycles += PassCycles(device, elements * bytes);
  }
  return cycles;
}

}  // namespace

ConvProblem CanonicalProblem(const ConvProblem& problem, Gfx gfx, const OperandForm& form) {
  return ProblemOf(form.Prepare(problem, gfx), gfx, form);
}

std::int64_t PartElements(const ConvProblem& canonical) {
  return AlignUp<std::int64_t>(ElementsOfB(canonical), kSplitElements);
}

LaunchPlan PlanEmptyBatch(const ConvProblem& problem, Gfx gfx) {
  LaunchPlan plan;
  if (problem.direction == Direction::kBackwardWeight) {
    AddReduceLaunches(problem, gfx, /*splits=*/0, /*partial_at=*/0, TensorOffsets(), plan);
  }
  return plan;
}

CanonicalForm MakeCanonicalForm(const ConvProblem& problem, const DeviceFacts& device,
                                const OperandForm& form) {
  const Prepared prepared = form.Prepare(problem, device.gfx);
  return {.problem = ProblemOf(prepared, device.gfx, form),
          .pass_cycles = CyclesOf(problem, prepared, device, form),
          .writes_sums = prepared.writes_sums(),
          .merged_groups = prepared.merged_groups()};
}

TensorOffsets LayoutPasses::AddBefore(LaunchPlan& plan) const {
  TensorOffsets offsets;
  const std::vector<OperandTensor> operands = OperandTensors(problem_);
  for (const auto& [tensor, member] : operands) {
    if (!IsTransposed(problem_, tensor)) continue;
    MemoryOffset& where = offsets.*member;
    const MemoryOffset copy = {Memory::kWorkspace, plan.Reserve(BytesOfTensor(problem_, tensor))};
    plan.launches.push_back(MakeTransposeLaunch(
        gfx_, problem_.type, Transposed(MatricesOf(problem_, tensor)), where, copy));
    where = copy;
  }
  const Prepared prepared = form_.Prepare(problem_, gfx_);
  const DataType copied = prepared.canonical.type;
  std::vector<std::vector<LinesCopy>> of_tensors;
  for (const auto& [tensor, member] : operands) {
    MemoryOffset& where = offsets.*member;
    if (Converts(problem_, copied)) {
      const std::int64_t elements = problem_.AxesOf(tensor).Elements();
      const MemoryOffset copy = {Memory::kWorkspace, plan.Reserve(elements * SizeOf(copied))};
      plan.launches.push_back(
          MakeConvertLaunch(gfx_, problem_.type, copied, elements, where, copy));
      where = copy;
    }
    std::vector<LinesCopy>& copies = of_tensors.emplace_back();
    const CopiedLines lines = FindCopiedLines(prepared, tensor, gfx_, form_);
    AddCopies(lines.whole, copied, where, copies, plan);
    if (member == &TensorOffsets::a) offsets.whole_a = where;
    if (member == &TensorOffsets::b) offsets.whole_b = where;
    AddCopies(lines.apart, copied, where, copies, plan);
  }
  for (const std::vector<LinesCopy>& copies : CopiesOfLaunches(gfx_, copied, of_tensors)) {
    plan.launches.push_back(MakeWidenLaunch(gfx_, copied, copies));
  }
  if (form_.transposes_w(prepared.problem)) {
    const MemoryOffset copy = {Memory::kWorkspace,
                               plan.Reserve(prepared.problem.w_elements() * SizeOf(copied))};
    plan.launches.push_back(
        prepared.has_runs_of_y()
            ? MakeRunsOfWeightsLaunch(prepared.canonical, prepared.deeper, gfx_, offsets.b, copy)
            : MakeTransposeLaunch(gfx_, copied, MatricesOfW(prepared.problem), offsets.b, copy));
    offsets.b = copy;
  }
  if (form_.splits_b()) {
    const SplitArgs args = PlanSplit(prepared, ProblemOf(prepared, gfx_, form_));
    const MemoryOffset parts = {Memory::kWorkspace,
                                plan.Reserve(kSplitParts * args.apart * SizeOf(kPartType))};
    plan.launches.push_back(MakeSplitLaunch(gfx_, args, offsets.b, parts));
    offsets.b1 = offsets.b;
    offsets.b = parts;
  }
  if (IsTransposed(problem_, problem_.out())) {
    offsets.out = {Memory::kWorkspace, plan.Reserve(BytesOfTensor(problem_, problem_.out()))};
  }
  return offsets;
}

void LayoutPasses::AddSums(int splits, std::int64_t sums_at, const TensorOffsets& offsets,
                           LaunchPlan& plan) const {
  const Prepared prepared = form_.Prepare(problem_, gfx_);
  if (prepared.columns) {
    AddOverlapAddLaunch(prepared.canonical, *prepared.columns, problem_.type, gfx_, splits, sums_at,
                        offsets, plan);
  } else if (prepared.rows) {
    AddSumTapRowsLaunch(prepared.canonical, *prepared.rows, gfx_, splits, sums_at, offsets.whole_a,
                        offsets, plan);
  } else {
    AddReduceLaunches(prepared.problem, device_, splits, sums_at, offsets, plan);
  }
}

void LayoutPasses::AddAfter(const TensorOffsets& offsets, LaunchPlan& plan) const {
  if (!IsTransposed(problem_, problem_.out())) return;
  plan.launches.push_back(MakeTransposeLaunch(gfx_, problem_.output_type(),
                                              MatricesOf(problem_, problem_.out()), offsets.out,
                                              {Memory::kOut}));
}

}  // namespace gridwise
