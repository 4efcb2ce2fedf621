// SPDX-License-Identifier: MIT
#include "core/passes/prepare.h"

#include "core/rewrite/canonicalize.h"

namespace gridwise {
namespace {

ConvProblem WithoutTranspositions(ConvProblem problem) {
  if (problem.layout == Layout::kNGCHW) problem.layout = Layout::kNHWGC;
  return problem;
}

}  // namespace

Prepared PrepareCanonical(const ConvProblem& problem, DataType copied) {
  Prepared prepared = {.canonical = Canonicalize(WithoutTranspositions(problem)),
                       .deeper = {},
                       .folded = {},
                       .columns = {},
                       .rows = {},
                       .problem = {}};
  if (copied != problem.type) {
    prepared.canonical.out_type = problem.output_type();
    prepared.canonical.type = copied;
  }
  prepared.deeper = prepared.canonical;
  return prepared;
}

}  // namespace gridwise
