// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace gridwise::sim {

/// The targets that the simulator executes, for messages: "gfx942, gfx950, ...".
std::string SimulatedTargets();

}  // namespace gridwise::sim
