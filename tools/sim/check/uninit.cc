// SPDX-License-Identifier: MIT
#include "tools/sim/check/uninit.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/sim/check/origins.h"

namespace gridwise::sim {
namespace {

bool IsVector(int reg) { return reg >= kFirstVector; }
bool IsExec(int reg) { return reg == kExecLo || reg == kExecLo + 1; }

/// Registers that always hold something.
bool IsConstant(int reg) {
  return (reg >= kTtmp0 && reg < kM0) || reg == kNull || (reg >= kSharedBase && reg < kScc) ||
         (reg > kScc && reg < kFirstVector);
}

std::string ComesFrom(int reg, uint32_t origin) {
  return absl::StrCat(": ", RegisterName(reg), " comes from ", Origins::Process().Describe(origin));
}

/// Constants of the instruction, to compare undefined bits with.
std::vector<uint32_t> ConstantsOf(const InstructionFacts& facts) {
  std::vector<uint32_t> constants;
  for (const Operand& operand : facts.parsed.operands) {
    if (operand.kind == OperandKind::kInteger)
      constants.push_back(static_cast<uint32_t>(operand.integer));
    if (operand.kind == OperandKind::kFloat)
      constants.push_back(std::bit_cast<uint32_t>(static_cast<float>(operand.real)));
  }
  return constants;
}

}  // namespace

uint32_t LaunchOrigins::Read(const InstructionFacts& facts, AddressSpace space,
                             const std::string& where, const Reporter& reporter) {
  const auto [known, is_new] =
      known_.try_emplace({&facts, static_cast<uint32_t>(space), false}, uint32_t{0});
  if (is_new) {
    known->second = Origins::Process().Add(absl::StrCat(
        where, ", which was never written when ", reporter.Describe(facts.index), " reads it"));
  }
  return known->second;
}

uint32_t LaunchOrigins::Stored(const InstructionFacts& facts, uint32_t value, bool whole, int lane,
                               const Reporter& reporter) {
  const auto [known, is_new] =
      known_.try_emplace({&facts, value + kAllRegisters, whole}, uint32_t{0});
  if (is_new) {
    std::optional<Finding> store;
    if (whole) {
      store = reporter.Make(Category::kUninit, "stores an undefined value for the host",
                            absl::StrCat(" from ", Origins::Process().Describe(value)), lane);
    }
    known->second = Origins::Process().AddStored(value, std::move(store));
  }
  return known->second;
}

UninitTracker::UninitTracker(Wave& wave, int scalars, ByteShadow& lds, LaunchOrigins& origins)
    : wave_(wave),
      lds_(lds),
      scratch_(wave.scratch_bytes * kLanes),
      origins_(origins),
      registers_(wave.all_lanes) {
  for (int reg = 0; reg < kFirstVector; ++reg) {
    const bool flat_scratch = wave.all_lanes >> 32 != 0 && reg >= kFlatScratchLo && reg < kVccLo;
    if (reg < scalars || IsExec(reg) || IsConstant(reg) || flat_scratch) registers_.Clear(reg);
  }
  registers_.Clear(kFirstVector);  // v0: work-item ids
}

void UninitTracker::Before(const InstructionFacts& facts, const Uop* first, Reporter& reporter) {
  first_ = first;
  if (facts.mnemonic.starts_with("s_set_gpr_idx_o"))
    gpr_index_mode_ = facts.mnemonic == "s_set_gpr_idx_on";
  if (facts.control) return CheckFlow(facts, reporter);
  if (!facts.memory) return Compute(facts, reporter);
  CheckAddress(facts, reporter);
  BeginMemory(facts);
}

void UninitTracker::CheckAddress(const InstructionFacts& facts, Reporter& reporter) {
  const uint64_t exec = Exec(wave_);
  if (exec == 0 && !facts.smem) return;
  for (const uint16_t reg : facts.address) {
    const uint64_t lanes = registers_.dirty(reg) & (IsVector(reg) ? exec : 1);
    if (lanes == 0) continue;
    const int lane = __builtin_ctzll(lanes);
    reporter.Report(Category::kUninit, "uses an undefined address",
                    ComesFrom(reg, registers_.Origin(reg, lane)), IsVector(reg) ? lane : -1);
    registers_.Clear(reg, lanes);  // one report is enough
  }
}

void UninitTracker::CheckFlow(const InstructionFacts& facts, Reporter& reporter) {
  const bool conditional = absl::StartsWith(facts.mnemonic, "s_cbranch_vcc");
  if (conditional) {  // is any bit of VCC set?
    for (const int reg : {int{kVccLo}, kVccLo + 1}) {
      if (reg > kVccLo && wave_.all_lanes >> 32 == 0) break;
      if ((wave_.s[reg] & ~registers_.Bits(reg, 0)) != 0) return;
    }
  }
  for (const uint16_t reg : facts.reads) {
    if (IsVector(reg) || registers_.dirty(reg) == 0) continue;
    if (reg == kVccLo + 1 && wave_.all_lanes >> 32 == 0) continue;
    const bool jumps = conditional || reg == kScc || absl::StartsWith(facts.mnemonic, "s_setpc") ||
                       absl::StartsWith(facts.mnemonic, "s_swappc");
    if (jumps) {
      reporter.Report(Category::kUninit, "jumps as an undefined value says",
                      ComesFrom(reg, registers_.Origin(reg, 0)));
    }
    registers_.Clear(reg);
  }
  for (const uint16_t reg : facts.writes) registers_.Clear(reg);
}

void UninitTracker::Relocate(const InstructionFacts& facts) {
  reads_.assign(facts.reads.begin(), facts.reads.end());
  writes_.assign(facts.writes.begin(), facts.writes.end());
  const uint32_t m0 = wave_.s[kM0];
  const bool indexed = gpr_index_mode_ && facts.valu;
  const bool result = indexed ? (m0 >> 15 & 1) != 0 : (facts.relative & 1) != 0;
  const bool source = indexed ? (m0 >> 12 & 7) != 0 : (facts.relative & 2) != 0;
  const uint32_t by = indexed ? m0 & 0xff : m0;
  const auto move = [&](std::vector<uint16_t>& registers) {
    for (uint16_t& reg : registers) {
      const bool operand = facts.valu ? IsVector(reg) : reg < kVccLo;
      if (operand && reg + by < kAllRegisters) reg = static_cast<uint16_t>(reg + by);
    }
  };
  if (source) move(reads_);
  if (result) move(writes_);
}

void UninitTracker::Compute(const InstructionFacts& facts, Reporter& reporter) {
  const bool relative = facts.relative != 0 || (gpr_index_mode_ && facts.valu);
  if (relative) Relocate(facts);
  const std::vector<uint16_t>& reads = relative ? reads_ : facts.reads;
  const std::vector<uint16_t>& writes = relative ? writes_ : facts.writes;
  const uint64_t lanes = facts.cross_lane ? ~uint64_t{0} : Exec(wave_);
  uint64_t dirty = 0;
  for (const uint16_t reg : reads) dirty |= registers_.dirty(reg) & (IsVector(reg) ? lanes : 1);
  if (dirty == 0 || facts.freezes) {
    for (const uint16_t reg : writes) registers_.Clear(reg, IsVector(reg) ? lanes : ~uint64_t{0});
    return;
  }
  if (!relative) {
    reads_ = facts.reads;
    writes_ = facts.writes;
  }
  touched_ = reads_;
  touched_.insert(touched_.end(), writes_.begin(), writes_.end());
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  Commit(facts,
         Sampler::Run(wave_, FindUops(first_), touched_, writes_, registers_, {},
                      ConstantsOf(facts), Sampler::kForAll),
         reporter);
}

uint32_t UninitTracker::OriginFor(int reg, int lane) const {
  for (const uint16_t source : reads_) {
    if (registers_.IsDirty(source, IsVector(source) ? lane : 0))
      return registers_.Origin(source, IsVector(source) ? lane : 0);
  }
  if (registers_.IsDirty(reg, lane)) return registers_.Origin(reg, lane);
  for (const uint16_t source : reads_) {
    if (const uint64_t lanes = registers_.dirty(source); lanes != 0)
      return registers_.Origin(source, __builtin_ctzll(lanes));
  }
  return 0;
}

void UninitTracker::Commit(const InstructionFacts& facts, const Sampler::Differences& differences,
                           Reporter& reporter) {
  const uint64_t exec = Exec(wave_);
  std::vector<std::array<uint32_t, kLanes>> origins(writes_.size());
  for (size_t i = 0; i < differences.size(); ++i) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint32_t bits = differences[i][static_cast<size_t>(lane)];
      if (bits == 0) continue;
      const int reg = writes_[i];
      const bool kept = IsVector(reg) && !facts.cross_lane && (exec >> lane & 1) == 0;
      const int source_lane = IsVector(reg) ? lane : __builtin_ctz(bits) + 32 * (reg & 1);
      origins[i][static_cast<size_t>(lane)] =
          kept ? registers_.Origin(reg, lane) : OriginFor(reg, source_lane);
    }
  }
  for (size_t i = 0; i < writes_.size(); ++i) {
    const int reg = writes_[i];
    for (int lane = 0; lane < (IsVector(reg) ? kLanes : 1); ++lane) {
      const uint32_t bits = differences.empty() ? 0 : differences[i][static_cast<size_t>(lane)];
      const uint32_t origin = origins[i][static_cast<size_t>(lane)];
      if (!IsExec(reg)) {
        registers_.Set(reg, lane, bits, origin);
      } else if (bits != 0) {
        reporter.Report(
            Category::kUninit, "makes EXEC of an undefined value",
            absl::StrCat(": a lane's bit comes from ", Origins::Process().Describe(origin)),
            __builtin_ctz(bits) + 32 * (reg - kExecLo));
      }
    }
  }
}

void UninitTracker::BeginMemory(const InstructionFacts& facts) {
  address_rows_.clear();
  const uint64_t exec = Exec(wave_);
  if (facts.atomic) {
    update_undefined_ = false;
    for (const uint16_t reg : facts.data) {
      const uint64_t lanes = registers_.dirty(reg) & exec;
      if (lanes == 0 || update_undefined_) continue;
      update_undefined_ = true;
      update_origin_ = registers_.Origin(reg, __builtin_ctzll(lanes));
    }
  }
  for (const uint16_t reg : facts.loaded) {
    if (!IsVector(reg)) {
      registers_.Clear(reg);
    } else if (facts.loaded_bits == ~0u) {
      registers_.Clear(reg, exec);
    } else {
      registers_.ClearBits(reg, exec, facts.loaded_bits);
    }
    if (!IsVector(reg) ||
        std::find(facts.address.begin(), facts.address.end(), reg) == facts.address.end())
      continue;
    auto& [number, row] = address_rows_.emplace_back();
    number = reg;
    std::memcpy(row.data(), wave_.v[reg - kFirstVector], kRowBytes);
  }
}

}  // namespace gridwise::sim
