// SPDX-License-Identifier: MIT
#include "tools/sim/check/register_shadow.h"

namespace gridwise::sim {

RegisterShadow::RegisterShadow(uint64_t all_lanes)
    : cells_(std::make_unique_for_overwrite<CellState[]>(size_t{kAllRegisters} * kLanes)) {
  for (int reg = 0; reg < kAllRegisters; ++reg) {
    dirty_[static_cast<size_t>(reg)] = reg < kFirstVector ? 1 : all_lanes;
  }
  untouched_ = dirty_;
}

void RegisterShadow::Set(int reg, int lane, uint32_t bits, uint32_t origin) {
  const uint64_t bit = uint64_t{1} << lane;
  Clear(reg, bit);
  if (bits == 0) return;
  dirty_[static_cast<size_t>(reg)] |= bit;
  cells_[Cell(reg, lane)] = {bits, origin};
}

void RegisterShadow::ClearBits(int reg, uint64_t lanes, uint32_t bits) {
  for (uint64_t left = dirty(reg) & lanes; left != 0; left &= left - 1) {
    const int lane = __builtin_ctzll(left);
    Set(reg, lane, Bits(reg, lane) & ~bits, Origin(reg, lane));
  }
}

}  // namespace gridwise::sim
