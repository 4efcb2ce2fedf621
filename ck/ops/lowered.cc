#include "ck/ops/lowered.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
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

namespace {

struct Key {
  ConvProblem problem;
  int merged;
  bool operator==(const Key&) const = default;
};
struct Hash {
  std::size_t operator()(const Key& key) const {
    const ConvProblem& p = key.problem;
    std::size_t hash = absl::HashOf(key.merged, p.direction, p.type, p.groups, p.batch, p.c, p.k);
    for (const Dim& dim : p.dims) {
      hash = absl::HashOf(hash, dim.in, dim.filter, dim.pad_begin, dim.pad_end);
    }
    return hash;
  }
};

/// What a thread asked for last: rows ask about the same problem, and about the same parts of one
/// that no launch can compute at once.
class Memory {
 public:
  std::shared_ptr<const Lowered> Find(const Key& key) const {
    const auto found = lowered_.find(key);
    return found == lowered_.end() ? nullptr : found->second;
  }

  void Add(const Key& key, std::shared_ptr<const Lowered> lowered) {
    constexpr std::size_t kMostForms = 4096;
    if (forms_ + lowered->forms.size() > kMostForms) {
      lowered_.clear();
      forms_ = 0;
    }
    forms_ += lowered->forms.size();
    lowered_.emplace(key, std::move(lowered));
  }

 private:
  absl::flat_hash_map<Key, std::shared_ptr<const Lowered>, Hash> lowered_;
  std::size_t forms_ = 0;
};

}  // namespace

std::shared_ptr<const Lowered> LoweredOf(const ConvProblem& problem, int merged) {
  static thread_local Memory memory;
  if (auto known = memory.Find({problem, merged})) return known;
  auto lowered = std::make_shared<Lowered>();
  lowered->gemms = MakeSubGemms(problem);
  lowered->forms.reserve(lowered->gemms.size());
  for (const SubGemm& gemm : lowered->gemms) {
    GemmForms& forms = lowered->forms.emplace_back(FormsOf(Lower(problem, gemm, merged)));
    for (int i = 0; i < problem.epilogue.tensors; ++i) {
      const PerAxis& stride = problem.epilogue.d[static_cast<std::size_t>(i)].stride;
      forms.d.push_back(Normalize(OutputDescriptor(problem, stride, gemm, merged)));
    }
  }
  lowered->demands = Demands(lowered->forms, problem.type);
  memory.Add({problem, merged}, lowered);
  return lowered;
}

}  // namespace gridwise::ck
