#pragma once

#include <string>

#include "ck/conv/problem.h"
#include "tile/reduce_args.h"

namespace gridwise::tile {

/// Arguments of the sum over `splits` splits of K of a problem whose output has fewer than 2^31
/// elements; pointers null.
ReduceArgs PlanReduce(const ConvProblem& problem, int splits);

/// Workgroups of its launch.
unsigned ReduceWorkgroups(const ReduceArgs& args);

/// Symbol of the kernel for outputs of `type`.
std::string ReduceSymbol(DataType type);

}  // namespace gridwise::tile
