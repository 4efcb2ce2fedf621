// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ck/gemm/config.h"
#include "ck/gemm/plan.h"
#include "ck/lowering/conv.h"
#include "ck/ops/gemm_launch.h"
#include "core/conv/gemm_map.h"
#include "core/conv/problem.h"
#include "core/launch/refusal.h"

namespace gridwise::ck {

/// Consecutive sub-GEMMs of a problem.
struct SubGemmRange {
  std::size_t first, count;
};

/// A convolution as multiplications. Properties that all instances ask for are computed at once.
/// The forms, possibly of hundreds of sub-GEMMs, are derived again for a launch.
class Lowered {
 public:
  Lowered(const ConvProblem& problem, int merged);

  bool Is(const ConvProblem& problem, int merged) const {
    return merged == merged_ && problem == problem_;
  }

  /// The demands of all sub-GEMMs together.
  const Demands& demands() const { return demands_; }
  /// Why a kernel does not meet the demands.
  std::optional<Refusal> Reject(const GemmConfig& config) const;

  /// Sizes and forms of sub-GEMMs `range` of MakeSubGemms(problem).
  std::span<const GemmSize> SizesOf(SubGemmRange range) const;
  std::vector<GemmForms> FormsOf(SubGemmRange range) const;
  SubGemmRange all() const { return {.first = 0, .count = gemms_.size()}; }

 private:
  GemmForms Lower(const SubGemm& gemm) const;

  ConvProblem problem_;
  int merged_;
  ConvAxes axes_;
  std::vector<SubGemm> gemms_;
  std::vector<GemmSize> sizes_;
  std::vector<GemmForms> demanding_;  // the forms from which the demands come
  Demands demands_;
};

/// Lowers a valid problem, with the tensors of its epilogue; `merged` groups make one matrix, see
/// lowering/conv.h. Caches the last request of a thread, because all instances ask about the same
/// problem and its parts.
std::shared_ptr<const Lowered> LoweredOf(const ConvProblem& problem, int merged = 1);

}  // namespace gridwise::ck
