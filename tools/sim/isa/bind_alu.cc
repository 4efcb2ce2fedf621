#include "tools/sim/isa/bind_alu.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/sim/isa/bind.h"
#include "tools/sim/isa/operand.h"

namespace gridwise::sim {
namespace {

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
    absl::StatusOr<Ref> src = b.Scalar(in.operands[next++], Dwords(t.args[i]), t.args[i]);
    if (!src.ok()) return src.status();
    uop.src[i] = *src;
  }
  b.Emit(uop);
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
  if (absl::Status s = b.ExpectOperands(1); !s.ok()) return s;
  absl::StatusOr<int64_t> words = b.Immediate(in.operands[0]);
  if (!words.ok()) return words.status();
  if (b.gpr_index_mode() != 0) return b.Error("branches while s_set_gpr_idx_on is in force");
  b.Emit({.exec = binding.exec});
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
  const bool is_mode = parts[0] == "HW_REG_MODE";
  if (!reads && !is_mode)
    return b.Error(absl::StrCat("writes ", parts[0], ", which is not implemented"));
  Uop uop{.exec = binding.exec,
          .imm = first,
          .data = (uint64_t{1} << width) - 1,
          .data2 = b.next_pc()};
  if (reads) {
    absl::StatusOr<Ref> dst = b.ScalarDestination(in.operands[0], 1);
    if (!dst.ok()) return dst.status();
    uop.dst = *dst;
    if (!is_mode) {
      b.Helper("@getreg_zero", uop);
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
  if (absl::Status s = b.ExpectOperands(1); !s.ok()) return s;
  const Operand& number = in.operands[0];
  if (number.kind != OperandKind::kInteger || static_cast<int16_t>(number.integer) != -1) {
    return b.Error("names a barrier other than the workgroup's, which is not implemented");
  }
  b.Emit({.exec = binding.exec});
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
  absl::StatusOr<Ref> first = b.Vector(in.operands[0], 1);
  absl::StatusOr<Ref> second = b.Vector(in.operands[1], 1);
  if (!first.ok()) return first.status();
  if (!second.ok()) return second.status();
  b.Emit({.exec = binding.exec, .dst = *first, .src = {*second}});
  return absl::OkStatus();
}

absl::Status BindSwapRows(Binder& b, const Binding& binding, Instruction& in) {
  absl::Status status = BindSwap(b, binding, in);
  if (!status.ok()) return status;
  b.uops().back().imm = static_cast<int32_t>(in.TakeNumber("bound_ctrl", 0) != 0) |
                        static_cast<int32_t>(in.TakeNumber("fi", 0) != 0) << 1;
  return status;
}

}  // namespace gridwise::sim
