// SPDX-License-Identifier: MIT
#include "tools/sim/isa/text/operand.h"

#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

struct NamedRegister {
  std::string_view name;
  uint16_t index;
  uint16_t count;
};

constexpr NamedRegister kNamedRegisters[] = {
    {"vcc", kVccLo, 2},
    {"vcc_lo", kVccLo, 1},
    {"vcc_hi", kVccLo + 1, 1},
    {"exec", kExecLo, 2},
    {"exec_lo", kExecLo, 1},
    {"exec_hi", kExecLo + 1, 1},
    {"m0", kM0, 1},
    {"null", kNull, 1},
    {"flat_scratch", kFlatScratchLo, 2},
    {"flat_scratch_lo", kFlatScratchLo, 1},
    {"flat_scratch_hi", kFlatScratchLo + 1, 1},
    {"xnack_mask", kXnackMaskLo, 2},
    {"xnack_mask_lo", kXnackMaskLo, 1},
    {"xnack_mask_hi", kXnackMaskLo + 1, 1},
    {"src_shared_base", kSharedBase, 2},
    {"src_shared_limit", kSharedLimit, 2},
    {"src_private_base", kPrivateBase, 2},
    {"src_private_limit", kPrivateLimit, 2},
    {"src_scc", kScc, 1},
};

/// Register files whose names are a prefix and a number.
struct RegisterFile {
  std::string_view prefix;
  OperandKind kind;
  uint16_t first;
  uint16_t size;
};

constexpr RegisterFile kRegisterFiles[] = {
    {"v", OperandKind::kVector, 0, 256},
    {"a", OperandKind::kVector, kAgprBase, 256},
    {"s", OperandKind::kScalar, 0, 106},
    {"ttmp", OperandKind::kScalar, kTtmp0, 16},
};

/// Position of the first `c` outside of brackets, or npos.
size_t FindOutsideBrackets(std::string_view s, char c) {
  int depth = 0;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] == c && depth == 0) return i;
    if (s[i] == '[' || s[i] == '(') ++depth;
    if (s[i] == ']' || s[i] == ')') --depth;
  }
  return std::string_view::npos;
}

bool ParseNumber(std::string_view s, int64_t& out) {
  const bool negative = absl::ConsumePrefix(&s, "-");
  uint64_t value = 0;
  if (s.empty() || !absl::ascii_isdigit(static_cast<unsigned char>(s[0]))) return false;
  const bool ok =
      absl::StartsWith(s, "0x") ? absl::SimpleHexAtoi(s, &value) : absl::SimpleAtoi(s, &value);
  out = negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  return ok;
}

/// "5" or "[2:3]" after a register file's prefix.
bool ParseRange(std::string_view s, int64_t& first, int64_t& last) {
  if (!absl::ConsumePrefix(&s, "[")) {
    if (absl::StartsWith(s, "0x") || !ParseNumber(s, first)) return false;
    last = first;
    return true;
  }
  if (!absl::ConsumeSuffix(&s, "]")) return false;
  const size_t colon = s.find(':');
  if (colon == std::string_view::npos) return ParseNumber(s, first) && ParseNumber(s, last);
  return ParseNumber(s.substr(0, colon), first) && ParseNumber(s.substr(colon + 1), last) &&
         first <= last;
}

bool ParseRegister(std::string_view s, Operand& out) {
  for (const NamedRegister& r : kNamedRegisters) {
    if (s == r.name) {
      out.kind = OperandKind::kScalar;
      out.index = r.index;
      out.count = r.count;
      return true;
    }
  }
  Half half = Half::kNone;
  if (absl::StartsWith(s, "v")) {
    half = absl::ConsumeSuffix(&s, ".l")   ? Half::kLow
           : absl::ConsumeSuffix(&s, ".h") ? Half::kHigh
                                           : Half::kNone;
  }
  for (const RegisterFile& file : kRegisterFiles) {
    int64_t first = 0, last = 0;
    if (!absl::StartsWith(s, file.prefix) || !ParseRange(s.substr(file.prefix.size()), first, last))
      continue;
    if (first < 0 || last >= file.size || (half != Half::kNone && first != last)) continue;
    out.half = half;
    out.kind = file.kind;
    out.index = static_cast<uint16_t>(file.first + first);
    out.count = static_cast<uint16_t>(last - first + 1);
    return true;
  }
  return false;
}

bool ParseConstant(std::string_view s, Operand& out) {
  if (absl::ConsumePrefix(&s, "lit(")) {
    if (!absl::ConsumeSuffix(&s, ")")) return false;
    out.literal = true;
  }
  if (ParseNumber(s, out.integer)) {
    out.kind = OperandKind::kInteger;
    out.literal = out.literal || out.integer < -16 || out.integer > 64;
    return true;
  }
  if (s.find_first_not_of("-.0123456789e+") == std::string_view::npos &&
      absl::SimpleAtod(s, &out.real)) {
    out.kind = OperandKind::kFloat;
    return true;
  }
  return false;
}

/// Removes source modifiers: -x, |x|, -|x|, neg(x), sext(x). A minus before a digit belongs to the
/// number.
std::string_view StripSourceModifiers(std::string_view s, Operand& out) {
  if (s.size() > 1 && s[0] == '-' && !absl::ascii_isdigit(static_cast<unsigned char>(s[1]))) {
    out.negate = true;
    s.remove_prefix(1);
  }
  if (absl::StartsWith(s, "neg(") && absl::EndsWith(s, ")")) {
    out.negate = true;
    s = s.substr(4, s.size() - 5);
  }
  if (absl::StartsWith(s, "sext(") && absl::EndsWith(s, ")")) {
    out.sign_extend = true;
    s = s.substr(5, s.size() - 6);
  }
  if (s.size() > 2 && s.front() == '|' && s.back() == '|') {
    out.absolute = true;
    s = s.substr(1, s.size() - 2);
  }
  return s;
}

bool ParseOperand(std::string_view s, Operand& out) {
  out.text = s;
  if (s == "off") {
    out.kind = OperandKind::kOff;
    return true;
  }
  const std::string_view body = StripSourceModifiers(s, out);
  if (ParseRegister(body, out) || ParseConstant(body, out)) return true;
  // Instruction-specific text: a name, perhaps with arguments; anything else is not understood.
  const size_t paren = body.find('(');
  out.kind = OperandKind::kText;
  return body == s && paren != std::string_view::npos && body.back() == ')';
}

/// "name", "name:value", "name:[list]".
bool ParseModifier(std::string_view s, Modifier& out) {
  const size_t colon = s.find(':');
  out.name = s.substr(0, colon);
  if (out.name.empty() || !absl::ascii_isalpha(static_cast<unsigned char>(out.name[0])))
    return false;
  if (colon == std::string_view::npos) return true;
  out.value = s.substr(colon + 1);
  std::string_view list = out.value;
  if (absl::ConsumePrefix(&list, "[") && !absl::ConsumeSuffix(&list, "]")) return false;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    int64_t number = 0;
    if (!ParseNumber(absl::StripAsciiWhitespace(list.substr(0, comma)), number)) {
      out.numbers.clear();  // a name
      break;
    }
    out.numbers.push_back(number);
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return !out.value.empty();
}

void SplitMnemonic(Instruction& out) {
  constexpr std::pair<std::string_view, Encoding> kSuffixes[] = {
      {"_e32", Encoding::kE32},
      {"_e64", Encoding::kE64},
      {"_dpp", Encoding::kDpp},
      {"_sdwa", Encoding::kSdwa},
  };
  for (const auto& [suffix, encoding] : kSuffixes) {
    if (absl::ConsumeSuffix(&out.mnemonic, suffix)) {
      out.encoding = encoding;
      if (encoding == Encoding::kDpp) absl::ConsumeSuffix(&out.mnemonic, "_e64");
      return;
    }
  }
}

}  // namespace

bool Instruction::TakeFlag(std::string_view name) {
  for (Modifier& m : modifiers) {
    if (m.name == name && m.value.empty()) return m.taken = true;
  }
  return false;
}

int64_t Instruction::TakeNumber(std::string_view name, int64_t otherwise) {
  for (Modifier& m : modifiers) {
    if (m.name != name || m.numbers.size() != 1) continue;
    m.taken = true;
    return m.numbers[0];
  }
  return otherwise;
}

std::optional<std::vector<int64_t>> Instruction::TakeList(std::string_view name) {
  for (Modifier& m : modifiers) {
    if (m.name != name || m.numbers.empty()) continue;
    m.taken = true;
    return m.numbers;
  }
  return std::nullopt;
}

std::optional<std::string_view> Instruction::TakeText(std::string_view name) {
  for (Modifier& m : modifiers) {
    if (m.name != name || m.value.empty()) continue;
    m.taken = true;
    return m.value;
  }
  return std::nullopt;
}

absl::Status ParseInstruction(std::string_view text, Instruction& out) {
  out.text = std::string(absl::StripAsciiWhitespace(text));
  std::string_view rest = out.text;
  const auto error = [&](std::string_view part) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", part, "' in '", out.text, "' is not understood"));
  };
  if (const size_t dual = rest.find(" :: "); dual != std::string_view::npos) {
    out.dual = absl::StripAsciiWhitespace(rest.substr(dual + 4));
    rest = absl::StripAsciiWhitespace(rest.substr(0, dual));
  }
  const size_t space = rest.find(' ');
  out.mnemonic = rest.substr(0, space);
  SplitMnemonic(out);
  rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
  // Operands are separated by commas outside brackets; modifiers follow the last one, separated by
  // spaces.
  while (!(rest = absl::StripLeadingAsciiWhitespace(rest)).empty()) {
    const size_t comma = FindOutsideBrackets(rest, ',');
    std::string_view part = absl::StripAsciiWhitespace(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    bool first = true;
    while (!part.empty()) {
      const size_t end = FindOutsideBrackets(part, ' ');
      const std::string_view word = part.substr(0, end);
      part = end == std::string_view::npos ? std::string_view()
                                           : absl::StripLeadingAsciiWhitespace(part.substr(end));
      Operand operand;
      Modifier modifier;
      if (word == "|") continue;  // between the parts of s_delay_alu's operand
      if (first && ParseOperand(word, operand)) {
        out.operands.push_back(operand);
      } else if ((!first || out.operands.empty()) && comma == std::string_view::npos &&
                 ParseModifier(word, modifier)) {
        out.modifiers.push_back(std::move(modifier));
      } else {
        return error(word);
      }
      first = false;
    }
  }
  return absl::OkStatus();
}

}  // namespace gridwise::sim
