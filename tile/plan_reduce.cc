#include "tile/plan_reduce.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include "absl/strings/str_format.h"
#include "tile/plan_epilogue.h"

namespace gridwise::tile {

ReduceArgs PlanReduce(const ConvProblem& problem, int splits) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  std::array<std::size_t, 6> order;  // of the axes in memory, outermost first
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Axes of size 1 have strides of their neighbours; where they stand does not matter.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return axes.stride[a] > axes.stride[b]; });
  ReduceArgs args = {};
  args.elements = static_cast<int>(axes.Elements());
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

unsigned ReduceWorkgroups(const ReduceArgs& args) {
  return CeilDiv(static_cast<unsigned>(args.elements), unsigned{kReduceThreads});
}

std::string ReduceSymbol(DataType type) {
  return absl::StrFormat("_ZN8gridwise4tile6ReduceILNS_8DataTypeE%dEEEvNS0_10ReduceArgsE",
                         static_cast<int>(type));
}

}  // namespace gridwise::tile
