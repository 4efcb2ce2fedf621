#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tools/sim/isa/bind.h"
#include "tools/sim/isa/bind_alu.h"
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

}  // namespace

absl::Status BindMfma(Binder& b, const Binding& binding, Instruction& in) {
  if (absl::Status s = b.ExpectOperands(4); !s.ok()) return s;
  absl::StatusOr<MatrixControls> controls = TakeControls(b, binding, in);
  if (!controls.ok()) return controls.status();
  const uint32_t flags = binding.traits.flags;
  const int accumulator = static_cast<int>(flags >> 16 & 0xff);
  absl::StatusOr<Ref> dst = b.Vector(in.operands[0], accumulator);
  absl::StatusOr<Ref> a = b.Vector(in.operands[1], static_cast<int>(flags & 0xff));
  absl::StatusOr<Ref> bb = b.Vector(in.operands[2], static_cast<int>(flags >> 8 & 0xff));
  const bool registers = in.operands[3].kind == OperandKind::kVector;
  absl::StatusOr<Ref> c = registers ? b.Vector(in.operands[3], accumulator)
                                    : b.VectorSource(in.operands[3], binding.traits.result, 0);
  for (const auto* ref : {&dst, &a, &bb, &c}) {
    if (!ref->ok()) return ref->status();
  }
  b.Emit({.exec = binding.exec,
          .dst = *dst,
          .src = {*a, *bb, *c},
          .imm = registers ? 1 : 0,
          .data = __builtin_bit_cast(uint64_t, *controls)});
  return absl::OkStatus();
}

}  // namespace gridwise::sim
