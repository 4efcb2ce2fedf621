// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "tools/sim/isa/text/operand.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// Data-parallel primitives: where each lane of source 0 comes from (MI300 ISA, "DPP"; RDNA3 ISA,
/// "DPP16" and "DPP8").
struct DppControl {
  uint32_t from[kLanes];  // the lane, or ~0: none
  uint64_t written;       // lanes that row_mask and bank_mask leave on
  bool bound_ctrl;        // lanes without a source read 0 instead of keeping the destination
  bool fetch_inactive;    // lanes that are off are sources too
};

/// Takes the DPP modifiers of `in`.
absl::StatusOr<DppControl> ParseDpp(Instruction& in);

}  // namespace gridwise::sim
