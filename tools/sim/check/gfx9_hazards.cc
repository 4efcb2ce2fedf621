// SPDX-License-Identifier: MIT
#include "tools/sim/check/gfx9_hazards.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

/// How much longer gfx950 waits than gfx942 for an XDL result (CDNA4 ISA 7.6, table 38).
int LongerWait(const MatrixFacts& matrix, TargetBit target) {
  return target == kGfx950 && matrix.xdl && matrix.passes > 2 ? 1 : 0;
}

/// How an instruction uses a matrix result.
enum class Use : uint8_t { kRead, kReadByMemory, kOverwrite };

/// Wait states between a matrix instruction and a use of its result by anything but SrcC.
int AfterResult(const MatrixFacts& matrix, Use use, TargetBit target) {
  if (matrix.f64 && matrix.rows == 4) return use == Use::kReadByMemory ? 9 : 6;
  if (matrix.f64 && use == Use::kReadByMemory) return 18;
  if (matrix.f64) return use == Use::kRead && target == kGfx950 ? 19 : 11;
  return matrix.passes + (matrix.xdl ? 3 : 2) + LongerWait(matrix, target);
}

/// The wait states for SrcC of matrix instruction `user`, whose registers are exactly those of the
/// result (`same`) or overlap with them.
int AfterResultInC(const MatrixFacts& matrix, const MatrixFacts& user, bool same,
                   TargetBit target) {
  if (same) {
    if (matrix.f64 && matrix.rows == 4 && user.f64 && user.rows == 4) return 4;
    return matrix.passes == 2 && target != kGfx90a ? 2 : 0;
  }
  if (matrix.f64) return user.xdl ? 0 : matrix.rows == 4 ? 4 : target == kGfx950 ? 17 : 9;
  if (target == kGfx90a) return matrix.passes + (user.f64 ? 1 : 0);
  if (user.xdl && !matrix.xdl) return 0;
  // Two passes as well for another XDL instruction.
  const int longer = target == kGfx950 && user.xdl ? 1 : LongerWait(matrix, target);
  return matrix.passes + (matrix.xdl ? 1 + longer : 0);
}

/// Until SrcC may be overwritten.
int AfterReadInC(int passes) { return passes <= 2 ? 1 : passes - 1; }

/// Dot product `facts` adds to `reg` and does nothing else with it. What it adds to is its last
/// operand, or its result where the name says so (v_dot4c_i32_i8).
bool OnlyAddsTo(const InstructionFacts& facts, int reg) {
  const auto is = [reg](const Operand& operand) {
    return operand.kind == OperandKind::kVector && kFirstVector + operand.index == reg;
  };
  const auto& operands = facts.parsed.operands;
  if (operands.empty()) return false;
  const bool to_result = absl::StartsWith(facts.mnemonic, "v_dot") && facts.mnemonic[6] == 'c';
  const Operand& addend = to_result ? operands.front() : operands.back();
  return is(addend) && std::none_of(operands.begin() + 1, operands.end(),
                                    [&](const Operand& o) { return &o != &addend && is(o); });
}

}  // namespace

void Gfx9Hazards::Need(int needed, const Event& event, const char* rule, std::string_view of,
                       Reporter& reporter) const {
  if (event.facts == nullptr || Since(event) >= needed) return;
  reporter.Report(
      Category::kHazards, absl::StrCat(rule, " too early", of.empty() ? "" : ": ", of),
      absl::StrCat(of.empty() ? ": " : " of ", reporter.Describe(event.facts->index), " needs ",
                   needed, " wait states in between, there are ", Since(event)));
}

void Gfx9Hazards::Need(int needed, const Event& event, const char* rule, int reg,
                       Reporter& reporter) const {
  if (event.facts == nullptr || Since(event) >= needed) return;
  Need(needed, event, rule, RegisterName(reg), reporter);
}

void Gfx9Hazards::CheckMatrix(const InstructionFacts& facts, Reporter& reporter) const {
  const auto check = [&](const RegisterRange& range, bool is_c) {
    for (int reg = range.first; reg < range.first + range.count; ++reg) {
      const Event& event = written_[reg];
      if (event.facts == nullptr) continue;
      const MatrixFacts& matrix = event.facts->matrix;
      if (matrix.passes == 0) {
        if (!event.facts->dot) {
          Need(2, event, "a matrix instruction reads a VALU result", reg, reporter);
        }
      } else if (is_c) {
        Need(AfterResultInC(matrix, facts.matrix, event.facts->result == range, target_), event,
             "a matrix instruction accumulates on a matrix result", reg, reporter);
      } else {
        Need(AfterResult(matrix, Use::kRead, target_), event,
             "a matrix instruction multiplies a matrix result", reg, reporter);
      }
    }
  };
  check(facts.a, false);
  check(facts.b, false);
  check(facts.sparse_indices, false);
  check(facts.hazard.scale_a, false);
  check(facts.hazard.scale_b, false);
  check(facts.c, true);
  Need(4, written_[kExecLo], "a matrix instruction after a VALU write of EXEC", kExecLo, reporter);
}

void Gfx9Hazards::CheckVectorReads(const InstructionFacts& facts, Reporter& reporter) const {
  const bool memory = facts.vmem || facts.lds;
  for (const uint16_t reg : facts.reads) {
    if (reg < kFirstVector) continue;
    const Event& event = written_[reg];
    if (event.facts == nullptr || Since(event) > 19) continue;
    const InstructionFacts& writer = *event.facts;
    if (writer.matrix.passes != 0) {
      Need(AfterResult(writer.matrix, memory ? Use::kReadByMemory : Use::kRead, target_), event,
           memory ? "a memory instruction reads a matrix result" : "VALU reads a matrix result",
           reg, reporter);
    } else if (writer.dot) {
      const bool as_c = writer.mnemonic == facts.mnemonic && OnlyAddsTo(facts, reg);
      if (!as_c) Need(3, event, "a dot product's result is read", reg, reporter);
    } else if (facts.valu) {
      const bool later = (target_ & kGfx94) != 0;  // LLVM, GCNSubtarget, has...ForwardingHazard
      if (later && writer.trans && !facts.trans)
        Need(1, event, "VALU reads a transcendental result", reg, reporter);
      if (later && writer.hazard.moves_result)
        Need(1, event, "VALU reads a result that moves within its register", reg, reporter);
      if (facts.dpp) Need(2, event, "DPP reads a VALU result", reg, reporter);
      if (facts.hazard.permlane && target_ == kGfx950)
        Need(2, event, "a permutation of lanes reads a VALU result", reg, reporter);
    } else if (facts.vmem && target_ == kGfx90a && f64_matrix_.time > event.time) {
      Need(2, event, "vector memory reads a VALU result across a matrix instruction of f64", reg,
           reporter);
    }
  }
}

void Gfx9Hazards::CheckVectorWrites(const InstructionFacts& facts, Reporter& reporter) const {
  for (const uint16_t reg : facts.writes) {
    if (reg < kFirstVector) continue;
    const Event& event = written_[reg];
    if (event.facts != nullptr && event.facts->matrix.passes != 0) {
      Need(AfterResult(event.facts->matrix, Use::kOverwrite, target_), event,
           "a matrix result is overwritten", reg, reporter);
    } else if (event.facts != nullptr && event.facts->dot &&
               event.facts->mnemonic != facts.mnemonic) {
      Need(3, event, "a dot product's result is overwritten", reg, reporter);
    } else if (event.facts != nullptr && facts.valu && event.facts->hazard.moves_result &&
               target_ != kGfx90a) {
      Need(1, event, "a result that moves within its register is overwritten", reg, reporter);
    }
    const Event& reader = read_as_c_[reg];
    if (reader.facts != nullptr && reader.facts->matrix.xdl) {
      Need(AfterReadInC(reader.facts->matrix.passes), reader,
           "SrcC of a matrix instruction is overwritten", reg, reporter);
    }
    if (!facts.valu) continue;
    for (const Event& store : wide_store_) {
      if (store.facts == nullptr || !store.facts->hazard.wide_data.Overlaps(reg)) continue;
      Need(store.facts->hazard.wide_data_wait, store,
           "data of a store of more than 64 bits is overwritten", reg, reporter);
    }
  }
}

void Gfx9Hazards::CheckScalarReads(const InstructionFacts& facts, Reporter& reporter) const {
  const HazardFacts& hazard = facts.hazard;
  for (const uint16_t reg : hazard.scalar_reads) {
    const Event& event = written_[reg];
    if (event.facts == nullptr || Since(event) > 5) continue;
    if (facts.vmem) Need(5, event, "vector memory reads an SGPR that VALU wrote", reg, reporter);
    if (!facts.valu) continue;
    // Applies to SGPRs read as constants. A mask or carry needs no wait (CDNA3 ISA, section 4.5,
    // table 11), though compilers wait.
    if (!hazard.mask.Overlaps(reg) && target_ != kGfx90a)
      Need(2, event, "VALU reads an SGPR that VALU wrote", reg, reporter);
    if (reg == kVccLo && hazard.div_fmas)
      Need(4, event, "v_div_fmas reads VCC that VALU wrote", reg, reporter);
    if (reg == hazard.lane_select)
      Need(4, event, "a lane is selected by an SGPR that VALU wrote", reg, reporter);
  }
  if (hazard.uses_m0) Need(1, m0_written_, "M0 is used after a scalar write", kM0, reporter);
}

void Gfx9Hazards::CheckLaneAccess(const InstructionFacts& facts, Reporter& reporter) const {
  const HazardFacts& hazard = facts.hazard;
  if ((hazard.reads_lane || hazard.writes_lane) && target_ != kGfx90a)
    Need(4, written_[kExecLo], "a lane is accessed after VALU wrote EXEC", kExecLo, reporter);
  if (facts.dpp) Need(5, written_[kExecLo], "DPP after VALU wrote EXEC", kExecLo, reporter);
  if (hazard.permlane && target_ == kGfx950) {
    Need(4, compared_to_exec_, "a permutation of lanes after v_cmpx wrote EXEC", kExecLo, reporter);
  }
  if (hazard.fma64)
    Need(2, f64_matrix_, "v_fma_f64 after a matrix instruction of f64", "", reporter);
  if (!hazard.reads_lane || target_ == kGfx90a) return;
  for (const uint16_t reg : facts.reads) {
    if (reg >= kFirstVector && written_[reg].facts != nullptr && written_[reg].facts->valu)
      Need(1, written_[reg], "a lane of a VALU result is read", reg, reporter);
  }
}

void Gfx9Hazards::CheckHardwareRegisters(const InstructionFacts& facts, Reporter& reporter) {
  const HazardFacts& hazard = facts.hazard;
  for (const Event& set : register_set_) {
    if (set.facts == nullptr) continue;
    const std::string_view name = set.facts->hazard.sets_register;
    if (name == hazard.gets_register)
      Need(2, set, "s_getreg reads what s_setreg wrote", name, reporter);
    if (name == hazard.sets_register)
      Need(2, set, "s_setreg writes what s_setreg wrote", name, reporter);
  }
  if (hazard.sets_register.empty()) return;
  register_set_[1] = register_set_[0];
  register_set_[0] = {&facts, now_};
}

/// Instructions that were fetched before the invalidation are old ones (CDNA3 ISA, S_ICACHE_INV).
void Gfx9Hazards::CheckInvalidatedCode(const InstructionFacts& facts, Reporter& reporter) {
  constexpr int kNops = 16;
  if (facts.hazard.scalar_nop) {
    if (++nops_behind_it_ == kNops) code_invalidated_ = nullptr;
    return;
  }
  if (!facts.hazard.jumps) {
    reporter.Report(Category::kHazards, "executes what may have been fetched before s_icache_inv",
                    absl::StrCat(": ", reporter.Describe(code_invalidated_->index), " needs ",
                                 kNops, " s_nop after it, or a branch"));
  }
  code_invalidated_ = nullptr;
}

void Gfx9Hazards::Note(const InstructionFacts& facts) {
  if (facts.valu) {
    for (const uint16_t reg : facts.writes) written_[reg] = {&facts, now_};
    for (int reg = facts.c.first; reg < facts.c.first + facts.c.count; ++reg)
      read_as_c_[reg] = {&facts, now_};
  } else {
    for (const uint16_t reg : facts.writes) {
      written_[reg] = {};
      if (facts.salu && reg == kM0) m0_written_ = {&facts, now_};
    }
  }
  // gfx9's vmcnt counts stores: at 0 they have read their data.
  if (facts.waits && facts.limits[static_cast<size_t>(WaitCounter::kLoad)] == 0) {
    for (Event& store : wide_store_) store = {};
  }
  if (facts.matrix.f64) f64_matrix_ = {&facts, now_};
  if (facts.hazard.compares_to_exec) compared_to_exec_ = {&facts, now_};
  if (facts.hazard.invalidates_code) {
    code_invalidated_ = &facts;
    nops_behind_it_ = 0;
  }
  if (facts.hazard.wide_data.count != 0) {
    wide_store_[1] = wide_store_[0];
    wide_store_[0] = {&facts, now_};
  }
  now_ += static_cast<uint64_t>(facts.wait_states);
}

void Gfx9Hazards::Before(const InstructionFacts& facts, Reporter& reporter) {
  if (code_invalidated_ != nullptr) CheckInvalidatedCode(facts, reporter);
  if (facts.matrix.passes != 0) {
    CheckMatrix(facts, reporter);
  } else if (facts.valu || facts.vmem || facts.lds) {
    CheckVectorReads(facts, reporter);
    CheckVectorWrites(facts, reporter);
  }
  CheckScalarReads(facts, reporter);
  if (facts.valu && facts.matrix.passes == 0) CheckLaneAccess(facts, reporter);
  if (!facts.hazard.gets_register.empty() || !facts.hazard.sets_register.empty())
    CheckHardwareRegisters(facts, reporter);
  Note(facts);
}

}  // namespace gridwise::sim
