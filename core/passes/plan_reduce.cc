// SPDX-License-Identifier: MIT
#include "core/passes/plan_reduce.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/arch/device_facts.h"
#include "core/cost/pass_cycles.h"
#include "core/launch/plan_epilogue.h"
#include "core/passes/pass_code.h"

namespace gridwise {

namespace {

/// The output's axes in memory, outermost first.
std::array<std::size_t, 6> AxesInMemory(const TensorAxes& axes) {
  std::array<std::size_t, 6> order;
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Axes of size 1 have strides of adjacent axes; their position does not matter.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return axes.stride[a] > axes.stride[b]; });
  return order;
}

ReduceArgs MakeArgs(const ConvProblem& problem, const TensorAxes& axes,
                    const std::array<std::size_t, 6>& order, int splits) {
  ReduceArgs args = {};
  args.split_elements = axes.Elements();
  args.splits = splits;
  args.epilogue = MakeEpilogue(problem, /*split_k=*/{});
  args.unary = problem.epilogue.unary;
  args.unary_parameter = static_cast<float>(problem.epilogue.unary_parameter);
  for (std::size_t i = 0; i < order.size(); ++i) {
    args.size[i] = static_cast<int>(axes.size[order[i]]);
    args.by_size[i] = MakeMagicDiv(static_cast<unsigned>(args.size[i]));
    for (std::size_t d = 0; d < 2; ++d) {
      const EpilogueTensor& tensor = problem.epilogue.d[d];
      args.tensor_stride[d][i] = tensor.stride[order[i]] * SizeOf(tensor.type);
    }
  }
  return args;
}

// Hopper's workgroups begin where those of the launch before end first, up to eight on a
// multiprocessor, so that few of them load. With so much memory, up to four do.
constexpr unsigned kSpreadBytes = 44 << 10, kSpreadOfUnit = 4;

/// How many workgroups run at a time if they are spread so.
unsigned Spread(const DeviceFacts& device) {
  return kSpreadOfUnit * static_cast<unsigned>(device.compute_units);
}

/// How many groups of lanes share the splits of an element: several if there are many splits, and
/// workgroups that do not share them would not fill the device. On Hopper as many as run at a time.
int SlicesOf(const DeviceFacts& device, double elements, int splits) {
  if (TraitsOf(device.gfx).mma_unit != MmaUnit::kWgmma) {
    constexpr int kMany = 2 * kReduceAtATime + 1, kFewElements = 1 << 18;
    return splits >= kMany && elements < kFewElements ? kReduceSlices : 1;
  }
  constexpr int kMany = 4;
  if (splits < kMany) return 1;
  int slices = splits > kReduceSlices * kReduceAtATime ? 2 * kReduceSlices : kReduceSlices;
  const double at_a_time = Spread(device) * kReduceThreads * kReduceElements;
  while (slices > 1 && elements * slices > at_a_time) slices /= 2;
  return slices;
}

}  // namespace

std::vector<ReducePlan> PlanReduce(const ConvProblem& problem, int splits) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  const ReduceArgs args = MakeArgs(problem, axes, AxesInMemory(axes), splits);
  // A launch takes some indices of the outermost axis that can be divided.
  std::size_t cut = 0;
  std::int64_t inner = axes.Elements() / args.size[0];  // elements of one index of axis `cut`
  while (inner >= kOffsetLimit) inner /= args.size[++cut];
  const std::int64_t most = (kOffsetLimit - 1) / inner;
  std::vector<ReducePlan> plans;
  for (std::int64_t first = 0, taken = 0; first < axes.Elements(); first += taken * inner) {
    ReducePlan& plan = plans.emplace_back(ReducePlan{.args = args, .first = first});
    std::int64_t index = first / inner;
    taken = std::min(most, args.size[cut] - index % args.size[cut]);
    plan.args.elements = static_cast<int>(taken * inner);
    for (std::size_t axis = cut + 1; axis-- > 0; index /= args.size[axis]) {
      for (std::size_t d = 0; d < 2; ++d) {
        plan.tensor_first[d] += index % args.size[axis] * args.tensor_stride[d][axis];
      }
    }
  }
  return plans;
}

double ReduceCycles(const DeviceFacts& device, double elements, int splits, int out_bytes) {
  const MachineFacts& machine = device.machine;
  const int slices = SlicesOf(device, elements, splits);
  const int rounds = CeilDiv(splits, kReduceAtATime * slices);
  const double round = machine.l2_latency_clk + machine.mall_latency_ns * device.clock_ghz;
  return PassCycles(device, elements * (4 * splits + out_bytes)) + (rounds - 1) * round;
}

unsigned ReduceWorkgroups(const ReduceArgs& args, int slices) {
  const int of_workgroup = kReduceThreads / slices * kReduceElements;
  return CeilDiv(static_cast<unsigned>(args.elements), static_cast<unsigned>(of_workgroup));
}

KernelLaunch MakeSumsLaunch(KernelCode code, unsigned workgroups, unsigned threads, Gfx gfx,
                            std::vector<std::byte> arguments, std::size_t reduce_at,
                            const ReduceArgs& reduce, std::int64_t sums_at,
                            const TensorOffsets& offsets) {
  KernelLaunch launch = {.code = std::move(code),
                         .shape = {.workgroups = {workgroups, 1, 1},
                                   .threads = {threads, 1, 1},
                                   .begins_early = BeginsEarly(gfx)},
                         .arguments = std::move(arguments),
                         .addresses = EpilogueAddresses(reduce_at + offsetof(ReduceArgs, epilogue),
                                                        reduce.epilogue, offsets.out, offsets.d),
                         .map = {}};
  launch.addresses.push_back(
      {reduce_at + offsetof(ReduceArgs, partial), {Memory::kWorkspace, sums_at}});
  return launch;
}

void AddReduceLaunches(const ConvProblem& problem, const DeviceFacts& device, int splits,
                       std::int64_t partial_at, const TensorOffsets& offsets, LaunchPlan& plan) {
  const Gfx gfx = device.gfx;
  for (const ReducePlan& reduce : PlanReduce(problem, splits)) {
    TensorOffsets part = offsets;
    part.out.offset += reduce.first * SizeOf(problem.output_type());
    for (std::size_t i = 0; i < 2; ++i) part.d[i].offset += reduce.tensor_first[i];
    const int slices = SlicesOf(device, reduce.args.elements, splits);
    const unsigned workgroups = ReduceWorkgroups(reduce.args, slices);
    const std::string symbol = slices == 1               ? "reduce"
                               : slices == kReduceSlices ? "shared_reduce"
                                                         : absl::StrCat("shared_reduce", slices);
    KernelLaunch launch = MakeSumsLaunch(PassCode(symbol, problem.output_type(), gfx), workgroups,
                                         kReduceThreads, gfx, BytesOf(reduce.args), /*reduce_at=*/0,
                                         reduce.args, partial_at + reduce.first * 4, part);
    if (BeginsEarly(gfx) && workgroups <= Spread(device)) {
      launch.shape.dynamic_lds_bytes = kSpreadBytes;
    }
    plan.launches.push_back(std::move(launch));
  }
}

}  // namespace gridwise
