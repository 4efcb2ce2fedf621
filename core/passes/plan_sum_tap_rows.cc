// SPDX-License-Identifier: MIT
#include "core/passes/plan_sum_tap_rows.h"

#include <cstddef>
#include <utility>

#include "core/passes/pass_code.h"
#include "core/passes/plan_reduce.h"

namespace gridwise {

Lines LinesOfTapRows(const ConvProblem& problem, const TapRows& rows) {
  const Dim& w = problem.dims[2];
  const std::int64_t pixel = rows.problem.k;
  return {.count = rows.problem.y_elements() / pixel,
          .from_line = w.out(),
          .to_line = pixel,
          .before = rows.taps - 1 - w.pad_begin,
          .item = problem.k,
          .of_row = w.in,
          .step = 1,
          .from_row = w.out(),
          .used = rows.taps * problem.k};
}

SumTapRowsArgs PlanSumTapRows(const ConvProblem& problem, const TapRows& rows, int splits) {
  const TensorAxes dy = problem.AxesOf(Tensor::kY), x = problem.AxesOf(Tensor::kX);
  const auto magic = [](std::int64_t n) { return MakeMagicDiv(static_cast<unsigned>(n)); };
  SumTapRowsArgs args = {};
  args.reduce = PlanReduce(problem, splits).front().args;
  args.reduce.split_elements = rows.problem.out_elements();
  args.type = static_cast<int>(problem.type);
  args.channels = static_cast<int>(problem.c);
  args.k = static_cast<int>(problem.k);
  args.by_channels = magic(problem.c);
  args.pixels = static_cast<int>(problem.batch * problem.out_pixels());
  args.dy_image = dy.stride[0];
  args.x_image = x.stride[0];
  for (std::size_t i = 0; i < problem.dims.size(); ++i) {
    const Dim& dim = problem.dims[i];
    args.axis[i] = {.out = static_cast<int>(dim.out()),
                    .in = static_cast<int>(dim.in),
                    .stride = static_cast<int>(dim.stride),
                    .dilation = static_cast<int>(dim.dilation),
                    .pad = static_cast<int>(dim.pad_begin),
                    .filter = static_cast<int>(dim.filter),
                    .by_out = magic(dim.out()),
                    .by_filter = magic(dim.filter),
                    .dy_pixel = dy.stride[i + 1],
                    .x_pixel = x.stride[i + 1]};
  }
  return args;
}

void AddSumTapRowsLaunch(const ConvProblem& problem, const TapRows& rows, Gfx gfx, int splits,
                         std::int64_t sums_at, const MemoryOffset& dy, const TensorOffsets& offsets,
                         LaunchPlan& plan) {
  const SumTapRowsArgs args = PlanSumTapRows(problem, rows, splits);
  const unsigned workgroups =
      CeilDiv(static_cast<unsigned>(args.reduce.elements), static_cast<unsigned>(kTapRowsElements));
  KernelLaunch launch = MakeSumsLaunch(
      PassCode("sum_tap_rows", problem.output_type(), gfx), workgroups, kTapRowsThreads, gfx,
      BytesOf(args), offsetof(SumTapRowsArgs, reduce), args.reduce, sums_at, offsets);
  launch.addresses.push_back({offsetof(SumTapRowsArgs, dy), dy});
  launch.addresses.push_back({offsetof(SumTapRowsArgs, x), offsets.whole_b});
  plan.launches.push_back(std::move(launch));
}

}  // namespace gridwise
