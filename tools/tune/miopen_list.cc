// SPDX-License-Identifier: MIT
#include "tools/tune/miopen_list.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/conv/problem.h"
#include "core/conv/validate.h"

namespace gridwise {
namespace {

using PerDim = std::array<std::int64_t, 3>;  // d, h, w

/// What a line says, with the driver's defaults.
struct Line {
  std::string word;  // "convfp16"
  std::int64_t spatial_dim = 2, forw = 0, batchsize = 100, in_channels = 3, out_channels = 32;
  std::int64_t group_count = 1;
  PerDim in = {32, 32, 32}, fil = {3, 3, 3}, stride = {1, 1, 1}, pad = {0, 0, 0};
  PerDim dilation = {1, 1, 1}, trans_output_pad = {0, 0, 0};
  std::string mode = "conv", pad_mode = "default", in_layout = "";
};

struct IntFlag {
  std::string_view name;
  char letter;
  std::int64_t Line::* field;
};
constexpr IntFlag kIntFlags[] = {
    {"spatial_dim", '_', &Line::spatial_dim},   {"forw", 'F', &Line::forw},
    {"batchsize", 'n', &Line::batchsize},       {"in_channels", 'c', &Line::in_channels},
    {"out_channels", 'k', &Line::out_channels}, {"group_count", 'g', &Line::group_count},
};

/// A flag for each of the axes d, h, w.
struct AxisFlag {
  std::string_view name;
  std::string_view letters;
  PerDim Line::* field;
};
constexpr AxisFlag kAxisFlags[] = {
    {"in", "!HW", &Line::in},
    {"fil", "@yx", &Line::fil},
    {"conv_stride", "#uv", &Line::stride},
    {"pad", "$pq", &Line::pad},
    {"dilation", "^lj", &Line::dilation},
    {"trans_output_pad", "%YX", &Line::trans_output_pad},
};

struct TextFlag {
  std::string_view name;
  char letter;
  std::string Line::* field;
};
constexpr TextFlag kTextFlags[] = {
    {"mode", 'm', &Line::mode},
    {"pad_mode", 'z', &Line::pad_mode},
    {"in_layout", 'I', &Line::in_layout},
};

/// Of how the driver runs, or of what a problem set does not have.
constexpr std::pair<std::string_view, char> kOtherFlags[] = {
    {"fil_layout", 'f'},    {"out_layout", 'O'},    {"pad_val", 'r'},
    {"iter", 'i'},          {"verify", 'V'},        {"verification_cache", 'C'},
    {"time", 't'},          {"wall", 'w'},          {"search", 's'},
    {"printconv", 'P'},     {"dump_output", 'o'},   {"in_data", 'd'},
    {"weights", 'e'},       {"bias", 'b'},          {"tensor_vect", 'Z'},
    {"vector_length", 'L'}, {"in_bias", 'a'},       {"dout_data", 'D'},
    {"solution", 'S'},      {"gpualloc", 'G'},      {"in_cast_type", 'U'},
    {"out_cast_type", 'T'}, {"wei_cast_type", 'R'},
};

/// Whether a word is the flag, as --name or -letter.
bool IsFlag(std::string_view word, std::string_view name, char letter) {
  if (word.starts_with("--")) return word.substr(2) == name;
  return word.size() == 2 && word[0] == '-' && word[1] == letter;
}

/// Takes a flag and its value; false if there is no such flag, and an error for a value that is
/// none.
absl::StatusOr<bool> Take(std::string_view word, std::string_view value, Line& line) {
  std::int64_t* number = nullptr;
  for (const IntFlag& flag : kIntFlags) {
    if (IsFlag(word, flag.name, flag.letter)) number = &(line.*flag.field);
  }
  for (const AxisFlag& flag : kAxisFlags) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string name = absl::StrCat(flag.name, "_", kAxisNames[axis]);
      if (IsFlag(word, name, flag.letters[axis])) number = &(line.*flag.field)[axis];
    }
  }
  if (number != nullptr) {
    if (absl::SimpleAtoi(value, number)) return true;
    return absl::InvalidArgumentError(
        absl::StrFormat("%s is '%s'; must be an integer", word, value));
  }
  for (const TextFlag& flag : kTextFlags) {
    if (!IsFlag(word, flag.name, flag.letter)) continue;
    line.*flag.field = value;
    return true;
  }
  return std::any_of(std::begin(kOtherFlags), std::end(kOtherFlags),
                     [&](const auto& flag) { return IsFlag(word, flag.first, flag.second); });
}

absl::StatusOr<Line> ReadLine(const std::vector<std::string_view>& words) {
  const auto driver = std::find_if(words.begin(), words.end(), [](std::string_view word) {
    return word.ends_with("MIOpenDriver");
  });
  if (words.end() - driver < 2 || !driver[1].starts_with("conv")) {
    return absl::InvalidArgumentError(
        "must be a command line of MIOpenDriver's conv, convfp16, convbfp16, convint8, ...");
  }
  Line line;
  line.word = driver[1];
  for (auto word = driver + 2; word != words.end(); word += 2) {
    if (word + 1 == words.end()) {
      return absl::InvalidArgumentError(absl::StrFormat("%s has no value", *word));
    }
    const absl::StatusOr<bool> taken = Take(word[0], word[1], line);
    if (!taken.ok()) return taken.status();
    if (!*taken) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s is no flag of MIOpenDriver's convolutions", *word));
    }
  }
  return line;
}

absl::Status CheckLine(const Line& line) {
  if (line.spatial_dim != 2 && line.spatial_dim != 3) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--spatial_dim is %d; must be 2 or 3", line.spatial_dim));
  }
  if (line.forw < 0 || line.forw > 7) {
    return absl::InvalidArgumentError(absl::StrFormat("--forw is %d; must be 0 to 7", line.forw));
  }
  if (line.mode != "conv" && line.mode != "trans") {
    return absl::InvalidArgumentError(
        absl::StrFormat("--mode is '%s'; must be conv or trans", line.mode));
  }
  if (line.pad_mode != "default" && line.pad_mode != "same" && line.pad_mode != "valid") {
    return absl::InvalidArgumentError(
        absl::StrFormat("--pad_mode is '%s'; must be default, same or valid", line.pad_mode));
  }
  return absl::OkStatus();
}

/// The padding of an axis at each end. The driver's "same" and "valid" are of filters without
/// dilation, and "same" pads both ends by half, rounded down.
std::int64_t PadOf(const Line& line, std::size_t axis, bool has_pad_mode) {
  if (!has_pad_mode || line.pad_mode == "default") return line.pad[axis];
  if (line.pad_mode == "valid" || line.stride[axis] < 1) return 0;
  const std::int64_t rest = line.in[axis] % line.stride[axis];
  const std::int64_t covered = rest == 0 ? line.stride[axis] : rest;
  return std::max<std::int64_t>(line.fil[axis] - covered, 0) / 2;
}

ConvProblem ProblemOf(const Line& line) {
  const bool transposed = line.mode == "trans";
  ConvProblem problem = {.rank = static_cast<int>(line.spatial_dim),
                         .groups = std::max<std::int64_t>(line.group_count, 1),
                         .batch = line.batchsize,
                         .c = transposed ? line.out_channels : line.in_channels,
                         .k = transposed ? line.in_channels : line.out_channels};
  const std::size_t first = static_cast<std::size_t>(3 - line.spatial_dim);
  bool all_ones = true, all_close = true;  // filters of one tap; no dilation
  for (std::size_t axis = first; axis < 3; ++axis) {
    all_ones = all_ones && line.fil[axis] == 1;
    all_close = all_close && line.dilation[axis] == 1;
  }
  const bool has_pad_mode = !transposed && (all_ones || all_close);
  for (std::size_t axis = first; axis < 3; ++axis) {
    const std::int64_t pad = PadOf(line, axis, has_pad_mode);
    Dim& dim = problem.dims[axis];
    dim = {.in = line.in[axis],
           .filter = line.fil[axis],
           .stride = line.stride[axis],
           .dilation = line.dilation[axis],
           .pad_begin = pad,
           .pad_end = pad};
    if (transposed) {
      dim.in = (line.in[axis] - 1) * dim.stride + dim.dilated_filter() - 2 * pad +
               line.trans_output_pad[axis];
    }
  }
  return problem;
}

std::vector<Direction> DirectionsOf(const Line& line) {
  constexpr Direction kByBit[] = {Direction::kForward, Direction::kBackwardData,
                                  Direction::kBackwardWeight};
  const std::int64_t bits = line.forw == 0 ? 7 : line.forw;
  std::vector<Direction> directions;
  for (std::size_t i = 0; i < 3; ++i) {
    if ((bits >> i & 1) == 0) continue;
    const bool swaps = line.mode == "trans" && i < 2;
    directions.push_back(kByBit[swaps ? 1 - i : i]);
  }
  return directions;
}

/// "c128k512g1_28x28_1x1s1", for people; number tells those apart that differ in what it does not
/// say.
std::string NameOf(const ConvProblem& problem, std::size_t number) {
  const auto per_axis = [&](std::int64_t Dim::* member) {
    std::string text;
    for (std::size_t axis = static_cast<std::size_t>(3 - problem.rank); axis < 3; ++axis) {
      absl::StrAppend(&text, text.empty() ? "" : "x", problem.dims[axis].*member);
    }
    return text;
  };
  return absl::StrCat("l", number, "_c", problem.c, "k", problem.k, "g", problem.groups, "_",
                      per_axis(&Dim::in), "_", per_axis(&Dim::filter), "s", problem.dims[2].stride);
}

/// Adds the line's problem, or its directions to the problem of its geometry.
void Add(const Line& line, const ConvProblem& problem, std::vector<NamedProblem>& problems) {
  auto same = std::find_if(problems.begin(), problems.end(),
                           [&](const NamedProblem& other) { return other.problem == problem; });
  if (same == problems.end()) {
    const std::string note = line.in_layout.empty()
                                 ? absl::StrCat("MIOpenDriver ", line.word)
                                 : absl::StrCat("MIOpenDriver ", line.word, " ", line.in_layout);
    problems.push_back({NameOf(problem, problems.size() + 1), problem, {}, note});
    same = problems.end() - 1;
  }
  for (const Direction direction : DirectionsOf(line)) {
    std::vector<Direction>& all = same->directions;
    if (std::find(all.begin(), all.end(), direction) == all.end()) all.push_back(direction);
  }
  std::sort(same->directions.begin(), same->directions.end());
}

}  // namespace

absl::StatusOr<std::vector<NamedProblem>> ParseMIOpenList(std::string_view text,
                                                          std::string_view source) {
  std::vector<NamedProblem> problems;
  int number = 0;
  for (const std::string_view whole : absl::StrSplit(text, '\n')) {
    ++number;
    const std::string_view stripped = absl::StripAsciiWhitespace(whole);
    if (stripped.empty() || stripped.starts_with('#')) continue;
    const absl::StatusOr<Line> line =
        ReadLine(absl::StrSplit(stripped, absl::ByAnyChar(" \t"), absl::SkipEmpty()));
    absl::Status status = line.ok() ? CheckLine(*line) : line.status();
    ConvProblem problem;
    if (status.ok()) {
      problem = ProblemOf(*line);
      status = Validate(problem);
    }
    if (!status.ok()) {
      return absl::Status(status.code(),
                          absl::StrFormat("%s:%d: %s", source, number, status.message()));
    }
    Add(*line, problem, problems);
  }
  if (problems.empty()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s has no command line of MIOpenDriver", source));
  }
  return problems;
}

}  // namespace gridwise
