// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace gridwise::sim {

/// Consecutive registers; count 0: none.
struct RegisterRange {
  int first = 0, count = 0;
  bool Overlaps(int reg) const { return reg >= first && reg < first + count; }
  friend bool operator==(const RegisterRange&, const RegisterRange&) = default;
};

/// What s_waitcnt_depctr (gfx11) and s_wait_alu (gfx12) wait for, as bits: results of VALU in
/// vector registers, in SGPRs, in VCC, and of SALU in SGPRs.
enum DependencyCounter : uint8_t { kVaVdst = 1, kVaSdst = 2, kVaVcc = 4, kSaSdst = 8 };

/// What of an instruction nobody but the rules about hazards asks for (tools/sim/check/hazards.h).
struct HazardFacts {
  /// Scalar registers without EXEC, SCC and null, in any order.
  std::vector<uint16_t> scalar_reads, scalar_writes;

  bool uses_m0 = false;  // as an index, an address in LDS or a message
  bool reads_lane = false, writes_lane = false;
  int lane_select = -1;  // SGPR with the lane's number
  bool div_fmas = false, fma64 = false, permlane = false, vector_nop = false;
  bool writes_exec = false;
  bool compares_to_exec = false;  // v_cmpx
  bool moves_result = false;      // within the register, after the computation

  /// Hardware registers by name, HW_REG_MODE; empty: none.
  std::string_view gets_register, sets_register;
  bool sets_priority = false, sets_halt = false;
  bool invalidates_code = false, scalar_nop = false, jumps = false;

  /// Data of vector memory stores and atomics of more than 64 bits, which gfx9 reads late, and wait
  /// states until it has.
  RegisterRange wide_data;
  int wide_data_wait = 0;

  RegisterRange scale_a, scale_b;  // scales of matrix instructions
  RegisterRange mask;              // SGPRs that VALU reads as a mask of lanes, a bit each

  /// gfx11: vector registers that VALU reads, an operand each.
  std::vector<RegisterRange> sources;
  /// Those of a dual instruction's that may be read too early: see FillLostSources.
  std::vector<uint16_t> lost_sources;

  uint8_t drains = 0;  // DependencyCounters of which nothing is outstanding after it
  bool lds_nop = false;
};

}  // namespace gridwise::sim
