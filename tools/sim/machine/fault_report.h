#pragma once

#include <string>

#include "tools/sim/machine/workgroup.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// The sentence of the wave's fault.
std::string Explain(const Wave& wave, const Launch& launch);

/// In check mode a bad address, which `sentence` explains, is a finding as well.
void ReportBounds(const Wave& wave, const Launch& launch, const std::string& sentence);

}  // namespace gridwise::sim
