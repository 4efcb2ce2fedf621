// SPDX-License-Identifier: MIT
#pragma once

#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/wave/uop.h"

/// The tables of memory instructions of one x86 level.

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {

BindingTable SmemTable();
BindingTable VmemTable();
BindingTable LdsTable();
BindingTable AtomicTable();
BindingTable ExchangeTable();
BindingTable FormatTable();
BindingTable WaveSyncTable();

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
