#include "ck/conv/simplify.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ck/conv/validate.h"

namespace gridwise {
namespace {

/// Each output cell of the axis meets the input cell of its index, and no other.
bool IsPlain(const Dim& dim) {
  return dim.filter == 1 && dim.stride == 1 && dim.pad_begin == 0 && dim.pad_end == 0;
}

/// Whether the epilogue's tensors step over axis `outer` of x and y as over all of axis `inner`.
bool TensorsMerge(const ConvProblem& problem, std::size_t outer, std::size_t inner) {
  if (problem.out() == Tensor::kW) return true;  // axes of one tap have one index
  const PerAxis size = problem.AxesOf(problem.out()).size;
  if (size[outer] == 1) return true;
  const auto& d = problem.epilogue.d;
  return std::all_of(d.begin(), d.begin() + problem.epilogue.tensors,
                     [&](const EpilogueTensor& tensor) {
                       return tensor.stride[outer] == size[inner] * tensor.stride[inner];
                     });
}

/// Merges spatial axis `outer` into the next one if that is the same convolution.
void MergeAxes(ConvProblem& problem, std::size_t outer) {
  Dim& from = problem.dims[outer];
  Dim& to = problem.dims[outer + 1];
  if (!IsPlain(from) || !IsPlain(to) || from.in * to.in > kMaxAxisLength) return;
  if (!TensorsMerge(problem, outer + 1, outer + 2)) return;  // axis 0 of tensors are the images
  to.in *= from.in;
  from = Dim{};
}

/// Merges the images into the only axis.
void MergeImages(ConvProblem& problem) {
  constexpr std::int64_t kMaxElements = std::int64_t{1} << 28;
  const auto& [d, h, w] = problem.dims;
  if (d != Dim{} || h != Dim{} || !IsPlain(w)) return;
  if (problem.batch * w.in > kMaxAxisLength || problem.x_elements() > kMaxElements ||
      problem.y_elements() > kMaxElements || !TensorsMerge(problem, 0, 3)) {
    return;
  }
  problem.dims[2].in *= problem.batch;
  problem.batch = 1;
}

/// An axis with a single output cell takes no step: its stride becomes the least that leaves one
/// cell. Kernels that walk over output cells reach over several strides, whatever their number.
void ShortenStride(Dim& dim) {
  if (dim.out() == 1) dim.stride = dim.padded_in() - dim.dilated_filter() + 1;
}

}  // namespace

ConvProblem Simplify(const ConvProblem& problem) {
  if (problem.layout == Layout::kNGCHW) return problem;  // images and cells are no neighbours
  ConvProblem simple = problem;
  simple.rank = 3;
  // Of backward-data, a long stride leaves few taps to each cell of dx.
  if (simple.direction != Direction::kBackwardData) {
    for (Dim& dim : simple.dims) ShortenStride(dim);
  }
  MergeAxes(simple, 0);
  MergeAxes(simple, 1);
  MergeImages(simple);
  return simple;
}

}  // namespace gridwise
