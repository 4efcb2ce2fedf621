// SPDX-License-Identifier: MIT
#include "core/passes/plan_overlap_add.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/arch/device_facts.h"
#include "core/passes/pass_code.h"
#include "core/passes/plan_padding.h"
#include "core/passes/plan_reduce.h"

namespace gridwise {
namespace {

/// An axis of the output. If its taps are not columns, a pixel is its only term.
OverlapAxis MakeAxis(const Dim& dim, bool forward, bool has_columns, int pixel_elements,
                     int tap_columns) {
  const auto i = [](std::int64_t value) { return static_cast<int>(value); };
  const int out = i(forward ? dim.out() : dim.in);
  OverlapAxis axis = {.out = out,
                      .shift = 0,
                      .first = 0,
                      .max_terms = 1,
                      .taps = 1,
                      .tap_stride = 1,
                      .pixels = out,
                      .pixel_stride = 0,
                      .pixel_elements = pixel_elements,
                      .tap_columns = tap_columns,
                      .term_elements = 0,
                      .by_out = MakeMagicDiv(static_cast<unsigned>(out)),
                      .by_stride = MakeMagicDiv(1),
                      .stride = 1};
  if (!has_columns) return axis;
  axis.taps = i(dim.filter);
  axis.max_terms = axis.taps;
  if (forward) {
    axis.first = -i(dim.pad_begin);
    axis.pixels = i(dim.in);
    axis.pixel_stride = i(dim.dilation);
  } else {
    // j * stride + t * dilation = i + pad, where stride or dilation is 1.
    axis.shift = i(dim.pad_begin);
    axis.pixels = i(dim.out());
    axis.stride = i(dim.stride);
    axis.by_stride = MakeMagicDiv(static_cast<unsigned>(dim.stride));
    axis.tap_stride = axis.stride;
    axis.pixel_stride = -i(dim.dilation);
    axis.max_terms = i(CeilDiv(dim.filter, dim.stride));
  }
  axis.term_elements = axis.pixel_stride * axis.pixel_elements + axis.tap_stride * axis.tap_columns;
  return axis;
}

/// Images that a lane takes: several if the columns' source has one pixel along their axes. A lane
/// looks for padding among all taps' products, but only in its first image's. There remain lanes
/// enough for a device.
int ImagesOfLane(const ConvProblem& problem, const TapColumns& columns) {
  constexpr std::int64_t kLanes = std::int64_t{1} << 19;
  if (problem.direction != Direction::kBackwardData) return 1;
  for (auto a = static_cast<std::size_t>(columns.first_axis); a < problem.dims.size(); ++a) {
    if (problem.dims[a].filter > 1 && problem.dims[a].out() > 1) return 1;
  }
  return static_cast<int>(
      std::clamp<std::int64_t>(problem.out_elements() / kLanes, 1, problem.batch));
}

}  // namespace

OverlapAddArgs PlanOverlapAdd(const ConvProblem& problem, const TapColumns& columns,
                              DataType weights_type, int splits, int xcds) {
  const bool forward = problem.direction == Direction::kForward;
  const TensorAxes of_columns = columns.problem.AxesOf(problem.out());
  OverlapAddArgs args = {};
  args.reduce = PlanReduce(problem, splits).front().args;
  args.reduce.split_elements = of_columns.Elements();
  args.channels = static_cast<int>(forward ? problem.k : problem.c);
  args.channel_columns = static_cast<int>(columns.channel_step);
  args.by_channels = MakeMagicDiv(static_cast<unsigned>(args.channels));
  args.image_elements = static_cast<int>(of_columns.stride[0]);
  args.image_outputs = static_cast<int>(problem.out_elements() / problem.batch);
  args.by_image_outputs = MakeMagicDiv(static_cast<unsigned>(args.image_outputs));
  args.images = ImagesOfLane(problem, columns);
  args.lanes =
      static_cast<int>(CeilDiv<std::int64_t>(problem.batch, args.images)) * args.image_outputs;
  args.tiles = CeilDiv(args.lanes, kOverlapAddThreads);
  args.runs = MakeXcdRuns(xcds);
  args.padding = PlanPadding(problem, weights_type);
  std::int64_t tap_columns = columns.tap_step;
  for (int a = 2; a >= 0; --a) {
    const auto index = static_cast<std::size_t>(a);
    const Dim& dim = problem.dims[index];
    const bool has_columns = a >= columns.first_axis && dim.filter > 1;
    args.axis[a] =
        MakeAxis(dim, forward, has_columns, static_cast<int>(of_columns.stride[index + 1]),
                 has_columns ? static_cast<int>(tap_columns) : 0);
    if (has_columns) tap_columns *= dim.filter;
  }
  return args;
}

void AddOverlapAddLaunch(const ConvProblem& problem, const TapColumns& columns,
                         DataType weights_type, Gfx gfx, int splits, std::int64_t columns_at,
                         const TensorOffsets& offsets, LaunchPlan& plan) {
  const OverlapAddArgs args =
      PlanOverlapAdd(problem, columns, weights_type, splits, DeviceFacts(gfx).xcds);
  KernelLaunch launch =
      MakeSumsLaunch(PassCode("overlap_add", problem.output_type(), gfx),
                     static_cast<unsigned>(args.tiles), kOverlapAddThreads, gfx, BytesOf(args),
                     offsetof(OverlapAddArgs, reduce), args.reduce, columns_at, offsets);
  launch.addresses.push_back(
      {offsetof(OverlapAddArgs, padding) + offsetof(PaddingArgs, w), {Memory::kB}});
  plan.launches.push_back(std::move(launch));
}

}  // namespace gridwise
