// SPDX-License-Identifier: MIT
#include "tools/gridwise/arguments/size_words.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/gridwise/import/line.h"
#include "tools/gridwise/problem/problem_flags.h"

namespace gridwise {
namespace {

struct SizeWord {
  std::string_view attribute, flag;
};
/// torch.nn.Conv2d of PyTorch; Conv and ConvTranspose of docs/Operators.md of ONNX.
constexpr SizeWord kSizeWords[] = {
    {"in_channels", "c"},      {"out_channels", "k"},
    {"kernel_size", "filter"}, {"kernel_shape", "filter"},
    {"strides", "stride"},     {"dilations", "dilation"},
    {"group", "groups"},       {"padding", "pad"},
    {"auto_pad", "pad"},       {"pads", "pad"},
    {"stride", "stride"},      {"dilation", "dilation"},
    {"groups", "groups"},      {"output_padding", "output-padding"},
};

/// Arguments of PyTorch's constructors by position.
constexpr std::string_view kOfConv[] = {"in_channels", "out_channels", "kernel_size",
                                        "stride",      "padding",      "dilation",
                                        "groups",      "bias",         "padding_mode"};
constexpr std::string_view kOfConvTranspose[] = {
    "in_channels",    "out_channels", "kernel_size", "stride",   "padding",
    "output_padding", "groups",       "bias",        "dilation", "padding_mode"};

/// What a value is without blanks and the quotes of a text.
std::string_view Bare(std::string_view value) {
  value = absl::StripAsciiWhitespace(value);
  for (const char quote : {'"', '\''}) {
    if (value.size() >= 2 && value.front() == quote && value.back() == quote) {
      value = value.substr(1, value.size() - 2);
    }
  }
  return value;
}

absl::StatusOr<std::vector<std::string>> PadsFlags(std::string_view value) {
  const std::vector<std::string> pads = absl::StrSplit(NormalizeSizes(value), 'x');
  if (pads.size() % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "pads is '", value,
        "'; must be the padding at the beginning of each axis and then that at the end of each"));
  }
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2);
  const std::string begin = absl::StrJoin(pads.begin(), middle, "x");
  const std::string end = absl::StrJoin(middle, pads.end(), "x");
  std::vector<std::string> flags = {absl::StrCat("--pad=", begin)};
  if (begin != end) flags.push_back(absl::StrCat("--pad-end=", end));
  return flags;
}

/// A layer's name and its arguments.
struct Call {
  std::string_view name, arguments;
  bool is_node = false;  // of ONNX
};

/// The axes that the name of a module has: 2 of "Conv2d"; 0 for any, as an operator of ONNX.
std::optional<int> ParseRank(std::string_view name) {
  absl::ConsumePrefix(&name, "Lazy");
  if (!absl::ConsumePrefix(&name, "Conv")) return std::nullopt;
  absl::ConsumePrefix(&name, "Transpose");
  if (name.empty()) return 0;
  if (name.size() == 2 && name[0] >= '1' && name[0] <= '3' && name[1] == 'd') return name[0] - '0';
  return std::nullopt;
}

bool IsOfWord(char c) { return absl::ascii_isalnum(c) || c == '_'; }

/// The first name of a layer in a text, with the arguments after it.
std::optional<Call> ParseCall(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::ranges::find_if_not(text, IsOfWord);
    const auto size = static_cast<std::size_t>(end - text.begin());
    const std::string_view name = text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
    const std::optional<int> axes = ParseRank(name);
    const std::string_view rest = absl::StripLeadingAsciiWhitespace(text);
    const bool is_node = axes == 0;
    if (!axes || rest.empty() || !absl::StrContains(is_node ? "[<" : "(", rest[0])) continue;
    const std::size_t close = FindClosing(rest, "([<", ")]>");
    if (close != rest.npos) return Call{name, rest.substr(1, close - 1), is_node};
  }
  return std::nullopt;
}

/// Whether an argument has nothing to do with sizes, or says what is so here anyway.
bool IsLeftOut(std::string_view argument, std::string_view value) {
  if (argument == "bias" || argument == "device") return true;
  return argument == "padding_mode" && value == "zeros";
}

/// Adds the flags of an argument of a module with `axes` axes, 0 for any.
absl::Status AddArgument(const Call& call, int axes, std::string_view argument,
                         std::string_view value, PrintedLayer& layer) {
  if (IsLeftOut(argument, value)) return absl::OkStatus();
  if (argument == "dtype") {
    absl::ConsumePrefix(&value, "torch.");
    layer.flags.push_back(absl::StrCat("--type=", value));
    return absl::OkStatus();
  }
  const auto flags = SizeFlags(argument, value);
  if (!flags.ok()) return flags.status();
  if (!*flags) {
    return absl::InvalidArgumentError(
        absl::StrCat(call.name, " has ", argument, "=", value, ", which Gridwise does not have"));
  }
  for (std::string flag : **flags) {
    // PyTorch's single number is that of each axis, and tells how many there are.
    if (axes > 1 && flag.starts_with("--filter=") && !absl::StrContains(flag, "x")) {
      const std::string number = flag.substr(flag.find('=') + 1);
      for (int axis = 1; axis < axes; ++axis) absl::StrAppend(&flag, "x", number);
    }
    layer.flags.push_back(std::move(flag));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<std::vector<std::string>>> SizeFlags(std::string_view attribute,
                                                                  std::string_view value) {
  const auto* const word = std::ranges::find(kSizeWords, attribute, &SizeWord::attribute);
  if (word == std::end(kSizeWords)) return std::nullopt;
  value = Bare(value);
  if (attribute == "pads") {
    absl::StatusOr<std::vector<std::string>> flags = PadsFlags(value);
    if (!flags.ok()) return flags.status();
    return *std::move(flags);
  }
  if (attribute == "auto_pad") {
    const std::string mode = absl::AsciiStrToLower(value);
    if (mode == "notset") return std::vector<std::string>();
    if (mode != "same_upper" && mode != "same_lower" && mode != "valid") {
      return absl::InvalidArgumentError(absl::StrCat(
          "auto_pad is '", value, "'; must be NOTSET, SAME_UPPER, SAME_LOWER or VALID"));
    }
  }
  return std::vector<std::string>{absl::StrCat("--", word->flag, "=", NormalizeSizes(value))};
}

absl::StatusOr<std::optional<PrintedLayer>> ReadLayer(std::string_view text) {
  const std::optional<Call> call = ParseCall(text);
  if (!call) return std::nullopt;
  PrintedLayer layer = {.transposed = absl::StrContains(call->name, "Transpose"), .flags = {}};
  std::vector<std::string_view> positions(std::begin(kOfConv), std::end(kOfConv));
  if (layer.transposed) {
    positions.assign(std::begin(kOfConvTranspose), std::end(kOfConvTranspose));
  }
  const int axes = ParseRank(call->name).value_or(0);
  std::size_t position = 0;
  for (const std::string_view argument : SplitList(call->arguments)) {
    if (argument.empty()) continue;
    const std::size_t equals = argument.find('=');
    std::string_view name = absl::StripAsciiWhitespace(argument.substr(0, equals));
    if (equals != argument.npos) name = name.substr(0, name.find(':'));  // "group: int = 2"
    const std::string_view value =
        Bare(equals == argument.npos ? argument : argument.substr(equals + 1));
    if (equals == argument.npos) {
      if (call->is_node || position == positions.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat(call->name, " has '", argument, "', which has no name"));
      }
      name = positions[position++];
    }
    absl::Status status = AddArgument(*call, axes, name, value, layer);
    if (!status.ok()) return status;
  }
  return layer;
}

}  // namespace gridwise
