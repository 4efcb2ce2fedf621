// SPDX-License-Identifier: MIT
#include "tools/sim/check/rdna_hazards.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

bool IsVcc(int reg) { return reg == kVccLo || reg == kVccLo + 1; }

}  // namespace

void RdnaHazards::CheckMatrix(const InstructionFacts& facts, Reporter& reporter) const {
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

void RdnaHazards::Before(const InstructionFacts& facts, Reporter& reporter) {
  if (!facts.valu) return;
  if (facts.wmma && last_valu_ != nullptr && last_valu_->wmma) CheckMatrix(facts, reporter);
  if (facts.hazard.permlane && compared_to_exec_ != nullptr) {
    reporter.Report(Category::kHazards, "a permutation of lanes too early after v_cmpx wrote EXEC",
                    absl::StrCat(": ", reporter.Describe(compared_to_exec_->index),
                                 " needs another vector instruction, but v_nop, in between"));
  }
  last_valu_ = &facts;
  if (facts.hazard.compares_to_exec) {
    compared_to_exec_ = &facts;
  } else if (!facts.hazard.vector_nop) {
    compared_to_exec_ = nullptr;
  }
}

uint32_t Gfx11Hazards::LastWriter(const RegisterRange& range) const {
  uint32_t last = 0;
  for (int reg = range.first; reg < range.first + range.count; ++reg)
    last = std::max(last, written_[static_cast<size_t>(reg - kFirstVector)]);
  return last > drained_ ? last : 0;
}

void Gfx11Hazards::CheckDual(const InstructionFacts& facts, Reporter& reporter) const {
  // A result is ready after this many vector instructions (LLVM, fixLdsDirectVALUHazard).
  constexpr int kEnough = 15;
  for (const uint16_t reg : facts.hazard.lost_sources) {
    const uint32_t writer = LastWriter({reg, 1});
    if (writer == 0 || Between(writer) >= kEnough) continue;
    reporter.Report(
        Category::kHazards,
        absl::StrCat("a dual instruction may read a VALU result too early: ", RegisterName(reg)),
        absl::StrCat(" of ", reporter.Describe(Number(writer).facts->index),
                     ", beside another register that is even or odd as well, needs ", kEnough,
                     " vector instructions or s_waitcnt_depctr depctr_va_vdst(0) in between"));
    return;
  }
}

void Gfx11Hazards::CheckTranscendental(const InstructionFacts& facts, Reporter& reporter) const {
  constexpr int kMaxVector = 5, kMaxTranscendental = 1;
  for (const RegisterRange& source : facts.hazard.sources) {
    const uint32_t writer = LastWriter(source);
    if (writer == 0 || Between(writer) > kMaxVector) continue;
    const Issued& issued = Number(writer);
    const uint32_t behind = transcendental_ - issued.transcendental;  // it is one of these
    if (!issued.facts->trans || behind > kMaxTranscendental + 1) continue;
    reporter.Report(
        Category::kHazards,
        absl::StrCat("VALU reads a transcendental result too early: ", RegisterName(source.first)),
        absl::StrCat(" of ", reporter.Describe(issued.facts->index),
                     " needs s_waitcnt_depctr depctr_va_vdst(0), ", kMaxVector + 1,
                     " vector instructions or ", kMaxTranscendental + 1,
                     " transcendental ones in between"));
    return;
  }
}

/// Two sources, one written before and one after a change of EXEC: the change at most two vector
/// instructions away from both together, and the latter at most four from here.
void Gfx11Hazards::CheckForwarding(const InstructionFacts& facts, Reporter& reporter) const {
  constexpr int kMaxAroundChange = 2, kMaxBehind = 4;
  constexpr int kNone = std::numeric_limits<int>::max();
  if (facts.hazard.sources.size() < 2) return;
  const auto distance = [this](const RegisterRange& source) {
    const uint32_t writer = LastWriter(source);
    return writer == 0 ? kNone : Between(writer);
  };
  int behind = kNone;
  for (const RegisterRange& source : facts.hazard.sources)
    behind = std::min(behind, distance(source));
  if (behind > kMaxBehind) return;
  const uint32_t older = exec_changes_ & ~uint32_t{0} << (behind + 1);
  if (older == 0) return;
  const int change = __builtin_ctz(older);
  int before = kNone;
  const RegisterRange* first = nullptr;
  for (const RegisterRange& source : facts.hazard.sources) {
    const int d = distance(source);
    if (d < change || d >= before) continue;
    before = d;
    first = &source;
  }
  if (first == nullptr || before - behind - 1 > kMaxAroundChange) return;
  reporter.Report(Category::kHazards,
                  absl::StrCat("VALU reads results from before and after a change of EXEC too "
                               "early: ",
                               RegisterName(first->first)),
                  absl::StrCat(" of ", reporter.Describe(Number(LastWriter(*first)).facts->index),
                               " needs s_waitcnt_depctr depctr_va_vdst(0)"));
}

void Gfx11Hazards::CheckMasks(const InstructionFacts& facts, Reporter& reporter) {
  const HazardFacts& hazard = facts.hazard;
  for (const uint16_t reg : hazard.scalar_reads) {
    const InstructionFacts* const writer = mask_writer_[reg];
    if (writer == nullptr || !(facts.valu || facts.salu) || (writer->valu && facts.salu)) continue;
    const char* wait = writer->salu ? "sa_sdst" : IsVcc(reg) ? "va_vcc" : "va_sdst";
    reporter.Report(Category::kHazards,
                    absl::StrCat("reads an SGPR too early that had been read as a mask before it "
                                 "was written: ",
                                 RegisterName(reg)),
                    absl::StrCat(" of ", reporter.Describe(writer->index),
                                 " needs s_waitcnt_depctr depctr_", wait, "(0)"));
    std::replace(mask_writer_.begin(), mask_writer_.end(), writer,
                 static_cast<const InstructionFacts*>(nullptr));
  }
  for (const uint16_t reg : hazard.scalar_writes) {
    if (reg == kM0) continue;
    const bool by_alu = facts.valu || facts.salu;
    if (read_as_mask_[reg] || !by_alu) mask_writer_[reg] = by_alu ? &facts : nullptr;
    read_as_mask_[reg] = false;
  }
  for (int reg = hazard.mask.first; reg < hazard.mask.first + hazard.mask.count; ++reg)
    read_as_mask_[static_cast<size_t>(reg)] = true;
}

void Gfx11Hazards::Drain(uint8_t counters) {
  if ((counters & kVaVdst) != 0) {
    drained_ = issued_;
    exec_changes_ = 0;
  }
  if (!wave64_ || (counters & (kVaSdst | kVaVcc | kSaSdst)) == 0) return;
  for (int reg = 0; reg < kSharedBase; ++reg) {
    const InstructionFacts*& writer = mask_writer_[static_cast<size_t>(reg)];
    if (writer == nullptr) continue;
    const uint8_t counter = writer->salu ? kSaSdst : IsVcc(reg) ? kVaVcc : kVaSdst;
    if ((counters & counter) != 0) writer = nullptr;
  }
}

void Gfx11Hazards::Issue(const InstructionFacts& facts) {
  ++issued_;
  recent_[issued_ % kRemembered] = {&facts, transcendental_};
  if (facts.trans) ++transcendental_;
  exec_changes_ <<= 1;
  for (const uint16_t reg : facts.writes) {
    if (reg >= kFirstVector) written_[reg - kFirstVector] = issued_;
  }
}

void Gfx11Hazards::Before(const InstructionFacts& facts, Reporter& reporter) {
  shared_.Before(facts, reporter);
  if (facts.valu) {
    CheckDual(facts, reporter);
    CheckTranscendental(facts, reporter);
    if (wave64_ && exec_changes_ != 0) CheckForwarding(facts, reporter);
  }
  if (wave64_) CheckMasks(facts, reporter);
  if (facts.valu) Issue(facts);
  if (facts.salu && facts.hazard.writes_exec) exec_changes_ |= 1;
  // Memory instructions are issued when the results of VALU are there.
  if (facts.vmem || facts.lds) Drain(kVaVdst);
  if (facts.hazard.drains != 0) Drain(facts.hazard.drains);
}

void Gfx12Hazards::Report(int reg, const char* counter, Reporter& reporter) const {
  reporter.Report(Category::kHazards,
                  absl::StrCat("reads an SGPR too early that VALU had read before it was written: ",
                               RegisterName(reg)),
                  absl::StrCat(" of ", reporter.Describe(writer_[static_cast<size_t>(reg)]->index),
                               " needs s_wait_alu depctr_", counter, "(0)"));
}

void Gfx12Hazards::Read(const InstructionFacts& facts, int reg, Reporter& reporter) {
  const auto r = static_cast<size_t>(reg);
  const uint8_t of_valu = IsVcc(reg) ? kVaVcc : kVaSdst;
  if (facts.salu) Drain(of_valu);  // SALU waits for VALU by itself
  if (!read_by_valu_[r]) return;
  if (by_salu_[r]) {
    Report(reg, "sa_sdst", reporter);
    Drain(kSaSdst);  // as if it had waited
  }
  if (by_valu_[r]) {
    Report(reg, IsVcc(reg) ? "va_vcc" : "va_sdst", reporter);
    Drain(of_valu);
  }
}

void Gfx12Hazards::Drain(uint8_t counters) {
  if ((counters & kSaSdst) != 0) by_salu_.reset();
  for (size_t r = 0; r < by_valu_.size(); ++r) {
    const uint8_t counter = IsVcc(static_cast<int>(r)) ? kVaVcc : kVaSdst;
    if ((counters & counter) != 0) by_valu_[r] = false;
  }
}

bool Gfx12Hazards::MergeScalars(const Gfx12Hazards& other) {
  const auto before = std::array{read_by_valu_, by_salu_, by_valu_};
  read_by_valu_ |= other.read_by_valu_;
  by_salu_ |= other.by_salu_;
  by_valu_ |= other.by_valu_;
  for (size_t i = 0; i < writer_.size(); ++i) {
    if (writer_[i] == nullptr) writer_[i] = other.writer_[i];
  }
  const int nops = std::exchange(lds_nops_, std::min(lds_nops_, other.lds_nops_));
  return before != std::array{read_by_valu_, by_salu_, by_valu_} || nops != lds_nops_;
}

void Gfx12Hazards::CheckScalars(const InstructionFacts& facts, Reporter& reporter) {
  lds_nops_ = facts.hazard.lds_nop ? lds_nops_ + 1 : 0;
  if (lds_nops_ >= nops_) read_by_valu_.reset();
  if (facts.hazard.drains != 0) Drain(facts.hazard.drains);
  const bool flat_encoded = facts.vmem && facts.mnemonic[0] != 'b' && facts.mnemonic[0] != 't';
  if (facts.smem || (facts.vmem && !flat_encoded)) Drain(kSaSdst | kVaSdst | kVaVcc);
  if (!facts.valu && !facts.salu) return;
  for (const uint16_t reg : facts.hazard.scalar_reads) {
    if (reg != kM0) Read(facts, reg, reporter);
  }
  for (const uint16_t reg : facts.hazard.scalar_writes) {
    if (reg == kM0 || !read_by_valu_[reg]) continue;
    writer_[reg] = &facts;
    by_salu_[reg] = facts.salu;  // it is the last one's to wait for
    by_valu_[reg] = facts.valu;
  }
  if (!facts.valu) return;
  // Behind what it writes: LLVM does not count what an instruction reads itself.
  for (const uint16_t reg : facts.hazard.scalar_reads) {
    if (reg != kM0) read_by_valu_[reg] = read_by_valu_[reg ^ 1] = true;
  }
}

/// RDNA4 ISA 5.7.2.
void Gfx12Hazards::CheckState(const InstructionFacts& facts, Reporter& reporter) {
  const std::string_view name = facts.hazard.gets_register;
  const bool state = name == "HW_REG_WAVE_STATE_PRIV", status = name == "HW_REG_WAVE_STATUS";
  if (before_ != nullptr && (state || (status && before_->hazard.sets_halt))) {
    reporter.Report(Category::kHazards,
                    absl::StrCat("s_getreg reads the wave's state too early: ", name),
                    absl::StrCat(" after ", reporter.Describe(before_->index),
                                 " needs another instruction, s_nop for instance, in between"));
  }
  before_ = facts.hazard.sets_priority || facts.hazard.sets_halt ? &facts : nullptr;
}

void Gfx12Hazards::Before(const InstructionFacts& facts, Reporter& reporter) {
  shared_.Before(facts, reporter);
  CheckScalars(facts, reporter);
  CheckState(facts, reporter);
}

}  // namespace gridwise::sim
