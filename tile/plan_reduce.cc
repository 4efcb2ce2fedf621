#include "tile/plan_reduce.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include "absl/strings/str_format.h"
#include "tile/plan_epilogue.h"

namespace gridwise::tile {

namespace {

/// The output's axes in memory, outermost first.
std::array<std::size_t, 6> AxesInMemory(const TensorAxes& axes) {
  std::array<std::size_t, 6> order;
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Axes of size 1 have strides of their neighbours; where they stand does not matter.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return axes.stride[a] > axes.stride[b]; });
  return order;
}

ReduceArgs MakeArgs(const ConvProblem& problem, const TensorAxes& axes,
                    const std::array<std::size_t, 6>& order, int splits) {
  ReduceArgs args = {};
  args.split_elements = axes.Elements();
  args.splits = splits;
  args.epilogue = MakeEpilogue(problem, /*sharing=*/{});
  for (std::size_t i = 0; i < order.size(); ++i) {
    args.size[i] = static_cast<int>(axes.size[order[i]]);
    args.by_size[i] = MakeMagicDiv(static_cast<unsigned>(args.size[i]));
    for (std::size_t d = 0; d < 2; ++d) {
      const gridwise::EpilogueTensor& tensor = problem.epilogue.d[d];
      args.tensor_stride[d][i] = tensor.stride[order[i]] * SizeOf(tensor.type);
    }
  }
  return args;
}

}  // namespace

std::vector<ReducePlan> PlanReduce(const ConvProblem& problem, int splits) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  const ReduceArgs args = MakeArgs(problem, axes, AxesInMemory(axes), splits);
  // A launch takes some indices of the outermost axis of which it can take any.
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

unsigned ReduceWorkgroups(const ReduceArgs& args) {
  return CeilDiv(static_cast<unsigned>(args.elements), unsigned{kReduceThreads});
}

std::string ReduceSymbol(DataType type) {
  return absl::StrFormat("_ZN8gridwise4tile6ReduceILNS_8DataTypeE%dEEEvNS0_10ReduceArgsE",
                         static_cast<int>(type));
}

}  // namespace gridwise::tile
