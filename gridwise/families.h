#pragma once

#include <vector>

#include "absl/status/status.h"
#include "core/planning/family.h"

namespace gridwise {

/// The families that plans choose from: this library's, the first ones, and those registered. One
/// with further instances of RegisterInstances is there more than once.
std::vector<const KernelFamily*> Families();

/// Adds a family of yours, which must live as long as the program. Plans that are made afterwards
/// consider its instances; `gridwise list` and ExplainInstances show them. kAlreadyExists if a
/// family has its name. Any thread may call it.
absl::Status RegisterFamily(const KernelFamily& family);

/// Adds instances to the family that has the name of `instances`, as RegisterFamily adds a family.
/// kAlreadyExists if it has one of theirs, of the same direction and target; kNotFound if there is
/// no such family.
absl::Status RegisterInstances(const KernelFamily& instances);

}  // namespace gridwise
