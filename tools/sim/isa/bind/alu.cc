// SPDX-License-Identifier: MIT
#include "tools/sim/isa/bind/alu.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/text/operand.h"

namespace gridwise::sim {
namespace {

bool IsFloat(ValueType t) { return t == ValueType::kF32 || t == ValueType::kF16; }

/// Scalar source `i`; floats may have their signs changed (v_s_rcp_f32 s0, -s1).
absl::StatusOr<Ref> ScalarSource(Binder& b, const Operand& operand, ValueType type, int i) {
  Operand plain = operand;
  if (IsFloat(type)) plain.negate = plain.absolute = false;
  absl::StatusOr<Ref> src = b.Scalar(plain, Dwords(type), type);
  if (!src.ok() || !IsFloat(type) || (!operand.negate && !operand.absolute)) return src;
  const uint32_t sign = type == ValueType::kF16 ? 0x8000 : 0x80000000;
  const Ref temp = ScalarRef(kScalarTemp + i);
  b.Helper("@scalar_sign",
           {.dst = temp,
            .src = {*src},
            .data = (operand.absolute ? ~sign : ~0u) | uint64_t{operand.negate ? sign : 0} << 32});
  return temp;
}

/// The operation of floats between what MODE does to them (exec/scalar/mode.cc).
void EmitCareful(Binder& b, const OpTraits& t, size_t args, Uop uop) {
  const auto suffix = [](ValueType type) { return type == ValueType::kF32 ? "f32" : "f16"; };
  const Ref noted = ScalarRef(kScalarTemp + 3);
  const bool half = t.result == ValueType::kF16;
  if (half) b.Helper("@scalar_note_nothing", {.dst = noted});
  for (size_t i = 0; i < args; ++i) {
    if (!IsFloat(t.args[i])) continue;
    const Ref temp = ScalarRef(kScalarTemp + static_cast<int>(i));
    b.Helper(absl::StrCat("@scalar_in_", suffix(t.args[i])), {.dst = temp, .src = {uop.src[i]}});
    uop.src[i] = temp;
    if (half) {
      b.Helper(absl::StrCat("@scalar_note_infinite_", suffix(t.args[i])),
               {.dst = noted, .src = {temp}});
    }
  }
  if (!IsFloat(t.result) || (t.flags & kScalarSelects) != 0) {
    b.Emit(uop);
    return;
  }
  const bool rounds = (t.flags & kScalarRoundsItself) == 0;
  if (rounds) b.Helper("@round_begin", {.imm = t.result == ValueType::kF32 ? 0 : 2});
  b.Emit(uop);
  if (rounds) b.Helper("@round_end", {});
  if (half) b.Helper("@scalar_overflow", {.dst = uop.dst, .src = {uop.dst, noted}});
  b.Helper(absl::StrCat("@scalar_out_", suffix(t.result)), {.dst = uop.dst, .src = {uop.dst}});
}

/// Sign-extended word count of a branch operand, printed as an unsigned 16-bit number.
int64_t BranchWords(int64_t printed) { return static_cast<int16_t>(printed); }

}  // namespace

absl::Status BindSalu(Binder& b, const Binding& binding, Instruction& in) {
  const OpTraits& t = binding.traits;
  Uop uop{.exec = binding.exec};
  size_t next = 0;
  const size_t arg_first = (t.flags & kReadsDestination) ? 1 : 0;
  size_t args = 0;
  for (int i = 0; i < t.arg_count; ++i) args += t.args[i] != ValueType::kNone;
  const size_t destinations = t.result == ValueType::kNone ? 0 : 1;
  if (absl::Status s = b.ExpectOperands(destinations + args - arg_first); !s.ok()) return s;
  if (destinations == 1) {
    absl::StatusOr<Ref> dst = b.ScalarDestination(in.operands[next++], Dwords(t.result));
    if (!dst.ok()) return dst.status();
    uop.dst = *dst;
    if (arg_first == 1) uop.src[0] = *dst;
  }
  for (size_t i = arg_first; i < args; ++i) {
    absl::StatusOr<Ref> src = ScalarSource(b, in.operands[next++], t.args[i], static_cast<int>(i));
    if (!src.ok()) return src.status();
    uop.src[i] = *src;
  }
  if (b.careful()) {
    EmitCareful(b, t, args, uop);
  } else {
    b.Emit(uop);
  }
  return absl::OkStatus();
}

absl::Status BindSaluImmediate(Binder& b, const Binding& binding, Instruction& in) {
  // d, k: the register is the destination, or the first source of a comparison; k has 16 bits.
  const OpTraits& t = binding.traits;
  if (absl::Status s = b.ExpectOperands(2); !s.ok()) return s;
  absl::StatusOr<int64_t> printed = b.Immediate(in.operands[1]);
  if (!printed.ok()) return printed.status();
  Operand constant = in.operands[1];
  constant.integer =
      (t.flags & kZeroExtends16) ? *printed & 0xffff : static_cast<int16_t>(*printed);
  absl::StatusOr<Ref> k = b.Scalar(constant, 1);
  if (!k.ok()) return k.status();
  const bool compares = t.result == ValueType::kNone;
  absl::StatusOr<Ref> reg =
      compares ? b.Scalar(in.operands[0], 1) : b.ScalarDestination(in.operands[0], 1);
  if (!reg.ok()) return reg.status();
  Uop uop{.exec = binding.exec, .dst = *reg};
  if (compares || (t.flags & kReadsDestination)) {
    uop.src[0] = *reg;
    uop.src[1] = *k;
  } else {
    uop.src[0] = *k;
  }
  b.Emit(uop);
  return absl::OkStatus();
}

absl::Status BindBranch(Binder& b, const Binding& binding, Instruction& in) {
  const bool links = in.mnemonic == "s_call_b64";
  if (absl::Status s = b.ExpectOperands(links ? 2 : 1); !s.ok()) return s;
  absl::StatusOr<int64_t> words = b.Immediate(in.operands.back());
  if (!words.ok()) return words.status();
  if (b.gpr_index_mode() != 0) return b.Error("branches while s_set_gpr_idx_on is in force");
  Uop uop{.exec = binding.exec};
  if (links) {
    absl::StatusOr<Ref> dst = b.ScalarDestination(in.operands[0], 2);
    if (!dst.ok()) return dst.status();
    uop.dst = *dst;
    uop.data2 = b.next_pc();
  }
  b.Emit(uop);
  b.BranchTo(b.next_pc() + 4 * static_cast<uint64_t>(BranchWords(*words)));
  return absl::OkStatus();
}

absl::Status BindGetPc(Binder& b, const Binding& binding, Instruction& in) {
  if (absl::Status s = b.ExpectOperands(1); !s.ok()) return s;
  absl::StatusOr<Ref> dst = b.ScalarDestination(in.operands[0], 2);
  if (!dst.ok()) return dst.status();
  b.Emit({.exec = binding.exec, .dst = *dst, .data = b.next_pc()});
  return absl::OkStatus();
}

absl::Status BindIndirectJump(Binder& b, const Binding& binding, Instruction& in) {
  const bool links = in.mnemonic == "s_swappc_b64";
  if (absl::Status s = b.ExpectOperands(links ? 2 : 1); !s.ok()) return s;
  absl::StatusOr<Ref> src = b.Scalar(in.operands.back(), 2, ValueType::kB64);
  if (!src.ok()) return src.status();
  Uop uop{.exec = binding.exec, .dst = kNoRef, .src = {*src}, .data = b.next_pc()};
  if (links) {
    absl::StatusOr<Ref> dst = b.ScalarDestination(in.operands[0], 2);
    if (!dst.ok()) return dst.status();
    uop.dst = *dst;
  }
  b.Emit(uop);
  return absl::OkStatus();
}

absl::Status BindModeField(Binder& b, const Binding& binding, Instruction& in) {
  if (absl::Status s = b.ExpectOperands(1); !s.ok()) return s;
  absl::StatusOr<Ref> value = b.Scalar(in.operands[0], 1);
  if (!value.ok()) return value.status();
  b.Emit({.exec = binding.exec,
          .src = {*value},
          .imm = in.mnemonic == "s_round_mode" ? 0 : 4,
          .data = 15,
          .data2 = b.next_pc()});
  return absl::OkStatus();
}

absl::Status BindSendMessage(Binder& b, const Binding& binding, Instruction& in) {
  const bool returns = in.mnemonic == "s_sendmsg_rtn_b64";
  if (absl::Status s = b.ExpectOperands(returns ? 2 : 1); !s.ok()) return s;
  const std::string_view message = in.operands.back().text;
  if (!returns && message == "sendmsg(MSG_DEALLOC_VGPRS)") return absl::OkStatus();
  if (message != (returns ? "sendmsg(MSG_RTN_GET_REALTIME)" : "sendmsg(MSG_INTERRUPT)")) {
    return b.Error(absl::StrCat("sends ", message, ", which is not implemented"));
  }
  Uop uop{.exec = binding.exec};
  if (returns) {
    absl::StatusOr<Ref> dst = b.ScalarDestination(in.operands[0], 2);
    if (!dst.ok()) return dst.status();
    uop.dst = *dst;
  }
  b.Emit(uop);
  return absl::OkStatus();
}

absl::Status BindHardwareRegister(Binder& b, const Binding& binding, Instruction& in) {
  // s_getreg_b32 d, hwreg(NAME, first, width); s_setreg_b32 hwreg(...), s.
  if (absl::Status s = b.ExpectOperands(2); !s.ok()) return s;
  const bool reads = absl::StartsWith(in.mnemonic, "s_getreg");
  std::string_view text = in.operands[reads ? 1 : 0].text;
  if (!absl::ConsumePrefix(&text, "hwreg(") || !absl::ConsumeSuffix(&text, ")"))
    return b.Error("needs hwreg(...)");
  std::string_view parts[3] = {text, "0", "32"};
  for (int i = 0; i < 2; ++i) {
    const size_t comma = parts[i].find(',');
    if (comma == std::string_view::npos) break;
    parts[i + 1] = absl::StripLeadingAsciiWhitespace(parts[i].substr(comma + 1));
    parts[i] = parts[i].substr(0, comma);
  }
  int first = 0, width = 0;
  if (!absl::SimpleAtoi(parts[1], &first) || !absl::SimpleAtoi(parts[2], &width) || width < 1 ||
      first + width > 32) {
    return b.Error("has a hwreg field that is not understood");
  }
  const bool is_mode = parts[0] == "HW_REG_MODE" || parts[0] == "HW_REG_WAVE_MODE";
  const bool is_cycles =
      parts[0] == "HW_REG_SHADER_CYCLES" || parts[0] == "HW_REG_SHADER_CYCLES_LO";
  const bool is_scratch_hi = parts[0] == "HW_REG_FLAT_SCR_HI";
  const bool is_scratch = is_scratch_hi || parts[0] == "HW_REG_FLAT_SCR_LO";
  // These select the dependencies that hardware waits for by itself. Here, results are ready at
  // once.
  if (!reads && (parts[0] == "HW_REG_WAVE_SCHED_MODE" || parts[0] == "HW_REG_SCHED_MODE"))
    return absl::OkStatus();
  if (!reads && !is_mode)
    return b.Error(absl::StrCat("writes ", parts[0], ", which is not implemented"));
  Uop uop{
      .exec = binding.exec, .imm = first, .data = (uint64_t{1} << width) - 1, .data2 = b.next_pc()};
  if (reads) {
    absl::StatusOr<Ref> dst = b.ScalarDestination(in.operands[0], 1);
    if (!dst.ok()) return dst.status();
    uop.dst = *dst;
    if (!is_mode) {
      uop.data2 = is_scratch_hi ? 1 : 0;
      b.Helper(is_cycles ? "@getreg_cycles" : is_scratch ? "@getreg_scratch" : "@getreg_zero", uop);
      return absl::OkStatus();
    }
  } else {
    absl::StatusOr<Ref> src = b.Scalar(in.operands[1], 1);
    if (!src.ok()) return src.status();
    uop.src[0] = *src;
  }
  b.Emit(uop);
  return absl::OkStatus();
}

absl::Status BindGprIndexOn(Binder& b, const Binding& binding, Instruction& in) {
  const bool sets_mode = in.mnemonic == "s_set_gpr_idx_on";
  if (absl::Status s = b.ExpectOperands(sets_mode ? 2 : 1); !s.ok()) return s;
  absl::StatusOr<Ref> src = b.Scalar(in.operands[0], 1);
  if (!src.ok()) return src.status();
  if (sets_mode) {
    std::string_view names = in.operands[1].text;
    if (!absl::ConsumePrefix(&names, "gpr_idx(") || !absl::ConsumeSuffix(&names, ")")) {
      return b.Error("needs gpr_idx(...)");
    }
    int mode = 0;
    for (std::string_view name : absl::StrSplit(names, ',', absl::SkipEmpty())) {
      constexpr std::string_view kNames[] = {"SRC0", "SRC1", "SRC2", "DST"};
      int bit = -1;
      for (int i = 0; i < 4; ++i) bit = name == kNames[i] ? i : bit;
      if (bit < 0) return b.Error(absl::StrCat("indexes '", name, "', which is not understood"));
      mode |= 1 << bit;
    }
    b.set_gpr_index_mode(mode);
  }
  b.Emit({.exec = binding.exec, .src = {*src}, .imm = b.gpr_index_mode()});
  return absl::OkStatus();
}

absl::Status BindGprIndexOff(Binder& b, const Binding&, Instruction&) {
  b.set_gpr_index_mode(0);
  return b.ExpectOperands(0);
}

absl::Status BindBarrier(Binder& b, const Binding& binding, Instruction& in) {
  const bool reads = in.mnemonic == "s_get_barrier_state";
  if (absl::Status s = b.ExpectOperands(reads ? 2 : 1); !s.ok()) return s;
  const Operand& number = in.operands.back();
  Uop uop{.exec = binding.exec, .dst = kNoRef, .src = {kNoRef}};
  if (number.kind == OperandKind::kScalar && number.index == kM0) {
    uop.src[0] = ScalarRef(kM0);
  } else if (number.kind == OperandKind::kInteger) {
    uop.imm = static_cast<int16_t>(number.integer);
    const bool waits = in.mnemonic == "s_barrier_wait";
    if (uop.imm > 0 || uop.imm < -2 || (waits && uop.imm != -1))
      return b.Error("names a barrier other than the workgroup's, which gfx12 lacks");
  } else {
    return b.Error("names no barrier");
  }
  if (reads) {
    absl::StatusOr<Ref> dst = b.ScalarDestination(in.operands[0], 1);
    if (!dst.ok()) return dst.status();
    uop.dst = *dst;
  }
  b.Emit(uop);
  return absl::OkStatus();
}

absl::Status BindVskip(Binder& b, const Binding& binding, Instruction& in) {
  if (absl::Status s = b.ExpectOperands(2); !s.ok()) return s;
  absl::StatusOr<Ref> bits = b.Scalar(in.operands[0], 1);
  absl::StatusOr<Ref> bit = b.Scalar(in.operands[1], 1);
  if (!bits.ok()) return bits.status();
  if (!bit.ok()) return bit.status();
  b.Emit({.exec = binding.exec, .src = {*bits, *bit}, .data2 = b.next_pc()});
  return absl::OkStatus();
}

absl::Status BindPlain(Binder& b, const Binding& binding, Instruction& in) {
  in.operands.clear();  // a duration or a reason code
  b.Emit({.exec = binding.exec});
  return absl::OkStatus();
}

absl::Status BindNothing(Binder&, const Binding&, Instruction& in) {
  // Counters of s_waitcnt print like modifiers or operands; memory is always up to date here.
  for (Modifier& m : in.modifiers) m.taken = true;
  return absl::OkStatus();
}

absl::Status BindReadLane(Binder& b, const Binding& binding, Instruction& in) {
  const bool first = in.mnemonic == "v_readfirstlane_b32";
  if (absl::Status s = b.ExpectOperands(first ? 2 : 3); !s.ok()) return s;
  absl::StatusOr<Ref> dst = b.ScalarDestination(in.operands[0], 1);
  absl::StatusOr<Ref> src = b.VectorSource(in.operands[1], ValueType::kB32, 0);
  if (!dst.ok()) return dst.status();
  if (!src.ok()) return src.status();
  Uop uop{.exec = binding.exec, .dst = *dst, .src = {*src}};
  if (!first) {
    absl::StatusOr<Ref> lane = b.Scalar(in.operands[2], 1);
    if (!lane.ok()) return lane.status();
    uop.src[1] = *lane;
  }
  b.Emit(uop);
  return absl::OkStatus();
}

absl::Status BindWriteLane(Binder& b, const Binding& binding, Instruction& in) {
  if (absl::Status s = b.ExpectOperands(3); !s.ok()) return s;
  absl::StatusOr<Ref> dst = b.Vector(in.operands[0], 1);
  absl::StatusOr<Ref> src = b.Scalar(in.operands[1], 1);
  absl::StatusOr<Ref> lane = b.Scalar(in.operands[2], 1);
  for (const auto* ref : {&dst, &src, &lane}) {
    if (!ref->ok()) return ref->status();
  }
  b.Emit({.exec = binding.exec, .dst = *dst, .src = {*src, *lane}});
  return absl::OkStatus();
}

absl::Status BindSwap(Binder& b, const Binding& binding, Instruction& in) {
  if (absl::Status s = b.ExpectOperands(2); !s.ok()) return s;
  const bool halves = in.mnemonic == "v_swap_b16";
  int shifts[2] = {};
  Ref refs[2];
  for (size_t i = 0; i < 2; ++i) {
    Operand whole = in.operands[i];
    if (halves) shifts[i] = std::exchange(whole.half, Half::kNone) == Half::kHigh ? 16 : 0;
    absl::StatusOr<Ref> ref = b.Vector(whole, 1);
    if (!ref.ok()) return ref.status();
    refs[i] = *ref;
  }
  b.Emit({.exec = binding.exec,
          .dst = refs[0],
          .src = {refs[1]},
          .imm = shifts[0],
          .data = static_cast<uint64_t>(shifts[1])});
  return absl::OkStatus();
}

absl::Status BindPermlane(Binder& b, const Binding& binding, Instruction& in) {
  const bool var = in.mnemonic.ends_with("_var_b32"), whole = in.mnemonic == "v_permlane64_b32";
  if (absl::Status s = b.ExpectOperands(whole ? 2 : var ? 3 : 4); !s.ok()) return s;
  const std::vector<int64_t> op_sel = in.TakeList("op_sel").value_or(std::vector<int64_t>());
  Uop uop{.exec = binding.exec};
  for (size_t i = 0; i < op_sel.size() && i < 2; ++i) uop.imm |= static_cast<int>(op_sel[i]) << i;
  absl::StatusOr<Ref> dst = b.Vector(in.operands[0], 1);
  if (!dst.ok()) return dst.status();
  uop.dst = *dst;
  for (size_t i = 1; i < in.operands.size(); ++i) {
    absl::StatusOr<Ref> src =
        i == 1 || var ? b.Vector(in.operands[i], 1) : b.Scalar(in.operands[i], 1);
    if (!src.ok()) return src.status();
    uop.src[i - 1] = *src;
  }
  b.Emit(uop);
  return absl::OkStatus();
}

absl::Status BindRelative(Binder& b, const Binding& binding, Instruction& in) {
  if (absl::Status s = b.ExpectOperands(2); !s.ok()) return s;
  Uop uop{.exec = binding.exec, .src = {kNoRef}};
  if (binding.op_class == OpClass::kSalu) {
    const int dwords = Dwords(binding.traits.result);
    const bool to = in.mnemonic.starts_with("s_movreld");
    absl::StatusOr<Ref> dst = b.ScalarDestination(in.operands[0], dwords);
    absl::StatusOr<Ref> src = b.Scalar(in.operands[1], dwords, binding.traits.result);
    if (!dst.ok()) return dst.status();
    if (!src.ok()) return src.status();
    const Operand& relative = in.operands[to ? 0 : 1];
    if (relative.kind != OperandKind::kScalar) return b.Error("needs a register to count from");
    uop.dst = *dst;
    uop.src[0] = *src;
    uop.imm = relative.index;
    b.Emit(uop);
    return absl::OkStatus();
  }
  // Which operands are relative to M0, and to which field of it: all 32 bits or, with "_2" and in a
  // swap, bits 7:0 for the source and 25:16 for the destination (RDNA3 ISA, V_MOVRELSD_2_B32).
  const bool fields = in.mnemonic == "v_movrelsd_2_b32" || in.mnemonic == "v_swaprel_b32";
  const bool both = fields || in.mnemonic == "v_movrelsd_b32";
  const bool to = both || in.mnemonic == "v_movreld_b32";
  const bool from = both || in.mnemonic == "v_movrels_b32";
  absl::StatusOr<int> dst = b.VectorIndex(in.operands[0], 1);
  if (!dst.ok()) return dst.status();
  uop.data = static_cast<uint64_t>(*dst);
  if (from) {
    absl::StatusOr<int> src = b.VectorIndex(in.operands[1], 1);
    if (!src.ok()) return src.status();
    uop.data |= static_cast<uint64_t>(*src) << 16;
  } else {
    absl::StatusOr<Ref> src = b.VectorSource(in.operands[1], ValueType::kB32, 0);
    if (!src.ok()) return src.status();
    uop.src[0] = *src;
  }
  const uint64_t to_mask = !to ? 0 : fields ? 0x3ff : ~0u;
  const uint64_t from_mask = !from ? 0 : fields ? 0xff : ~0u;
  uop.imm = fields ? 16 : 0;
  uop.data2 = to_mask | from_mask << 32;
  b.Emit(uop);
  return absl::OkStatus();
}

absl::Status BindSwapRows(Binder& b, const Binding& binding, Instruction& in) {
  absl::Status status = BindSwap(b, binding, in);
  if (!status.ok()) return status;
  b.uops().back().imm = static_cast<int32_t>(in.TakeNumber("bound_ctrl", 0) != 0) |
                        static_cast<int32_t>(in.TakeNumber("fi", 0) != 0) << 1;
  return status;
}

absl::Status BindFourSums(Binder& b, const Binding& binding, Instruction& in) {
  if (absl::Status s = b.ExpectOperands(4); !s.ok()) return s;
  if (in.TakeFlag("clamp")) return b.Error("clamps sums of distances");
  absl::StatusOr<Ref> refs[] = {
      b.Vector(in.operands[0], 4), b.VectorSource(in.operands[1], ValueType::kB64, 0),
      b.VectorSource(in.operands[2], ValueType::kB32, 2), b.Vector(in.operands[3], 4)};
  for (const auto& ref : refs) {
    if (!ref.ok()) return ref.status();
  }
  b.Emit({.exec = binding.exec, .dst = *refs[0], .src = {*refs[1], *refs[2], *refs[3]}});
  return absl::OkStatus();
}

}  // namespace gridwise::sim
