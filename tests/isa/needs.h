// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/planning/family.h"

namespace gridwise {

/// What instances/<family>/<target>_needs.inc is to say: InstanceNeeds of the instances of a
/// family, sorted, by the kernels' descriptors. Error: this program has no kernels of `gfx`.
absl::StatusOr<std::string> NeedsText(const KernelFamily& family, Gfx gfx);

/// The families that have such files.
inline constexpr const char* kFamiliesWithNeeds[] = {"tile", "ck"};

}  // namespace gridwise
