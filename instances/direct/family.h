// SPDX-License-Identifier: MIT
#pragma once

#include "core/planning/family.h"

namespace gridwise::direct {

/// The direct family with the instances of this folder's <target>.inc. Lives as long as the
/// program.
const KernelFamily& Family();

}  // namespace gridwise::direct
