// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "gridwise/conv.h"
#include "tools/isa_report/main_loop.h"

namespace gridwise {

/// Executed instructions of a kind per matrix instruction of the main loop: the difference between
/// two lengths of K, so that only steady iterations count. MainLoop also counts code behind
/// branches that few iterations take.
struct PerMatrix {
  double valu = 0, salu = 0;  // vector ALU, scalar
  double scalar_loads = 0;    //
  double branches = 0;        // taken or not
};

/// The resources of a compiled instance, and the instructions of its main loop.
struct KernelReport {
  std::string instance;
  // From the code object's metadata. On gfx9 vgprs count the agprs.
  int vgprs = 0, agprs = 0, sgprs = 0;
  int scratch = 0;                       // bytes of a work-item
  int vgpr_spills = 0, sgpr_spills = 0;  // registers; SGPRs go to lanes of VGPRs
  int lds = 0;                           // bytes
  std::optional<MainLoop> loop;
  /// Cycles that LDS instructions of the loop lose to bank conflicts, per iteration and wave, on
  /// average; nothing if no probe problem runs on the instance.
  std::optional<double> conflicts;
  /// Nothing if no probe problem runs on the instance, or it has no matrix instructions.
  std::optional<PerMatrix> per_matrix;
};

/// The instances of a direction that are compiled for `gfx`, in the order of their table. The
/// simulator runs each on a small problem. Errors: this program has no kernels of the target, or
/// one does not load or run.
absl::StatusOr<std::vector<KernelReport>> ReportInstances(Direction direction, Gfx gfx);

/// A line per instance under a line of titles, in columns.
std::string ToText(std::span<const KernelReport> reports);

}  // namespace gridwise
