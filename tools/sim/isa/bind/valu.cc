// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tools/sim/isa/bind/alu.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/bind/constants.h"
#include "tools/sim/isa/text/dpp.h"
#include "tools/sim/isa/text/operand.h"

namespace gridwise::sim {
namespace {

/// Temp rows: source i uses 2 i and 2 i + 1, the result after them, and the infinite ones among
/// sources the last.
constexpr int kResultTemp = 8;
constexpr int kInfiniteTemp = 11;

constexpr uint32_t kSign = 0x80000000;

bool IsPackedHalves(ValueType t) { return t == ValueType::kPkB16 || t == ValueType::kPkF16; }
bool Is16(ValueType t) { return t == ValueType::kB16 || t == ValueType::kF16; }

/// End of the names of helpers for floats of a type; empty for other types.
std::string_view FloatSuffix(ValueType t) {
  switch (t) {
    case ValueType::kF32:
      return "f32";
    case ValueType::kF64:
      return "f64";
    case ValueType::kF16:
      return "f16";
    case ValueType::kPkF16:
      return "pk_f16";
    case ValueType::kPkF32:
      return "pk_f32";
    default:
      return "";
  }
}
/// The first bit of MODE's rounding field for results of a type: of floats, or of halves and
/// doubles.
int RoundingField(ValueType t) { return t == ValueType::kF32 || t == ValueType::kPkF32 ? 0 : 2; }

/// Names of SDWA selections.
struct Selection {
  std::string_view name;
  int shift;
  int bits;
};
constexpr Selection kSelections[] = {
    {"DWORD", 0, 32}, {"WORD_0", 0, 16}, {"WORD_1", 16, 16}, {"BYTE_0", 0, 8},
    {"BYTE_1", 8, 8}, {"BYTE_2", 16, 8}, {"BYTE_3", 24, 8},
};

const Selection* FindSelection(std::string_view name) {
  for (const Selection& s : kSelections) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

/// One VALU instruction on its way to micro-ops.
class ValuBinder {
 public:
  ValuBinder(Binder& b, const Binding& binding, Instruction& in)
      : b_(b),
        binding_(binding),
        traits_(binding.traits),
        in_(in),
        compares_exec_(in.mnemonic.starts_with("v_cmpx_")),
        destinations_(compares_exec_ && b.is_rdna() ? 0
                      : traits_.second_mask         ? 2
                                                    : 1) {}

  absl::Status Run() {
    TakeModifiers();
    uop_.exec = binding_.exec;
    byte_ =
        static_cast<int>(in_.TakeNumber("byte_sel", At(op_sel_, 2, 0) | At(op_sel_, 3, 0) << 1));
    if (Has(kTruthTable)) uop_.imm = static_cast<int32_t>(in_.TakeNumber("bitop3", 0));
    if (absl::Status s = SelectClamp(); !s.ok()) return s;
    if (absl::Status s = BindOperands(); !s.ok()) return s;
    if (absl::Status s = BindResult(); !s.ok()) return s;
    if (b_.careful() && !FloatSuffix(traits_.result).empty() && !Has(kSelects)) {
      EmitCarefully();
    } else {
      b_.Emit(uop_);
    }
    return Finish();
  }

 private:
  bool Has(uint32_t flag) const { return (traits_.flags & flag) != 0; }
  static int64_t At(const std::vector<int64_t>& list, size_t i, int64_t otherwise) {
    return i < list.size() ? list[i] : otherwise;
  }

  void TakeModifiers() {
    op_sel_ = in_.TakeList("op_sel").value_or(std::vector<int64_t>());
    op_sel_hi_ = in_.TakeList("op_sel_hi").value_or(std::vector<int64_t>());
    neg_lo_ = in_.TakeList("neg_lo").value_or(std::vector<int64_t>());
    neg_hi_ = in_.TakeList("neg_hi").value_or(std::vector<int64_t>());
    clamp_ = in_.TakeFlag("clamp");
    multiply_ = static_cast<int>(in_.TakeNumber("mul", 1));
    divide_ = static_cast<int>(in_.TakeNumber("div", 1));
  }

  /// Integer results saturate by another handler, "v_add_u32.clamp"; float results are clamped
  /// after the operation.
  absl::Status SelectClamp() {
    if (!clamp_ || !FloatSuffix(traits_.result).empty()) return absl::OkStatus();
    clamp_ = false;
    const Binding* clamping = b_.Find(absl::StrCat(in_.mnemonic, ".clamp"));
    if (clamping == nullptr) return b_.Error("clamps, which its handler does not know");
    uop_.exec = clamping->exec;
    return absl::OkStatus();
  }

  absl::Status BindOperands() {
    // Text order: result, mask result, sources. Sources that are not in the text come last.
    size_t written = 0;
    for (int i = 0; i < traits_.arg_count; ++i) written += traits_.args[i] != ValueType::kNone;
    // The mask of v_dual_cndmask_b32 is VCC and not written either.
    const bool implicit_vcc =
        Has(kImplicitVcc) || (in_.text.starts_with("v_dual_") &&
                              traits_.args[traits_.arg_count - 1] == ValueType::kMask);
    if (Has(kAccumulates) || implicit_vcc) --written;
    if (absl::Status s = b_.ExpectOperands(destinations_ + written); !s.ok()) return s;
    for (size_t i = 0; i < written; ++i) {
      absl::StatusOr<Ref> ref = Source(in_.operands[destinations_ + i], i);
      if (!ref.ok()) return ref.status();
      uop_.src[i] = Careful(*ref, i);
    }
    if (implicit_vcc) uop_.src[written] = ScalarRef(kVccLo);
    if (Has(kAccumulates)) {
      absl::StatusOr<Ref> ref = Half16(in_.operands[0], traits_.result);
      if (!ref.ok()) return ref.status();
      if (in_.operands[0].half == Half::kHigh || At(op_sel_, written, 0) != 0) {
        const Ref temp = TempRef(static_cast<int>(2 * written));
        b_.Helper("@fetch32", {.dst = temp, .src = {*ref}, .imm = 16, .data = Masks(0xffff, 0)});
        ref = temp;
      }
      uop_.src[written] = Careful(*ref, written);
    }
    return absl::OkStatus();
  }

  /// The register of an operand of which a half may be named.
  absl::StatusOr<Ref> Half16(const Operand& operand, ValueType type) const {
    Operand whole = operand;
    if (Is16(type)) whole.half = Half::kNone;
    return b_.Vector(whole, Dwords(type));
  }

  /// Source `i` after what MODE does to the floats that an operation reads.
  Ref Careful(Ref ref, size_t i) {
    const std::string_view suffix = FloatSuffix(traits_.args[i]);
    const bool keeps = Has(kOwnDenormals) || Has(kKeepsSources) || (Has(kKeepsFirst) && i == 0);
    if (!b_.careful() || suffix.empty() || keeps) return ref;
    const Ref temp = TempRef(static_cast<int>(2 * i));
    b_.Helper(absl::StrCat("@mode_in_", suffix), {.dst = temp, .src = {ref}});
    return temp;
  }

  /// The operation amid what MODE does to its rounding and then to what it writes: halves that are
  /// too large, denormals.
  void EmitCarefully() {
    const bool halves = traits_.result == ValueType::kF16 || traits_.result == ValueType::kPkF16;
    const bool flushes = !Has(kOwnDenormals), rounds = !Has(kRoundsItself);
    if (halves) NoteInfinite();
    if (rounds) b_.Helper("@round_begin", {.imm = RoundingField(traits_.result)});
    b_.Emit(uop_);
    const Ref temp = halves || flushes ? Detour() : final_;
    if (rounds) b_.Helper("@round_end", {});
    if (halves) {
      b_.Helper("@mode_overflow",
                {.dst = flushes ? temp : final_, .src = {temp, TempRef(kInfiniteTemp)}});
    }
    if (!flushes) return;
    b_.Helper(absl::StrCat("@mode_out_", FloatSuffix(traits_.result)),
              {.dst = final_, .src = {temp}});
  }

  /// Notes which halves of the result an infinite source is part of. One of two floats that become
  /// a pair of halves is part of its own.
  void NoteInfinite() {
    const Ref noted = TempRef(kInfiniteTemp);
    b_.Helper("@note_nothing", {.dst = noted});
    const bool packed = traits_.result == ValueType::kPkF16;
    for (size_t i = 0; i < traits_.arg_count; ++i) {
      const std::string_view suffix = FloatSuffix(traits_.args[i]);
      if (suffix.empty()) continue;
      const bool own = packed && traits_.args[i] == ValueType::kF32;
      const uint64_t halves = !own ? 0xffffffff : i == 0 ? 0xffff : 0xffff0000;
      b_.Helper(absl::StrCat("@note_infinite_", suffix),
                {.dst = noted, .src = {uop_.src[i]}, .imm = packed ? 0 : 1, .data = halves});
    }
  }

  /// Source `i` as the handler reads it.
  absl::StatusOr<Ref> Source(const Operand& operand, size_t i) {
    const ValueType type = traits_.args[i];
    if (type == ValueType::kMask) return b_.Mask(operand);
    const int temp = static_cast<int>(2 * i);
    Operand plain = operand;
    plain.negate = plain.absolute = plain.sign_extend = false;
    if (operand.half != Half::kNone && Is16(type)) plain.half = Half::kNone;
    absl::StatusOr<Ref> ref = Unmodified(plain, type, temp, i);
    if (!ref.ok()) return ref;
    const auto fetch = [&](std::string_view helper, int imm, uint64_t data) -> Ref {
      b_.Helper(helper, {.dst = TempRef(temp), .src = {*ref}, .imm = imm, .data = data});
      return TempRef(temp);
    };
    if (in_.encoding == Encoding::kSdwa) return SdwaSource(operand, i, *ref, temp);
    const uint32_t keep = operand.absolute ? ~kSign : ~0u, flip = operand.negate ? kSign : 0;
    const int64_t high_half = operand.half == Half::kHigh ? 1 : At(op_sel_, i, 0);
    if (Has(kMixed)) {
      if (At(op_sel_hi_, i, 0) == 0)
        return keep == ~0u && flip == 0 ? *ref : fetch("@fetch32", 0, Masks(keep, flip));
      if (!b_.careful()) {
        return fetch("@fetch_half_as_float", high_half ? 16 : 0, Masks(keep, flip));
      }
      // MODE has its say on the half.
      ref = fetch("@fetch32", high_half ? 16 : 0, Masks(0xffff, 0));
      ref = fetch("@mode_in_f16", 0, 0);
      return fetch("@fetch_half_as_float", 0, Masks(keep, flip));
    }
    if (operand.sign_extend) return b_.Error("sign-extends a source outside SDWA");
    if (Has(kByteSource) && byte_ != 0) return fetch("@fetch32", 8 * byte_, Masks(0xff, 0));
    if (Has(kPairMove))
      return high_half == 0 && i == 0 ? *ref : fetch("@fetch_pair", high_half ? 3 : 0, 0);
    if (IsPackedHalves(type) || type == ValueType::kPkF32) {
      if (operand.absolute || operand.negate)
        return b_.Error("has scalar modifiers on a packed operand");
      const int select = static_cast<int>(high_half | At(op_sel_hi_, i, 1) << 1);
      const int64_t low = At(neg_lo_, i, 0), high = At(neg_hi_, i, 0);
      if (select == 2 && low == 0 && high == 0) return *ref;
      if (type == ValueType::kPkF32)
        return fetch("@fetch_pair", select, Masks(low ? kSign : 0, high ? kSign : 0));
      return fetch("@fetch_halves", select, (low ? 0x8000u : 0) | (high ? kSign : 0));
    }
    if (Is16(type)) {
      const uint32_t keep16 = operand.absolute ? 0x7fff : 0xffff,
                     flip16 = operand.negate ? 0x8000 : 0;
      if (high_half == 0 && keep16 == 0xffff && flip16 == 0) return *ref;
      return fetch("@fetch32", high_half ? 16 : 0, Masks(keep16, flip16));
    }
    if (high_half != 0) return b_.Error("selects halves of a 32-bit operand");
    // A whole float among packed operands (v_dot2_f32_f16) takes its sign from neg_lo.
    const uint32_t packed_flip = At(neg_lo_, i, 0) != 0 ? kSign : 0;
    if (At(neg_hi_, i, 0) != 0)
      return b_.Error("changes the sign of a high half that is not there");
    if (packed_flip != 0) return fetch("@fetch32", 0, Masks(keep, packed_flip));
    if (keep == ~0u && flip == 0) return *ref;
    if (type == ValueType::kB64 || type == ValueType::kI64)
      return b_.Error("has float modifiers on a 64-bit integer");
    return fetch(type == ValueType::kF64 ? "@fetch64" : "@fetch32", 0, Masks(keep, flip));
  }

  static uint64_t Masks(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }

  /// The operand before source modifiers: for source 0 of a DPP form what the lane permutation
  /// gives.
  absl::StatusOr<Ref> Unmodified(const Operand& operand, ValueType type, int temp, size_t i) {
    // Mixed operands: constants are floats or halves as op_sel_hi says.
    if (Has(kMixed) && At(op_sel_hi_, i, 0) != 0) type = ValueType::kF16;
    if ((b_.gpr_index_mode() >> i & 1) != 0 && operand.kind == OperandKind::kVector) {
      if (Dwords(type) != 1) return b_.Error("indexes a 64-bit register");
      absl::StatusOr<int> index = b_.VectorIndex(operand, 1);
      if (!index.ok()) return index.status();
      b_.Helper("@fetch_indexed", {.dst = TempRef(temp), .imm = *index});
      return TempRef(temp);
    }
    Operand source = operand;
    if (Has(kBf16Constants) && operand.kind == OperandKind::kFloat && IsPackedHalves(type)) {
      source.kind = OperandKind::kInteger;
      source.integer = static_cast<int64_t>(ConstantBits(operand, ValueType::kF32) >> 16);
    }
    if (Has(kPairConstants) && operand.kind == OperandKind::kFloat) {
      source.kind = OperandKind::kInteger;
      source.integer = static_cast<int64_t>(ConstantBits(operand, type) * 0x10001);
    }
    absl::StatusOr<Ref> ref = b_.VectorSource(source, type, temp);
    if (!ref.ok() || in_.encoding != Encoding::kDpp || i != 0) return ref;
    absl::StatusOr<DppControl> dpp = ParseDpp(in_);
    if (!dpp.ok()) return b_.Error(dpp.status().message());
    return FetchDpp(*dpp, *ref, Dwords(type), temp);
  }

  /// Permutes the lanes of `rows` rows into temp rows `temp` and up.
  absl::StatusOr<Ref> FetchDpp(DppControl& dpp, Ref source, int rows, int temp) {
    uint64_t sourced = 0;
    bool in_rows = true;
    for (uint32_t l = 0; l < kLanes; ++l) {
      if (dpp.from[l] >= kLanes) {
        dpp.from[l] = l;
        continue;
      }
      sourced |= uint64_t{1} << l;
      in_rows = in_rows && dpp.from[l] / 16 == l / 16;
    }
    absl::StatusOr<Ref> table = b_.Table(dpp.from);
    if (!table.ok()) return table;
    for (int row = 0; row < rows; ++row) {
      b_.Helper(in_rows ? "@fetch_dpp_row" : "@fetch_dpp",
                {.dst = TempRef(temp + row),
                 .src = {NextRow(source, row), *table},
                 .imm = (dpp.bound_ctrl ? 1 : 0) | (dpp.fetch_inactive ? 2 : 0),
                 .data = dpp.written,
                 .data2 = sourced});
    }
    return TempRef(temp);
  }

  absl::StatusOr<Ref> SdwaSource(const Operand& operand, size_t i, Ref ref, int temp) {
    const std::string name = absl::StrCat("src", i, "_sel");
    const Selection* selection = FindSelection(in_.TakeText(name).value_or("DWORD"));
    if (selection == nullptr) return b_.Error(absl::StrCat("has an unknown ", name));
    Uop fetch{.dst = TempRef(temp), .src = {ref}, .imm = selection->shift};
    if (operand.sign_extend && selection->bits < 32) {
      b_.Helper(selection->bits == 8 ? "@fetch_i8" : "@fetch_i16", fetch);
      return TempRef(temp);
    }
    const uint32_t sign = selection->bits == 32 ? kSign : 1u << (selection->bits - 1);
    const uint32_t field = selection->bits == 32 ? ~0u : (1u << selection->bits) - 1;
    const uint32_t keep = field & (operand.absolute ? ~sign : ~0u),
                   flip = operand.negate ? sign : 0;
    if (keep == ~0u && flip == 0) return ref;
    fetch.data = Masks(keep, flip);
    b_.Helper("@fetch32", fetch);
    return TempRef(temp);
  }

  absl::Status BindResult() {
    if (traits_.second_mask) {
      absl::StatusOr<Ref> mask = b_.MaskDestination(in_.operands[1]);
      if (!mask.ok()) return mask.status();
      uop_.dst2 = *mask;
    }
    if (compares_exec_ && b_.is_rdna()) {
      uop_.dst = ScalarRef(kExecLo);
      return absl::OkStatus();
    }
    if (traits_.result == ValueType::kMask) {
      absl::StatusOr<Ref> mask = b_.MaskDestination(in_.operands[0]);
      if (!mask.ok()) return mask.status();
      uop_.dst = *mask;
      return absl::OkStatus();
    }
    absl::StatusOr<Ref> dst = Half16(in_.operands[0], traits_.result);
    if (!dst.ok()) return dst.status();
    uop_.dst = final_ = *dst;
    return absl::OkStatus();
  }

  /// Sends the result of the micro-op emitted last to a temp row instead of the register, and
  /// returns that row.
  Ref Detour() { return b_.uops().back().dst = TempRef(kResultTemp); }

  /// The steps between the operation and its destination register.
  absl::Status Finish() {
    const bool indexed = (b_.gpr_index_mode() & 8) != 0, dpp = in_.encoding == Encoding::kDpp;
    if (traits_.result == ValueType::kMask) return FinishMask(indexed, dpp);
    if (absl::Status s = ScaleAndClamp(); !s.ok()) return s;
    if (in_.encoding == Encoding::kSdwa) return CommitSdwa();
    if (Has(kByteResult)) {
      const uint32_t put = 0xffu << (8 * byte_);
      CommitPart(8 * byte_, put, ~put);
      return absl::OkStatus();
    }
    const bool high =
        Has(kHighHalf) ||
        (Is16(traits_.result) && (in_.operands[0].half == Half::kHigh ||
                                  At(op_sel_, in_.operands.size() - destinations_, 0) != 0));
    // 16-bit results leave the other half alone on RDNA and clear it on gfx9.
    const bool keeps = Has(kKeepsOther) || (b_.is_rdna() && Is16(traits_.result));
    const int rows = Dwords(traits_.result);
    if (high || keeps) {
      CommitPart(high ? 16 : 0, high ? 0xffff0000 : 0xffff, high ? 0xffff : 0xffff0000, dpp);
    } else if (dpp) {
      const Ref temp = Detour();
      b_.Helper(rows == 2 ? "@commit_dpp2" : "@commit_dpp1", {.dst = final_, .src = {temp}});
    } else if (indexed) {
      if (rows != 1 || traits_.second_mask) return b_.Error("indexes more than a 32-bit register");
      const Ref temp = Detour();
      b_.Helper("@commit_indexed",
                {.src = {temp}, .imm = static_cast<int32_t>(*b_.VectorIndex(in_.operands[0], 1))});
    }
    if (dpp && traits_.second_mask) b_.Helper("@dpp_mask", {.dst = uop_.dst2});
    return absl::OkStatus();
  }

  /// Lanes that DPP gives no operand count as inactive, so their bits are 0.
  absl::Status FinishMask(bool indexed, bool dpp) {
    if (clamp_ || multiply_ != 1 || divide_ != 1) return b_.Error("scales a mask");
    if (indexed) return b_.Error("indexes a mask");
    if (dpp) b_.Helper("@dpp_mask", {.dst = uop_.dst});
    if (compares_exec_ && !b_.is_rdna())
      b_.Helper("@copy_mask", {.dst = ScalarRef(kExecLo), .src = {uop_.dst}});
    return absl::OkStatus();
  }

  absl::Status ScaleAndClamp() {
    const ValueType type = traits_.result;
    const std::string_view suffix = FloatSuffix(type);
    if (multiply_ != 1 || divide_ != 1) {
      if (suffix.empty() || suffix.starts_with("pk")) {
        return b_.Error("scales a result that is no float");
      }
      // The usual MODE ignores output modifiers but on gfx12: IEEE is set, and denormals are kept.
      const bool always = b_.target().bit == kGfx1201;
      if (b_.careful() || always) {
        Operand factor;
        factor.kind = OperandKind::kFloat;
        factor.real = static_cast<double>(multiply_) / divide_;
        absl::StatusOr<Ref> constant = b_.VectorConstant(ConstantBits(factor, type), Dwords(type));
        if (!constant.ok()) return constant.status();
        const Ref from = Detour();
        b_.Helper(absl::StrCat("@scale_", suffix),
                  {.dst = final_, .src = {from, *constant}, .imm = always ? 1 : 0});
      }
    }
    if (clamp_) {
      const Ref from = Detour();
      b_.Helper(absl::StrCat(b_.careful() ? "@mode_clamp_" : "@clamp_", suffix),
                {.dst = final_, .src = {from}});
    }
    return absl::OkStatus();
  }

  void CommitPart(int shift, uint32_t put, uint32_t keep, bool dpp = false) {
    const Ref temp = Detour();
    b_.Helper(dpp ? "@commit_part_dpp" : "@commit_part",
              {.dst = final_, .src = {temp}, .imm = shift, .data = Masks(keep, put)});
  }

  absl::Status CommitSdwa() {
    const Selection* selection = FindSelection(in_.TakeText("dst_sel").value_or("DWORD"));
    const std::string_view unused = in_.TakeText("dst_unused").value_or("UNUSED_PAD");
    if (selection == nullptr) return b_.Error("has an unknown dst_sel");
    if (selection->bits == 32) return absl::OkStatus();
    if (Dwords(traits_.result) != 1) return b_.Error("selects a part of a 64-bit result");
    const uint32_t put = ((1u << selection->bits) - 1) << selection->shift;
    if (unused == "UNUSED_PAD") {
      CommitPart(selection->shift, put, 0);
    } else if (unused == "UNUSED_PRESERVE") {
      CommitPart(selection->shift, put, ~put);
    } else if (unused == "UNUSED_SEXT") {
      const Ref temp = Detour();
      b_.Helper(selection->bits == 8 ? "@fetch_i8" : "@fetch_i16", {.dst = temp, .src = {temp}});
      CommitPart(selection->shift, ~0u << selection->shift, 0);
    } else {
      return b_.Error(absl::StrCat("has dst_unused:", unused, ", which is not implemented"));
    }
    return absl::OkStatus();
  }

  Binder& b_;
  const Binding& binding_;
  const OpTraits& traits_;
  Instruction& in_;
  const bool compares_exec_;   // v_cmpx: EXEC gets the result
  const size_t destinations_;  // operands before the sources
  std::vector<int64_t> op_sel_, op_sel_hi_, neg_lo_, neg_hi_;
  bool clamp_ = false;
  int byte_ = 0;
  int multiply_ = 1, divide_ = 1;
  Uop uop_;
  Ref final_;
};

}  // namespace

absl::Status BindValu(Binder& b, const Binding& binding, Instruction& in) {
  return ValuBinder(b, binding, in).Run();
}

}  // namespace gridwise::sim
