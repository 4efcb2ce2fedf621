/// Parts of a problem, for tensors that are too large for a kernel's offsets.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ck/conv/problem.h"

namespace gridwise {

/// A problem on parts of the tensors of a larger one, whose strides it has.
struct ConvPart {
  ConvProblem problem;
  // Elements from the larger one's tensors to the part's. Of backward-weight, parts that are not of
  // different groups are terms of one sum, and all of its output.
  std::int64_t a = 0, b = 0, out = 0;
  std::int64_t d[2] = {0, 0};  // of the epilogue's tensors
};

enum class PartAxis { kGroups, kImages, kCells };

/// The first and the second half of `part`, of its groups, its images, or the output cells (of
/// backward-weight: those of y) along the outermost axis that has several. Nothing if there are not
/// two, or where a half would see nothing but padding.
std::optional<std::vector<ConvPart>> Halve(const ConvPart& part, PartAxis axis);

}  // namespace gridwise
