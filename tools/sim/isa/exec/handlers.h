// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tools/sim/isa/bind/bind.h"

namespace gridwise::sim {

/// The handlers of the best x86 level that this machine executes (GRIDWISE_SIM_LEVEL in the
/// environment, v1, v3 or v4, lowers it); of level 0, and empty, if no level that is compiled is
/// usable.
const Handlers& BestHandlers();

/// Those of each level that is compiled and that this machine executes, lowest first.
const std::vector<const Handlers*>& UsableHandlers();

}  // namespace gridwise::sim
