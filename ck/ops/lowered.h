#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ck/gemm/config.h"
#include "ck/gemm/plan.h"
#include "ck/lowering/conv.h"
#include "ck/ops/gemm_launch.h"
#include "core/conv/gemm_map.h"
#include "core/conv/problem.h"

namespace gridwise::ck {

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
  std::optional<std::string> Reject(const GemmConfig& config) const;

  /// The sizes of `some` of the sub-GEMMs of MakeSubGemms(problem): all of them, or one. None
  /// stands for all, which is how backward-weight has its only one.
  std::span<const GemmSize> SizesOf(std::span<const SubGemm> some) const;
  std::vector<GemmForms> FormsOf(std::span<const SubGemm> some) const;

 private:
  struct Range {
    std::size_t first, count;
  };
  Range RangeOf(std::span<const SubGemm> some) const;
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
