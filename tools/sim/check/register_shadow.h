// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "tools/sim/isa/text/decode.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// Which bits of a wave's registers are undefined, and where they come from (an id of Origins).
/// Registers are numbered as in RegisterUses; a scalar one has lane 0 only. At first, all
/// bits are undefined, and each register is its own origin.
class RegisterShadow {
 public:
  explicit RegisterShadow(uint64_t all_lanes);

  /// Lanes with an undefined bit.
  uint64_t dirty(int reg) const { return dirty_[static_cast<size_t>(reg)]; }
  bool IsDirty(int reg, int lane) const { return (dirty(reg) >> lane & 1) != 0; }
  uint32_t Bits(int reg, int lane) const {
    if (!IsDirty(reg, lane)) return 0;
    return IsUntouched(reg, lane) ? ~0u : cells_[Cell(reg, lane)].bits;
  }
  /// The origin of a dirty register.
  uint32_t Origin(int reg, int lane) const {
    return IsUntouched(reg, lane) ? NeverWritten(reg) : cells_[Cell(reg, lane)].origin;
  }
  /// The origin of a register that was never written.
  static constexpr uint32_t NeverWritten(int reg) { return static_cast<uint32_t>(reg) + 1; }

  void Set(int reg, int lane, uint32_t bits, uint32_t origin);
  void Clear(int reg, uint64_t lanes = ~uint64_t{0}) {
    dirty_[static_cast<size_t>(reg)] &= ~lanes;
    untouched_[static_cast<size_t>(reg)] &= ~lanes;
  }
  /// Makes `bits` defined in `lanes`.
  void ClearBits(int reg, uint64_t lanes, uint32_t bits);

 private:
  struct CellState {
    uint32_t bits, origin;
  };
  static size_t Cell(int reg, int lane) {
    return static_cast<size_t>(reg) * kLanes + static_cast<size_t>(lane);
  }
  bool IsUntouched(int reg, int lane) const {
    return (untouched_[static_cast<size_t>(reg)] >> lane & 1) != 0;
  }

  std::array<uint64_t, kAllRegisters> dirty_, untouched_;
  std::unique_ptr<CellState[]> cells_;  // for registers that are dirty and not untouched
};

}  // namespace gridwise::sim
