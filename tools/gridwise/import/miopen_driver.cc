// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/miopen_driver.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/types.h"
#include "core/conv/problem.h"

namespace gridwise {
namespace {

constexpr char kKind[] = "MIOpenDriver command lines";

using PerDim = std::array<std::int64_t, 3>;  // d, h, w

/// What a line says, with the driver's defaults.
struct Command {
  std::string word;  // "convfp16"
  std::int64_t spatial_dim = 2, forw = 0, batchsize = 100, in_channels = 3, out_channels = 32;
  std::int64_t group_count = 1, pad_val = 0, tensor_vect = 0;
  PerDim in = {32, 32, 32}, fil = {3, 3, 3}, stride = {1, 1, 1}, pad = {0, 0, 0};
  PerDim dilation = {1, 1, 1}, trans_output_pad = {0, 0, 0};
  std::string mode = "conv", pad_mode = "default", in_layout, fil_layout, out_layout;
  std::string in_cast_type = "-1", out_cast_type = "-1", wei_cast_type = "-1";

  bool transposed() const { return mode == "trans"; }
};

struct IntFlag {
  std::string_view name;
  char letter;
  std::int64_t Command::* field;
};
constexpr IntFlag kIntFlags[] = {
    {"spatial_dim", '_', &Command::spatial_dim},   {"forw", 'F', &Command::forw},
    {"batchsize", 'n', &Command::batchsize},       {"in_channels", 'c', &Command::in_channels},
    {"out_channels", 'k', &Command::out_channels}, {"group_count", 'g', &Command::group_count},
    {"pad_val", 'r', &Command::pad_val},           {"tensor_vect", 'Z', &Command::tensor_vect},
};

/// A flag for each of the axes d, h, w.
struct AxisFlag {
  std::string_view name;
  std::string_view letters;
  PerDim Command::* field;
};
constexpr AxisFlag kAxisFlags[] = {
    {"in", "!HW", &Command::in},
    {"fil", "@yx", &Command::fil},
    {"conv_stride", "#uv", &Command::stride},
    {"pad", "$pq", &Command::pad},
    {"dilation", "^lj", &Command::dilation},
    {"trans_output_pad", "%YX", &Command::trans_output_pad},
};

struct TextFlag {
  std::string_view name;
  char letter;
  std::string Command::* field;
};
constexpr TextFlag kTextFlags[] = {
    {"mode", 'm', &Command::mode},
    {"pad_mode", 'z', &Command::pad_mode},
    {"in_layout", 'I', &Command::in_layout},
    {"fil_layout", 'f', &Command::fil_layout},
    {"out_layout", 'O', &Command::out_layout},
    {"in_cast_type", 'U', &Command::in_cast_type},
    {"out_cast_type", 'T', &Command::out_cast_type},
    {"wei_cast_type", 'R', &Command::wei_cast_type},
};

/// Of how the driver runs, or of the data.
constexpr std::pair<std::string_view, char> kOtherFlags[] = {
    {"iter", 'i'},
    {"verify", 'V'},
    {"verification_cache", 'C'},
    {"time", 't'},
    {"wall", 'w'},
    {"search", 's'},
    {"printconv", 'P'},
    {"dump_output", 'o'},
    {"in_data", 'd'},
    {"weights", 'e'},
    {"bias", 'b'},
    {"vector_length", 'L'},
    {"in_bias", 'a'},
    {"dout_data", 'D'},
    {"solution", 'S'},
    {"gpualloc", 'G'},
    {"math_type", 'M'},
    {"init_output_nan", 'N'},
    {"tuning_policy", '&'},
    {"gpubuffer_check", '~'},
};

/// Whether a word is the flag, as --name or -letter.
bool IsFlag(std::string_view word, std::string_view name, char letter) {
  if (word.starts_with("--")) return word.substr(2) == name;
  return word.size() == 2 && word[0] == '-' && word[1] == letter;
}

/// Takes a flag and its value; false if there is no such flag, and an error for a value that is
/// none.
absl::StatusOr<bool> Take(std::string_view word, std::string_view value, Command& command) {
  std::int64_t* number = nullptr;
  for (const IntFlag& flag : kIntFlags) {
    if (IsFlag(word, flag.name, flag.letter)) number = &(command.*flag.field);
  }
  for (const AxisFlag& flag : kAxisFlags) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string name = absl::StrCat(flag.name, "_", kAxisNames[axis]);
      if (IsFlag(word, name, flag.letters[axis])) number = &(command.*flag.field)[axis];
    }
  }
  if (number != nullptr) {
    const absl::StatusOr<std::int64_t> read = ReadImportedNumber(word, value);
    if (!read.ok()) return read.status();
    *number = *read;
    return true;
  }
  for (const TextFlag& flag : kTextFlags) {
    if (!IsFlag(word, flag.name, flag.letter)) continue;
    command.*flag.field = value;
    return true;
  }
  return std::any_of(std::begin(kOtherFlags), std::end(kOtherFlags),
                     [&](const auto& flag) { return IsFlag(word, flag.first, flag.second); });
}

/// `words` are the driver's name, what it does, and flags with their values.
absl::StatusOr<Command> ReadCommand(std::span<const std::string_view> words) {
  Command command;
  command.word = words[1];
  for (std::size_t i = 2; i < words.size(); i += 2) {
    if (i + 1 == words.size()) {
      return absl::InvalidArgumentError(absl::StrFormat("%s has no value", words[i]));
    }
    const absl::StatusOr<bool> taken = Take(words[i], words[i + 1], command);
    if (!taken.ok()) return taken.status();
    if (!*taken) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s is no flag of MIOpenDriver's convolutions", words[i]));
    }
  }
  return command;
}

absl::Status CheckRange(std::string_view flag, std::int64_t value, std::int64_t low,
                        std::int64_t high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("--%s is %d; must be %d to %d", flag, value, low, high));
}

/// What Gridwise does not have.
template <class T>
absl::Status CheckAbsent(std::string_view flag, const T& value, const T& absent) {
  if (value == absent) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("--", flag, " is ", value, "; Gridwise has ", absent, " alone"));
}

absl::Status CheckCommand(const Command& command) {
  absl::Status status = CheckRange("spatial_dim", command.spatial_dim, 2, 3);
  status.Update(CheckRange("forw", command.forw, 0, 7));
  status.Update(CheckAbsent<std::int64_t>("pad_val", command.pad_val, 0));
  status.Update(CheckAbsent<std::int64_t>("tensor_vect", command.tensor_vect, 0));
  status.Update(CheckAbsent<std::string>("in_cast_type", command.in_cast_type, "-1"));
  status.Update(CheckAbsent<std::string>("out_cast_type", command.out_cast_type, "-1"));
  status.Update(CheckAbsent<std::string>("wei_cast_type", command.wei_cast_type, "-1"));
  if (!status.ok()) return status;
  if (command.mode != "conv" && command.mode != "trans") {
    return absl::InvalidArgumentError(
        absl::StrFormat("--mode is '%s'; must be conv or trans", command.mode));
  }
  if (command.pad_mode != "default" && command.pad_mode != "same" && command.pad_mode != "valid") {
    return absl::InvalidArgumentError(
        absl::StrFormat("--pad_mode is '%s'; must be default, same or valid", command.pad_mode));
  }
  return absl::OkStatus();
}

/// Types of the operands by the driver's first word. convint8's output is i32, our default. Of
/// 8-bit floats MIOpen has gfx942's.
constexpr std::pair<std::string_view, DataType> kTypes[] = {
    {"conv", DataType::kF32},           {"convfp16", DataType::kF16},
    {"convbfp16", DataType::kBF16},     {"convint8", DataType::kI8},
    {"convfp8", DataType::kF8E4M3Fnuz}, {"convbfp8", DataType::kF8E5M2Fnuz}};

absl::StatusOr<DataType> ParseType(std::string_view word) {
  for (const auto& [name, type] : kTypes) {
    if (name == word) return type;
  }
  return absl::UnimplementedError(absl::StrFormat(
      "%s is of a type that Gridwise does not have; it has those of conv, convfp16, convbfp16, "
      "convint8, convfp8 and convbfp8",
      word));
}

/// The layout that the command names for all tensors. The driver's own is NCHW.
absl::StatusOr<Layout> ReadLayout(const Command& command) {
  std::string layout;
  for (const std::string& named : {command.in_layout, command.fil_layout, command.out_layout}) {
    const std::string upper = absl::AsciiStrToUpper(named);
    if (upper.empty() || upper == layout) continue;
    if (!layout.empty()) {
      return absl::UnimplementedError(absl::StrFormat(
          "the layouts are %s and %s; Gridwise has one for all tensors", layout, upper));
    }
    layout = upper;
  }
  if (layout.empty() || layout == "NCHW" || layout == "NCDHW") return Layout::kNGCHW;
  if (layout == "NHWC" || layout == "NDHWC") return Layout::kNHWGC;
  return absl::UnimplementedError(
      absl::StrFormat("the layout is %s; must be NCHW, NHWC, NCDHW or NDHWC", layout));
}

/// The padding of an axis at each end. The driver's "same" and "valid" are of filters without
/// dilation, and "same" pads both ends by half, rounded down.
std::int64_t PadOf(const Command& command, std::size_t axis, bool has_pad_mode) {
  if (!has_pad_mode || command.pad_mode == "default") return command.pad[axis];
  if (command.pad_mode == "valid" || command.stride[axis] < 1) return 0;
  const std::int64_t rest = command.in[axis] % command.stride[axis];
  const std::int64_t covered = rest == 0 ? command.stride[axis] : rest;
  return std::max<std::int64_t>(command.fil[axis] - covered, 0) / 2;
}

ConvProblem ReadGeometry(const Command& command) {
  const bool transposed = command.transposed();
  ConvProblem problem = {.rank = static_cast<int>(command.spatial_dim),
                         .groups = std::max<std::int64_t>(command.group_count, 1),
                         .batch = command.batchsize,
                         .c = transposed ? command.out_channels : command.in_channels,
                         .k = transposed ? command.in_channels : command.out_channels};
  const std::size_t first = static_cast<std::size_t>(3 - command.spatial_dim);
  bool all_ones = true, all_close = true;  // filters of one tap; no dilation
  for (std::size_t axis = first; axis < 3; ++axis) {
    all_ones = all_ones && command.fil[axis] == 1;
    all_close = all_close && command.dilation[axis] == 1;
  }
  const bool has_pad_mode = !transposed && (all_ones || all_close);
  for (std::size_t axis = first; axis < 3; ++axis) {
    const std::int64_t pad = PadOf(command, axis, has_pad_mode);
    Dim& dim = problem.dims[axis];
    dim = {.in = command.in[axis],
           .filter = command.fil[axis],
           .stride = command.stride[axis],
           .dilation = command.dilation[axis],
           .pad_begin = pad,
           .pad_end = pad};
    if (transposed) {
      dim.in = (command.in[axis] - 1) * dim.stride + dim.dilated_filter() - 2 * pad +
               command.trans_output_pad[axis];
    }
  }
  return problem;
}

std::vector<Direction> ReadDirections(const Command& command) {
  constexpr Direction kByBit[] = {Direction::kForward, Direction::kBackwardData,
                                  Direction::kBackwardWeight};
  const std::int64_t bits = command.forw == 0 ? 7 : command.forw;
  std::vector<Direction> directions;
  for (std::size_t i = 0; i < 3; ++i) {
    if ((bits >> i & 1) == 0) continue;
    const bool swaps = command.transposed() && i < 2;
    directions.push_back(kByBit[swaps ? 1 - i : i]);
  }
  return directions;
}

absl::StatusOr<ImportedItem> MakeItem(const Command& command) {
  if (absl::Status status = CheckCommand(command); !status.ok()) return status;
  const absl::StatusOr<DataType> type = ParseType(command.word);
  if (!type.ok()) return type.status();
  const absl::StatusOr<Layout> layout = ReadLayout(command);
  if (!layout.ok()) return layout.status();
  ImportedItem item = {.kind = kKind};
  ConvProblem problem = ReadGeometry(command);
  problem.type = *type;
  problem.layout = *layout;
  if (*layout == Layout::kNGCHW) item.note = kWeightsDiffer;
  for (const Direction direction : ReadDirections(command)) {
    problem.direction = direction;
    item.problems.push_back(problem);
  }
  return item;
}

}  // namespace

ImportedLine ReadMIOpenDriver(std::string_view line) {
  const std::vector<std::string_view> words = FindCommand(line, "MIOpenDriver");
  if (words.size() < 2) return std::nullopt;
  if (!words[1].starts_with("conv")) return ImportedItem::Skip(kKind, words[1]);
  absl::StatusOr<Command> command = ReadCommand(words);
  if (!command.ok()) return command.status();
  const bool is_log = absl::StrContains(line, "[LogCmd");
  if (is_log && command->transposed()) {
    // Both are at most 2^30.
    command->out_channels *= std::max<std::int64_t>(command->group_count, 1);
  }
  absl::StatusOr<ImportedItem> item = MakeItem(*command);
  if (!item.ok()) return item.status();
  item->is_search = absl::StrContains(line, "[LogCmdFind");
  return *std::move(item);
}

bool IsMIOpenDriver(std::string_view word) {
  return FindCommand(word, "MIOpenDriver").size() == 1 && SplitWords(word).size() == 1;
}

bool IsMIOpenConvolution(std::string_view word) { return ParseType(word).ok(); }

bool IsMIOpenOption(std::string_view word, std::string_view value) {
  Command command;
  const absl::StatusOr<bool> is_known = Take(word, "0", command);
  if (!is_known.ok() || !*is_known) return false;
  std::int64_t number = 0;
  const bool is_ours_too = word == "--verify" || word == "--time";
  return absl::SimpleAtoi(value, &number) || !(is_ours_too || value.starts_with('-'));
}

}  // namespace gridwise
