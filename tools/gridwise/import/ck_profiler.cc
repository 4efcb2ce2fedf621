// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/ck_profiler.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "core/base/types.h"
#include "core/conv/problem.h"

namespace gridwise {
namespace {

constexpr char kProfiler[] = "ckProfiler command lines";
constexpr char kExample[] = "command lines of Composable Kernel's examples";

using Words = std::span<const std::string_view>;

struct Type {
  DataType type;
  std::optional<DataType> out = std::nullopt;
};
struct Layouts {
  Layout layout;
  bool weights_differ = false;  // GKCYX
};

/// An operation, and what its numbers mean; nullopt: Gridwise does not have it.
struct Operation {
  std::string_view name;
  Direction direction;
  bool has_index;  // in newer versions
  std::vector<std::optional<Type>> types;
  std::vector<std::optional<Layouts>> layouts;
};

const std::vector<Operation>& Operations() {
  constexpr auto kF16 = Type{DataType::kF16}, kBF16 = Type{DataType::kBF16};
  constexpr auto kF32 = Type{DataType::kF32}, kI8 = Type{DataType::kI8};
  constexpr auto kGNHWC = Layouts{Layout::kGNHWC}, kNHWGC = Layouts{Layout::kNHWGC};
  constexpr auto kNGCHW = Layouts{Layout::kNGCHW};
  constexpr auto kNGCHWFromGKCYX = Layouts{Layout::kNGCHW, true};
  static const auto* const operations = new std::vector<Operation>{
      {"grouped_conv_fwd",
       Direction::kForward,
       true,
       {kF32, kF16, kBF16, kI8, Type{DataType::kF8E4M3Fnuz}, Type{DataType::kF8E5M2Fnuz}},
       {kGNHWC, kNHWGC, kNGCHW, kNGCHWFromGKCYX}},
      {"grouped_conv_bwd_data",
       Direction::kBackwardData,
       false,
       {kF32, kF16, kBF16},
       {kGNHWC, kNHWGC, kNGCHW, kNGCHWFromGKCYX}},
      {"grouped_conv_bwd_weight",
       Direction::kBackwardWeight,
       false,
       {kF32, kF16, Type{DataType::kBF16, DataType::kF32}, std::nullopt, kI8, kBF16},
       {std::nullopt, kGNHWC, kNHWGC, kNGCHW, kNGCHWFromGKCYX}}};
  return *operations;
}

/// The meaning of a number.
template <class T>
absl::StatusOr<T> Meaning(std::string_view what, std::string_view word,
                          const std::vector<std::optional<T>>& meanings) {
  const absl::StatusOr<std::int64_t> number = ReadImportedNumber(what, word);
  if (!number.ok()) return number.status();
  const auto count = static_cast<std::int64_t>(meanings.size());
  if (*number >= 0 && *number < count) {
    const std::optional<T>& meaning = meanings[static_cast<std::size_t>(*number)];
    if (meaning) return *meaning;
  }
  return absl::UnimplementedError(
      absl::StrFormat("%s is %d, which Gridwise does not have", what, *number));
}

/// Sets the sizes of G N K C and six numbers of each axis.
absl::Status ReadSizes(Words words, ConvProblem& problem) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view word : words) {
    const absl::StatusOr<std::int64_t> number = ReadImportedNumber("a size", word);
    if (!number.ok()) return number.status();
    numbers.push_back(*number);
  }
  problem.groups = numbers[0];
  problem.batch = numbers[1];
  problem.k = numbers[0] * numbers[2];
  problem.c = numbers[0] * numbers[3];
  const std::vector<Dim*> axes = AxesOf(problem);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const auto number = [&](std::size_t field) { return numbers[4 + field * axes.size() + axis]; };
    *axes[axis] = {.in = number(1),
                   .filter = number(0),
                   .stride = number(2),
                   .dilation = number(3),
                   .pad_begin = number(4),
                   .pad_end = number(5)};
  }
  return absl::OkStatus();
}

/// Reads ND and sizes. `extra` words may follow.
absl::Status ReadRankAndSizes(Words words, std::size_t extra, ConvProblem& problem) {
  const absl::StatusOr<std::int64_t> rank =
      ReadImportedNumber("ND", words.empty() ? "" : words.front());
  if (!rank.ok()) return rank.status();
  if (*rank < 1 || *rank > 3) {
    return absl::InvalidArgumentError(absl::StrFormat("ND is %d; must be 1 to 3", *rank));
  }
  problem.rank = static_cast<int>(*rank);
  const std::size_t sizes = 4 + 6 * static_cast<std::size_t>(*rank);
  if (words.size() < 1 + sizes || words.size() > 1 + sizes + extra) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%d numbers follow ND = %d; must be %d", words.size() - 1, *rank, sizes));
  }
  return ReadSizes(words.subspan(1, sizes), problem);
}

/// The position of ND in a command line of the profiler. INDEX is missing if ND is then followed by
/// the right number of sizes.
std::size_t PositionOfRank(const Operation& operation, Words words) {
  constexpr std::size_t kWithoutIndex = 8;
  if (!operation.has_index) return kWithoutIndex;
  const bool old = words.size() > kWithoutIndex && words[kWithoutIndex].size() == 1 &&
                   words.size() == kWithoutIndex + 5 +
                                       6 * static_cast<std::size_t>(words[kWithoutIndex][0] - '0');
  return old ? kWithoutIndex : kWithoutIndex + 1;
}

absl::StatusOr<ImportedItem> MakeItem(const char* kind, const Operation& operation, Words words) {
  if (words.size() < 4) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s is followed by %d words; must have a type, a layout and sizes",
                        operation.name, words.size() - 2));
  }
  const absl::StatusOr<Type> type = Meaning("the type", words[2], operation.types);
  if (!type.ok()) return type.status();
  const absl::StatusOr<Layouts> layouts = Meaning("the layout", words[3], operation.layouts);
  if (!layouts.ok()) return layouts.status();
  ConvProblem problem = {
      .direction = operation.direction, .type = type->type, .out_type = type->out};
  problem.layout = layouts->layout;
  const std::size_t rank = PositionOfRank(operation, words);
  absl::Status status = ReadRankAndSizes(words.subspan(std::min(rank, words.size())),
                                         operation.has_index ? 0 : 1, problem);
  if (!status.ok()) return status;
  ImportedItem item = {.kind = kind, .problems = {problem}};
  if (layouts->weights_differ) item.note = kWeightsDiffer;
  return item;
}

/// An example, by a part of its name, and its own problem; K and C are those of a group.
struct Example {
  std::string_view part;
  Direction direction;
  int rank;
  std::int64_t groups, batch, k, c, in, stride;
};
constexpr Example kExamples[] = {
    {"grouped_conv_bwd_weight", Direction::kBackwardWeight, 3, 4, 1, 128, 256, 14, 1},
    {"grouped_conv_bwd_data", Direction::kBackwardData, 2, 32, 4, 192, 192, 28, 1},
    {"grouped_conv_fwd", Direction::kForward, 2, 32, 2, 256, 192, 71, 2},
    {"convnd_fwd", Direction::kForward, 2, 1, 128, 256, 192, 71, 2},
};

ConvProblem MakeProblem(const Example& example) {
  ConvProblem problem = {.direction = example.direction,
                         .rank = example.rank,
                         .groups = example.groups,
                         .batch = example.batch,
                         .c = example.groups * example.c,
                         .k = example.groups * example.k};
  for (Dim* axis : AxesOf(problem)) {
    *axis = {.in = example.in, .filter = 3, .stride = example.stride, .pad_begin = 1, .pad_end = 1};
  }
  return problem;
}

/// The type that ends an example's name.
absl::StatusOr<DataType> TypeOf(std::string_view program) {
  constexpr std::pair<std::string_view, DataType> kTypes[] = {{"_fp16", DataType::kF16},
                                                              {"_bf16", DataType::kBF16},
                                                              {"_fp32", DataType::kF32},
                                                              {"_int8", DataType::kI8},
                                                              {"_fp8", DataType::kF8E4M3Fnuz}};
  for (const auto& [suffix, type] : kTypes) {
    if (program.ends_with(suffix)) return type;
  }
  return absl::UnimplementedError(absl::StrFormat(
      "the name of %s ends with no type that Gridwise has: _fp16, _bf16, _fp32, _int8 or _fp8",
      program));
}

absl::StatusOr<ImportedItem> MakeItem(const Example& example, Words words) {
  const std::string_view program = words.front().substr(words.front().rfind('/') + 1);
  const absl::StatusOr<DataType> type = TypeOf(program);
  if (!type.ok()) return type.status();
  ConvProblem problem = MakeProblem(example);
  problem.type = *type;
  constexpr std::size_t kSettings = 4;  // the program, verify, init and time
  ImportedItem item = {.kind = kExample};
  if (words.size() > kSettings) {
    absl::Status status = ReadRankAndSizes(words.subspan(kSettings), /*extra=*/1, problem);
    if (!status.ok()) return status;
  } else {
    item.note = "the example's own sizes";
  }
  item.problems = {problem};
  return item;
}

}  // namespace

ImportedLine ReadCkProfiler(std::string_view line) {
  const std::vector<std::string_view> words = FindCommand(line, "ckProfiler");
  if (words.size() < 2) return std::nullopt;
  if (absl::StrContains(line, "--instances")) return ImportedItem::Skip(kProfiler, "--instances");
  for (const Operation& operation : Operations()) {
    if (operation.name == words[1]) return MakeItem(kProfiler, operation, words);
  }
  return ImportedItem::Skip(kProfiler, words[1]);
}

ImportedLine ReadCkExample(std::string_view line) {
  const std::vector<std::string_view> words = SplitWords(line);
  const auto program = std::ranges::find_if(words, [](std::string_view word) {
    const std::string_view name = word.substr(word.rfind('/') + 1);
    return name.starts_with("example_") && absl::StrContains(name, "conv");
  });
  if (program == words.end()) return std::nullopt;
  for (const Example& example : kExamples) {
    if (absl::StrContains(*program, example.part)) return MakeItem(example, {program, words.end()});
  }
  return ImportedItem::Skip(kExample, program->substr(program->rfind('/') + 1));
}

}  // namespace gridwise
