// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/hlo.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/conv/direction.h"
#include "tools/gridwise/import/xla_convolution.h"

namespace gridwise {
namespace {

constexpr char kKind[] = "instructions of XLA";

/// Removes and returns what is before `end`, and `end`; nullopt if it is not there.
std::optional<std::string_view> TakeUntil(std::string_view& text, std::string_view end) {
  const std::size_t position = text.find(end);
  if (position == text.npos) return std::nullopt;
  const std::string_view taken = text.substr(0, position);
  text.remove_prefix(position + end.size());
  return taken;
}

bool IsWord(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.' || c == '$';
  });
}

/// Takes "bf16[8,28,28,128]{3,2,1,0}" from the front; nullopt if the text does not begin with a
/// shape of numbers.
std::optional<XlaShape> TakeShape(std::string_view& text) {
  std::string_view rest = text;
  const std::optional<std::string_view> type = TakeUntil(rest, "[");
  const std::optional<std::string_view> sizes = type ? TakeUntil(rest, "]") : std::nullopt;
  if (!sizes || !IsWord(*type)) return std::nullopt;
  XlaShape shape = {.type = std::string(*type), .sizes = {}};
  for (std::string_view size : absl::StrSplit(*sizes, ',', absl::SkipEmpty())) {
    absl::ConsumePrefix(&size, "<=");  // of a dynamic size, the bound
    const absl::StatusOr<std::int64_t> number = ReadImportedNumber("a size", size);
    if (!number.ok()) return std::nullopt;
    shape.sizes.push_back(*number);
  }
  if (absl::ConsumePrefix(&rest, "{")) {
    std::optional<std::string_view> layout = TakeUntil(rest, "}");
    if (!layout) return std::nullopt;
    layout = layout->substr(0, layout->find(':'));  // tiles follow
    for (const std::string_view dimension : absl::StrSplit(*layout, ',', absl::SkipEmpty())) {
      std::int64_t number = 0;
      if (!absl::SimpleAtoi(dimension, &number)) return std::nullopt;
      shape.minor_to_major.push_back(number);
    }
  }
  text = rest;
  return shape;
}

/// An instruction, as far as convolutions need it.
struct Instruction {
  std::string name, opcode = {};
  XlaShape shape = {};  // of a tuple, the first one
  std::vector<std::string> operands = {};
  std::vector<std::optional<XlaShape>> shapes = {};  // of operands, where the line has them
  std::string_view attributes = {};
};

/// The instruction of a line; nullopt if it has none with a shape of numbers.
std::optional<Instruction> ReadInstruction(std::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  absl::ConsumePrefix(&line, "ROOT ");
  absl::ConsumePrefix(&line, "%");
  const std::optional<std::string_view> name = TakeUntil(line, " = ");
  if (!name || !IsWord(*name)) return std::nullopt;
  Instruction instruction = {.name = std::string(*name)};
  const bool is_tuple = line.starts_with('(');
  std::string_view rest = line.substr(is_tuple ? 1 : 0);
  std::optional<XlaShape> shape = TakeShape(rest);
  if (!shape) return std::nullopt;
  if (is_tuple) {
    const std::size_t close = FindClosing(line);
    if (close == line.npos) return std::nullopt;
    rest = line.substr(close + 1);
  }
  instruction.shape = *std::move(shape);
  const std::size_t open = rest.find('(');
  if (open == rest.npos) return std::nullopt;
  instruction.opcode = absl::StripAsciiWhitespace(rest.substr(0, open));
  if (!IsWord(instruction.opcode)) return std::nullopt;
  rest.remove_prefix(open);
  const std::size_t close = FindClosing(rest);
  if (close == rest.npos) return std::nullopt;
  for (std::string_view operand : SplitList(rest.substr(1, close - 1))) {
    instruction.shapes.push_back(TakeShape(operand));
    operand = absl::StripAsciiWhitespace(operand);
    absl::ConsumePrefix(&operand, "%");
    instruction.operands.emplace_back(operand);
  }
  instruction.attributes = rest.substr(close + 1);
  return instruction;
}

/// The value of an attribute, without braces and quotes; empty if there is none.
std::string_view FindAttribute(std::string_view attributes, std::string_view name) {
  for (const std::string_view part : SplitList(attributes)) {
    std::string_view value = part;
    if (!absl::ConsumePrefix(&value, name) || !absl::ConsumePrefix(&value, "=")) continue;
    if (absl::ConsumePrefix(&value, "{")) absl::ConsumeSuffix(&value, "}");
    if (absl::ConsumePrefix(&value, "\"")) absl::ConsumeSuffix(&value, "\"");
    return value;
  }
  return "";
}

/// Sets a number of each axis, from "3x3".
absl::Status SetNumbers(std::string_view what, std::string_view text,
                        std::int64_t XlaWindowAxis::* member, std::vector<XlaWindowAxis>& window) {
  const absl::StatusOr<std::vector<std::int64_t>> values = ReadImportedNumbers(what, text, 'x');
  if (!values.ok()) return values.status();
  if (values->size() > 8 || (!window.empty() && window.size() != values->size())) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the window's %s is '%s'; must have a number for each axis", what, text));
  }
  window.resize(values->size());
  for (std::size_t axis = 0; axis < values->size(); ++axis) window[axis].*member = (*values)[axis];
  return absl::OkStatus();
}

/// Sets the padding of each axis, from "1_1x0_1".
absl::Status SetPadding(std::string_view text, std::vector<XlaWindowAxis>& window) {
  std::vector<std::string> low, high;
  for (const std::string_view axis : absl::StrSplit(text, 'x')) {
    const std::pair<std::string, std::string> ends = absl::StrSplit(axis, absl::MaxSplits('_', 1));
    low.push_back(ends.first);
    high.push_back(ends.second);
  }
  absl::Status status = SetNumbers("pad", absl::StrJoin(low, "x"), &XlaWindowAxis::pad_low, window);
  status.Update(SetNumbers("pad", absl::StrJoin(high, "x"), &XlaWindowAxis::pad_high, window));
  return status;
}

absl::StatusOr<std::vector<XlaWindowAxis>> ReadWindow(std::string_view text) {
  constexpr std::pair<std::string_view, std::int64_t XlaWindowAxis::*> kFields[] = {
      {"size", &XlaWindowAxis::size},
      {"stride", &XlaWindowAxis::stride},
      {"lhs_dilate", &XlaWindowAxis::base_dilation},
      {"rhs_dilate", &XlaWindowAxis::window_dilation}};
  std::vector<XlaWindowAxis> window;
  for (const std::string_view field : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::pair<std::string_view, std::string_view> parts =
        absl::StrSplit(field, absl::MaxSplits('=', 1));
    const auto& [name, value] = parts;
    absl::Status status;
    const auto known = std::ranges::find(
        kFields, name, &std::pair<std::string_view, std::int64_t XlaWindowAxis::*>::first);
    if (known != std::end(kFields)) {
      status = SetNumbers(name, value, known->second, window);
    } else if (name == "pad") {
      status = SetPadding(value, window);
    } else if (name == "rhs_reversal") {
      const std::vector<std::string_view> flags = absl::StrSplit(value, 'x');
      for (std::size_t axis = 0; axis < std::min(flags.size(), window.size()); ++axis) {
        window[axis].reversed = flags[axis] == "1";
      }
    } else {
      status = absl::InvalidArgumentError(
          absl::StrFormat("the window's '%s' is unknown; known are size, stride, pad, lhs_dilate, "
                          "rhs_dilate and rhs_reversal",
                          name));
    }
    if (!status.ok()) return status;
  }
  return window;
}

/// Sets labels from "b01f_01io->b01f".
absl::Status SetLabels(std::string_view text, XlaConvolution& xla) {
  std::string_view rest = text;
  const std::optional<std::string_view> lhs = TakeUntil(rest, "_"), rhs = TakeUntil(rest, "->");
  if (!lhs || !rhs) {
    return absl::InvalidArgumentError(
        absl::StrFormat("dim_labels is '%s'; must be as b01f_01io->b01f", text));
  }
  xla.lhs_labels = *lhs;
  xla.rhs_labels = *rhs;
  xla.out_labels = rest;
  return absl::OkStatus();
}

absl::Status SetCount(std::string_view attributes, std::string_view name, std::int64_t& count) {
  const std::string_view text = FindAttribute(attributes, name);
  if (text.empty()) return absl::OkStatus();
  const absl::StatusOr<std::int64_t> number = ReadImportedNumber(name, text);
  if (number.ok()) count = *number;
  return number.status();
}

/// What is in the attributes.
absl::StatusOr<XlaConvolution> ReadAttributes(std::string_view attributes) {
  XlaConvolution xla;
  absl::StatusOr<std::vector<XlaWindowAxis>> window =
      ReadWindow(FindAttribute(attributes, "window"));
  if (!window.ok()) return window.status();
  xla.window = *std::move(window);
  absl::Status status = SetLabels(FindAttribute(attributes, "dim_labels"), xla);
  // A convolution over no axis has no window.
  status.Update(SetCount(attributes, "feature_group_count", xla.feature_group_count));
  status.Update(SetCount(attributes, "batch_group_count", xla.batch_group_count));
  if (!status.ok()) return status;
  return xla;
}

/// A target of custom calls of cuDNN, and its direction.
struct CustomCall {
  std::string_view target;
  Direction direction;
};
constexpr CustomCall kCustomCalls[] = {{"__cudnn$convForward", Direction::kForward},
                                       {"__cudnn$convForwardGraph", Direction::kForward},
                                       {"__cudnn$convBiasActivationForward", Direction::kForward},
                                       {"__cudnn$convBackwardInput", Direction::kBackwardData},
                                       {"__cudnn$convBackwardFilter", Direction::kBackwardWeight}};

class Reader {
 public:
  ImportedLine Read(std::string_view line) {
    std::optional<Instruction> read = ReadInstruction(line);
    if (!read) return std::nullopt;
    const Instruction& instruction = *read;
    shapes_[instruction.name] = instruction.shape;
    if (instruction.opcode == "reverse") reversed_.insert(instruction.name);
    if (instruction.opcode == "convolution") return Convolution(instruction);
    if (instruction.opcode != "custom-call") {
      return ImportedItem::Skip(kKind, instruction.opcode);
    }
    const std::string_view target = FindAttribute(instruction.attributes, "custom_call_target");
    const auto known = std::ranges::find(kCustomCalls, target, &CustomCall::target);
    if (known == std::end(kCustomCalls)) return ImportedItem::Skip(kKind, target);
    return Called(instruction, known->direction);
  }

 private:
  absl::StatusOr<XlaShape> OperandShape(const Instruction& instruction, std::size_t index) const {
    if (index >= instruction.operands.size()) {
      return absl::InvalidArgumentError(absl::StrFormat("%s has %d operands; must have at least 2",
                                                        instruction.name,
                                                        instruction.operands.size()));
    }
    const std::optional<XlaShape>& given = instruction.shapes[index];
    if (given) return *given;
    const auto known = shapes_.find(instruction.operands[index]);
    if (known != shapes_.end()) return known->second;
    return absl::InvalidArgumentError(
        absl::StrFormat("no line before gives the shape of %s", instruction.operands[index]));
  }

  ImportedLine Convolution(const Instruction& instruction) const {
    absl::StatusOr<XlaConvolution> xla = ReadAttributes(instruction.attributes);
    if (!xla.ok()) return xla.status();
    absl::StatusOr<XlaShape> lhs = OperandShape(instruction, 0), rhs = OperandShape(instruction, 1);
    if (!lhs.ok()) return lhs.status();
    if (!rhs.ok()) return rhs.status();
    xla->lhs = *std::move(lhs);
    xla->rhs = *std::move(rhs);
    xla->out = instruction.shape;
    xla->rhs_is_reversed = reversed_.contains(instruction.operands[1]);
    return Named(instruction, FromXla(kKind, *xla));
  }

  ImportedLine Called(const Instruction& instruction, Direction direction) const {
    absl::StatusOr<XlaConvolution> xla = ReadAttributes(instruction.attributes);
    if (!xla.ok()) return xla.status();
    absl::StatusOr<XlaShape> a = OperandShape(instruction, 0), b = OperandShape(instruction, 1);
    if (!a.ok()) return a.status();
    if (!b.ok()) return b.status();
    const bool forward = direction == Direction::kForward;
    const bool data = direction == Direction::kBackwardData;
    xla->lhs = data ? instruction.shape : *a;
    xla->rhs = forward || data ? *b : instruction.shape;
    xla->out = forward ? instruction.shape : data ? *a : *b;
    return Named(instruction, FromForwardXla(kKind, *xla, direction));
  }

  static ImportedLine Named(const Instruction& instruction, absl::StatusOr<ImportedItem> item) {
    if (!item.ok()) return item.status();
    item->name = instruction.name;
    return *std::move(item);
  }

  std::map<std::string, XlaShape> shapes_;
  std::set<std::string> reversed_;
};

}  // namespace

LineReader HloReader() {
  return
      [reader = std::make_shared<Reader>()](std::string_view line) { return reader->Read(line); };
}

}  // namespace gridwise
