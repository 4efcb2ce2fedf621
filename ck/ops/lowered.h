#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ck/gemm/plan.h"
#include "core/conv/gemm_map.h"
#include "core/conv/problem.h"

namespace gridwise::ck {

/// A convolution as multiplications, in the order of MakeSubGemms().
using Lowered = std::vector<GemmForms>;

/// Lowers a valid problem, with the tensors of its epilogue. What a thread asked for last is
/// remembered: all rows ask about the same problem.
std::shared_ptr<const Lowered> LoweredOf(const ConvProblem& problem);

}  // namespace gridwise::ck
