// SPDX-License-Identifier: MIT
#include "core/passes/plan_columns.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/str_format.h"
#include "core/base/math.h"
#include "core/conv/limits.h"
#include "core/cost/pass_cycles.h"
#include "core/passes/pass_code.h"

namespace gridwise {
namespace {

constexpr int kMaxBytes = 16;  // per load

/// Elements from one (tap, channel) of a tensor of dw's shape to the next; nullopt if these differ.
std::optional<std::int64_t> StrideOfTerms(const PerAxis& size, const PerAxis& stride) {
  std::optional<std::int64_t> step;
  std::int64_t reach = 1;  // terms within one index of the axis
  for (std::size_t axis = 6; axis-- > 2;) {
    if (size[axis] == 1) continue;
    if (!step) step = stride[axis];
    if (stride[axis] != *step * reach) return std::nullopt;
    reach *= size[axis];
  }
  return step.value_or(stride[5]);
}

/// The launch of a copy in words of `bytes` bytes.
KernelLaunch LaunchOf(const ColumnsArgs& args, int bytes, Gfx gfx, const MemoryOffset& from,
                      const MemoryOffset& to) {
  const unsigned workgroups =
      CeilDiv(static_cast<unsigned>(args.elements), unsigned{kColumnsThreads});
  return {.code = PassCode("columns", bytes, gfx),
          .shape = {.workgroups = {workgroups, 1, 1},
                    .threads = {kColumnsThreads, 1, 1},
                    .begins_early = BeginsEarly(gfx)},
          .arguments = BytesOf(args),
          .addresses = {{offsetof(ColumnsArgs, from), from}, {offsetof(ColumnsArgs, to), to}},
          .map = {}};
}

}  // namespace

std::variant<std::string, ConvProblem> ColumnsProblem(const ConvProblem& problem) {
  ConvProblem columns = problem;
  columns.c = problem.c * problem.filter_taps();
  for (Dim& dim : columns.dims) dim = Dim{.in = dim.out()};
  if (columns.c > kMaxChannels || columns.x_elements() >= kMaxPixels) {
    return absl::StrFormat("its columns have %d elements and %d channels; must be < %d and <= %d",
                           columns.x_elements(), columns.c, kMaxPixels, kMaxChannels);
  }
  const TensorAxes dw = problem.AxesOf(Tensor::kW);
  const bool spread = problem.weight_layout == WeightLayout::kKYXGC && problem.groups > 1;
  if (problem.filter_taps() > 1 && (spread || StrideOfTerms(dw.size, dw.stride) != 1)) {
    return "dw's taps and channels are not adjacent, as those of columns are";
  }
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    PerAxis& stride = columns.epilogue.d[static_cast<std::size_t>(i)].stride;
    const std::optional<std::int64_t> step = StrideOfTerms(dw.size, stride);
    if (!step) return absl::StrFormat("D%d's taps and channels do not lie as those of columns", i);
    stride = {stride[0], stride[1], 0, 0, 0, *step};
  }
  return columns;
}

ColumnsArgs PlanColumns(const ConvProblem& problem, const ConvProblem& columns) {
  const TensorAxes x = problem.AxesOf(Tensor::kX), to = columns.AxesOf(Tensor::kX);
  const auto& [d, h, w] = problem.dims;
  ColumnsArgs args = {};
  args.elements = static_cast<int>(columns.x_elements());
  for (std::size_t i = 0; i < 3; ++i) {
    const Dim& dim = problem.dims[i];
    args.pixel[i] = static_cast<int>(-dim.pad_begin);
    args.pixels[i] = static_cast<int>(dim.in);
    args.first -= dim.pad_begin * x.stride[i + 1];
  }
  using Digit = ColumnsArgs::Digit;
  const auto plain = [&](std::size_t axis, std::int64_t size) {
    return Digit{.size = static_cast<int>(size), .by = {}, .unit = x.stride[axis]};
  };
  const auto pixels = [&](std::size_t i, std::int64_t size, std::int64_t step) {
    return Digit{.size = static_cast<int>(size),
                 .by = {},
                 .unit = step * x.stride[i + 1],
                 .axis = static_cast<int>(i),
                 .step = static_cast<int>(step)};
  };
  // Digits with their distances in the copy; the longest is the outermost. Channels of the copy are
  // a tap's channels, tap after tap.
  const std::int64_t channel = to.stride[5], c = problem.c_per_group();
  std::array<std::pair<std::int64_t, Digit>, ColumnsArgs::kDigits> digits = {{
      {to.stride[0], plain(0, problem.batch)},
      {to.stride[1], pixels(0, d.out(), d.stride)},
      {to.stride[2], pixels(1, h.out(), h.stride)},
      {to.stride[3], pixels(2, w.out(), w.stride)},
      {to.stride[4], plain(4, problem.groups)},
      {channel * c * w.filter * h.filter, pixels(0, d.filter, d.dilation)},
      {channel * c * w.filter, pixels(1, h.filter, h.dilation)},
      {channel * c, pixels(2, w.filter, w.dilation)},
      {channel, plain(5, c)},
  }};
  std::stable_sort(digits.begin(), digits.end(), [](const auto& a, const auto& b) {
    // Digits at the same distance have size 1, except for one.
    return a.first != b.first ? a.first > b.first : a.second.size < b.second.size;
  });
  for (std::size_t i = 0; i < digits.size(); ++i) {
    args.digit[i] = digits[i].second;
    args.digit[i].by = MakeMagicDiv(static_cast<unsigned>(args.digit[i].size));
  }
  return args;
}

int ElementsOfWord(const ColumnsArgs& args, int bytes) {
  const ColumnsArgs::Digit& channel = args.digit[ColumnsArgs::kDigits - 1];
  if (channel.unit != 1 || channel.step != 0) return 1;
  // For powers of two, the lowest bit of all numbers together divides them all.
  std::int64_t numbers = channel.size | args.first;
  for (int i = 0; i < ColumnsArgs::kDigits - 1; ++i) {
    if (args.digit[i].size > 1) numbers |= args.digit[i].unit;
  }
  return static_cast<int>(std::min<std::int64_t>(numbers & -numbers, kMaxBytes / bytes));
}

ColumnsArgs InWords(ColumnsArgs args, int elements) {
  ColumnsArgs::Digit& channel = args.digit[ColumnsArgs::kDigits - 1];
  if (elements == 1) return args;
  channel.size /= elements;
  channel.by = MakeMagicDiv(static_cast<unsigned>(channel.size));
  for (int i = 0; i < ColumnsArgs::kDigits - 1; ++i) args.digit[i].unit /= elements;
  args.first /= elements;
  args.elements /= elements;
  return args;
}

double ColumnsCycles(const ConvProblem& problem, const ConvProblem& columns,
                     const DeviceFacts& device) {
  constexpr double kInstructions = 320;  // per lane, as the simulator counts them
  const int bytes = SizeOf(problem.type);
  const ColumnsArgs args = PlanColumns(problem, columns);
  const TargetTraits target = TraitsOf(device.gfx);
  const double lanes = 1.0 * args.elements / ElementsOfWord(args, bytes);
  const double cycles_of_instruction = target.wave_size == 64 ? 4 : 1;
  return PassCycles(device, 2.0 * args.elements * bytes) +
         lanes / target.wave_size * kInstructions * cycles_of_instruction /
             (target.simds_per_unit * device.compute_units);
}

KernelLaunch MakeColumnsLaunch(const ConvProblem& problem, const ConvProblem& columns, Gfx gfx,
                               const MemoryOffset& from, const MemoryOffset& to) {
  const ColumnsArgs whole = PlanColumns(problem, columns);
  const int elements = ElementsOfWord(whole, SizeOf(problem.type));
  return LaunchOf(InWords(whole, elements), elements * SizeOf(problem.type), gfx, from, to);
}

ColumnsArgs PlanRunsOfWeights(const ConvProblem& canonical, const ConvProblem& deeper) {
  const TensorAxes w = canonical.AxesOf(Tensor::kW);
  const std::int64_t taps = w.size[4];
  ColumnsArgs args = {};
  args.elements = static_cast<int>(deeper.w_elements());
  args.first = (taps - 1) * w.stride[4];
  args.pixels[0] = static_cast<int>(canonical.k);
  args.pixels[1] = args.pixels[2] = 1;
  using Digit = ColumnsArgs::Digit;
  const auto digit = [](std::int64_t size, std::int64_t unit) {
    return Digit{.size = static_cast<int>(size), .by = {}, .unit = unit};
  };
  args.digit[4] = digit(w.size[2], w.stride[2]);
  args.digit[5] = digit(w.size[3], w.stride[3]);
  args.digit[6] = digit(w.size[5], w.stride[5]);
  args.digit[7] = digit(taps, -w.stride[4]);
  args.digit[8] = digit(deeper.k / taps, w.stride[1]);
  args.digit[8].step = 1;  // what lies beyond the last output channel is zero
  for (Digit& each : args.digit) each.by = MakeMagicDiv(static_cast<unsigned>(each.size));
  return args;
}

KernelLaunch MakeRunsOfWeightsLaunch(const ConvProblem& canonical, const ConvProblem& deeper,
                                     Gfx gfx, const MemoryOffset& from, const MemoryOffset& to) {
  return LaunchOf(PlanRunsOfWeights(canonical, deeper), SizeOf(canonical.type), gfx, from, to);
}

}  // namespace gridwise
