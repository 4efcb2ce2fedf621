// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"

namespace gridwise {

/// The purpose of problems. Each geometry, with any batch, belongs to one.
enum class ProblemUse { kTraining, kValidation, kTest };

inline constexpr ProblemUse kAllProblemUses[] = {ProblemUse::kTraining, ProblemUse::kValidation,
                                                 ProblemUse::kTest};

/// "training", "validation" or "test".
constexpr const char* Name(ProblemUse use) {
  switch (use) {
    case ProblemUse::kTraining:
      return "training";
    case ProblemUse::kValidation:
      return "validation";
    case ProblemUse::kTest:
      return "test";
  }
  return "?";
}

struct GeneratorOptions {
  std::uint64_t seed = 1;
  ProblemUse use = ProblemUse::kTraining;
  Direction direction = Direction::kForward;
  int count = 1500;
  double max_flops = 5e12;  // per problem
};

/// Returns distinct problems: layers of published networks (networks.h) and of networks like them,
/// which differ in width, resolution and groups, with batches of 1 to 256, and as many synthetic
/// ones, whose sizes are drawn evenly in their logarithms: of 1 to 3 dimensions, grouped,
/// depthwise, of odd channels, strided, dilated, padded at one end. Seven of ten geometries are for
/// training, one is for validation and two are for tests, by a hash of all sizes but the batch. The
/// same options make the same problems on every machine.
std::vector<NamedProblem> GenerateProblems(const GeneratorOptions& options);

/// The purpose of a geometry, the same for all of its batches.
ProblemUse UseOf(const ConvProblem& problem);

}  // namespace gridwise
