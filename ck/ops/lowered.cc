// SPDX-License-Identifier: MIT
#include "ck/ops/lowered.h"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "ck/descriptor/normal_form.h"
#include "ck/descriptor/normalize.h"
#include "ck/lowering/conv.h"
#include "core/conv/sub_gemms.h"

namespace gridwise::ck {

Lowered::Lowered(const ConvProblem& problem, int merged)
    : problem_(problem), merged_(merged), axes_(problem), gemms_(MakeSubGemms(problem)) {
  sizes_.reserve(gemms_.size());
  for (const SubGemm& gemm : gemms_) {
    GemmForms forms = Lower(gemm);
    sizes_.push_back({.rows = RowsOf(forms), .columns = ColumnsOf(forms), .terms = forms.terms});
    if (demands_.Add(forms, problem.type)) demanding_.push_back(std::move(forms));
  }
}

std::optional<Refusal> Lowered::Reject(const GemmConfig& config) const {
  if (demands_.AreMetBy(config)) return std::nullopt;
  for (const GemmForms& forms : demanding_) {
    if (auto reason = ck::Reject(config, forms)) return reason;
  }
  return std::nullopt;
}

GemmForms Lowered::Lower(const SubGemm& gemm) const {
  GemmForms forms = ck::FormsOf(ck::Lower(problem_, axes_, gemm, merged_));
  for (int i = 0; i < problem_.epilogue.tensors; ++i) {
    const PerAxis& stride = problem_.epilogue.d[static_cast<std::size_t>(i)].stride;
    forms.d.push_back(Normalize(OutputDescriptor(problem_, axes_, stride, gemm, merged_)));
  }
  return forms;
}

std::span<const GemmSize> Lowered::SizesOf(SubGemmRange range) const {
  return std::span(sizes_).subspan(range.first, range.count);
}

std::vector<GemmForms> Lowered::FormsOf(SubGemmRange range) const {
  std::vector<GemmForms> forms;
  forms.reserve(range.count);
  for (const SubGemm& gemm : std::span(gemms_).subspan(range.first, range.count)) {
    forms.push_back(Lower(gemm));
  }
  return forms;
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

/// The last requests of a thread: instances ask about the same problem, and about the same parts of
/// one that no single launch can compute.
class Memory {
 public:
  /// It is mostly the last one again.
  std::shared_ptr<const Lowered> Find(const ConvProblem& problem, int merged) {
    if (last_ == nullptr || !last_->Is(problem, merged)) {
      const auto found = lowered_.find(Key{problem, merged});
      if (found == lowered_.end()) return nullptr;
      last_ = found->second;
    }
    return last_;
  }

  void Add(const Key& key, std::shared_ptr<const Lowered> lowered) {
    constexpr std::size_t kMaxGemms = 4096;
    if (gemms_ + lowered->all().count > kMaxGemms) {
      lowered_.clear();
      gemms_ = 0;
    }
    gemms_ += lowered->all().count;
    last_ = lowered;
    lowered_.emplace(key, std::move(lowered));
  }

 private:
  absl::flat_hash_map<Key, std::shared_ptr<const Lowered>, Hash> lowered_;
  std::shared_ptr<const Lowered> last_;
  std::size_t gemms_ = 0;
};

}  // namespace

std::shared_ptr<const Lowered> LoweredOf(const ConvProblem& problem, int merged) {
  static thread_local Memory memory;
  if (auto known = memory.Find(problem, merged)) return known;
  auto lowered = std::make_shared<const Lowered>(problem, merged);
  memory.Add({problem, merged}, lowered);
  return lowered;
}

}  // namespace gridwise::ck
