#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "tools/gridwise/problem/gemm_flags.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/problem/problem_flags.h"
#include "tools/gridwise/problem/variant_flags.h"

namespace gridwise {

/// The device that is meant where none is named.
inline constexpr char kDefaultDevice[] = "gfx942";

/// What the user asks for, as text.
struct ProblemRequest {
  std::string program;    // argv[0]
  std::string direction;  // "fwd", "bwd_data", "bwd_weight" or "gemm"
  std::string type;       // "f16", of the operands
  std::string out_type;   // of the output; empty: as the problem or the operands say
  std::string problem;    // a name in `problems`, or empty
  std::string problems;   // see LoadProblemSets
  ProblemFlags sizes;
  GemmFlags gemm = {};
  VariantFlags variant;
  std::string device;  // "gfx942" or "MI300X"
};

/// The target called `name`, "gfx942", or whose product is, "MI300X" or "rx7900xtx".
absl::StatusOr<Gfx> ParseTarget(const std::string& name);

/// "fwd", "bwd_data" or "bwd_weight".
absl::StatusOr<Direction> ParseDirectionWord(const std::string& name);

/// What of a request is about no one problem. The direction may be empty: all of them.
struct RequestedTarget {
  std::vector<Direction> directions;
  bool gemms = false;  // matrix multiplications too
  DataType type;
  std::optional<DataType> out_type;
  Gfx gfx;
};
absl::StatusOr<RequestedTarget> ResolveTarget(const ProblemRequest& request);

struct ResolvedProblem {
  Problem problem;
  Gfx gfx;
};

/// The valid problem that `request` means. Without a name, sizes that it does not give are taken
/// from the shapes of the operands, see CompleteFromShapes.
absl::StatusOr<ResolvedProblem> Resolve(const ProblemRequest& request,
                                        const OperandShapes& shapes = {});

}  // namespace gridwise
