// SPDX-License-Identifier: MIT
#include "core/passes/copy_launches.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "core/base/math.h"
#include "core/passes/convert_args.h"
#include "core/passes/pass_code.h"

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

KernelLaunch MakeWidenLaunch(Gfx gfx, DataType type, const Lines& lines, const MemoryOffset& from,
                             const MemoryOffset& to) {
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
