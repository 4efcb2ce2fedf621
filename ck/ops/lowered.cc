#include "ck/ops/lowered.h"

#include <cstddef>
#include <memory>

#include "ck/descriptor/normal_form.h"
#include "ck/lowering/conv.h"
#include "core/conv/sub_gemms.h"

namespace gridwise::ck {

std::shared_ptr<const Lowered> LoweredOf(const ConvProblem& problem) {
  struct Last {
    ConvProblem problem;
    std::shared_ptr<const Lowered> lowered;
  };
  static thread_local Last last;
  if (last.lowered != nullptr && last.problem == problem) return last.lowered;
  auto lowered = std::make_shared<Lowered>();
  for (const SubGemm& gemm : MakeSubGemms(problem)) {
    GemmForms& forms = lowered->emplace_back(FormsOf(Lower(problem, gemm)));
    for (int i = 0; i < problem.epilogue.tensors; ++i) {
      const PerAxis& stride = problem.epilogue.d[static_cast<std::size_t>(i)].stride;
      forms.d.push_back(Normalize(OutputDescriptor(problem, stride, gemm)));
    }
  }
  last = {problem, std::move(lowered)};
  return last.lowered;
}

}  // namespace gridwise::ck
