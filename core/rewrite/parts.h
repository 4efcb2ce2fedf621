/// Parts of a problem, for tensors that are too large for a kernel's offsets.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/conv/problem.h"

namespace gridwise {

/// A problem on parts of the tensors of a larger one, whose strides it has. Where pixels of the
/// larger one would lie before its first, it has negative padding.
struct ConvPart {
  ConvProblem problem;
  // Elements from the larger one's tensors to the part's. Parts with the same `out` are terms of
  // one sum: of backward-weight those of different images or pixels, of backward-data those of
  // different k.
  std::int64_t a = 0, b = 0, out = 0;
  std::int64_t d[2] = {0, 0};  // of the epilogue's tensors
};

/// What a problem can be cut along. Pixels are those of the output, and y's in backward-weight,
/// along the axis on which they reach furthest; taps are those of dw, also along one axis; channels
/// are those of each group.
enum class PartAxis { kGroups, kImages, kPixels, kTaps, kC, kK };

/// The first and the second half of `part` along an axis; nothing if there are not two. The source
/// channels of forward, its kC, are not cut, and taps only in backward-weight. As many channels as
/// rows load at a time stay together.
std::optional<std::vector<ConvPart>> Halve(const ConvPart& part, PartAxis axis);

/// The first `images` images of `part`, and the rest.
std::vector<ConvPart> CutImages(const ConvPart& part, std::int64_t images);

/// `part` without what takes no part in it: filter taps and pixels of the operands that meet
/// nothing but padding, or pixels that no tap reaches. The output's extents stay, and so do its
/// values. Where nothing is left, there is one tap, or one pixel of y, per axis, which meets
/// padding.
ConvPart Trim(const ConvPart& part);

}  // namespace gridwise
