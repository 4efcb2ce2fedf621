// SPDX-License-Identifier: MIT
#include "hopper/operands/tap_columns.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/arch/device_facts.h"
#include "core/arch/target.h"
#include "core/base/math.h"
#include "core/base/types.h"

namespace gridwise::hopper {
namespace {

/// Average number of products that overlap-add adds up for an output pixel.
double TermsOf(const ConvProblem& problem, int first_axis) {
  double terms = 1;
  for (auto axis = static_cast<std::size_t>(first_axis); axis < problem.dims.size(); ++axis) {
    const Dim& dim = problem.dims[axis];
    if (dim.filter == 1) continue;
    const std::int64_t apart = problem.direction == Direction::kForward ? 1 : dim.stride;
    terms *= static_cast<double>(dim.filter) / static_cast<double>(apart);
  }
  return terms;
}

/// Estimated us of gather instances that compute `whole`, or its columns and their passes. If the
/// number of columns is not a multiple of 4, lanes store elements, which bounds the time.
///
/// The rates are fitted to times of 24 problems of 1 to 32 output channels on an H200:
/// backward-data and some forward problems of tests/problems/few_channels.csv, and first layers of
/// edges.csv. They were measured with each kind of columns and without, before columns were filled
/// up. The choices by these rates take on average 2 % longer than the best.
double MicrosecondsOf(const ConvProblem& whole, const DeviceFacts& device,
                      const TapColumns* columns = nullptr) {
  constexpr double kFlopsOfUs = 590e6, kL2OfUs = 6.4e6, kOfMemoryRate = 1.3;
  constexpr double kElementRowsOfUs = 7e3, kVectorRowsOfUs = 31e3;  // rows of kColumns
  constexpr double kNotOverlapped = 0.29, kLaunchUs = 6;
  constexpr double kPassUs = 2, kOutputsOfUs = 200e3, kTermsOfUs = 1.7e6, kPassMemoryRate = 0.6;
  constexpr std::int64_t kColumns = 64;
  const ConvProblem& problem = columns ? columns->problem : whole;
  const bool forward = problem.direction == Direction::kForward;
  const double loads =
      PixelsMultiplied(problem) * static_cast<double>(forward ? problem.c : problem.k);
  auto pixels = static_cast<double>(problem.batch);  // of the output
  for (const Dim& dim : problem.dims) pixels *= static_cast<double>(forward ? dim.out() : dim.in);
  const std::int64_t channels = forward ? problem.k : problem.c;
  const double memory_of_us = device.memory_gb_per_s * 1e3;
  const double output = static_cast<double>(problem.out_elements()) * SizeOf(problem.output_type());
  const double input = static_cast<double>(problem.a_elements()) * SizeOf(problem.type);
  const double matrix = 2 * loads * static_cast<double>(AlignUp(channels, kColumns)) / kFlopsOfUs;
  const double l2 = loads * SizeOf(problem.type) / kL2OfUs;
  const double memory = (input + output) / (memory_of_us * kOfMemoryRate);
  const double blocks = std::max(1.0, static_cast<double>(channels) / kColumns);
  const double store = pixels * blocks / (channels % 4 == 0 ? kVectorRowsOfUs : kElementRowsOfUs);
  const double longest = std::max({matrix, l2, memory});
  double us = kLaunchUs + store + longest + kNotOverlapped * (matrix + l2 + memory - longest);
  if (columns) {
    const auto outputs = static_cast<double>(whole.out_elements());
    us += kPassUs + outputs / kOutputsOfUs +
          outputs * TermsOf(whole, columns->first_axis) / kTermsOfUs +
          output / (memory_of_us * kPassMemoryRate);
    if (columns->copies_weights) us += kPassUs;
  }
  return us;
}

}  // namespace

std::optional<TapColumns> ChooseTapColumns(const ConvProblem& problem) {
  constexpr std::int64_t kMultiple = 8;  // TMA loads w in such multiples
  const DeviceFacts device(Gfx::kSm90a);
  return gridwise::ChooseTapColumns(problem, kMultiple, [&](const TapColumns* columns) {
    return MicrosecondsOf(problem, device, columns);
  });
}

}  // namespace gridwise::hopper
