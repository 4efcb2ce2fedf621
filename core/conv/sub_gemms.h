// SPDX-License-Identifier: MIT
/// Builds the GEMM map of a problem (see gemm_map.h for the mathematics).
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/conv/gemm_map.h"
#include "core/conv/problem.h"

namespace gridwise {

/// The phases of one axis. Post: each of its output pixels is in exactly one phase.
struct AxisMap {
  AxisStrides strides;
  absl::InlinedVector<AxisPhase, 2> phases;
};

/// Returns only AxisMap::strides.
AxisStrides MakeAxisStrides(Direction direction, const Dim& dim);

/// `dim` must be an axis of a valid problem. Backward-weight has forward's map.
AxisMap MakeAxisMap(Direction direction, const Dim& dim);

/// All sub-GEMMs of a valid problem whose pixels (with the batch) and filter taps are < 2^31, with
/// first_tile = 0: those with taps first, the largest K first (long ones start early), then the
/// empty ones. Equal K keeps the order of the phases.
std::vector<SubGemm> MakeSubGemms(const ConvProblem& problem);

/// The number of sub-GEMMs.
int64_t SubGemmCount(const ConvProblem& problem);

/// Sets the taps along d, h and w of the whole filter in memory, from w's strides. The problem may
/// have a part of that filter, but indices of taps count in it. Along d it is unknown, and 1.
void SetFilter(const PerAxis& w_stride, int (&filter)[3]);

}  // namespace gridwise
