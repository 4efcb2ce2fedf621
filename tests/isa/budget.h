// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "tools/isa_report/kernel_report.h"

namespace gridwise {

/// How an instance is over the budget of a preferred instance on `gfx`: a sentence, or nothing if
/// it is not.
///
/// The budget of the main loop, as a wave executes it:
///   - vector-ALU instructions per matrix instruction: at most 1 on gfx90a and gfx942, 2 on gfx950
///     and 4 on RDNA. The classic family has half of what Composable Kernel takes on gfx942: 2.3
///     forward, 4.4 backward-data, 3.15 backward-weight.
///   - scalar instructions: at most as many as matrix instructions; classic: 56 per step.
///   - scalar loads: none; classic: 3 per step.
///   - branches: one per step, and some where runs of steps end; classic: 10 per step.
///   - cycles lost to LDS bank conflicts: none.
std::optional<std::string> OverBudget(const KernelReport& report, Gfx gfx);

/// Instances that may be over the budget, and why.
class Excuses {
 public:
  /// Lines "<target> <direction> <instance> <why...>": the first three may hold '*' for any text.
  /// '#' begins a comment.
  static absl::StatusOr<Excuses> Parse(std::string_view text);

  bool Has(Gfx gfx, Direction direction, std::string_view instance) const;

  /// The lines about `gfx` and `direction` that excuse none of `instances`.
  std::vector<std::string> Unneeded(Gfx gfx, Direction direction,
                                    const std::vector<std::string>& instances) const;

 private:
  struct Excuse {
    std::string target, direction, instance, line;
    bool IsAbout(Gfx gfx, Direction of) const;
  };
  std::vector<Excuse> excuses_;
};

}  // namespace gridwise
