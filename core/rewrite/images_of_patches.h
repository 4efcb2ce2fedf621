// SPDX-License-Identifier: MIT
#pragma once

#include "core/conv/problem.h"

namespace gridwise {

/// The problem for patches that are further apart along h than the steps of TMA's boxes: each line
/// of patches is an image. x is the same in memory. In backward-data each line is a sub-GEMM.
ConvProblem WithImagesOfPatches(ConvProblem canonical);

}  // namespace gridwise
