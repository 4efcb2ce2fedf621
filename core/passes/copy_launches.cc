// SPDX-License-Identifier: MIT
#include "core/passes/copy_launches.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/base/math.h"
#include "core/passes/convert_args.h"
#include "core/passes/pass_code.h"
#include "core/passes/widen_args.h"

namespace gridwise {
namespace {

/// Bytes of the widest words that there is a kernel for, and the lines in such words.
std::pair<int, Lines> InWidestWords(Gfx gfx, DataType type, const Lines& lines) {
  const int bytes = SizeOf(type);
  if (TraitsOf(gfx).mma_unit != MmaUnit::kWgmma) return {bytes, lines};
  for (const int word : {16, 8, 4}) {
    const std::optional<Lines> words = InWords(lines, word / bytes);
    if (words) return {word, *words};
  }
  return {bytes, lines};
}

/// Bytes of the words in which one launch makes both copies; nullopt if there is no kernel for it.
std::optional<int> WordsOfTwo(Gfx gfx, DataType type, const LinesCopy& a, const LinesCopy& b) {
  if (TraitsOf(gfx).mma_unit != MmaUnit::kWgmma) return std::nullopt;
  const int word =
      std::min(InWidestWords(gfx, type, a.lines).first, InWidestWords(gfx, type, b.lines).first);
  if (word < 4) return std::nullopt;
  return word;
}

KernelLaunch MakeWidenTwoLaunch(Gfx gfx, DataType type, int word, const LinesCopy& a,
                                const LinesCopy& b) {
  const Lines words[] = {*InWords(a.lines, word / SizeOf(type)),
                         *InWords(b.lines, word / SizeOf(type))};
  const unsigned workgroups = WidenWorkgroups(words[0]);
  const WidenTwoArgs args = {.copy = {PlanWiden(words[0]), PlanWiden(words[1])},
                             .workgroups = static_cast<int>(workgroups)};
  constexpr std::size_t kSecond = sizeof(WidenArgs);
  return {.code = PassCode("widen_two", word, gfx),
          .shape = {.workgroups = {workgroups + WidenWorkgroups(words[1]), 1, 1},
                    .threads = {kWidenThreads, 1, 1},
                    .begins_early = BeginsEarly(gfx)},
          .arguments = BytesOf(args),
          .addresses = {{offsetof(WidenArgs, from), a.from},
                        {offsetof(WidenArgs, to), a.to},
                        {kSecond + offsetof(WidenArgs, from), b.from},
                        {kSecond + offsetof(WidenArgs, to), b.to}},
          .map = {}};
}

}  // namespace

KernelLaunch MakeTransposeLaunch(Gfx gfx, DataType type, const Matrices& matrices,
                                 const MemoryOffset& from, const MemoryOffset& to) {
  LaunchShape shape = TransposeShape(matrices);
  shape.begins_early = BeginsEarly(gfx);
  return {.code = PassCode("transpose", SizeOf(type), gfx),
          .shape = shape,
          .arguments = BytesOf(PlanTranspose(matrices)),
          .addresses = {{offsetof(TransposeArgs, from), from}, {offsetof(TransposeArgs, to), to}},
          .map = {}};
}

KernelLaunch MakeConvertLaunch(Gfx gfx, DataType from_type, DataType to_type, std::int64_t elements,
                               const MemoryOffset& from, const MemoryOffset& to) {
  const std::int64_t workgroups =
      CeilDiv<std::int64_t>(elements, kConvertThreads * kConvertElements);
  return {.code = PassCode("convert", from_type, to_type, gfx),
          .shape = {.workgroups = {static_cast<unsigned>(workgroups), 1, 1},
                    .threads = {kConvertThreads, 1, 1},
                    .begins_early = BeginsEarly(gfx)},
          .arguments = BytesOf(ConvertArgs{.from = nullptr, .to = nullptr, .elements = elements}),
          .addresses = {{offsetof(ConvertArgs, from), from}, {offsetof(ConvertArgs, to), to}},
          .map = {}};
}

KernelLaunch MakeSplitLaunch(Gfx gfx, const SplitArgs& args, const MemoryOffset& from,
                             const MemoryOffset& to) {
  const std::int64_t workgroups =
      CeilDiv<std::int64_t>(args.elements, kSplitThreads * kSplitElements);
  return {.code = PassCode("split", DataType::kF32, gfx),
          .shape = {.workgroups = {static_cast<unsigned>(workgroups), 1, 1},
                    .threads = {kSplitThreads, 1, 1},
                    .begins_early = BeginsEarly(gfx)},
          .arguments = BytesOf(args),
          .addresses = {{offsetof(SplitArgs, from), from}, {offsetof(SplitArgs, to), to}},
          .map = {}};
}

std::vector<std::vector<LinesCopy>> CopiesOfLaunches(
    Gfx gfx, DataType type, const std::vector<std::vector<LinesCopy>>& of_tensors) {
  std::vector<std::vector<LinesCopy>> launches;
  for (std::size_t step = 0;; ++step) {
    std::size_t tensors = 0, alone = launches.size();  // a launch that can make another copy
    for (const std::vector<LinesCopy>& copies : of_tensors) {
      if (step >= copies.size()) continue;
      ++tensors;
      if (alone < launches.size() && WordsOfTwo(gfx, type, launches[alone][0], copies[step])) {
        launches[alone].push_back(copies[step]);
        alone = launches.size();
      } else {
        alone = launches.size();
        launches.push_back({copies[step]});
      }
    }
    if (tensors == 0) return launches;
  }
}

KernelLaunch MakeWidenLaunch(Gfx gfx, DataType type, const std::vector<LinesCopy>& copies) {
  if (copies.size() == 2) {
    const int word = *WordsOfTwo(gfx, type, copies[0], copies[1]);
    return MakeWidenTwoLaunch(gfx, type, word, copies[0], copies[1]);
  }
  const auto& [lines, from, to] = copies.front();
  const auto [bytes, words] = InWidestWords(gfx, type, lines);
  return {.code = PassCode("widen", bytes, gfx),
          .shape = {.workgroups = {WidenWorkgroups(words), 1, 1},
                    .threads = {kWidenThreads, 1, 1},
                    .begins_early = BeginsEarly(gfx)},
          .arguments = BytesOf(PlanWiden(words)),
          .addresses = {{offsetof(WidenArgs, from), from}, {offsetof(WidenArgs, to), to}},
          .map = {}};
}

}  // namespace gridwise
