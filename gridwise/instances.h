#pragma once

#include <vector>

#include "core/planning/family.h"

/// What is compiled, for tools that list and inspect it.

namespace gridwise {

/// Every kernel of convolutions that is compiled for some target, of every family.
std::vector<InstanceInfo> ListInstances();

/// Every kernel that multiplies matrices and is compiled for some target. They are the classic
/// family's, whose convolutions are lowered to them; a kernel that serves both is in both lists.
std::vector<InstanceInfo> ListGemmInstances();

}  // namespace gridwise
