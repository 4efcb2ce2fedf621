#include "ck/ops/lowered.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "ck/descriptor/normal_form.h"
#include "ck/lowering/conv.h"
#include "core/conv/sub_gemms.h"

namespace gridwise::ck {

std::span<const GemmForms> Lowered::Of(std::span<const SubGemm> some) const {
  if (some.empty() || some.size() == gemms.size()) return forms;
  const auto found = std::find_if(gemms.begin(), gemms.end(), [&](const SubGemm& gemm) {
    return std::memcmp(&gemm, &some.front(), sizeof(SubGemm)) == 0;  // 23 numbers of 4 bytes
  });
  return std::span(forms).subspan(static_cast<std::size_t>(found - gemms.begin()), 1);
}

std::shared_ptr<const Lowered> LoweredOf(const ConvProblem& problem) {
  struct Last {
    ConvProblem problem;
    std::shared_ptr<const Lowered> lowered;
  };
  static thread_local Last last;
  if (last.lowered != nullptr && last.problem == problem) return last.lowered;
  auto lowered = std::make_shared<Lowered>();
  lowered->gemms = MakeSubGemms(problem);
  lowered->forms.reserve(lowered->gemms.size());
  for (const SubGemm& gemm : lowered->gemms) {
    GemmForms& forms = lowered->forms.emplace_back(FormsOf(Lower(problem, gemm)));
    for (int i = 0; i < problem.epilogue.tensors; ++i) {
      const PerAxis& stride = problem.epilogue.d[static_cast<std::size_t>(i)].stride;
      forms.d.push_back(Normalize(OutputDescriptor(problem, stride, gemm)));
    }
  }
  lowered->demands = Demands(lowered->forms, problem.type);
  last = {problem, std::move(lowered)};
  return last.lowered;
}

}  // namespace gridwise::ck
