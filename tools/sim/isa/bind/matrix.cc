// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tools/sim/isa/bind/alu.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/bind/constants.h"
#include "tools/sim/isa/bind/matrix_mode.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/operand.h"

namespace gridwise::sim {
namespace {

/// CBSZ, ABID and BLGP, or the signs that doubles have instead of BLGP.
absl::StatusOr<MatrixControls> TakeControls(Binder& b, const Binding& binding, Instruction& in) {
  MatrixControls controls;
  const int blocks = binding.traits.dwords;
  const auto cbsz = in.TakeNumber("cbsz", 0), abid = in.TakeNumber("abid", 0);
  if ((1 << cbsz) > blocks || abid >= (1 << cbsz)) {
    return b.Error(absl::StrCat("takes A from block ", abid, " of each ", 1 << cbsz, " of ", blocks,
                                " blocks, which is not defined"));
  }
  controls.a_mask = static_cast<uint8_t>((1 << cbsz) - 1);
  controls.a_first = static_cast<uint8_t>(abid);
  const auto blgp = in.TakeNumber("blgp", 0);
  if (binding.traits.result != ValueType::kF64) {
    controls.permute_b = static_cast<uint8_t>(blgp);
    return controls;
  }
  if (cbsz != 0 || blgp != 0) return b.Error("exchanges blocks of doubles, which is not defined");
  const std::vector<int64_t> signs = in.TakeList("neg").value_or(std::vector<int64_t>());
  for (size_t i = 0; i < signs.size() && i < 3; ++i) {
    controls.negate = static_cast<uint8_t>(controls.negate | (signs[i] != 0 ? 1 << i : 0));
  }
  return controls;
}

int64_t At(const std::vector<int64_t>& list, size_t i) { return i < list.size() ? list[i] : 0; }

/// Source 2, C: registers as many as `count`, or a constant in one row.
absl::StatusOr<Ref> SourceC(Binder& b, const Operand& operand, int count, ValueType type) {
  if (operand.kind == OperandKind::kVector) return b.Vector(operand, count);
  if (operand.kind == OperandKind::kFloat && type == ValueType::kB16)  // bf16
    return b.VectorConstant(ConstantBits(operand, ValueType::kF32) >> 16, 1);
  return b.VectorSource(operand, type, 0);
}

absl::Status EmitMatrix(Binder& b, const Binding& binding, Instruction& in, const int (&counts)[3],
                        uint64_t controls) {
  absl::StatusOr<Ref> dst = b.Vector(in.operands[0], counts[2]);
  absl::StatusOr<Ref> a = b.Vector(in.operands[1], counts[0]);
  absl::StatusOr<Ref> bb = b.Vector(in.operands[2], counts[1]);
  absl::StatusOr<Ref> c = SourceC(b, in.operands[3], counts[2], binding.traits.result);
  for (const auto* ref : {&dst, &a, &bb, &c}) {
    if (!ref->ok()) return ref->status();
  }
  b.Emit({.exec = binding.exec,
          .dst = *dst,
          .src = {*a, *bb, *c},
          .imm = in.operands[3].kind == OperandKind::kVector ? 1 : 0,
          .data = controls});
  return absl::OkStatus();
}

}  // namespace

absl::Status BindMfma(Binder& b, const Binding& binding, Instruction& in) {
  if (absl::Status s = b.ExpectOperands(4); !s.ok()) return s;
  absl::StatusOr<MatrixControls> controls = TakeControls(b, binding, in);
  if (!controls.ok()) return controls.status();
  GetMatrixMode();
  controls->cdna3 = b.target().bit == kGfx942 ? 1 : 0;
  const uint32_t flags = binding.traits.flags;
  const int counts[3] = {static_cast<int>(flags & 0xff), static_cast<int>(flags >> 8 & 0xff),
                         static_cast<int>(flags >> 16 & 0xff)};
  return EmitMatrix(b, binding, in, counts, __builtin_bit_cast(uint64_t, *controls));
}

namespace {

/// The signs of A, B and C, and clamp. `signed_floats`: f16 or bf16.
absl::StatusOr<WmmaControls> TakeSigns(Binder& b, bool integer, bool signed_floats,
                                       Instruction& in) {
  const std::vector<int64_t> none;
  const std::vector<int64_t> neg_lo = in.TakeList("neg_lo").value_or(none),
                             neg_hi = in.TakeList("neg_hi").value_or(none);
  WmmaControls controls;
  controls.a = static_cast<uint8_t>(At(neg_lo, 0) | At(neg_hi, 0) << 1);
  controls.b = static_cast<uint8_t>(At(neg_lo, 1) | At(neg_hi, 1) << 1);
  controls.negate_c = static_cast<uint8_t>(At(neg_lo, 2));
  controls.absolute_c = static_cast<uint8_t>(At(neg_hi, 2));
  controls.clamp = in.TakeFlag("clamp") ? 1 : 0;
  // neg_lo says which integers are signed; what it says of C, which always is, libraries set at
  // will.
  if (integer) controls.negate_c = 0;
  if (integer ? (controls.a | controls.b) > 1 || controls.absolute_c != 0
              : !signed_floats && (controls.a | controls.b) != 0) {
    return b.Error("changes signs that its elements do not have");
  }
  if (controls.clamp != 0 && !integer) return b.Error("clamps floats");
  return controls;
}

}  // namespace

absl::Status BindWmma(Binder& b, const Binding& binding, Instruction& in) {
  if (absl::Status s = b.ExpectOperands(4); !s.ok()) return s;
  const OpTraits& traits = binding.traits;
  const bool integer = traits.result == ValueType::kB32;
  const bool halves = traits.result == ValueType::kF16 || traits.result == ValueType::kB16;
  const bool gfx12 = b.target().bit == kGfx1201;
  absl::StatusOr<WmmaControls> signs = TakeSigns(b, integer, traits.dwords == 16, in);
  if (!signs.ok()) return signs.status();
  WmmaControls& controls = *signs;
  const std::vector<int64_t> op_sel = in.TakeList("op_sel").value_or(std::vector<int64_t>());
  controls.high_half = static_cast<uint8_t>(At(op_sel, 2));
  if (At(op_sel, 0) != 0 || At(op_sel, 1) != 0 || (controls.high_half != 0 && (gfx12 || !halves)))
    return b.Error("selects halves that it does not have");
  const uint32_t flags = traits.flags;
  const int accumulator = static_cast<int>(flags >> 16 & 0xff);
  controls.wave64 = in.operands[0].count < accumulator ? 1 : 0;
  const int sources = gfx12 ? 1 + controls.wave64 : 1;  // gfx11 repeats A and B in every 16 lanes
  // Operands of half a register take a whole one in lanes 0 to 31.
  const int counts[3] = {std::max(static_cast<int>(flags & 0xff) / sources, 1),
                         std::max(static_cast<int>(flags >> 8 & 0xff) / sources, 1),
                         accumulator / (1 + controls.wave64)};
  return EmitMatrix(b, binding, in, counts, __builtin_bit_cast(uint64_t, controls));
}

absl::Status BindSparse(Binder& b, const Binding& binding, Instruction& in) {
  if (absl::Status s = b.ExpectOperands(4); !s.ok()) return s;
  const uint32_t flags = binding.traits.flags;
  const int a = static_cast<int>(flags & 0xff), bb = static_cast<int>(flags >> 8 & 0xff),
            accumulator = static_cast<int>(flags >> 16 & 0xff);
  int elements = binding.traits.dwords, waves = 1;
  int64_t set = 0;
  WmmaControls controls;
  if (b.target().bit == kGfx1201) {
    const bool integer = binding.traits.result == ValueType::kB32;
    absl::StatusOr<WmmaControls> signs = TakeSigns(b, integer, elements == 2 * a, in);
    if (!signs.ok()) return signs.status();
    controls = *signs;
    if (controls.negate_c != 0 || controls.absolute_c != 0)
      return b.Error("changes the signs of its indices");
    controls.wave64 = in.operands[0].count < accumulator ? 1 : 0;
    waves += controls.wave64;
    if (a >= waves) elements /= waves;  // else A is in lanes 0 to 31
    set = in.TakeNumber("index_key", 0);
  } else if (in.TakeNumber("cbsz", 0) == 0) {
    set = in.TakeNumber("abid", 0);
  } else {
    in.TakeNumber("abid", 0);  // the first set
  }
  absl::StatusOr<Ref> refs[] = {b.Vector(in.operands[0], accumulator / waves),
                                b.Vector(in.operands[1], std::max(a / waves, 1)),
                                b.Vector(in.operands[2], bb / waves), b.Vector(in.operands[3], 1)};
  for (const auto& ref : refs) {
    if (!ref.ok()) return ref.status();
  }
  b.Emit(
      {.exec = binding.exec,
       .dst = *refs[0],
       .src = {*refs[1], *refs[2], *refs[3]},
       .imm = static_cast<int32_t>(2 * elements * set % 32),  // as many sets as there is room for
       .data = __builtin_bit_cast(uint64_t, controls)});
  return absl::OkStatus();
}

namespace {

/// The byte that OP_SEL (bit 0) and OP_SEL_HI (bit 1) select of a scale.
uint8_t ScaleByte(const std::vector<int64_t>& op_sel, const std::vector<int64_t>& op_sel_hi,
                  size_t i) {
  return static_cast<uint8_t>(At(op_sel, i) | At(op_sel_hi, i) << 1);
}

/// A source of `count` registers; a float in one register may have its sign changed.
absl::StatusOr<Ref> SignedSource(Binder& b, const Operand& operand, int count, ValueType type,
                                 int temp) {
  if (count > 1) return b.Vector(operand, count);
  Operand plain = operand;
  if (type == ValueType::kF32) plain.negate = plain.absolute = false;
  absl::StatusOr<Ref> ref = b.VectorSource(plain, type, temp);
  if (!ref.ok() || (plain.negate == operand.negate && plain.absolute == operand.absolute))
    return ref;
  const uint64_t keep = operand.absolute ? 0x7fffffff : ~0u, flip = operand.negate ? 1u << 31 : 0;
  b.Helper("@fetch32", {.dst = TempRef(temp), .src = {*ref}, .data = keep | flip << 32});
  return TempRef(temp);
}

}  // namespace

absl::Status BindF8f6f4(Binder& b, const Binding& binding, Instruction& in) {
  const bool scaled = binding.traits.dwords != 0;
  if (absl::Status s = b.ExpectOperands(scaled ? 6 : 4); !s.ok()) return s;
  constexpr int kRegisters[] = {8, 8, 6, 6, 4};  // that 32 elements of 8, 8, 6, 6 or 4 bits take
  const int64_t a = in.TakeNumber("cbsz", 0), bb = in.TakeNumber("blgp", 0);
  if (a > 4 || bb > 4) return b.Error("has formats that are not defined");
  MatrixControls controls;
  controls.format_a = static_cast<uint8_t>(a);
  controls.format_b = static_cast<uint8_t>(bb);
  const std::vector<int64_t> none;
  const std::vector<int64_t> op_sel = in.TakeList("op_sel").value_or(none),
                             op_sel_hi = in.TakeList("op_sel_hi").value_or(none);
  controls.scale_a = ScaleByte(op_sel, op_sel_hi, 0);
  controls.scale_b = ScaleByte(op_sel, op_sel_hi, 1);
  const int counts[3] = {kRegisters[a], kRegisters[bb],
                         static_cast<int>(binding.traits.flags >> 16 & 0xff)};
  Ref scales[2] = {};
  for (size_t i = 0; scaled && i < 2; ++i) {
    // C, if it is a constant, is none of the temp rows.
    absl::StatusOr<Ref> ref =
        b.VectorSource(in.operands[4 + i], ValueType::kB32, static_cast<int>(2 * i));
    if (!ref.ok()) return ref.status();
    scales[i] = *ref;
  }
  absl::Status status = EmitMatrix(b, binding, in, counts, __builtin_bit_cast(uint64_t, controls));
  if (!status.ok()) return status;
  b.uops().back().src[3] = scales[0];
  b.uops().back().dst2 = scales[1];
  return status;
}

absl::Status BindDotInteger(Binder& b, const Binding& binding, Instruction& in) {
  if (absl::Status s = b.ExpectOperands(4); !s.ok()) return s;
  const std::vector<int64_t> signs = in.TakeList("neg_lo").value_or(std::vector<int64_t>());
  Uop uop{.exec = binding.exec};
  uop.imm = static_cast<int32_t>(At(signs, 0) | At(signs, 1) << 1 |
                                 int64_t{in.TakeFlag("clamp") ? 4 : 0});
  absl::StatusOr<Ref> dst = b.Vector(in.operands[0], 1);
  if (!dst.ok()) return dst.status();
  uop.dst = *dst;
  for (int i = 0; i < 3; ++i) {
    absl::StatusOr<Ref> ref =
        b.VectorSource(in.operands[static_cast<size_t>(i) + 1], ValueType::kB32, 2 * i);
    if (!ref.ok()) return ref.status();
    uop.src[i] = *ref;
  }
  b.Emit(uop);
  return absl::OkStatus();
}

absl::Status BindScaledConversion(Binder& b, const Binding& binding, Instruction& in) {
  const OpTraits& t = binding.traits;
  const bool random = (t.flags & kScaledRandom) != 0, two = (t.flags & kScaledTwoSources) != 0;
  if (absl::Status s = b.ExpectOperands(3 + (random ? 1 : 0) + (two ? 1 : 0)); !s.ok()) return s;
  ScaledConversion c;
  c.from = static_cast<uint8_t>(t.flags >> 4 & 15);
  c.to = static_cast<uint8_t>(t.flags >> 8 & 15);
  c.count = t.dwords;
  c.stochastic = random ? 1 : 0;
  c.two_sources = two ? 1 : 0;
  const int from_bits = static_cast<int>(t.flags >> 12 & 0xff),
            to_bits = static_cast<int>(t.flags >> 20 & 0xff);
  const int source_bits = from_bits * c.count / (two ? 2 : 1), result_bits = to_bits * c.count;
  // OP_SEL[1:0] selects a byte or word of a small source, OP_SEL[3:2] of a small result; the bit
  // of a word of the result is printed last.
  const std::vector<int64_t> op_sel = in.TakeList("op_sel").value_or(std::vector<int64_t>());
  const auto byte = [&](size_t i) { return 8 * (At(op_sel, i) | At(op_sel, i + 1) << 1); };
  if (from_bits <= 8 && source_bits < 32)
    c.source_shift = static_cast<uint8_t>(source_bits == 16 ? 16 * At(op_sel, 0) : byte(0));
  if (result_bits == 16 && !op_sel.empty())
    c.result_shift = static_cast<uint8_t>(16 * op_sel.back());
  if (result_bits == 8) c.result_shift = static_cast<uint8_t>(byte(2));
  absl::StatusOr<Ref> dst = b.Vector(in.operands[0], (result_bits + 31) / 32);
  if (!dst.ok()) return dst.status();
  Uop uop{.exec = binding.exec, .dst = *dst, .data = __builtin_bit_cast(uint64_t, c)};
  const int registers = (source_bits + 31) / 32;
  const auto bind = [&](int slot, size_t operand, int count, ValueType type) {
    absl::StatusOr<Ref> ref = SignedSource(b, in.operands[operand], count, type, 2 * slot);
    if (ref.ok()) uop.src[slot] = *ref;
    return ref.status();
  };
  const ValueType type = from_bits == 16 ? ValueType::kPkF16 : ValueType::kF32;
  const size_t scale = in.operands.size() - 1;
  absl::Status status = bind(0, 1, registers, type);
  if (status.ok() && two) status = bind(1, 2, registers, type);
  if (status.ok() && random) status = bind(2, 2, 1, ValueType::kB32);
  if (status.ok()) status = bind(3, scale, 1, ValueType::kF32);
  if (!status.ok()) return status;
  b.Emit(uop);
  return absl::OkStatus();
}

}  // namespace gridwise::sim
