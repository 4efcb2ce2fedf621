// SPDX-License-Identifier: MIT
#include "tools/sim/isa/facts/hazard_facts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/operand.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

bool StartsWithAny(std::string_view s, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view p) { return absl::StartsWith(s, p); });
}

bool IsExec(int reg) { return reg == kExecLo || reg == kExecLo + 1; }

RegisterRange RangeOf(const Operand& operand) {
  if (operand.kind != OperandKind::kVector) return {};
  return {kFirstVector + operand.index, operand.count};
}

void FillScalars(InstructionFacts& facts) {
  const auto copy = [](const std::vector<uint16_t>& from, std::vector<uint16_t>& to) {
    for (const uint16_t reg : from) {
      if (reg < kSharedBase && reg != kNull && !IsExec(reg)) to.push_back(reg);
    }
  };
  HazardFacts& hazard = facts.hazard;
  copy(facts.reads, hazard.scalar_reads);
  copy(facts.writes, hazard.scalar_writes);
  hazard.writes_exec = std::any_of(facts.writes.begin(), facts.writes.end(), IsExec);
}

/// NAME of "hwreg(NAME, 0, 32)".
std::string_view HardwareRegister(std::string_view text) {
  if (!absl::ConsumePrefix(&text, "hwreg(")) return {};
  return text.substr(0, text.find_first_of(",)"));
}

void FillScalarInstruction(InstructionFacts& facts) {
  const std::string_view m = facts.mnemonic;
  HazardFacts& hazard = facts.hazard;
  const auto& operands = facts.parsed.operands;
  if (absl::StartsWith(m, "s_setreg") && !operands.empty())
    hazard.sets_register = HardwareRegister(operands[0].text);
  if (absl::StartsWith(m, "s_getreg") && operands.size() > 1)
    hazard.gets_register = HardwareRegister(operands[1].text);
  hazard.sets_priority = m == "s_setprio";
  hazard.sets_halt = m == "s_sethalt";
  hazard.invalidates_code = m == "s_icache_inv";
  hazard.scalar_nop = m == "s_nop";
  hazard.jumps = StartsWithAny(m, {"s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call",
                                   "s_set_pc", "s_swap_pc", "s_endpgm"});
}

/// The fields of the immediate (LLVM, AMDGPU/SIDefines.h, DepCtr) are printed by name, but for
/// values that no name stands for.
void FillDrains(std::string_view text, InstructionFacts& facts) {
  if (facts.mnemonic != "s_waitcnt_depctr" && facts.mnemonic != "s_wait_alu") return;
  struct Field {
    std::string_view name;
    DependencyCounter counter;
    int shift, bits;
  };
  static constexpr Field kFields[] = {{"depctr_va_vdst", kVaVdst, 12, 4},
                                      {"depctr_va_sdst", kVaSdst, 9, 3},
                                      {"depctr_va_vcc", kVaVcc, 1, 1},
                                      {"depctr_sa_sdst", kSaSdst, 0, 1}};
  const auto& operands = facts.parsed.operands;
  const bool number = operands.size() == 1 && operands[0].kind == OperandKind::kInteger;
  for (const Field& field : kFields) {
    const int64_t bits = number ? operands[0].integer >> field.shift & ((1 << field.bits) - 1) : 0;
    if (number ? bits == 0 : CountOf(text, field.name) == 0) facts.hazard.drains |= field.counter;
  }
}

/// A FLAT, buffer or scratch store (or atomic) that takes more than 64 bits from registers, as
/// GCNHazardRecognizer has it, for a wait state longer on gfx942 and gfx950. With an SGPR for its
/// offset a buffer store reads them a wait state earlier, which was measured on gfx950
/// (llvm-project 197267) and clang 22 does not know.
void FillWideData(TargetBit target, InstructionFacts& facts) {
  if (!facts.vmem || !(facts.store || facts.atomic)) return;
  const bool buffer = StartsWithAny(facts.mnemonic, {"buffer_", "tbuffer_"});
  for (const Operand& operand : facts.parsed.operands) {
    if (operand.kind != OperandKind::kVector || operand.count <= 2) continue;
    const bool offset = buffer && facts.parsed.operands.back().kind == OperandKind::kScalar;
    facts.hazard.wide_data_wait = (target == kGfx90a ? 1 : 2) - (offset ? 1 : 0);
    if (facts.hazard.wide_data_wait != 0) facts.hazard.wide_data = RangeOf(operand);
    if (buffer) break;
  }
}

/// Additions that carry in, selections and v_div_fmas, which reads VCC without naming it.
void FillMask(TargetBit target, InstructionFacts& facts) {
  HazardFacts& hazard = facts.hazard;
  const auto& operands = facts.parsed.operands;
  const bool carries = StartsWithAny(
      facts.mnemonic,
      {"v_addc_", "v_subb_", "v_subbrev_", "v_add_co_ci_", "v_sub_co_ci_", "v_subrev_co_ci_"});
  if (hazard.div_fmas && (target & kRdna) != 0) hazard.mask = {kVccLo, 2};
  if ((!carries && !absl::StartsWith(facts.mnemonic, "v_cndmask_")) || operands.size() < 4) return;
  const Operand& mask = operands.back();
  if (mask.kind == OperandKind::kScalar) hazard.mask = {mask.index, mask.count};
}

/// Results that hardware moves within the register after the computation (LLVM,
/// getDstSelForwardingOperand): SDWA of less than a dword, op_sel of the result, bytes of
/// v_cvt_sr_fp8, and all of v_cvt_scalef32_sr_pk_fp4.
bool MovesResult(const InstructionFacts& facts) {
  const std::string_view m = facts.mnemonic;
  if (absl::StartsWith(m, "v_cvt_scalef32_sr_pk_fp4_")) return true;
  const bool byte = StartsWithAny(m, {"v_cvt_sr_", "v_cvt_scalef32_sr_"});
  for (const Modifier& modifier : facts.parsed.modifiers) {
    if (modifier.name == "dst_sel") return modifier.value != "DWORD";
    if (modifier.name != "op_sel" || modifier.numbers.empty() || absl::StartsWith(m, "v_pk_"))
      continue;
    const std::vector<int64_t>& selects = modifier.numbers;
    if (byte && selects.size() > 2)
      return std::any_of(selects.begin() + 2, selects.end(), [](int64_t n) { return n; });
    return selects.size() == facts.parsed.operands.size() && selects.back() != 0;
  }
  return false;
}

void FillVectorInstruction(TargetBit target, InstructionFacts& facts) {
  const std::string_view m = facts.mnemonic;
  HazardFacts& hazard = facts.hazard;
  const auto& operands = facts.parsed.operands;
  hazard.reads_lane = StartsWithAny(m, {"v_readlane", "v_readfirstlane"});
  hazard.writes_lane = absl::StartsWith(m, "v_writelane");
  if ((absl::StartsWith(m, "v_readlane") || hazard.writes_lane) && operands.size() > 2 &&
      operands[2].kind == OperandKind::kScalar)
    hazard.lane_select = operands[2].index;
  hazard.div_fmas = absl::StartsWith(m, "v_div_fmas");
  hazard.fma64 = m == "v_fma_f64" || m == "v_fmac_f64";
  hazard.permlane = absl::StartsWith(m, "v_permlane");
  hazard.vector_nop = m == "v_nop";
  hazard.compares_to_exec = absl::StartsWith(m, "v_cmpx_");
  hazard.moves_result = MovesResult(facts);
  if (absl::StartsWith(m, "v_mfma_scale_") && operands.size() > 5) {
    hazard.scale_a = RangeOf(operands[4]);
    hazard.scale_b = RangeOf(operands[5]);
  }
  FillMask(target, facts);
}

using Two = std::array<int, 2>;  // registers; -1: none

/// The registers that a half of a dual instruction reads as src0 and vsrc1, which are gathered in
/// one class each.
/// The literal of v_dual_fmamk_f32 stands between the two.
Two GatheredBy(const Instruction& half) {
  Two gathered = {-1, -1};
  for (size_t i = 1; i < half.operands.size(); ++i) {
    const RegisterRange range = RangeOf(half.operands[i]);
    if (range.count != 0) gathered[i == 1 ? 0 : 1] = range.first;
  }
  return gathered;
}

/// gfx11: where both halves of a dual instruction read src0, or both vsrc1, from different
/// registers that are both even or both odd, one of them may be read before VALU has written it
/// (llvm-project 220348).
void FillLostSources(const Instruction& x, const Instruction& y, HazardFacts& hazard) {
  const Two of_x = GatheredBy(x), of_y = GatheredBy(y);
  for (size_t i = 0; i < of_x.size(); ++i) {
    if (of_x[i] < 0 || of_y[i] < 0 || of_x[i] == of_y[i] || (of_x[i] - of_y[i]) % 2 != 0) continue;
    hazard.lost_sources.push_back(static_cast<uint16_t>(of_x[i]));
    hazard.lost_sources.push_back(static_cast<uint16_t>(of_y[i]));
  }
}

void FillSources(const Instruction& instruction, InstructionFacts& facts) {
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const RegisterRange range = RangeOf(instruction.operands[i]);
    // A result may be a source as well, as that of v_fmac is.
    const bool reads = i != 0 || std::find(facts.reads.begin(), facts.reads.end(), range.first) !=
                                     facts.reads.end();
    auto& sources = facts.hazard.sources;
    if (range.count != 0 && reads &&
        std::find(sources.begin(), sources.end(), range) == sources.end())
      sources.push_back(range);
  }
}

}  // namespace

void FillHazardFacts(TargetBit target, std::string_view text, InstructionFacts& facts) {
  const std::string_view m = facts.mnemonic;
  HazardFacts& hazard = facts.hazard;
  FillScalars(facts);
  FillDrains(text, facts);
  hazard.uses_m0 = facts.to_lds || absl::StrContains(m, "addtid") ||
                   absl::StrContains(m, "_movrel") ||
                   StartsWithAny(m, {"s_sendmsg", "s_ttracedata"});
  hazard.lds_nop = m == "ds_nop";
  if (absl::StartsWith(m, "s_")) FillScalarInstruction(facts);
  if (facts.valu) FillVectorInstruction(target, facts);
  if ((target & kGfx9) != 0) FillWideData(target, facts);
  if (!facts.valu || target != kGfx1100) return;
  FillSources(facts.parsed, facts);
  Instruction second;
  if (facts.parsed.dual.empty() || !ParseInstruction(facts.parsed.dual, second).ok()) return;
  FillSources(second, facts);
  FillLostSources(facts.parsed, second, hazard);
}

}  // namespace gridwise::sim
