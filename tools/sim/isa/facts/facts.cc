// SPDX-License-Identifier: MIT
#include "tools/sim/isa/facts/facts.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/sim/isa/text/rename.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

bool StartsWithAny(std::string_view s, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view p) { return absl::StartsWith(s, p); });
}

bool EndsWithAny(std::string_view s, std::initializer_list<std::string_view> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [&](std::string_view suffix) { return absl::EndsWith(s, suffix); });
}

uint8_t& Limit(InstructionFacts& facts, WaitCounter counter) {
  return facts.limits[static_cast<int>(counter)];
}

/// gfx12's waits by name, "s_wait_loadcnt_dscnt 0x103": the counters, with two the first one's
/// limit is in bits 13:8.
void FillSplitWait(int64_t immediate, InstructionFacts& facts) {
  static constexpr std::pair<std::string_view, WaitCounter> kNames[] = {
      {"loadcnt", WaitCounter::kLoad},
      {"storecnt", WaitCounter::kStore},
      {"dscnt", WaitCounter::kLds},
      {"kmcnt", WaitCounter::kScalar},
  };
  const bool two = absl::EndsWith(facts.mnemonic, "_dscnt") && facts.mnemonic != "s_wait_dscnt";
  for (const auto& [name, counter] : kNames) {
    if (!absl::StrContains(facts.mnemonic, absl::StrCat("_", name))) continue;
    const bool high = two && name != "dscnt";
    Limit(facts, counter) = static_cast<uint8_t>((high ? immediate >> 8 : immediate) & 0x3f);
    facts.waits = true;
  }
}

/// gfx11's waits for one counter, "s_waitcnt_vscnt null, 0x0" (RDNA3 ISA, "S_WAITCNT_VSCNT" and
/// those after it).
std::optional<WaitCounter> OneCounter(std::string_view mnemonic) {
  if (mnemonic == "s_waitcnt_vscnt") return WaitCounter::kStore;
  if (mnemonic == "s_waitcnt_vmcnt") return WaitCounter::kLoad;
  if (mnemonic == "s_waitcnt_lgkmcnt") return WaitCounter::kLds;
  return std::nullopt;
}

void FillWait(TargetBit target, std::string_view text, InstructionFacts& facts) {
  const auto immediate = [&]() -> int64_t {
    return facts.parsed.operands.empty() ? 0 : facts.parsed.operands.back().integer;
  };
  if (facts.mnemonic == "s_waitcnt") {
    facts.waits = true;
    // Maxima are printed too where nothing else is; those wait for nothing.
    if (const std::optional<int> n = CountOf(text, "vmcnt"))
      Limit(facts, WaitCounter::kLoad) = static_cast<uint8_t>(*n);
    if (const std::optional<int> n = CountOf(text, "lgkmcnt"))
      Limit(facts, WaitCounter::kLds) = static_cast<uint8_t>(*n);
  } else if (const std::optional<WaitCounter> counter = OneCounter(facts.mnemonic)) {
    facts.waits = true;
    Limit(facts, *counter) = static_cast<uint8_t>(immediate());
  } else if (facts.mnemonic == "s_wait_idle") {
    facts.waits = true;
    std::fill(std::begin(facts.limits), std::end(facts.limits), uint8_t{0});
  } else if (target == kGfx1201 && absl::StartsWith(facts.mnemonic, "s_wait_")) {
    FillSplitWait(immediate(), facts);
  } else if (facts.mnemonic == "s_nop") {
    facts.wait_states = static_cast<int>(immediate()) + 1;
  }
}

/// The counters that a memory instruction is outstanding on (LLVM, SIInsertWaitcnts; CDNA3 ISA 4.4,
/// RDNA3 ISA 5.6, RDNA4 ISA 5.7).
void FillCounters(TargetBit target, InstructionFacts& facts) {
  const auto count = [&](WaitCounter counter, Order order) {
    facts.counters |= static_cast<uint8_t>(1u << static_cast<int>(counter));
    facts.order = order;
  };
  const bool returns = facts.load || (facts.atomic && !facts.writes.empty());
  if (facts.smem) {
    count(target == kGfx1201 ? WaitCounter::kScalar : WaitCounter::kLds, Order::kNone);
  } else if (facts.lds) {
    count(WaitCounter::kLds, Order::kLds);
  } else if (facts.vmem) {
    const bool cache_load = facts.mnemonic == "global_inv";
    const bool as_load = returns || cache_load || (target & kGfx9) != 0;
    count(as_load ? WaitCounter::kLoad : WaitCounter::kStore, Order::kVector);
    // A flat instruction is outstanding as an LDS instruction as well, and in order with those but
    // on gfx9.
    if (facts.flat) count(WaitCounter::kLds, (target & kGfx9) != 0 ? Order::kNone : Order::kLds);
  }
}

void FillMemory(TargetBit target, InstructionFacts& facts) {
  const std::string_view m = facts.mnemonic;
  facts.flat = absl::StartsWith(m, "flat_");
  facts.vmem = facts.flat || StartsWithAny(m, {"global_", "scratch_", "buffer_", "tbuffer_"});
  facts.lds = absl::StartsWith(m, "ds_") && m != "ds_nop";
  facts.smem = StartsWithAny(m, {"s_load_", "s_buffer_load_", "s_scratch_load_", "s_mem",
                                 "s_store_", "s_atomic_", "s_sendmsg"});
  if (StartsWithAny(m, {"buffer_inv", "buffer_wbinvl1", "buffer_gl"})) facts.vmem = false;
  if (!facts.vmem && !facts.lds && !facts.smem) return;
  const auto modifier = [&](std::string_view name) {
    return std::any_of(facts.parsed.modifiers.begin(), facts.parsed.modifiers.end(),
                       [&](const Modifier& m) { return m.name == name; });
  };
  facts.atomic = absl::StrContains(m, "_atomic_") ||
                 (facts.lds && !StartsWithAny(m, {"ds_read", "ds_load", "ds_write", "ds_store",
                                                  "ds_bpermute", "ds_permute", "ds_swizzle"}));
  facts.compares = facts.atomic && absl::StrContains(m, "cmp");
  facts.to_lds = facts.vmem && (absl::StrContains(m, "_lds_") || modifier("lds"));
  const bool stores = absl::StrContains(m, "_store") || absl::StrContains(m, "_write");
  facts.store = stores && !facts.atomic;
  facts.load = !facts.atomic && !stores && m != "buffer_wbl2" && m != "global_wb" &&
               m != "global_wbinv" && m != "global_inv";
  for (const Modifier& cache : facts.parsed.modifiers) {
    facts.device_scope |=
        cache.name == "sc0" || cache.name == "sc1" || cache.name == "glc" || cache.name == "scope";
  }
  FillCounters(target, facts);
}

void AppendRegisters(const Operand& operand, std::vector<uint16_t>& out) {
  const bool vector = operand.kind == OperandKind::kVector;
  if (!vector && (operand.kind != OperandKind::kScalar || operand.index == kNull)) return;
  for (int i = 0; i < operand.count; ++i)
    out.push_back(static_cast<uint16_t>((vector ? kFirstVector : 0) + operand.index + i));
}

/// What the operands of a memory instruction are: the result comes first, or a buffer's data; then
/// the address; vector registers after it are data, scalar ones belong to the address.
void FillOperands(TargetBit target, InstructionFacts& facts) {
  const std::string_view m = facts.mnemonic;
  const bool exchanges = StartsWithAny(m, {"ds_bpermute", "ds_permute", "ds_swizzle"});
  facts.memory =
      (facts.vmem || facts.lds || facts.smem) && !exchanges && !facts.parsed.operands.empty();
  facts.cross_lane |= exchanges;
  if (!facts.memory) return;
  const bool buffer = StartsWithAny(m, {"buffer_", "tbuffer_"});
  const bool own_address = absl::StrContains(m, "addtid") || absl::StrContains(m, "_direct_load");
  const bool returns = std::any_of(facts.writes.begin(), facts.writes.end(),
                                   [&](uint16_t reg) { return facts.smem || reg >= kFirstVector; });
  bool has_address = own_address;
  size_t i = 0;
  if (returns) AppendRegisters(facts.parsed.operands[i], facts.loaded);
  if (returns && (!buffer || !facts.atomic)) ++i;
  if (buffer && !facts.load) AppendRegisters(facts.parsed.operands[i++], facts.data);
  for (; i < facts.parsed.operands.size(); ++i) {
    const Operand& operand = facts.parsed.operands[i];
    const bool data = operand.kind == OperandKind::kVector && has_address;
    AppendRegisters(operand, data ? facts.data : facts.address);
    has_address |= operand.kind == OperandKind::kVector || operand.kind == OperandKind::kOff;
  }
  if (std::find(facts.reads.begin(), facts.reads.end(), kM0) != facts.reads.end() &&
      (facts.to_lds || own_address)) {
    facts.address.push_back(kM0);
  }
  const bool high = absl::StrContains(m, "_d16_hi");
  if (facts.store && (high || EndsWithAny(m, {"_b8", "_b16", "_byte", "_short"})))
    facts.stored_bits = high ? 0xffff0000u : 0xffffu;
  const bool keeps_half =
      (target & kRdna) != 0;  // see Place in tools/sim/isa/exec/memory/load_store.h
  if (facts.load && keeps_half && absl::StrContains(m, "_d16") && !absl::StrContains(m, "format"))
    facts.loaded_bits = high ? 0xffff0000u : 0xffffu;
}

RegisterRange RangeOf(const Operand& operand) {
  if (operand.kind != OperandKind::kVector) return {};
  return {kFirstVector + operand.index, operand.count};
}

/// Whether an operand of an f8f6f4 instruction is of 8 bits: the formats 0 and 1 of `modifier`,
/// cbsz of A and blgp of B, which is not printed for 0 (CDNA4 ISA 7.1.5).
bool HasBytes(const InstructionFacts& facts, std::string_view modifier) {
  for (const Modifier& known : facts.parsed.modifiers) {
    if (known.name == modifier) return known.numbers.empty() || known.numbers.front() <= 1;
  }
  return true;
}

/// Rows and columns "32x32", depth and blocks from "v_mfma_f32_32x32x4_2b_f16".
void FillMatrix(TargetBit target, InstructionFacts& facts) {
  const std::string_view m = CanonicalName(facts.mnemonic, target);
  facts.wmma = StartsWithAny(m, {"v_wmma_", "v_swmmac_"});
  if (!facts.wmma && !StartsWithAny(m, {"v_mfma_", "v_smfmac_"})) return;
  if (facts.parsed.operands.size() < 4) return;
  facts.result = RangeOf(facts.parsed.operands[0]);
  facts.a = RangeOf(facts.parsed.operands[1]);
  facts.b = RangeOf(facts.parsed.operands[2]);
  // A sparse one accumulates in place; its fourth operand is the indices.
  const bool sparse = StartsWithAny(m, {"v_smfmac_", "v_swmmac_"});
  (sparse ? facts.sparse_indices : facts.c) = RangeOf(facts.parsed.operands[3]);
  if (sparse) facts.c = facts.result;
  if (facts.wmma) return;
  MatrixFacts& matrix = facts.matrix;
  matrix.rows = absl::StrContains(m, "_32x32x") ? 32 : absl::StrContains(m, "_16x16x") ? 16 : 4;
  matrix.blocks = absl::StrContains(m, "_16b")  ? 16
                  : absl::StrContains(m, "_4b") ? 4
                  : absl::StrContains(m, "_2b") ? 2
                                                : 1;
  const bool f32 = absl::EndsWith(m, "_f32") && !absl::EndsWith(m, "_xf32");
  matrix.f64 = absl::StartsWith(m, "v_mfma_f64_");
  matrix.xdl = !matrix.f64 && (!f32 || target == kGfx90a);  // LLVM, SIInstrInfo::isXDL
  if (target == kGfx90a) {  // LLVM, SISchedule.td, SIDPGFX90AFullSpeedModel
    matrix.passes = matrix.rows == 32 ? 16 : matrix.rows == 16 ? 8 : matrix.f64 ? 4 : 2;
  } else if (matrix.f64) {
    matrix.passes = matrix.rows == 4 ? 4 : target == kGfx950 ? 16 : 8;
  } else if (matrix.rows == 4) {
    matrix.passes = 2;
  } else if (matrix.rows == 16) {
    matrix.passes = matrix.blocks > 1 || f32 ? 8 : 4;
  } else {
    matrix.passes = matrix.blocks > 1 || f32 ? 16 : 8;
  }
  // Twice as long if A or B is of 8 bits (CDNA4 ISA 7.1.5.1; the peak rates say so too).
  if (absl::StrContains(m, "_f8f6f4") && (HasBytes(facts, "cbsz") || HasBytes(facts, "blgp")))
    matrix.passes *= 2;
}

void FillVector(InstructionFacts& facts) {
  const std::string_view m = facts.mnemonic;
  facts.valu = absl::StartsWith(m, "v_");
  if (!facts.valu) return;
  facts.trans =
      StartsWithAny(m, {"v_rcp_", "v_rsq_", "v_sqrt_", "v_exp_", "v_log_", "v_sin_", "v_cos_"});
  facts.dot = StartsWithAny(m, {"v_dot", "v_pk_dot"});
  facts.dpp = facts.parsed.encoding == Encoding::kDpp;
}

/// "v_mov_b32_e32 v0, v0", "s_mov_b64 s[0:1], s[0:1]".
bool MovesOntoItself(const InstructionFacts& facts) {
  const auto& operands = facts.parsed.operands;
  const bool plain = facts.parsed.encoding != Encoding::kDpp &&
                     facts.parsed.encoding != Encoding::kSdwa && facts.parsed.dual.empty();
  return plain && StartsWithAny(facts.mnemonic, {"v_mov_b32", "s_mov_b32", "s_mov_b64"}) &&
         operands.size() == 2 && operands[0].text == operands[1].text;
}

void FillFlow(InstructionFacts& facts) {
  const std::string_view m = facts.mnemonic;
  facts.control =
      facts.barrier_signal || facts.barrier_wait ||
      StartsWithAny(m, {"s_branch",     "s_cbranch",     "s_setpc",   "s_swappc",  "s_call",
                        "s_endpgm",     "s_barrier",     "s_wait",    "s_sleep",   "s_setreg",
                        "s_sendmsg",    "s_nop",         "s_trap",    "s_sethalt", "s_set_gpr_idx",
                        "s_round_mode", "s_denorm_mode", "s_setprio", "s_icache",  "s_dcache",
                        "s_delay_alu",  "s_clause",      "s_inst_"});
  facts.cross_lane |= facts.dpp || facts.matrix.passes != 0 || absl::StrContains(m, "lane") ||
                      StartsWithAny(m, {"v_wmma_", "v_swmmac_", "v_smfmac_"});
  if (absl::StrContains(m, "_movreld")) facts.relative = 1;
  if (absl::StrContains(m, "_movrels")) facts.relative |= 2;
  if (absl::StrContains(m, "_movrelsd")) facts.relative = 3;
}

}  // namespace

std::optional<int> CountOf(std::string_view text, std::string_view name) {
  const std::string key = absl::StrCat(name, "(");
  const size_t at = text.find(key);
  int value = 0;
  if (at == text.npos) return std::nullopt;
  const std::string_view rest = text.substr(at + key.size());
  if (!absl::SimpleAtoi(rest.substr(0, rest.find(')')), &value)) return std::nullopt;
  return value;
}

void FillFacts(TargetBit target, std::string_view text, const RegisterUses& uses,
               InstructionFacts& facts) {
  facts.reads = uses.reads;
  facts.writes = uses.writes;
  // An instruction whose text is not understood faults; its mnemonic is enough here.
  ParseInstruction(text, facts.parsed).IgnoreError();
  facts.mnemonic = facts.parsed.mnemonic;
  FillWait(target, text, facts);
  FillMemory(target, facts);
  FillVector(facts);
  FillMatrix(target, facts);
  facts.salu = absl::StartsWith(facts.mnemonic, "s_") && !facts.smem;
  facts.barrier_signal = StartsWithAny(facts.mnemonic, {"s_barrier_signal"});
  facts.barrier_wait = facts.mnemonic == "s_barrier" || facts.mnemonic == "s_barrier_wait";
  facts.ends = facts.mnemonic == "s_endpgm";
  FillOperands(target, facts);
  FillFlow(facts);
  facts.freezes = MovesOntoItself(facts);
  // A load into half of a register leaves the other half as it is when the result comes, after
  // those of earlier loads: nothing is read when it is issued.
  if (facts.load) {
    std::erase_if(facts.reads, [&](uint16_t reg) {
      const auto has = [reg](const std::vector<uint16_t>& list) {
        return std::find(list.begin(), list.end(), reg) != list.end();
      };
      return has(facts.loaded) && !has(facts.address);
    });
  }
  // M0 bounds LDS accesses before gfx9 only; the tables name it for all.
  if (facts.lds && !absl::StrContains(facts.mnemonic, "addtid")) std::erase(facts.reads, kM0);
  FillHazardFacts(target, text, facts);
}

std::optional<uint64_t> BranchTarget(const InstructionFacts& facts) {
  if (!StartsWithAny(facts.mnemonic, {"s_branch", "s_cbranch_", "s_call_"}) ||
      facts.parsed.operands.empty() || facts.parsed.operands.back().kind != OperandKind::kInteger) {
    return std::nullopt;
  }
  const auto distance = static_cast<int16_t>(facts.parsed.operands.back().integer);  // in dwords
  return facts.pc + 4 + static_cast<uint64_t>(int64_t{distance} * 4);
}

std::string WaitText(TargetBit target, WaitCounter counter, int limit) {
  if (target == kGfx1201) {
    constexpr const char* kNames[] = {"loadcnt", "storecnt", "dscnt", "kmcnt"};
    return absl::StrCat("s_wait_", kNames[static_cast<int>(counter)], " ", limit);
  }
  if (counter == WaitCounter::kStore) return absl::StrCat("s_waitcnt_vscnt null, ", limit);
  return absl::StrCat("s_waitcnt ", counter == WaitCounter::kLoad ? "vmcnt(" : "lgkmcnt(", limit,
                      ")");
}

std::string OffsetText(uint64_t offset) {
  return static_cast<int64_t>(offset) < 0 ? absl::StrFormat("-0x%x", -offset)
                                          : absl::StrFormat("+0x%x", offset);
}

std::string RegisterName(int reg) {
  if (reg >= kFirstVector + kAgprBase) return absl::StrCat("a", reg - kFirstVector - kAgprBase);
  if (reg >= kFirstVector) return absl::StrCat("v", reg - kFirstVector);
  switch (reg) {
    case kVccLo:
      return "vcc_lo";
    case kVccLo + 1:
      return "vcc_hi";
    case kExecLo:
      return "exec_lo";
    case kExecLo + 1:
      return "exec_hi";
    case kM0:
      return "m0";
    case kScc:
      return "scc";
    default:
      break;
  }
  if (reg >= kTtmp0 && reg < kM0) return absl::StrCat("ttmp", reg - kTtmp0);
  return absl::StrCat("s", reg);
}

}  // namespace gridwise::sim
