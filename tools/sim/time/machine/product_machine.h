// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/device_facts.h"
#include "tools/sim/time/machine/machine.h"

namespace gridwise::sim::time {

/// The machine of a device: the built-in one of its target, with the facts in which the product, or
/// the partition of it, differs. Machine::like says whose the other parameters are. Lives forever.
const Machine& MachineFor(const DeviceFacts& device);

}  // namespace gridwise::sim::time
