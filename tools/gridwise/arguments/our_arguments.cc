// SPDX-License-Identifier: MIT
#include "tools/gridwise/arguments/our_arguments.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "core/conv/problem.h"
#include "tools/gridwise/arguments/size_words.h"
#include "tools/gridwise/import/miopen_driver.h"
#include "tools/tune/our_words.h"

namespace gridwise {
namespace {

constexpr std::pair<std::string_view, WordKind> kFlags[] = {
    {"type", WordKind::kType},
    {"out_type", WordKind::kType},
    {"direction", WordKind::kDirection},
    {"layout", WordKind::kLayout},
    {"weight_layout", WordKind::kWeightLayout},
    {"family", WordKind::kFamily},
    {"op", WordKind::kOp}};

/// Flags of the same command in another program, and our flags that do the same.
struct OtherFlag {
  std::string_view command, other, ours;
};
constexpr OtherFlag kOtherFlags[] = {{"instances", "filter", "where"},
                                     {"instances", "count_only", "count"},
                                     {"instances", "export_json", "export"},
                                     {"sweep", "variant", "direction"},
                                     {"sweep", "output", "csv"},
                                     {"problems", "variant", "direction"},
                                     {"problems", "count", "number"},
                                     {"problems", "output", "csv"}};

/// Flags of version 0.1, and what is written now.
constexpr std::pair<std::string_view, std::string_view> kRetiredFlags[] = {
    {"row", "--instance"},
    {"rows", "--instances"},
    {"all_rows", "--all-instances"},
    {"chunk", "--shard"},
    {"first_rows", "--first-instances"},
    {"random_rows", "--random-instances"},
    {"miopen", "`gridwise import FILE`"}};

/// Words that are not values of a flag here, and why.
struct OtherWord {
  std::string_view flag, word, is;
};
constexpr OtherWord kOtherWords[] = {
    {"op", "scale", "a function of the sums of every op: --alpha=2, or --d0=mul:channel"},
    {"op", "bilinear", "a function of the sums of every op: --alpha=2 --d0=add:0.5"},
    {"op", "xdl", "the matrix unit of --device=gfx942, gfx950 and gfx90a"},
    {"op", "wmma", "the matrix unit of --device=gfx1100 and gfx1201"},
    {"direction", "bwd", "either bwd_data or bwd_weight"},
    {"weight_layout", "kcyx", "packed by channels, which no kernel reads; use gkyxc or kyxgc"},
    {"weight_layout", "gkcyx", "packed by channels, which no kernel reads; use gkyxc or kyxgc"}};

std::optional<WordKind> FindKind(std::string_view flag) {
  for (const auto& [name, kind] : kFlags) {
    if (name == flag) return kind;
  }
  return std::nullopt;
}

/// Returns our word for a value of a flag.
absl::StatusOr<std::string> TranslateValue(std::string_view flag, const std::string& value) {
  const std::optional<WordKind> kind = FindKind(flag);
  if (!kind) return value;
  std::string ours = OurWord(*kind, value);
  const std::string lower = absl::AsciiStrToLower(ours);
  for (const OtherWord& other : kOtherWords) {
    if (other.flag != flag || other.word != lower) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the ", flag, " '", value, "' is ", other.is, " (docs/coming-from.md)"));
  }
  return ours;
}

/// Translates a choice of `compare`, such as family=classic,op=TwoStage+wavelet.
absl::StatusOr<std::string> TranslateChoice(const std::string& choice) {
  std::vector<std::string> parts;
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(choice, ','))) {
    const std::size_t equals = part.find('=');
    if (equals == part.npos) {
      parts.push_back(part);
      continue;
    }
    std::vector<std::string> words = absl::StrSplit(part.substr(equals + 1), '+');
    for (std::string& word : words) {
      absl::StatusOr<std::string> ours = TranslateValue(part.substr(0, equals), word);
      if (!ours.ok()) return ours.status();
      word = *std::move(ours);
    }
    parts.push_back(absl::StrCat(part.substr(0, equals + 1), absl::StrJoin(words, "+")));
  }
  return absl::StrJoin(parts, ",");
}

/// Returns an error if the flag has a new name.
absl::Status CheckFlag(std::string_view name) {
  const std::string flag = absl::StrReplaceAll(name, {{"-", "_"}});
  for (const auto& [retired, now] : kRetiredFlags) {
    if (flag == retired) {
      return absl::InvalidArgumentError(absl::StrCat("--", name, " is now ", now));
    }
  }
  return absl::OkStatus();
}

std::string TranslateFlag(std::string_view command, std::string_view name) {
  std::string flag = absl::StrReplaceAll(name, {{"-", "_"}});
  for (const OtherFlag& other : kOtherFlags) {
    if (other.command == command && other.other == flag) return std::string(other.ours);
  }
  return flag;
}

using Arguments = std::vector<std::string>;

/// Whether the command takes the sizes of a problem, and its words are no files.
bool TakesProblem(const Arguments& arguments) {
  constexpr std::string_view kCommands[] = {"run", "explain", "sweep"};
  return arguments.size() > 1 && std::ranges::find(kCommands, arguments[1]) != std::end(kCommands);
}

/// The first word of a command line of MIOpenDriver: the driver's name, or what it does.
Arguments::iterator FindDriver(Arguments& arguments) {
  for (auto word = arguments.begin() + 2; word != arguments.end(); ++word) {
    const std::string& before = *(word - 1);
    const bool is_value = before == "--problem" || before == "--problems";
    if (IsMIOpenDriver(*word) || (IsMIOpenConvolution(*word) && !is_value)) return word;
  }
  return arguments.end();
}

/// Makes one argument, --problem, of the words of a command line of MIOpenDriver:
/// `run MIOpenDriver convfp16 -n 32 -F 1 --verify`, also without the driver's name.
Arguments WithDriverLine(Arguments arguments) {
  if (!TakesProblem(arguments)) return arguments;
  const auto driver = FindDriver(arguments);
  if (driver == arguments.end()) return arguments;
  std::string line = "--problem=MIOpenDriver";
  Arguments ours(arguments.begin(), driver);
  for (auto word = driver; word != arguments.end(); ++word) {
    const bool is_option = word + 1 != arguments.end() && IsMIOpenOption(*word, *(word + 1));
    if (is_option) {
      absl::StrAppend(&line, " ", *word, " ", *(word + 1));
      ++word;
    } else if (IsMIOpenConvolution(*word)) {
      absl::StrAppend(&line, " ", *word);
    } else if (!IsMIOpenDriver(*word)) {
      ours.push_back(*word);
    }
  }
  ours.push_back(line);
  return ours;
}

/// Whether an argument is a word for the direction, not a flag or its value, as in --in 9x9.
bool IsDirection(const std::string& argument) {
  if (argument.starts_with("--")) return false;
  const std::string word = OurWord(WordKind::kDirection, argument);
  return word == "conv_transpose" || word == "gemm" || ParseDirection(word).has_value();
}

/// Says that the layer is a transposed convolution.
absl::Status SetTransposed(Arguments& ours) {
  if (ours[1] == "sweep") {
    return absl::InvalidArgumentError(
        "sweep takes no transposed convolution; `gridwise run conv_transpose` prints the bwd_data "
        "problem that it is");
  }
  const auto word = std::find_if(ours.begin() + 2, ours.end(), IsDirection);
  if (word == ours.end()) {
    ours.insert(ours.begin() + 2, "conv_transpose");
    return absl::OkStatus();
  }
  if (OurWord(WordKind::kDirection, *word) == "fwd") *word = "conv_transpose";
  if (*word == "conv_transpose") return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the layer is a transposed convolution, whose direction is '", *word,
                   "'; must be conv_transpose, which is bwd_data of a convolution"));
}

/// Sizes in the words of PyTorch and ONNX as our flags. Those of a layer that --problem shows come
/// first, so that others override them.
absl::StatusOr<Arguments> WithSizes(const Arguments& arguments) {
  if (!TakesProblem(arguments)) return arguments;
  Arguments ours(arguments.begin(), arguments.begin() + 2);
  std::optional<PrintedLayer> layer;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const std::size_t equals = argument.find('=');
    const bool is_next = equals == argument.npos && i + 1 < arguments.size();  // the value
    std::string name = argument.substr(0, equals);
    if (!absl::StartsWith(name, "--") || (equals == argument.npos && !is_next)) {
      ours.push_back(argument);
      continue;
    }
    name = absl::StrReplaceAll(name.substr(2), {{"-", "_"}});
    const std::string value = is_next ? arguments[i + 1] : argument.substr(equals + 1);
    if (name == "problem") {
      auto read = ReadLayer(value);
      if (!read.ok()) return read.status();
      if (!*read) {
        ours.push_back(argument);
        continue;
      }
      layer = **std::move(read);
    } else {
      const auto flags = SizeFlags(name, value);
      if (!flags.ok()) return flags.status();
      if (!*flags) {
        ours.push_back(argument);
        continue;
      }
      ours.insert(ours.end(), (*flags)->begin(), (*flags)->end());
    }
    if (is_next) ++i;
  }
  if (!layer) return ours;
  if (layer->transposed) {
    if (absl::Status status = SetTransposed(ours); !status.ok()) return status;
  }
  ours.insert(ours.begin() + 2, layer->flags.begin(), layer->flags.end());
  return ours;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> InOurWords(std::vector<std::string> arguments) {
  absl::StatusOr<std::vector<std::string>> sized = WithSizes(WithDriverLine(std::move(arguments)));
  if (!sized.ok()) return sized.status();
  arguments = *std::move(sized);
  std::vector<std::size_t> words;  // positions of arguments that are not flags
  std::string command;
  for (std::size_t i = 1; i < arguments.size() && arguments[i] != "--"; ++i) {
    std::string& argument = arguments[i];
    if (!argument.starts_with("--")) {
      words.push_back(i);
      if (words.size() == 1) command = argument;
      if (words.size() != 2 || (command != "run" && command != "explain")) continue;
      absl::StatusOr<std::string> direction = TranslateValue("direction", argument);
      if (!direction.ok()) return direction.status();
      argument = *std::move(direction);
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(2, equals == argument.npos ? equals : equals - 2);
    if (absl::Status s = CheckFlag(name); !s.ok()) return s;
    const std::string flag = TranslateFlag(command, name);
    if (TranslateFlag("", name) != flag) argument.replace(2, name.size(), flag);
    const bool is_choice = command == "compare" && (flag == "a" || flag == "b");
    if (!is_choice && !FindKind(flag)) continue;
    const bool is_next = equals == argument.npos;   // the value
    if (is_next && ++i == arguments.size()) break;  // the value is missing, which is an error
    std::string& text = arguments[i];
    const std::size_t begin = is_next ? 0 : text.find('=') + 1;
    absl::StatusOr<std::string> value =
        is_choice ? TranslateChoice(text.substr(begin)) : TranslateValue(flag, text.substr(begin));
    if (!value.ok()) return value.status();
    text.replace(begin, text.npos, *value);
  }
  return arguments;
}

}  // namespace gridwise
