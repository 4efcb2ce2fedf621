// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/direction.h"

/// Phase instances: backward-data with stride 2 along h and w, one group and a filter of 3 x 3. Of
/// the two phases of dx along an axis (core/conv/gemm_map.h), one has two taps. The other has one
/// tap, which meets the same pixels of dy as a tap of the first. Pixels of dy are therefore loaded
/// once for all phases that meet them, shifted by 0 or 1 along h and w. Rows of the GEMM are pixels
/// of any phase. Columns are 64 channels of each of the four phases, and a product has the columns
/// of the phases that have the tap. w stays in shared memory. Arguments are those of gather
/// instances (hopper/base/args.h).

namespace gridwise::hopper {

/// Two warpgroups take turns at tiles of 64 rows.
struct PhasesConfig {
  DataType type = DataType::kF16;
  int resident = 2;  // k tiles of 64 source channels of w, at most
  int stages = 6;

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [type, resident, stages] = self;
    visit("bwd_data_", type);
    visit("phases_b", resident);
    visit("s", stages);
  }
  bool operator==(const PhasesConfig&) const = default;

  static constexpr int kPhases = 4, kTaps = 9, kRows = 64;
  static constexpr int kBlockBytes = 64 * 128;  // 64 channels of 64 rows of A, or of columns of B
  static constexpr int kColumns = 64 * kPhases;
  static constexpr int warpgroups() { return 2; }
  static constexpr int threads() { return 128 * (warpgroups() + 1); }
  constexpr int resident_at() const { return stages * kBlockBytes; }
  constexpr int staging_at() const { return resident_at() + resident * kTaps * kBlockBytes; }
  /// Two buffers per warpgroup.
  constexpr int barriers_at() const { return staging_at() + warpgroups() * 2 * kBlockBytes; }
  constexpr int resident_barrier_at() const { return barriers_at() + stages * 16; }
  constexpr int shared_bytes() const { return resident_barrier_at() + 16; }
};

/// Returns nullptr if a kernel of `c` can be compiled, else the reason.
constexpr const char* Reject(const PhasesConfig& c) {
  if (c.type != DataType::kF16 && c.type != DataType::kBF16) return "operands are f16 or bf16";
  if (c.stages < 2) return "a stage is free when the products of the next have begun";
  if (c.shared_bytes() > TraitsOf(Gfx::kSm90a).lds_bytes) return "k tiles exceed shared memory";
  return nullptr;
}

/// Index in GatherArgs::source of the maps of the output's phases, after that of dy.
inline constexpr int kPhaseMaps = 1;

/// The products of a k tile, for pixels of dy that are shifted along an axis either as the phase
/// with one tap has them, or as only the other phase has them. Phases are ordered so that those of
/// each product are adjacent, and with them its sums and its blocks of w.
struct PhaseProduct {
  bool only_h, only_w;      // only the axis' phase with two taps
  int first_phase, phases;  // the first phase, and how many there are
  int first_block;          // first block of w
};
inline constexpr PhaseProduct kPhaseProducts[] = {
    {.only_h = false, .only_w = false, .first_phase = 0, .phases = 4, .first_block = 0},
    {.only_h = false, .only_w = true, .first_phase = 0, .phases = 2, .first_block = 4},
    {.only_h = true, .only_w = false, .first_phase = 1, .phases = 2, .first_block = 6},
    {.only_h = true, .only_w = true, .first_phase = 1, .phases = 1, .first_block = 8}};
inline constexpr int kProductsOfKTile = 4;

/// Taps along h and w of each phase.
inline constexpr int kPhaseTaps[PhasesConfig::kPhases][2] = {{1, 2}, {2, 2}, {2, 1}, {1, 1}};

/// Index in GatherArgs::gemm of the rows, which are pixels of any phase; it follows the phases.
inline constexpr int kJointGemm = PhasesConfig::kPhases;

}  // namespace gridwise::hopper
