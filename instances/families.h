#pragma once

#include <vector>

#include "absl/status/status.h"
#include "core/launch/family.h"

namespace gridwise {

/// The families that plans choose from: this library's, the first ones, and those registered.
std::vector<const KernelFamily*> Families();

/// Adds a family of yours, which must live as long as the program. Plans that are made afterwards
/// consider its rows; `gridwise list` and ExplainRows show them. kAlreadyExists if a family has its
/// name. Any thread may call it.
absl::Status RegisterFamily(const KernelFamily& family);

}  // namespace gridwise
