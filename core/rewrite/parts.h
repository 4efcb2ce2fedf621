// SPDX-License-Identifier: MIT
/// Parts of a problem, for tensors that are too large for a kernel's offsets.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/conv/problem.h"

namespace gridwise {

/// A problem on parts of the tensors of a larger one, with the larger one's strides. Its padding is
/// negative if its pixels begin after the larger one's first.
struct ConvPart {
  ConvProblem problem;
  // Elements from the larger one's tensors to the part's. Parts with the same `out` are terms of
  // one sum: in backward-weight for different images or pixels, in backward-data for different k.
  std::int64_t a = 0, b = 0, out = 0;
  std::int64_t d[2] = {0, 0};  // of the epilogue's tensors

  bool operator==(const ConvPart&) const = default;
};

/// What a problem can be cut along. Pixels are those of the output (of y in backward-weight), along
/// the axis on which they reach furthest. Taps are those of dw, also along one axis. Channels are
/// those of each group.
enum class PartAxis { kGroups, kImages, kPixels, kTaps, kC, kK };

/// Returns the first and the second half of `part` along an axis, or nullopt if there are not two.
/// The source channels of forward, its kC, are not cut, and taps only in backward-weight. Channels
/// that instances load together stay together.
std::optional<std::vector<ConvPart>> Halve(const ConvPart& part, PartAxis axis);

/// The first `images` images of `part`, and the rest.
std::vector<ConvPart> CutImages(const ConvPart& part, std::int64_t images);

/// Removes from `part` what does not contribute: filter taps and pixels of the operands that meet
/// only padding, or pixels that no tap reaches. The output's extents and values stay. If nothing is
/// left, there is one tap, or one pixel of y, per axis, which meets padding.
ConvPart Trim(const ConvPart& part);

}  // namespace gridwise
