// SPDX-License-Identifier: MIT
#include "hopper/simt/plan.h"

#include <algorithm>
#include <cstddef>

#include "core/base/math.h"
#include "core/cost/pass_cycles.h"
#include "core/estimate/split_k.h"
#include "core/launch/plan_epilogue.h"
#include "hopper/base/maps.h"

namespace gridwise::hopper {
namespace {

int Int(std::int64_t value) { return static_cast<int>(value); }

struct Gemm {
  std::int64_t rows, columns, terms;

  std::int64_t row_tiles() const { return CeilDiv<std::int64_t>(rows, SimtConfig::kTile); }
  std::int64_t column_tiles() const { return CeilDiv<std::int64_t>(columns, SimtConfig::kTile); }
  std::int64_t steps() const { return CeilDiv<std::int64_t>(terms, SimtConfig::kStep); }
};

/// The GEMM of a group.
Gemm GemmOf(const ConvProblem& problem) {
  const std::int64_t taps = problem.filter_taps();
  const std::int64_t c = problem.c_per_group(), k = problem.k_per_group();
  switch (problem.direction) {
    case Direction::kForward:
      return {problem.batch * problem.out_pixels(), k, taps * c};
    case Direction::kBackwardData:
      return {problem.batch * problem.in_pixels(), c, taps * k};
    case Direction::kBackwardWeight:
      break;
  }
  return {k, taps * c, problem.batch * problem.out_pixels()};
}

Cost EstimateSplits(const PartRequest& request, const Gemm& gemm, int splits) {
  // For a unit with eight workgroups: index arithmetic takes as long as the products.
  constexpr double kPairsPerCycle = 15, kResident = 4, kLaunch = 4000;
  const DeviceFacts& device = request.device;
  const double tiles =
      static_cast<double>(gemm.row_tiles() * gemm.column_tiles() * request.problem.groups) * splits;
  const double pairs = SimtConfig::kTile * SimtConfig::kTile * SimtConfig::kStep *
                       static_cast<double>(gemm.steps()) / splits;
  const auto elements = static_cast<double>(request.problem.out_elements());
  const double matrix = pairs / kPairsPerCycle;
  return WithCycles(
      {.matrix_cycles = matrix,
       .memory_cycles = matrix,
       .alone_cycles = 3 * matrix + kLaunch,
       .fixed_cycles = kLaunch,
       .workgroups = tiles,
       .rounds = std::max(1.0, tiles / device.compute_units),
       .resident = kResident,
       .pass_cycles = splits == 1 ? 0 : PassCycles(device, elements * 4 * (splits + 1)),
       .splits = 1.0 * splits});
}

SplitK SplitKOf(const PartRequest& request, const Gemm& gemm) {
  const double tiles =
      static_cast<double>(gemm.row_tiles() * gemm.column_tiles() * request.problem.groups);
  const Work work = {.tiles = tiles,
                     .steps = tiles * static_cast<double>(gemm.steps()),
                     .out_elements = static_cast<double>(request.problem.out_elements())};
  return ChooseSplitK(request.split_k, request.problem.type, request.device, work,
                      [&](int splits) { return EstimateSplits(request, gemm, splits).cycles; });
}

ElementStrides StridesOf(const TensorAxes& axes) {
  ElementStrides strides = {};
  for (std::size_t i = 0; i < 6; ++i) strides.axis[i] = axes.stride[i];
  return strides;
}

SimtAxis AxisOf(Direction direction, const Dim& dim) {
  const bool backward = direction == Direction::kBackwardData;
  return {.pixels = Int(backward ? dim.in : dim.out()),
          .taps = Int(dim.filter),
          .source = Int(backward ? dim.out() : dim.in),
          .pixel_step = Int(backward ? 1 : dim.stride),
          .tap_step = Int(backward ? -dim.dilation : dim.dilation),
          .first = Int(backward ? dim.pad_begin : -dim.pad_begin),
          .divisor = Int(backward ? dim.stride : 1)};
}

}  // namespace

std::optional<Refusal> RejectProblem(const SimtConfig& config, const ConvProblem& problem) {
  if (problem.direction != config.direction || problem.type != config.type) {
    return Refuse<"the problem is %s of %s; the instance is for %s of %s">(
        Name(problem.direction), Name(problem.type), Name(config.direction), Name(config.type));
  }
  return std::nullopt;
}

PartEstimate EstimateLaunch(const SimtConfig&, const PartRequest& request) {
  const Gemm gemm = GemmOf(request.problem);
  const int splits = SplitKOf(request, gemm).splits;
  return {.splits = splits, .cost = EstimateSplits(request, gemm, splits)};
}

Plan<SimtArgs> PlanSimt(const SimtConfig&, const PartRequest& request) {
  const ConvProblem& problem = request.problem;
  const Gemm gemm = GemmOf(problem);
  const SplitK split_k = SplitKOf(request, gemm);
  const bool weight = problem.direction == Direction::kBackwardWeight;
  const Tensor source = GatheredTensor(problem), other = weight ? Tensor::kY : Tensor::kW;
  Plan<SimtArgs> plan;
  SimtArgs& args = plan.args;
  args.source_strides = StridesOf(problem.AxesOf(source));
  args.other_strides = StridesOf(problem.AxesOf(other));
  for (std::size_t i = 0; i < 3; ++i) args.axis[i] = AxisOf(problem.direction, problem.dims[i]);
  args.rows = Int(gemm.rows);
  args.columns = Int(gemm.columns);
  args.terms = gemm.terms;
  args.column_tiles = Int(gemm.column_tiles());
  args.splits = split_k.splits;
  args.groups = Int(problem.groups);
  args.tiles = gemm.row_tiles() * gemm.column_tiles() * problem.groups * split_k.splits;
  args.source_channels = Int(problem.AxesOf(source).size[5]);
  args.epilogue = MakeEpilogue(problem, split_k);
  plan.addresses = {{offsetof(SimtArgs, source), {weight ? Memory::kB : Memory::kA}},
                    {offsetof(SimtArgs, other), {weight ? Memory::kA : Memory::kB}}};
  constexpr std::int64_t kMaxWorkgroups = std::int64_t{1} << 20;
  plan.shape = {.workgroups = {static_cast<unsigned>(std::min(args.tiles, kMaxWorkgroups)), 1, 1},
                .threads = {static_cast<unsigned>(SimtConfig::threads()), 1, 1}};
  return plan;
}

}  // namespace gridwise::hopper
