// SPDX-License-Identifier: MIT
#include "core/rewrite/fold.h"

#include <bit>

#include "core/conv/limits.h"

namespace gridwise {
namespace {

/// Number of loaded runs of taps along w from which it pays to copy w too: a launch takes as long
/// as some 20 loads less for each of a million runs.
constexpr std::int64_t kManyRuns = std::int64_t{1} << 20;

/// Bound on the number of elements of a copy.
constexpr std::int64_t kMaxCopied = std::int64_t{1} << 31;

/// Channels per pixel of a copy of x.
std::int64_t PixelOfCopy(const ConvProblem& problem) {
  const std::int64_t runs =
      problem.batch * problem.out_pixels() * problem.dims[0].filter * problem.dims[1].filter;
  const auto channels = static_cast<std::uint64_t>(problem.c);
  const auto pixel = static_cast<std::int64_t>(std::bit_ceil(channels));
  const bool is_large = problem.w_elements() / problem.c * pixel >= kMaxCopied;
  const bool pays = !is_large && runs >= kManyRuns &&
                    SizeOf(problem.type) > 1;  // no instance loads 4 bytes at a time
  return pays ? pixel : problem.c;
}

}  // namespace

std::optional<Folded> Fold(const ConvProblem& problem) {
  const Dim& w = problem.dims[2];
  if (problem.direction != Direction::kForward || problem.groups != 1 || w.filter == 1 ||
      w.dilation != 1 || problem.c * SizeOf(problem.type) >= 16 ||
      (problem.layout == Layout::kNGCHW && problem.c > 1) ||
      problem.strides != ConvProblem{}.strides) {
    return std::nullopt;
  }
  Folded folded = {.problem = problem};
  folded.to_pixels = (w.out() - 1) * w.stride + w.filter;  // the last ones may see nothing
  folded.pad = w.pad_begin;
  folded.copies = w.pad_begin > 0 || folded.to_pixels > w.in;
  folded.pixel = folded.copies ? PixelOfCopy(problem) : problem.c;
  if (folded.pixel * w.filter > kMaxChannels) return std::nullopt;
  const std::int64_t line = (folded.copies ? folded.to_pixels : w.in) * folded.pixel;
  const std::int64_t slice = problem.dims[1].in * line, image = problem.dims[0].in * slice;
  if (problem.batch * image >= kMaxCopied) return std::nullopt;

  ConvProblem& p = folded.problem;
  p.layout = Layout::kNHWGC;
  p.weight_layout = WeightLayout::kGKYXC;
  p.c = folded.pixel * w.filter;
  p.dims[2] = Dim{.in = w.out()};
  p.strides[static_cast<std::size_t>(Tensor::kX)] = {image, slice, line, w.stride * folded.pixel,
                                                     p.c,   1};
  return folded;
}

}  // namespace gridwise
