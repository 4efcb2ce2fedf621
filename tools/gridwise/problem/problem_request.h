// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "tools/gridwise/problem/gemm_flags.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/problem/problem_flags.h"
#include "tools/gridwise/problem/variant_flags.h"

namespace gridwise {

/// The default device.
inline constexpr char kDefaultDevice[] = "gfx942";

/// A problem as requested on the command line.
struct ProblemRequest {
  std::string program;  // argv[0]
  /// "fwd", "bwd_data", "bwd_weight", "conv_transpose" or "gemm"; empty: that of the problem
  std::string direction;
  std::string type;      // of the operands: "f16"; empty: that of the problem
  std::string out_type;  // of the output; empty: that of the problem or the operands
  std::string problem;   // a name in `problems`, a line of another program, or empty
  std::string problems;  // source for LoadProblemSets
  ProblemFlags sizes;
  GemmFlags gemm = {};
  VariantFlags variant;
  std::string device;  // for ParseDevice: "gfx942", "MI300X"
  /// All directions of each convolution of a set, whatever the set says. Of the first one, those
  /// without the gradient of its input, which no training needs.
  bool training = false;
};

/// Returns the target whose kernels the device called `name` runs; see ParseDevice.
absl::StatusOr<Gfx> ParseTarget(const std::string& name);

/// Parses "fwd", "bwd_data" or "bwd_weight".
absl::StatusOr<Direction> ParseDirectionWord(const std::string& name);

/// The part of a request that is not about a specific problem. An empty direction means all.
struct RequestedTarget {
  std::vector<Direction> directions;
  bool gemms = false;                      // matrix multiplications too
  std::optional<DataType> type, out_type;  // empty: those of the problem
  DeviceFacts device = kAllGfx[0];

  /// Sets the types of a problem.
  void SetTypes(auto& problem) const {
    problem.type = type.value_or(problem.type);
    if (out_type) problem.out_type = out_type;
  }
};
absl::StatusOr<RequestedTarget> ResolveTarget(const ProblemRequest& request);

struct ResolvedProblem {
  Problem problem;
  DeviceFacts device;
};

/// Returns the problem that `request` describes, which is valid. If the request names no problem,
/// missing sizes come from the shapes of the operands (CompleteFromShapes).
absl::StatusOr<ResolvedProblem> Resolve(const ProblemRequest& request,
                                        const OperandShapes& shapes = {});

}  // namespace gridwise
