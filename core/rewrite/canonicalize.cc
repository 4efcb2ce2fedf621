// SPDX-License-Identifier: MIT
#include "core/rewrite/canonicalize.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/conv/limits.h"

namespace gridwise {
namespace {

/// Each output pixel of the axis meets the input pixel of its index, and no other.
bool IsPlain(const Dim& dim) {
  return dim.filter == 1 && dim.stride == 1 && dim.pad_begin == 0 && dim.pad_end == 0;
}

/// Whether the epilogue's tensors step over axis `outer` of x and y as over the whole of axis
/// `inner`.
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
  if (!TensorsMerge(problem, outer + 1, outer + 2)) return;  // axis 0 of tensors is the images
  to.in *= from.in;
  from = Dim{};
}

/// Merges the images into the only axis.
void MergeImages(ConvProblem& problem) {
  constexpr std::int64_t kMaxMerged = std::int64_t{1} << 28;
  const auto& [d, h, w] = problem.dims;
  if (d != Dim{} || h != Dim{} || !IsPlain(w)) return;
  if (problem.batch * w.in > kMaxAxisLength || problem.x_elements() > kMaxMerged ||
      problem.y_elements() > kMaxMerged || !TensorsMerge(problem, 0, 3)) {
    return;
  }
  problem.dims[2].in *= problem.batch;
  problem.batch = 1;
}

/// An axis with a single output pixel takes no step: its stride becomes the smallest that leaves
/// one pixel. Kernels that walk over output pixels reach over several strides, whatever their
/// number.
void ShortenStride(Dim& dim) {
  if (dim.out() == 1) dim.stride = dim.padded_in() - dim.dilated_filter() + 1;
}

/// Whether the filter cuts the axis into patches without gaps: no two output pixels meet one of x.
/// A single output pixel takes no step, whatever the stride; but in backward-data, with a stride
/// less than the filter's length, the padding around it has products with other taps.
bool HasPatches(const Dim& dim, Direction direction) {
  const bool any_stride =
      dim.out() == 1 && (dim.stride > dim.filter || direction != Direction::kBackwardData);
  return dim.dilation == 1 && dim.pad_begin == 0 && dim.pad_end == 0 &&
         dim.in == dim.out() * dim.filter && (dim.stride == dim.filter || any_stride);
}

/// Makes the epilogue's tensors step over the taps along `axis` and the channels as over channels.
/// Returns false if their layout does not allow it.
bool MergeTensorTaps(ConvProblem& problem, std::size_t axis) {
  if (problem.out() == Tensor::kY) return true;
  constexpr std::size_t kChannels = 5;
  const std::size_t taps = axis + (problem.out() == Tensor::kX ? 1 : 2);
  const auto tensors =
      std::span(problem.epilogue.d).first(static_cast<std::size_t>(problem.epilogue.tensors));
  const bool merge = std::all_of(tensors.begin(), tensors.end(), [&](const EpilogueTensor& tensor) {
    return problem.c == 1 || tensor.stride[taps] == problem.c * tensor.stride[kChannels];
  });
  if (!merge) return false;
  for (EpilogueTensor& tensor : tensors) {
    if (problem.c == 1) tensor.stride[kChannels] = tensor.stride[taps];
    tensor.stride[taps] *= problem.dims[axis].filter;
  }
  return true;
}

/// Makes channels of the taps along patches, which are consecutive like channels. Returns whether
/// the next outer axis may follow: no pixel of this one may lie between its taps.
bool MergeTaps(ConvProblem& problem, std::size_t axis) {
  Dim& dim = problem.dims[axis];
  const bool merges = HasPatches(dim, problem.direction) && problem.c * dim.filter <= kMaxChannels;
  if (!merges || !MergeTensorTaps(problem, axis)) return false;
  problem.c *= dim.filter;
  dim = Dim{.in = dim.out()};
  return dim.in == 1;
}

}  // namespace

ConvProblem Canonicalize(const ConvProblem& problem) {
  if (problem.layout == Layout::kNGCHW) return problem;  // images and pixels are not adjacent
  ConvProblem canonical = problem;
  canonical.rank = 3;
  // Small groups are faster with separate rows.
  if (canonical.groups == 1) {
    for (const std::size_t axis : {2u, 1u, 0u}) {
      if (!MergeTaps(canonical, axis)) break;
    }
  }
  // In backward-data, a long stride leaves few taps to each pixel of dx.
  if (canonical.direction != Direction::kBackwardData) {
    for (Dim& dim : canonical.dims) ShortenStride(dim);
  }
  MergeAxes(canonical, 0);
  MergeAxes(canonical, 1);
  MergeImages(canonical);
  return canonical;
}

}  // namespace gridwise
