// SPDX-License-Identifier: MIT
#pragma once

#include "core/planning/family.h"

namespace consumer {

/// A kernel family of this repository's own, "naive": one instance, which computes any forward
/// convolution of f16 by its definition.
const gridwise::KernelFamily& NaiveFamily();

}  // namespace consumer
