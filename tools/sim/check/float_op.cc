// SPDX-License-Identifier: MIT
#include "tools/sim/check/float_op.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "tools/sim/isa/text/decode.h"
#include "tools/sim/isa/text/rename.h"

namespace gridwise::sim {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Type {
  bool is_float;
  FloatFormat format;
};

/// The type that a part of a mnemonic names: of "v_cvt_f16_f32" the last two.
std::optional<Type> ParseType(std::string_view token) {
  static constexpr std::pair<std::string_view, FloatFormat> kFloats[] = {
      {"f16", FloatFormat::kF16},  {"bf16", FloatFormat::kBf16}, {"f32", FloatFormat::kF32},
      {"xf32", FloatFormat::kF32}, {"f64", FloatFormat::kF64},   {"fp8", FloatFormat::kFp8},
      {"bf8", FloatFormat::kBf8}};
  for (const auto& [name, format] : kFloats) {
    if (token == name) return Type{true, format};
  }
  if (absl::StartsWith(token, "ubyte")) return Type{false, {}};
  const bool integer = token.size() >= 2 &&
                       (token[0] == 'i' || token[0] == 'u' || token[0] == 'b') &&
                       token.substr(1).find_first_not_of("0123456789") == token.npos;
  if (integer) return Type{false, {}};
  return std::nullopt;
}

int BitsOf(FloatFormat format) {
  switch (format) {
    case FloatFormat::kF64:
      return 64;
    case FloatFormat::kF32:
      return 32;
    case FloatFormat::kF16:
    case FloatFormat::kBf16:
      return 16;
    default:
      return 8;
  }
}

const Modifier* Find(const Instruction& instruction, std::string_view name) {
  for (const Modifier& modifier : instruction.modifiers) {
    if (modifier.name == name) return &modifier;
  }
  return nullptr;
}

/// Entry `index` of a modifier such as op_sel:[0,1,0]; `otherwise` without it.
int64_t Number(const Instruction& instruction, std::string_view name, size_t index,
               int64_t otherwise = 0) {
  const Modifier* const modifier = Find(instruction, name);
  if (modifier == nullptr || index >= modifier->numbers.size()) return otherwise;
  return modifier->numbers[index];
}

/// The elements of registers that an operand consists of.
enum class Parts { kAll, kLow, kHigh };

double ConstantOf(const Operand& operand, FloatFormat format) {
  if (operand.kind == OperandKind::kFloat) return operand.real;
  const auto bits = static_cast<uint32_t>(operand.integer);
  switch (format) {
    case FloatFormat::kF64:
      // A literal is the high half; an inline constant has the integer's bits, a denormal or NaN.
      return std::bit_cast<double>(operand.literal ? uint64_t{bits} << 32
                                                   : static_cast<uint64_t>(operand.integer));
    case FloatFormat::kF16:
      return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
    case FloatFormat::kBf16:
      return std::bit_cast<float>(bits << 16);
    default:
      return std::bit_cast<float>(bits);
  }
}

FloatOperand MakeOperand(const Operand& operand, FloatFormat format, Parts parts) {
  FloatOperand result;
  result.format = format;
  const bool vector = operand.kind == OperandKind::kVector;
  if (!vector && (operand.kind != OperandKind::kScalar || operand.index == kNull)) {
    result.constant = ConstantOf(operand, format);
    return result;
  }
  const int bits = BitsOf(format), first = (vector ? kFirstVector : 0) + operand.index;
  if (operand.half != Half::kNone) parts = operand.half == Half::kHigh ? Parts::kHigh : Parts::kLow;
  const int begin = parts == Parts::kHigh ? 16 : 0, end = parts == Parts::kLow ? 16 : 32;
  for (int r = 0; r < operand.count; r += bits == 64 ? 2 : 1) {
    for (int shift = bits >= 32 ? 0 : begin; shift < (bits >= 32 ? 1 : end); shift += bits)
      result.elements.push_back({static_cast<uint16_t>(first + r), static_cast<uint8_t>(shift)});
  }
  return result;
}

/// Reads an instruction's operands.
class Reader {
 public:
  // gfx90a's matrix instructions have their types apart in gfx942's names for them.
  explicit Reader(const Instruction& instruction)
      : instruction_(instruction),
        tokens_(absl::StrSplit(CanonicalName(instruction.mnemonic, kGfx90a), '_')) {
    for (const std::string_view token : tokens_) {
      if (const std::optional<Type> type = ParseType(token)) types_.push_back(*type);
    }
  }

  std::optional<FloatOp> Read() {
    if (types_.empty() || !types_.front().is_float || instruction_.operands.size() < 2 ||
        Has("cmp") || Has("cmpx") || Has("scalef32") || Has("cndmask") ||
        absl::StrContains(instruction_.mnemonic, "f8f6f4") ||
        !(tokens_.front() == "v" || tokens_.front() == "s")) {
      return std::nullopt;
    }
    op_.has_pole = Has("rcp") || Has("rsq") || Has("log") || Has("div");
    if (IsMatrix()) {
      ReadProduct(/*packed=*/true);
      op_.crosses_lanes = op_.all_lanes = true;
    } else if (absl::StartsWith(Token(1), "dot") || absl::StartsWith(Token(2), "dot2acc")) {
      ReadProduct(/*packed=*/false);
    } else if (Has("mix") || Has("mixlo") || Has("mixhi")) {
      ReadMixed();
    } else if (Has("cvt")) {
      ReadConversion();
    } else {
      ReadUsual();
    }
    if (instruction_.encoding == Encoding::kDpp) op_.crosses_lanes = true;
    return std::move(op_);
  }

 private:
  bool Has(std::string_view token) const {
    return std::find(tokens_.begin(), tokens_.end(), token) != tokens_.end();
  }
  std::string_view Token(size_t i) const { return i < tokens_.size() ? tokens_[i] : ""; }
  const Operand& At(size_t i) const { return instruction_.operands[i]; }
  size_t operands() const { return instruction_.operands.size(); }
  bool IsPacked() const {
    return std::any_of(tokens_.begin(), tokens_.end(),
                       [](std::string_view token) { return absl::StartsWith(token, "pk"); });
  }
  bool IsMatrix() const { return Has("mfma") || Has("smfmac") || Has("wmma") || Has("swmmac"); }

  /// The half of a register that a result of 16 bits goes to.
  Parts ResultHalf() const {
    const Modifier* const selects = Find(instruction_, "dst_sel");
    if (selects != nullptr) return selects->value == "WORD_1" ? Parts::kHigh : Parts::kLow;
    const Modifier* const op_sel = Find(instruction_, "op_sel");
    const bool high =
        op_sel != nullptr && op_sel->numbers.size() >= operands() && op_sel->numbers.back() != 0;
    return high ? Parts::kHigh : Parts::kLow;
  }
  /// The half that source `source` of 16 bits is; both, in packed and SDWA instructions.
  Parts SourceHalf(size_t source) const {
    if (IsPacked() || instruction_.encoding == Encoding::kSdwa) return Parts::kAll;
    return Number(instruction_, "op_sel", source) != 0 ? Parts::kHigh : Parts::kLow;
  }
  void AddSource(size_t operand, FloatFormat format, Parts parts) {
    if (operand < operands()) op_.sources.push_back(MakeOperand(At(operand), format, parts));
  }

  /// D = A B + C: the first type is that of C and D, the next ones those of A and B.
  void ReadProduct(bool packed) {
    const FloatFormat sum = types_.front().format;
    const Parts parts = packed ? Parts::kAll : Parts::kLow;
    op_.result = MakeOperand(At(0), sum, parts);
    const Type& a = types_[std::min<size_t>(1, types_.size() - 1)];
    AddSource(1, a.format, Parts::kAll);
    AddSource(2, types_.back().format, Parts::kAll);
    const bool in_place = Has("smfmac") || Has("swmmac") || operands() == 3;
    AddSource(in_place ? 0 : 3, sum, parts);
  }

  /// v_fma_mix: op_sel_hi tells of each source whether it is a half, and op_sel which.
  void ReadMixed() {
    const Parts result = Has("mixhi") ? Parts::kHigh : Parts::kLow;
    op_.result = MakeOperand(At(0), types_.front().format, result);
    for (size_t i = 1; i < operands(); ++i) {
      const bool half = Number(instruction_, "op_sel_hi", i - 1) != 0;
      AddSource(i, half ? FloatFormat::kF16 : FloatFormat::kF32,
                Number(instruction_, "op_sel", i - 1) != 0 ? Parts::kHigh : Parts::kLow);
    }
  }

  void ReadConversion() {
    const FloatFormat to = types_.front().format;
    const bool bytes = BitsOf(to) == 8, packed = IsPacked(), stochastic = Has("sr");
    op_.result = MakeOperand(At(0), to, packed && !bytes ? Parts::kAll : ResultHalf());
    if (bytes && stochastic) op_.result.elements.clear();  // one byte of the register's
    if (!types_.back().is_float) return;
    const FloatFormat from = types_.back().format;
    op_.converts = BitsOf(to) < BitsOf(from);
    const Parts parts = BitsOf(from) == 8 ? Parts::kAll : SourceHalf(0);
    AddSource(1, from, parts);
    if (packed && BitsOf(from) >= 32 && BitsOf(to) < 32) AddSource(2, from, parts);
  }

  void ReadUsual() {
    const FloatFormat format = types_.front().format;
    op_.result = MakeOperand(At(0), format, IsPacked() ? Parts::kAll : ResultHalf());
    const bool scales = Has("div") && Has("scale");  // its second result is a mask
    const bool one = Has("ldexp") || Has("preop");   // what follows is an integer
    const size_t first = scales ? 2 : 1;
    for (size_t i = first; i < (one ? first + 1 : operands()); ++i)
      AddSource(i, format, SourceHalf(i - first));
    if (Has("fmac") || Has("mac")) AddSource(0, format, ResultHalf());
    const bool plain =
        instruction_.encoding != Encoding::kDpp && instruction_.encoding != Encoding::kSdwa &&
        !Find(instruction_, "clamp") && !Find(instruction_, "mul") && !Find(instruction_, "div") &&
        !(IsPacked() && (Find(instruction_, "op_sel") || Find(instruction_, "op_sel_hi")));
    op_.adds = plain && !Has("lshl") && (Has("add") || Has("sub") || Has("subrev")) &&
               op_.sources.size() == 2;
  }

  const Instruction& instruction_;
  const std::vector<std::string_view> tokens_;
  std::vector<Type> types_;
  FloatOp op_;
};

uint32_t Dword(const Wave& wave, int reg, int lane) {
  return reg >= kFirstVector ? wave.v[reg - kFirstVector][lane] : wave.s[reg];
}

/// 8-bit numbers are looked at for NaN and infinity alone: others are 0 here.
double ByteValue(uint32_t bits, FloatFormat format, TargetBit target) {
  if (target == kGfx942) return bits == 0x80 ? kNan : 0;
  const uint32_t magnitude = bits & 0x7f;
  if (format == FloatFormat::kFp8) return magnitude == 0x7f ? kNan : 0;
  if (magnitude == 0x7c) return std::numeric_limits<double>::infinity();
  return magnitude > 0x7c ? kNan : 0;
}

}  // namespace

int PrecisionOf(FloatFormat format) {
  static constexpr int kBits[] = {11, 8, 24, 53, 4, 3};
  return kBits[static_cast<int>(format)];
}

double OverflowOf(FloatFormat format, TargetBit target) {
  switch (format) {
    // The largest number and half of a unit in its last place.
    case FloatFormat::kF16:
      return 65504 + 16;
    case FloatFormat::kFp8:
      return target == kGfx942 ? 240 + 8 : 448 + 16;
    case FloatFormat::kBf8:
      return 57344 + 4096;
    default:
      return std::numeric_limits<double>::infinity();
  }
}

double FloatOperand::ValueOf(const Wave& wave, const Element& element, int lane,
                             TargetBit target) const {
  const uint32_t bits = Dword(wave, element.reg, lane) >> element.shift;
  switch (format) {
    case FloatFormat::kF64:
      return std::bit_cast<double>(uint64_t{Dword(wave, element.reg + 1, lane)} << 32 | bits);
    case FloatFormat::kF32:
      return std::bit_cast<float>(bits);
    case FloatFormat::kF16:
      return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
    case FloatFormat::kBf16:
      return std::bit_cast<float>(bits << 16);
    default:
      return ByteValue(bits & 0xff, format, target);
  }
}

bool FloatOperand::IsFiniteAt(const Wave& wave, const Element& element, int lane,
                              TargetBit target) const {
  // An exponent of all ones, without the way by a double: this is asked of every number.
  const int high = element.reg + (format == FloatFormat::kF64 ? 1 : 0);
  const uint32_t bits = Dword(wave, high, lane) >> element.shift;
  switch (format) {
    case FloatFormat::kF64:
      return (bits & 0x7ff00000) != 0x7ff00000;
    case FloatFormat::kF32:
      return (bits & 0x7f800000) != 0x7f800000;
    case FloatFormat::kBf16:
      return (bits & 0x7f80) != 0x7f80;
    case FloatFormat::kF16:
      return (bits & 0x7c00) != 0x7c00;
    default:
      return std::isfinite(ByteValue(bits & 0xff, format, target));
  }
}

bool FloatOperand::IsFinite(const Wave& wave, int lane, TargetBit target) const {
  if (constant) return std::isfinite(*constant);
  return std::all_of(elements.begin(), elements.end(), [&](const Element& element) {
    return IsFiniteAt(wave, element, lane, target);
  });
}

std::optional<FloatOp> FindFloatOp(const Instruction& instruction) {
  return Reader(instruction).Read();
}

}  // namespace gridwise::sim
