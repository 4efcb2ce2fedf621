// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/planning/family.h"

/// The compiled instances, for tools that list and inspect them.

namespace gridwise {

/// Returns the convolution kernels of every family and of every target that was built.
std::vector<InstanceInfo> ListInstances();

/// Returns the matrix multiplication kernels of every target that was built. They belong to the ck
/// family, which lowers convolutions to them. A kernel that serves both is in both lists.
std::vector<InstanceInfo> ListGemmInstances();

}  // namespace gridwise
