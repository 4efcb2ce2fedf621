// SPDX-License-Identifier: MIT
/// Problems that are the same convolution in another form.
#pragma once

#include "core/conv/problem.h"

namespace gridwise {

/// Returns a problem with fewer axes, the same tensors in memory and the same output:
///   - Adjacent axes that a filter of one tap passes over with stride 1 and without padding become
///     one axis, and so do these axes and the images. A 1x1 convolution with stride 1 becomes a
///     plain GEMM over all pixels of all images.
///   - The epilogue's tensors keep their elements; axes along which these are not evenly spaced
///     stay.
///   - Without groups, taps along w become channels if the stride is the filter's length and there
///     is no padding, dilation or remainder. So do taps along h and d if the inner axes have one
///     output pixel: a filter as large as its input becomes a plain GEMM too. In backward-data the
///     stride must then be at least the filter's length: with less, an input pixel meets padding.
///   - Strides that lead to no second output pixel are shortened, except in backward-data.
///
/// Requires a valid `problem`; the result is valid too. Images are merged only if x and y have at
/// most 2^28 elements, so that offsets within an image stay below 2^31 bytes.
ConvProblem Canonicalize(const ConvProblem& problem);

}  // namespace gridwise
