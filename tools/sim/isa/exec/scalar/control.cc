// SPDX-License-Identifier: MIT
#include <iterator>

#include "tools/sim/isa/bind/alu.h"
#include "tools/sim/isa/exec/level.h"

namespace gridwise::sim {
inline namespace GRIDWISE_SIM_LEVEL {
namespace {

GRIDWISE_SIM_INLINE u64 Vcc(const Wave& w) { return Scalar64(w, kVccLo) & w.all_lanes; }

/// Counts the straight run that ends with `u`; the next one starts with instruction `next`.
GRIDWISE_SIM_INLINE void EndRun(Wave& w, const Uop& u, u32 next) {
  ++w.profile->differences[w.run_start];
  --w.profile->differences[u.instruction + 1];
  if (w.ran != nullptr) [[unlikely]]
    w.ran(w, w.run_start, u.instruction);
  w.run_start = next;
}

/// Leads to instruction `to`, or where that has no micro-op (s_waitcnt, s_nop), to the first one
/// after it that has.
GRIDWISE_SIM_INLINE const Uop* Jump(Wave& w, const Uop& u, u32 to, const Uop* target) {
  EndRun(w, u, to);
  if (--w.branch_budget < 0)
      [[unlikely]] {  // other waves of the workgroup get a turn; this one goes on later
    w.pc = target;
    return nullptr;
  }
  return target;
}

template <class Condition>
const Uop* Branch(Wave& w, const Uop& u) {
  return Condition{}(w) ? Jump(w, u, static_cast<u32>(u.imm), u.target) : &u + 1;
}

/// s_call: a branch; dst gets the address after the instruction.
const Uop* Call(Wave& w, const Uop& u) {
  Write64(w, u.dst, u.data2);
  return Jump(w, u, static_cast<u32>(u.imm), u.target);
}

/// s_setpc, s_swappc: jumps to the address in src[0]; dst, if there is one, gets the address after
/// the instruction.
const Uop* IndirectJump(Wave& w, const Uop& u) {
  const u64 pc = Read64(w, u.src[0]);
  const Uop* target = w.enter(w, u, pc);
  if (target == nullptr) {
    w.state = WaveState::kFaulted;
    return nullptr;
  }
  if (!(u.dst == kNoRef)) Write64(w, u.dst, u.data);
  return Jump(w, u, target->instruction, target);
}

const Uop* End(Wave& w, const Uop& u) {
  EndRun(w, u, u.instruction + 1);
  w.state = WaveState::kEnded;
  return nullptr;
}

/// The two halves of a barrier: a wave says that it has come, and waits for the others to have said
/// it as often.
GRIDWISE_SIM_INLINE bool Signal(Wave& w) {
  ++w.barrier_signals;
  if (w.highest_barrier_signal == nullptr) return false;
  const bool first = w.barrier_signals > *w.highest_barrier_signal;
  if (first) *w.highest_barrier_signal = w.barrier_signals;
  return first;
}
const Uop* BarrierWait(Wave& w, const Uop& u) {
  w.pc = &u + 1;
  w.state = WaveState::kBarrier;
  return nullptr;
}
/// The barrier that an instruction of gfx12 names: imm, or M0[4:0]. Only -1, the workgroup's, does
/// anything; -2 is for trap handlers, and nobody's is 0 (RDNA4 ISA).
GRIDWISE_SIM_INLINE i32 BarrierNumber(Wave& w, const Uop& u) {
  return u.src[0] == kNoRef ? u.imm : static_cast<i32>(*Row(w, u.src[0]) & 31);
}
constexpr const char* kNamedBarrier =
    "names a barrier other than the workgroup's, which gfx12 lacks";
template <bool kTellsFirst>
bool BarrierSignal(Wave& w, const Uop& u) {
  const i32 number = BarrierNumber(w, u);
  if (number > 0) return RaiseFault(w, u, kNamedBarrier);
  const bool first = number == -1 && Signal(w);
  if (kTellsFirst) w.s[kScc] = first;
  return true;
}
bool BarrierState(Wave& w, const Uop& u) {
  const i32 number = BarrierNumber(w, u);
  if (number > 0) return RaiseFault(w, u, kNamedBarrier);
  *Row(w, u.dst) = number == -1 ? w.barrier_state(w) : 0;
  return true;
}
const Uop* Barrier(Wave& w, const Uop& u) {
  Signal(w);
  return BarrierWait(w, u);
}

/// s_sleep: the other waves of the workgroup get a turn.
const Uop* Sleep(Wave& w, const Uop& u) {
  w.pc = &u + 1;
  return nullptr;
}

/// Stands for an instruction without a handler, or after the end of the code: data is the message.
bool Trap(Wave& w, const Uop& u) { return RaiseFault(w, u, reinterpret_cast<const char*>(u.data)); }

/// s_trap: what __builtin_trap and failed assertions become.
bool UserTrap(Wave& w, const Uop& u) { return RaiseFault(w, u, "the kernel gave up with a trap"); }

/// s_sendmsg MSG_INTERRUPT: the wave has asked the host for something, and it is done when this
/// returns.
bool Interrupt(Wave& w, const Uop& u) {
  const char* refusal =
      w.interrupt == nullptr ? "interrupts the host, which does not listen" : w.interrupt(w);
  return refusal == nullptr || RaiseFault(w, u, refusal);
}

void GetPc(Wave& w, const Uop& u) { Write64(w, u.dst, u.data); }

/// s_getreg: data is a mask of the field's width, imm its first bit. Only MODE has a value here;
/// the hardware's identity registers read as zero, a machine with one compute unit.
void GetModeRegister(Wave& w, const Uop& u) {
  *Row(w, u.dst) = static_cast<u32>(w.mode >> u.imm & u.data);
}
void GetZeroRegister(Wave& w, const Uop& u) { *Row(w, u.dst) = 0; }

/// Where the wave goes on after `u` when the code after it is bound in another way from now on;
/// data2 is its address. Null after a fault.
const Uop* GoOnInOtherCode(Wave& w, const Uop& u) {
  const Uop* target = w.enter(w, u, u.data2);
  if (target == nullptr) {
    w.state = WaveState::kFaulted;
    return nullptr;
  }
  EndRun(w, u, target->instruction);
  return target;
}

/// s_setreg of MODE. Under another MODE than the usual one the code is bound in another way
/// (Wave::careful): the wave goes on there.
const Uop* SetModeRegister(Wave& w, const Uop& u) {
  const u32 mask = static_cast<u32>(u.data) << u.imm;
  w.mode = (w.mode & ~mask) | ((*Row(w, u.src[0]) << u.imm) & mask);
  const bool careful = ((w.mode ^ kUsualMode) & w.mode_bits) != 0;
  if (careful == w.careful) return &u + 1;
  w.careful = careful;
  return GoOnInOtherCode(w, u);
}

/// s_setvskip: whether the bit that src[1] names of src[0] is set. The wave goes on in code that is
/// bound without vector and memory instructions, or with them.
const Uop* SetVskip(Wave& w, const Uop& u) {
  const bool skips = (*Row(w, u.src[0]) >> (*Row(w, u.src[1]) & 31) & 1) != 0;
  if (skips == w.skips_vector) return &u + 1;
  w.skips_vector = skips;
  return GoOnInOtherCode(w, u);
}

/// Time in units of 10 ns (s_memrealtime) or of roughly a clock (s_memtime): the host's time stamp
/// counter.
void MemTime(Wave& w, const Uop& u) { Write64(w, u.dst, __builtin_ia32_rdtsc()); }

/// The same at about 100 MHz, for hosts of about 3.2 GHz.
void RealTime(Wave& w, const Uop& u) { Write64(w, u.dst, __builtin_ia32_rdtsc() >> 5); }
void GetCycles(Wave& w, const Uop& u) {
  *Row(w, u.dst) = static_cast<u32>(__builtin_ia32_rdtsc() >> u.imm & u.data);
}
/// One half of the address of the wave's scratch.
void GetScratchRegister(Wave& w, const Uop& u) {
  const u64 address = reinterpret_cast<u64>(w.scratch);
  *Row(w, u.dst) =
      static_cast<u32>(address >> (u.data2 != 0 ? 32 : 0)) >> u.imm & static_cast<u32>(u.data);
}

/// s_movrels, s_movreld: the register imm + M0 of the scalar file, of kDwords.
template <int kDwords, bool kDestination>
bool ScalarRelative(Wave& w, const Uop& u) {
  constexpr u32 kFile = 106;
  const u32 index = static_cast<u32>(u.imm) + w.s[kM0];
  if (w.s[kM0] >= kFile || index + kDwords > kFile)
    return RaiseFault(w, u, "indexes past the scalar registers");
  u32* relative = &w.s[index];
  const u32* from = kDestination ? Row(w, u.src[0]) : relative;
  u32* to = kDestination ? relative : Row(w, u.dst);
  u32 values[kDwords];
  for (int i = 0; i < kDwords; ++i) values[i] = from[i];
  for (int i = 0; i < kDwords; ++i) to[i] = values[i];
  return true;
}
constexpr Binding Relative(const char* name, ExecFn exec, ValueType type) {
  return {name, OpClass::kSalu, &BindRelative, exec, {.result = type}};
}

/// s_set_gpr_idx_on: M0[7:0] = the index, M0[15:12] = which operands; imm is the latter.
void GprIndexOn(Wave& w, const Uop& u) {
  w.s[kM0] = (w.s[kM0] & ~0xf0ffu) | (*Row(w, u.src[0]) & 0xff) | static_cast<u32>(u.imm) << 12;
}
void GprIndex(Wave& w, const Uop& u) {
  w.s[kM0] = (w.s[kM0] & ~0xffu) | (*Row(w, u.src[0]) & 0xff);
}

constexpr Binding Jumps(const char* name, ExecFn exec) {
  return {name, OpClass::kBranch, &BindBranch, exec};
}
constexpr Binding Nothing(const char* name) {
  return {name, OpClass::kOther, &BindNothing, nullptr};
}

template <class Condition>
constexpr Binding JumpsIf(const char* name, Condition) {
  return Jumps(name, &Step<&Branch<Condition>>);
}

}  // namespace

constexpr Binding kControl[] = {
    JumpsIf("s_branch", [](const Wave&) { return true; }),
    JumpsIf("s_cbranch_scc0", [](const Wave& w) { return w.s[kScc] == 0; }),
    JumpsIf("s_cbranch_scc1", [](const Wave& w) { return w.s[kScc] != 0; }),
    JumpsIf("s_cbranch_vccz", [](const Wave& w) { return Vcc(w) == 0; }),
    JumpsIf("s_cbranch_vccnz", [](const Wave& w) { return Vcc(w) != 0; }),
    JumpsIf("s_cbranch_execz", [](const Wave& w) { return Exec(w) == 0; }),
    JumpsIf("s_cbranch_execnz", [](const Wave& w) { return Exec(w) != 0; }),
    Jumps("s_call_b64", &Step<&Call>),
    {"s_setpc_b64", OpClass::kBranch, &BindIndirectJump, &Step<&IndirectJump>},
    {"s_swappc_b64", OpClass::kBranch, &BindIndirectJump, &Step<&IndirectJump>},
    {"s_getpc_b64", OpClass::kSalu, &BindGetPc, &Step<&GetPc>},
    {"s_endpgm", OpClass::kOther, &BindPlain, &Step<&End>},
    {"s_barrier", OpClass::kOther, &BindPlain, &Step<&Barrier>},
    {"s_barrier_signal", OpClass::kOther, &BindBarrier, &Step<&BarrierSignal<false>>},
    {"s_barrier_signal_isfirst", OpClass::kOther, &BindBarrier, &Step<&BarrierSignal<true>>},
    {"s_get_barrier_state", OpClass::kSalu, &BindBarrier, &Step<&BarrierState>, {}, kGfx1201},
    {"s_barrier_wait", OpClass::kOther, &BindBarrier, &Step<&BarrierWait>},
    {"s_trap", OpClass::kOther, &BindPlain, &Step<&UserTrap>},
    {"s_sleep", OpClass::kOther, &BindPlain, &Step<&Sleep>},
    {"s_getreg_b32", OpClass::kSalu, &BindHardwareRegister, &Step<&GetModeRegister>},
    {"s_setreg_b32", OpClass::kSalu, &BindHardwareRegister, &Step<&SetModeRegister>},
    {"s_setreg_imm32_b32", OpClass::kSalu, &BindHardwareRegister, &Step<&SetModeRegister>},
    {"s_setvskip", OpClass::kSalu, &BindVskip, &Step<&SetVskip>, {}, kGfx9},
    {"@getreg_zero", OpClass::kSalu, nullptr, &Step<&GetZeroRegister>},
    {"s_memtime", OpClass::kSmem, &BindGetPc, &Step<&MemTime>},
    {"s_memrealtime", OpClass::kSmem, &BindGetPc, &Step<&RealTime>},
    {"s_sendmsg_rtn_b64", OpClass::kSmem, &BindSendMessage, &Step<&RealTime>},
    {"s_sendmsg", OpClass::kOther, &BindSendMessage, &Step<&Interrupt>},
    {"s_round_mode", OpClass::kSalu, &BindModeField, &Step<&SetModeRegister>},
    {"s_denorm_mode", OpClass::kSalu, &BindModeField, &Step<&SetModeRegister>},
    {"@getreg_cycles", OpClass::kSalu, nullptr, &Step<&GetCycles>},
    {"@getreg_scratch", OpClass::kSalu, nullptr, &Step<&GetScratchRegister>},
    {"s_sleep_var", OpClass::kOther, &BindPlain, &Step<&Sleep>},
    Relative("s_movrels_b32", &Step<&ScalarRelative<1, false>>, ValueType::kB32),
    Relative("s_movrels_b64", &Step<&ScalarRelative<2, false>>, ValueType::kB64),
    Relative("s_movreld_b32", &Step<&ScalarRelative<1, true>>, ValueType::kB32),
    Relative("s_movreld_b64", &Step<&ScalarRelative<2, true>>, ValueType::kB64),
    {"s_set_gpr_idx_on", OpClass::kSalu, &BindGprIndexOn, &Step<&GprIndexOn>},
    {"s_set_gpr_idx_off", OpClass::kSalu, &BindGprIndexOff, nullptr},
    {"s_set_gpr_idx_idx", OpClass::kSalu, &BindGprIndexOn, &Step<&GprIndex>},
    {"@trap", OpClass::kOther, nullptr, &Step<&Trap>},
    Nothing("s_nop"),
    Nothing("s_waitcnt"),
    Nothing("s_setprio"),
    Nothing("s_icache_inv"),
    Nothing("s_dcache_inv"),
    Nothing("s_dcache_wb"),
    Nothing("s_ttracedata"),
    Nothing("s_inst_prefetch"),
    Nothing("v_nop"),
    Nothing("s_delay_alu"),
    Nothing("s_clause"),
    Nothing("s_wait_alu"),
    Nothing("s_waitcnt_depctr"),
    Nothing("s_waitcnt_vscnt"),
    Nothing("s_waitcnt_vmcnt"),
    Nothing("s_waitcnt_expcnt"),
    Nothing("s_waitcnt_lgkmcnt"),
    Nothing("s_wait_loadcnt"),
    Nothing("s_wait_storecnt"),
    Nothing("s_wait_samplecnt"),
    Nothing("s_wait_bvhcnt"),
    Nothing("s_wait_expcnt"),
    Nothing("s_wait_dscnt"),
    Nothing("s_wait_kmcnt"),
    Nothing("s_wait_loadcnt_dscnt"),
    Nothing("s_wait_storecnt_dscnt"),
    Nothing("s_wait_idle"),
    Nothing("s_set_inst_prefetch_distance"),
    Nothing("s_version"),
    Nothing("s_incperflevel"),
    Nothing("s_decperflevel"),
    Nothing("s_ttracedata_imm"),
    Nothing("s_wakeup"),
};

BindingTable ControlTable() { return {kControl, std::size(kControl)}; }

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
