// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "core/arch/target.h"
#include "core/passes/operand_form.h"
#include "core/planning/family.h"

namespace gridwise {

/// Returns the families that plans choose from: first those of this library, then the registered
/// ones. A family with additional instances from RegisterInstances appears more than once.
std::vector<const KernelFamily*> Families();

/// Returns the form of operands by which ranking models know problems of a target: that of the
/// first family that has one (KernelFamily::usual_operands), or AdjacentChannels().
const OperandForm& UsualOperands(Gfx gfx);

/// Adds `family`, which must live as long as the program. Plans that are made afterwards consider
/// its instances; `gridwise list` and ExplainInstances show them. Thread-safe.
///
/// Errors: kAlreadyExists if another family has its name.
absl::Status RegisterFamily(const KernelFamily& family);

/// Adds `instances` to the existing family of the same name. Otherwise like RegisterFamily.
///
/// Errors: kAlreadyExists if the family already has an instance of the same name, direction and
/// target; kNotFound if there is no such family.
absl::Status RegisterInstances(const KernelFamily& instances);

}  // namespace gridwise
