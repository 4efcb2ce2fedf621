// SPDX-License-Identifier: MIT
/// How large a valid problem may be.
///
/// A launch has 32-bit offsets and counts; larger problems are divided into several launches (see
/// parts.h). No division lifts these limits, or no device has memory for more. Within them, every
/// problem has a plan on every target that has its type.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "core/conv/problem.h"

namespace gridwise {

/// Images, and the padded input, stride and dilation of an axis: every position is within 32 bits.
inline constexpr int64_t kMaxAxisLength = int64_t{1} << 30;
/// Input channels, and output channels.
inline constexpr int64_t kMaxChannels = int64_t{1} << 23;
/// Pixels of an image, x's and y's.
inline constexpr int64_t kMaxPixels = (int64_t{1} << 31) - 1;
/// Elements of x, w and y together: 256 GiB of f16.
inline constexpr int64_t kMaxElements = int64_t{1} << 37;
/// Elements from one output channel of w to the next, z * y * x * c: per group in GKYXC, over all
/// groups in KYXGC. Backward-data loads eight of them with one base.
inline constexpr int64_t kMaxWeightsOfChannel = (int64_t{1} << 25) - 1;
/// Bytes of an image of x between the first and the last pixel that one output pixel meets; in
/// backward-data, of dy and one input pixel.
inline constexpr int64_t kMaxSpanBytes = int64_t{1} << 30;
/// Residues of an input pixel's position modulo the strides, in backward-data: each has a separate
/// GEMM, see gemm_map.h.
inline constexpr int64_t kMaxResidues = int64_t{1} << 20;
/// Elements of an epilogue's tensor, including gaps; and the number of images times the elements of
/// one image, since images may overlap.
inline constexpr int64_t kMaxTensorElements = int64_t{1} << 36;
/// Elements of one output channel of an epilogue's tensor in backward-weight.
inline constexpr int64_t kMaxTensorElementsOfChannel = int64_t{1} << 28;

/// OK, or InvalidArgument with "`what` is ...; must be <= ...".
absl::Status AtMost(std::string_view what, int64_t value, int64_t maximum);

/// OK, or InvalidArgument with a sentence that names the first limit that `problem` exceeds, and
/// the values. Requires fields that are valid one by one, and a valid rank and axes.
absl::Status ValidateLimits(const ConvProblem& problem);

}  // namespace gridwise
