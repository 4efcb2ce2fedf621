/// Problems that are the same convolution in other words.
#pragma once

#include "core/conv/problem.h"

namespace gridwise {

/// A problem with the same tensors in memory and the same output, in fewer axes: neighbouring axes
/// that a filter of one tap passes over with stride 1 and without padding are one axis, and so are
/// they and the images. A 1x1 convolution with stride 1 becomes a plain GEMM over all pixels of all
/// images. The epilogue's tensors keep their elements; axes along which these do not lie evenly
/// stay. Without groups, taps along w whose stride is the filter's length, without padding,
/// dilation or rest, are channels, and so are those along h and d where the axes within have one
/// output pixel: a filter as large as its input is a plain GEMM too. Strides that lead to no second
/// output pixel are shortened, but not of backward-data.
///
/// `problem` is valid; the result is as well. Images are merged only where x and y have at most
/// 2^28 elements, so that offsets within an image stay below 2^31 bytes.
ConvProblem Canonicalize(const ConvProblem& problem);

}  // namespace gridwise
