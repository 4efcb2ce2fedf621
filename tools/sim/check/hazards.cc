#include "tools/sim/check/hazards.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

/// What gfx950 waits longer than gfx942 for an XDL result (CDNA4 ISA 7.6, table 38).
int LongerWait(const MatrixFacts& matrix, TargetBit target) {
  return target == kGfx950 && matrix.xdl && matrix.passes > 2 ? 1 : 0;
}

/// Wait states between a matrix instruction and a use of its result by anything but SrcC.
int AfterResult(const MatrixFacts& matrix, bool by_memory, TargetBit target) {
  if (matrix.f64 && matrix.rows == 4) return by_memory ? 9 : 6;
  if (matrix.f64) return by_memory ? 18 : target == kGfx950 ? 19 : 11;
  return matrix.passes + (matrix.xdl ? 3 : 2) + LongerWait(matrix, target);
}

/// The same for SrcC of matrix instruction `user`, whose registers are those of the result exactly
/// (`same`) or some of them.
int AfterResultInC(const MatrixFacts& matrix, const MatrixFacts& user, bool same,
                   TargetBit target) {
  if (same) {
    if (matrix.f64 && matrix.rows == 4 && user.f64 && user.rows == 4) return 4;
    return matrix.passes == 2 ? 2 : 0;
  }
  if (matrix.f64) return user.xdl ? 0 : matrix.rows == 4 ? 4 : target == kGfx950 ? 17 : 9;
  if (user.xdl && !matrix.xdl) return 0;
  return matrix.passes + (matrix.xdl ? 1 : 0) + LongerWait(matrix, target);
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

void HazardTracker::Need(int needed, const Event& event, const char* rule, int reg,
                         Reporter& reporter) const {
  if (event.facts == nullptr || Since(event) >= needed) return;
  reporter.Report(Category::kHazards, absl::StrCat(rule, " too early: ", RegisterName(reg)),
                  absl::StrCat(" of ", reporter.Describe(event.facts->index), " needs ", needed,
                               " wait states in between, there are ", Since(event)));
}

void HazardTracker::CheckWmma(const InstructionFacts& facts, Reporter& reporter) const {
  if (!facts.wmma || last_valu_ == nullptr || !last_valu_->wmma) return;
  for (const RegisterRange& range : {facts.a, facts.b, facts.sparse_indices}) {
    for (int reg = range.first; reg < range.first + range.count; ++reg) {
      if (!last_valu_->result.Overlaps(reg)) continue;
      reporter.Report(
          Category::kHazards,
          absl::StrCat("a matrix instruction multiplies a matrix result too early: ",
                       RegisterName(reg)),
          absl::StrCat(" of ", reporter.Describe(last_valu_->index),
                       " needs another vector instruction, v_nop for instance, in between"));
      return;
    }
  }
}

void HazardTracker::CheckMatrix(const InstructionFacts& facts, Reporter& reporter) const {
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
        Need(AfterResult(matrix, false, target_), event,
             "a matrix instruction multiplies a matrix result", reg, reporter);
      }
    }
  };
  check(facts.a, false);
  check(facts.b, false);
  check(facts.sparse_indices, false);
  check(facts.c, true);
  Need(4, written_[kExecLo], "a matrix instruction after a VALU write of EXEC", kExecLo, reporter);
}

void HazardTracker::CheckVectorReads(const InstructionFacts& facts, Reporter& reporter) const {
  const bool memory = facts.vmem || facts.lds;
  for (const uint16_t reg : facts.reads) {
    if (reg < kFirstVector) continue;
    const Event& event = written_[reg];
    if (event.facts == nullptr || Since(event) > 19) continue;
    const InstructionFacts& writer = *event.facts;
    if (writer.matrix.passes != 0) {
      Need(AfterResult(writer.matrix, memory, target_), event,
           memory ? "a memory instruction reads a matrix result" : "VALU reads a matrix result",
           reg, reporter);
    } else if (writer.dot) {
      const bool as_c = writer.mnemonic == facts.mnemonic && OnlyAddsTo(facts, reg);
      if (!as_c) Need(3, event, "a dot product's result is read", reg, reporter);
    } else if (facts.valu) {
      if (writer.trans && !facts.trans)
        Need(1, event, "VALU reads a transcendental result", reg, reporter);
      if (writer.partial_result)
        Need(1, event, "VALU reads a result that was selected into half a register", reg, reporter);
      if (facts.dpp) Need(2, event, "DPP reads a VALU result", reg, reporter);
    }
  }
}

void HazardTracker::CheckVectorWrites(const InstructionFacts& facts, Reporter& reporter) const {
  for (const uint16_t reg : facts.writes) {
    if (reg < kFirstVector) continue;
    const Event& event = written_[reg];
    if (event.facts != nullptr && event.facts->matrix.passes != 0) {
      Need(AfterResult(event.facts->matrix, false, target_), event,
           "a matrix result is overwritten", reg, reporter);
    } else if (event.facts != nullptr && event.facts->dot &&
               event.facts->mnemonic != facts.mnemonic) {
      Need(3, event, "a dot product's result is overwritten", reg, reporter);
    }
    const Event& reader = read_as_c_[reg];
    if (reader.facts != nullptr && reader.facts->matrix.xdl) {
      Need(AfterReadInC(reader.facts->matrix.passes), reader,
           "SrcC of a matrix instruction is overwritten", reg, reporter);
    }
    if (!facts.valu) continue;
    for (const Event& store : wide_store_) {
      if (store.facts == nullptr || !store.facts->wide_store_data.Overlaps(reg)) continue;
      Need(2, store, "data of a store of more than 64 bits is overwritten", reg, reporter);
    }
  }
}

void HazardTracker::CheckScalarReads(const InstructionFacts& facts, Reporter& reporter) const {
  for (const uint16_t reg : facts.reads) {
    if (reg >= kFirstVector || reg == kExecLo || reg == kExecLo + 1) continue;
    const Event& event = written_[reg];
    if (event.facts == nullptr || Since(event) > 5) continue;
    if (facts.vmem) Need(5, event, "vector memory reads an SGPR that VALU wrote", reg, reporter);
    if (!facts.valu) continue;
    // As a constant; a mask or carry needs no wait (CDNA3 ISA, section 4.5, table 11). Compilers
    // wait all the same.
    if (!facts.carry_in.Overlaps(reg))
      Need(2, event, "VALU reads an SGPR that VALU wrote", reg, reporter);
    if (reg == kVccLo && absl::StartsWith(facts.mnemonic, "v_div_fmas"))
      Need(4, event, "v_div_fmas reads VCC that VALU wrote", reg, reporter);
    const bool lane_select =
        facts.mnemonic == "v_readlane_b32" || facts.mnemonic == "v_writelane_b32";
    if (lane_select && facts.parsed.operands.size() > 2 &&
        facts.parsed.operands[2].kind == OperandKind::kScalar &&
        facts.parsed.operands[2].index == reg) {
      Need(4, event, "a lane is selected by an SGPR that VALU wrote", reg, reporter);
    }
  }
  const bool reads_m0 = facts.to_lds || absl::StrContains(facts.mnemonic, "addtid") ||
                        absl::StrContains(facts.mnemonic, "_movrel") ||
                        absl::StartsWith(facts.mnemonic, "s_sendmsg");
  if (reads_m0) Need(1, m0_written_, "M0 is used after a scalar write", kM0, reporter);
}

void HazardTracker::CheckLaneAccess(const InstructionFacts& facts, Reporter& reporter) const {
  const bool reads_lane = absl::StartsWith(facts.mnemonic, "v_readlane") ||
                          absl::StartsWith(facts.mnemonic, "v_readfirstlane");
  if (reads_lane || absl::StartsWith(facts.mnemonic, "v_writelane"))
    Need(4, written_[kExecLo], "a lane is accessed after VALU wrote EXEC", kExecLo, reporter);
  if (facts.dpp) Need(5, written_[kExecLo], "DPP after VALU wrote EXEC", kExecLo, reporter);
  if (!reads_lane) return;
  for (const uint16_t reg : facts.reads) {
    if (reg >= kFirstVector && written_[reg].facts != nullptr && written_[reg].facts->valu)
      Need(1, written_[reg], "a lane of a VALU result is read", reg, reporter);
  }
}

void HazardTracker::Note(const InstructionFacts& facts) {
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
  if (facts.wide_store_data.count != 0) {
    wide_store_[1] = wide_store_[0];
    wide_store_[0] = {&facts, now_};
  }
  now_ += static_cast<uint64_t>(facts.wait_states);
}

void HazardTracker::Before(const InstructionFacts& facts, Reporter& reporter) {
  if ((target_ & kGfx9) == 0) {
    CheckWmma(facts, reporter);
    if (facts.valu) last_valu_ = &facts;
    return;
  }
  if (facts.matrix.passes != 0) {
    CheckMatrix(facts, reporter);
  } else if (facts.valu || facts.vmem || facts.lds) {
    CheckVectorReads(facts, reporter);
    CheckVectorWrites(facts, reporter);
  }
  CheckScalarReads(facts, reporter);
  if (facts.valu && facts.matrix.passes == 0) CheckLaneAccess(facts, reporter);
  Note(facts);
}

}  // namespace gridwise::sim
