#include "core/conv/fold.h"

#include "core/conv/limits.h"

namespace gridwise {

std::optional<Folded> Fold(const ConvProblem& problem) {
  const Dim& w = problem.dims[2];
  if (problem.direction != Direction::kForward || problem.groups != 1 || w.filter == 1 ||
      w.dilation != 1 || problem.c * SizeOf(problem.type) >= 16 ||
      problem.c * w.filter > kMaxChannels || (problem.layout == Layout::kNGCHW && problem.c > 1) ||
      problem.strides != ConvProblem{}.strides) {
    return std::nullopt;
  }
  Folded folded = {.problem = problem};
  folded.to_cells = (w.out() - 1) * w.stride + w.filter;  // the last ones may see nothing
  folded.pad = w.pad_begin;
  folded.copies = w.pad_begin > 0 || folded.to_cells > w.in;
  const std::int64_t line = (folded.copies ? folded.to_cells : w.in) * problem.c;
  const std::int64_t slice = problem.dims[1].in * line, image = problem.dims[0].in * slice;
  if (problem.batch * image >= std::int64_t{1} << 31) return std::nullopt;

  ConvProblem& p = folded.problem;
  p.layout = Layout::kNHWGC;
  p.weight_layout = WeightLayout::kGKYXC;
  p.c = problem.c * w.filter;
  p.dims[2] = Dim{.in = w.out()};
  p.strides[static_cast<std::size_t>(Tensor::kX)] = {image, slice, line, w.stride * problem.c,
                                                     p.c,   1};
  return folded;
}

}  // namespace gridwise
