// SPDX-License-Identifier: MIT
#include "core/rewrite/tap_columns.h"

#include <algorithm>
#include <cstddef>

#include "core/arch/device_facts.h"
#include "core/arch/infinity_cache.h"
#include "core/base/math.h"
#include "core/conv/limits.h"
#include "core/cost/roofline.h"
#include "core/reference/plain_sums.h"

namespace gridwise {
namespace {

constexpr std::int64_t kMaxOffsetElements = std::int64_t{1} << 30;  // offsets are 32 bits of bytes
constexpr std::int64_t kMaxCopied = std::int64_t{1} << 31;  // elements of w, if it is copied

/// Whether taps along the axis can be columns: each product of a source pixel and a tap belongs to
/// an output pixel, except at the edges, and the taps of an output pixel are evenly spaced.
bool IsApt(const Dim& dim, bool forward) {
  if (dim.filter == 1) return true;
  return dim.stride == 1 || (!forward && dim.dilation == 1);
}

/// The taps of a pixel of dx if dy has one position along the axes from `first_axis` on that have
/// taps: all but one of them are multiplied with padding. 1 if dy has more, or dx fewer than taps.
std::int64_t TapsOfOnePosition(const ConvProblem& problem, int first_axis) {
  if (problem.direction != Direction::kBackwardData) return 1;
  std::int64_t taps = 1;
  for (auto axis = static_cast<std::size_t>(first_axis); axis < problem.dims.size(); ++axis) {
    const Dim& dim = problem.dims[axis];
    if (dim.filter == 1) continue;
    if (dim.out() > 1 || dim.in < dim.filter) return 1;
    taps *= CeilDiv(dim.filter, dim.stride);
  }
  return taps;
}

/// Estimated us of kernels that compute `problem`, and of the passes of `columns`, if `problem` is
/// its columns. Terms that are the same for a problem and its columns are left out.
///
/// The rates are fitted to times by the simulator's clock for 42 problems of 1 to 36 output
/// channels with and without columns, on gfx942, gfx950 and gfx1201. The choices by these rates
/// take on average 2.5 % longer than the best.
double MicrosecondsOf(const ConvProblem& problem, const DeviceFacts& device,
                      const TapColumns* columns = nullptr) {
  constexpr double kOfMatrixRate = 0.7, kOfL2Rate = 0.4;
  constexpr double kNotOverlapped = 0.4;
  constexpr double kLaunchUs = 5, kOfMemoryRate = 0.6;  // for passes
  constexpr std::int64_t kFewestColumns = 16;
  const MachineFacts& machine = device.machine;
  const bool forward = problem.direction == Direction::kForward;
  // In forward, pixels may stay in LDS for all taps. With columns, few taps or one are left.
  const bool with_halo = forward && !columns && SizeOf(problem.type) == 2;
  const double of_l2_rate = !with_halo                                  ? kOfL2Rate
                            : TraitsOf(device.gfx).loads_vectors_to_lds ? 0.7
                                                                        : 0.55;
  const std::int64_t channels = forward ? problem.c : problem.k;
  const std::int64_t n = AlignUp(forward ? problem.k : problem.c, kFewestColumns);
  const double loads = PixelsMultiplied(problem) * static_cast<double>(channels);
  const double clocks_of_us = 1e3 * device.clock_ghz;
  const double flops_of_us =
      PeakFlopsPerClock(device.gfx, problem.type) * device.compute_units * clocks_of_us;
  const double l2_of_us = machine.l2_bytes_per_clk * device.xcds * clocks_of_us;
  const double matrix = 2 * loads * static_cast<double>(n) / (flops_of_us * kOfMatrixRate);
  const double l2 = loads * SizeOf(problem.type) / (l2_of_us * of_l2_rate);
  const double output = static_cast<double>(problem.out_elements()) * SizeOf(problem.output_type());
  const double input = static_cast<double>(problem.a_elements()) * SizeOf(problem.type);
  const double memory = MemoryNs(machine, input, output) * 1e-3;
  const double longest = std::max({matrix, l2, memory});
  double us = longest + kNotOverlapped * (matrix + l2 + memory - longest);
  if (columns) {
    us += kLaunchUs + MemoryNs(machine, output, 0) * 1e-3 / kOfMemoryRate;
    if (columns->copies_weights) us += kLaunchUs;
  }
  return us;
}

}  // namespace

double PixelsMultiplied(const ConvProblem& problem) {
  auto pixels = static_cast<double>(problem.batch);
  for (const Dim& dim : problem.dims) {
    const bool forward = problem.direction == Direction::kForward;
    pixels *= static_cast<double>((forward ? dim.out() : dim.in) * dim.filter) /
              static_cast<double>(forward ? 1 : dim.stride);
  }
  return pixels;
}

std::optional<TapColumns> WithTapColumns(const ConvProblem& problem, int first_axis,
                                         std::int64_t multiple) {
  const bool forward = problem.direction == Direction::kForward;
  const std::optional<ConvProblem> sums = PlainSums(problem);
  if (problem.direction == Direction::kBackwardWeight || !sums) return std::nullopt;
  TapColumns columns = {.problem = *sums, .first_axis = first_axis};
  ConvProblem& p = columns.problem;
  for (auto axis = static_cast<std::size_t>(first_axis); axis < p.dims.size(); ++axis) {
    Dim& dim = p.dims[axis];
    if (!IsApt(dim, forward)) return std::nullopt;
    if (dim.filter == 1) continue;
    columns.taps *= dim.filter;
    dim = Dim{.in = forward ? dim.in : dim.out()};
  }
  std::int64_t& channels = forward ? p.k : p.c;
  columns.copies_weights = forward && p.filter_taps() > 1;
  const bool taps_are_adjacent = forward && !columns.copies_weights;
  columns.tap_step = taps_are_adjacent ? 1 : channels;
  columns.channel_step = taps_are_adjacent ? columns.taps : 1;
  channels *= columns.taps;
  if (!forward && channels % multiple != 0) {
    channels = AlignUp(channels, multiple);
    columns.copies_weights = true;
  }
  if (columns.taps == 1 || channels > kMaxChannels || p.out_elements() >= kMaxOffsetElements ||
      problem.out_elements() >= kMaxOffsetElements) {
    return std::nullopt;
  }
  if (columns.copies_weights && p.w_elements() >= kMaxCopied) return std::nullopt;
  return columns;
}

std::optional<TapColumns> ChooseTapColumns(
    const ConvProblem& problem, std::int64_t multiple,
    absl::FunctionRef<double(const TapColumns*)> microseconds) {
  constexpr std::int64_t kMaxChannels = 64;  // of the output; with more there are columns enough
  // Estimates leave out how long the sums of a tile take if it is alone. So many more terms take
  // longer than a pass.
  constexpr std::int64_t kManyTaps = 8;
  const bool forward = problem.direction == Direction::kForward;
  const bool has_few = (forward ? problem.k : problem.c) <= kMaxChannels;
  std::optional<TapColumns> best;
  std::optional<double> least;
  for (const int first_axis : {2, 1, 0}) {
    const std::int64_t taps = TapsOfOnePosition(problem, first_axis);
    if (!has_few && taps == 1) continue;
    std::optional<TapColumns> columns = WithTapColumns(problem, first_axis, multiple);
    if (!columns) continue;
    if (!least) least = microseconds(nullptr);
    const double us = microseconds(&*columns);
    if (us >= *least && (best || taps < kManyTaps)) continue;
    least = us;
    best = columns;
  }
  return best;
}

std::optional<TapColumns> ChooseTapColumns(const ConvProblem& problem, Gfx gfx) {
  const DeviceFacts device(gfx);
  return ChooseTapColumns(problem, /*multiple=*/1, [&](const TapColumns* columns) {
    return MicrosecondsOf(columns ? columns->problem : problem, device, columns);
  });
}

}  // namespace gridwise
