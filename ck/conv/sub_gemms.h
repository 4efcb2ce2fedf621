/// Builds the GEMM maps of a problem (see gemm_map.h for the mathematics).
#pragma once

#include <cstdint>
#include <vector>

#include "ck/conv/gemm_map.h"
#include "ck/conv/problem.h"

namespace gridwise {

/// The residue classes a = 0 .. min(stride, in) - 1 of one axis. Post: each of its input cells is
/// in exactly one class.
struct AxisMap : AxisSteps {
  std::vector<AxisClass> classes;
};

/// `dim` is an axis of a valid problem.
AxisMap BwdDataAxisMap(const Dim& dim);

/// All sub-GEMMs of a valid problem whose batch * d * h * w and z * y * x are < 2^31, with
/// first_tile = 0: those with taps first, the largest K first (long ones start early), then the
/// empty ones. Equal K keeps the order of the classes.
std::vector<SubGemm> BwdDataSubGemms(const ConvProblem& problem);

/// The GEMM of forward and backward-weight, of a valid problem whose batch * do * ho * wo and
/// z * y * x * c / groups are < 2^31.
WindowGemm MakeWindowGemm(const ConvProblem& problem);

}  // namespace gridwise
