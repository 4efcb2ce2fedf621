// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/sim/machine/launch.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// The sentence of the wave's fault.
std::string Explain(const Wave& wave, const Launch& launch);

/// Reports the fault to the launch's probes.
void TellFault(const Wave& wave, const Launch& launch, const std::string& sentence);

}  // namespace gridwise::sim
