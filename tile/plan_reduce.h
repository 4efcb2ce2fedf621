#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/conv/problem.h"
#include "tile/reduce_args.h"

namespace gridwise::tile {

/// One launch of the sum over splits of K.
struct ReducePlan {
  ReduceArgs args;  // pointers null
  // Elements of the output, and bytes of the epilogue's tensors, that lie before the launch's.
  std::int64_t first = 0;
  std::int64_t tensor_first[2] = {0, 0};
};

/// The launches that add up `splits` splits of K, or terms, of a problem: one where the output has
/// fewer than 2^31 elements.
std::vector<ReducePlan> PlanReduce(const ConvProblem& problem, int splits);

/// Workgroups of its launch.
unsigned ReduceWorkgroups(const ReduceArgs& args);

/// Symbol of the kernel for outputs of `type`.
std::string ReduceSymbol(DataType type);

}  // namespace gridwise::tile
