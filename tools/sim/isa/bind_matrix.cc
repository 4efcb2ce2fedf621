#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tools/sim/isa/bind.h"
#include "tools/sim/isa/bind_alu.h"
#include "tools/sim/isa/constants.h"
#include "tools/sim/isa/operand.h"

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
  const uint32_t flags = binding.traits.flags;
  const int counts[3] = {static_cast<int>(flags & 0xff), static_cast<int>(flags >> 8 & 0xff),
                         static_cast<int>(flags >> 16 & 0xff)};
  return EmitMatrix(b, binding, in, counts, __builtin_bit_cast(uint64_t, *controls));
}

absl::Status BindWmma(Binder& b, const Binding& binding, Instruction& in) {
  if (absl::Status s = b.ExpectOperands(4); !s.ok()) return s;
  const OpTraits& traits = binding.traits;
  const std::vector<int64_t> none;
  const std::vector<int64_t> neg_lo = in.TakeList("neg_lo").value_or(none),
                             neg_hi = in.TakeList("neg_hi").value_or(none),
                             op_sel = in.TakeList("op_sel").value_or(none);
  const bool integer = traits.result == ValueType::kB32;
  const bool halves = traits.result == ValueType::kF16 || traits.result == ValueType::kB16;
  const bool gfx12 = b.target().bit == kGfx1201;
  WmmaControls controls;
  controls.a = static_cast<uint8_t>(At(neg_lo, 0) | At(neg_hi, 0) << 1);
  controls.b = static_cast<uint8_t>(At(neg_lo, 1) | At(neg_hi, 1) << 1);
  controls.negate_c = static_cast<uint8_t>(At(neg_lo, 2));
  controls.absolute_c = static_cast<uint8_t>(At(neg_hi, 2));
  controls.clamp = in.TakeFlag("clamp") ? 1 : 0;
  controls.high_half = static_cast<uint8_t>(At(op_sel, 2));
  if (integer ? (controls.a | controls.b) > 1 || controls.negate_c != 0 || controls.absolute_c != 0
              : traits.dwords == 8 && (controls.a | controls.b) != 0) {
    return b.Error("changes signs that its elements do not have");
  }
  if (controls.clamp != 0 && !integer) return b.Error("clamps floats");
  if (At(op_sel, 0) != 0 || At(op_sel, 1) != 0 || (controls.high_half != 0 && (gfx12 || !halves)))
    return b.Error("selects halves that it does not have");
  const uint32_t flags = traits.flags;
  const int accumulator = static_cast<int>(flags >> 16 & 0xff);
  controls.wave64 = in.operands[0].count < accumulator ? 1 : 0;
  const int sources = gfx12 ? 1 + controls.wave64 : 1;  // gfx11 repeats A and B in every 16 lanes
  const int counts[3] = {static_cast<int>(flags & 0xff) / sources,
                         static_cast<int>(flags >> 8 & 0xff) / sources,
                         accumulator / (1 + controls.wave64)};
  if (counts[0] == 0) return b.Error("spreads half a register over 64 lanes");
  return EmitMatrix(b, binding, in, counts, __builtin_bit_cast(uint64_t, controls));
}

}  // namespace gridwise::sim
