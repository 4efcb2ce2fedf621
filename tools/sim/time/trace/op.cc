// SPDX-License-Identifier: MIT
#include "tools/sim/time/trace/op.h"

#include <algorithm>
#include <initializer_list>

#include "absl/strings/match.h"

namespace gridwise::sim::time {
namespace {

bool StartsWithAny(std::string_view s, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view p) { return absl::StartsWith(s, p); });
}

int64_t Immediate(const InstructionFacts& facts) {
  return facts.parsed.operands.empty() ? 0 : facts.parsed.operands.back().integer;
}

/// WMMA and SWMMAC: the SIMD does nothing else meanwhile.
double WmmaClocks(const Machine& machine, std::string_view m) {
  if (absl::StrContains(m, "_iu4")) return machine.wmma4_clk;
  const bool small =
      absl::StrContains(m, "_iu8") || absl::StrContains(m, "_fp8") || absl::StrContains(m, "_bf8");
  return small ? machine.wmma8_clk : machine.wmma16_clk;
}

void FillMatrix(const Machine& machine, const InstructionFacts& facts, Op& op) {
  op.kind = OpKind::kMatrix;
  if (facts.wmma) {
    op.valu_clk = op.matrix_clk = WmmaClocks(machine, facts.mnemonic);
    return;
  }
  op.matrix_clk = facts.matrix.passes * machine.pass_clk;
  // f32 and f64 leave no room for others beside them (AMD's matrix calculator).
  op.valu_clk = facts.matrix.xdl ? double{machine.matrix_issue_clk} : op.matrix_clk;
}

bool Multiplies32(std::string_view m) {
  return StartsWithAny(
      m, {"v_mul_lo_u32", "v_mul_hi_u32", "v_mul_hi_i32", "v_mul_lo_i32", "v_mad_u64_u32",
          "v_mad_i64_i32", "v_mad_co_u64_u32", "v_mad_co_i64_i32"});
}

bool Shifts64(std::string_view m) {
  return StartsWithAny(m, {"v_lshlrev_b64", "v_lshrrev_b64", "v_ashrrev_i64"});
}

bool OnDoubles(std::string_view m) {
  return absl::EndsWith(m, "_f64") && !absl::StartsWith(m, "v_mfma");
}

void FillVector(const Machine& machine, int wave_size, const InstructionFacts& facts, Op& op) {
  const std::string_view m = facts.mnemonic;
  const double passes = std::max(1.0, wave_size / machine.lanes);
  op.kind = facts.trans ? OpKind::kTrans : OpKind::kVector;
  op.valu_clk = passes * (Multiplies32(m) ? machine.multiply32_clk
                          : Shifts64(m)   ? machine.shift64_clk
                          : OnDoubles(m)  ? machine.f64_clk
                                          : machine.valu_clk);
  if (OnDoubles(m)) op.producer = Producer::kF64;
  if (facts.trans) {
    op.producer = Producer::kTrans;
    op.trans_clk = passes * machine.trans_clk;
    // CDNA's ALU is busy with it, RDNA's goes on with other instructions.
    op.valu_clk = machine.cdna() ? op.trans_clk : passes * machine.valu_clk;
  }
  if (StartsWithAny(m, {"v_pk_fma_f32", "v_pk_mul_f32", "v_pk_add_f32"}))
    op.matrix_clk = machine.packed_f32_clk;
}

/// ds_swizzle, ds_permute and ds_bpermute move a dword of each lane through LDS, without a place in
/// it (amd-shark-ai, kernel optimization guide: "LDS hardware", about 50 clocks). Taken to go at
/// the rate of reads.
double ExchangeClocks(const Machine& machine, int wave_size) {
  return std::max(1.0, wave_size * 4 / machine.lds_read_bytes);
}

bool Branches(std::string_view m) {
  return StartsWithAny(m, {"s_branch", "s_cbranch_", "s_setpc_", "s_swappc_", "s_call_"});
}

/// Waves of a workgroup may be on compute units with vector caches of their own, so compilers
/// invalidate those after barriers (LLVM's memory models of gfx10 to gfx12). On gfx942 and gfx950
/// sc1, the device's scope, does it; gfx90a has an instruction for L1 alone.
bool InvalidatesL1(const InstructionFacts& facts) {
  const std::string_view m = facts.mnemonic;
  const auto has = [&](std::string_view name) {
    return std::any_of(facts.parsed.modifiers.begin(), facts.parsed.modifiers.end(),
                       [&](const Modifier& modifier) { return modifier.name == name; });
  };
  return m == "buffer_gl0_inv" || absl::StartsWith(m, "buffer_wbinvl1") ||
         (m == "buffer_inv" && has("sc1")) ||
         ((m == "global_inv" || m == "global_wbinv") && has("scope"));
}

void FillSequencer(const Machine& machine, const InstructionFacts& facts, Op& op) {
  const std::string_view m = facts.mnemonic;
  constexpr double kSleepClk = 64;  // ISA documents, S_SLEEP: units of 64 clocks
  op.kind = OpKind::kInternal;
  if (m == "s_nop") op.idle_clk = facts.wait_states * machine.issue_clk;
  if (m == "s_sleep") op.idle_clk = kSleepClk * static_cast<double>(Immediate(facts) & 0x7f);
  if (m == "s_setprio") op.priority = static_cast<int>(Immediate(facts) & 3);
}

}  // namespace

std::string_view Name(OpKind kind) {
  constexpr std::string_view kNames[kOpKinds] = {"wait",   "scalar", "branch", "vector", "trans",
                                                 "matrix", "lds",    "memory", "smem"};
  return kNames[static_cast<int>(kind)];
}

Op MakeOp(const Machine& machine, TargetBit target, int wave_size, const InstructionFacts& facts) {
  Op op;
  op.text = facts.parsed.text;
  op.pc = facts.pc;
  op.counters = facts.counters;
  op.order = facts.order;
  std::copy(std::begin(facts.limits), std::end(facts.limits), op.limits);
  op.waits = facts.waits || facts.ends;
  // S_ENDPGM: "the hardware implicitly executes S_WAITCNT 0" (CDNA3 and RDNA3 ISA, SOPP).
  if (facts.ends) std::fill(std::begin(op.limits), std::end(op.limits), uint8_t{0});
  op.barrier_signal = facts.barrier_signal || facts.mnemonic == "s_barrier";
  op.barrier_wait = facts.barrier_wait;
  op.ends = facts.ends;
  op.store = facts.store;
  op.atomic = facts.atomic;
  op.to_lds = facts.to_lds;
  // sc1 on gfx942 and gfx950, glc on gfx90a, and a scope beyond the compute unit elsewhere; what of
  // either facts know.
  op.bypasses_l1 = facts.vmem && facts.device_scope;
  op.invalidates_l1 = InvalidatesL1(facts);
  op.reads = facts.reads;
  if (facts.vmem) {
    op.kind = OpKind::kMemory;
  } else if (facts.lds) {
    op.kind = OpKind::kLds;
    if (facts.cross_lane) op.lds_clk = ExchangeClocks(machine, wave_size);
  } else if (facts.smem) {
    op.kind = OpKind::kScalarMemory;
  } else if (facts.wmma || facts.matrix.passes != 0) {
    FillMatrix(machine, facts, op);
    if ((target & kGfx9) == 0) op.writes = facts.writes;
  } else if (facts.valu) {
    FillVector(machine, wave_size, facts, op);
    op.writes = facts.writes;
  } else if (Branches(facts.mnemonic)) {
    op.kind = OpKind::kBranch;
  } else if (facts.control || facts.waits) {
    FillSequencer(machine, facts, op);
  } else {
    op.kind = OpKind::kScalar;
    op.producer = Producer::kScalar;
    op.writes = facts.writes;
  }
  // Who reads what is fixed by the program, not by the hardware, on CDNA: see Op::writes.
  if (op.kind == OpKind::kMatrix && (target & kGfx9) != 0) op.writes.clear();
  return op;
}

}  // namespace gridwise::sim::time
