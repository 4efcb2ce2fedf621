#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ck/gemm/plan.h"
#include "core/conv/gemm_map.h"
#include "core/conv/problem.h"

namespace gridwise::ck {

/// A convolution as multiplications.
struct Lowered {
  std::vector<SubGemm> gemms;    // MakeSubGemms(problem)
  std::vector<GemmForms> forms;  // of each
  Demands demands;               // of all

  /// The forms of `some` of the sub-GEMMs: all of them, or one. None stands for all, which is how
  /// backward-weight has its only one.
  std::span<const GemmForms> Of(std::span<const SubGemm> some) const;
};

/// Lowers a valid problem, with the tensors of its epilogue; `merged` groups make one matrix, see
/// lowering/conv.h. What a thread asked for last is remembered: all rows ask about the same problem
/// and its parts.
std::shared_ptr<const Lowered> LoweredOf(const ConvProblem& problem, int merged = 1);

}  // namespace gridwise::ck
