// SPDX-License-Identifier: MIT
#include "gridwise/planner/ranking.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <ranges>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/part_kernel.h"

namespace gridwise::model {
namespace {

/// Whether the canonical problem's GEMMs can be listed: larger problems are computed in parts.
bool IsWhole(PlanContext& context) {
  const ConvProblem& p = context.canonical_problem();
  return p.batch * std::max(p.in_pixels(), p.out_pixels()) < kOffsetLimit &&
         SubGemmCount(p) <= kMaxSubGemms;
}

/// Returns the instances that the model would evaluate, the one of least estimate first, and of
/// equal ones the first. Leaves out instances whose estimates are further from the least one than
/// in the training set.
std::vector<RankedInstance*> FirstByEstimate(const Model& model,
                                             std::span<RankedInstance> instances) {
  std::vector<RankedInstance*> first(std::min(kAsked, instances.size()));
  if (first.empty()) return first;
  const auto by_estimate = [](const RankedInstance* a, const RankedInstance* b) {
    return std::pair(a->cycles, a) < std::pair(b->cycles, b);
  };
  std::ranges::partial_sort_copy(
      instances | std::views::transform([](RankedInstance& of) { return &of; }), first,
      by_estimate);
  const double most = first.front()->cycles * std::exp2(model.furthest_estimate());
  while (first.back()->cycles > most) first.pop_back();
  return first;
}

/// Returns why the model cannot rank the problem's instances. If it can, returns "" and fills in
/// what the trees see of them.
std::string Describe(const Model& model, PlanContext& context,
                     std::span<RankedInstance* const> instances, std::vector<Bins>& bins) {
  for (const RankedInstance* instance : instances) {
    if (!model.KnowsFamily(instance->family)) {
      return absl::StrCat("it has not been trained on instances of family ", instance->family);
    }
  }
  if (!IsWhole(context)) return "the problem is computed in parts";
  const FeatureMaker maker(context);
  bins.reserve(instances.size());
  Features features = {};
  Standing standing;
  if (instances.size() > 1) {
    standing = {.min_cycles = instances[0]->cost.cycles,
                .second_cycles = instances[1]->cost.cycles};
  }
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const RankedInstance& instance = *instances[i];
    if (i > 0 && instance.cycles > instances[i - 1]->cycles) standing.rank = static_cast<int>(i);
    const Features before = features;
    features = maker.Of(instance.shape, instance.cost, standing);
    if (const auto far = model.FarFeature(features)) {
      return absl::StrCat("far from its training set: ", *far);
    }
    // Instances agree in the problem's features, and often in others.
    bins.push_back(i == 0 ? Bins{} : bins.back());
    model.trees().SetBins(features, i == 0 ? nullptr : &before, bins.back());
  }
  return "";
}

/// An instance to evaluate.
struct Question {
  RankedInstance* instance;
  const Bins* bins;     // in the order of estimates
  double slowdown = 0;  // log2, by the estimate and then corrected by the trees
};

/// Adds what the trees in [begin, end) say and sorts by the result, and equal ones by estimate.
void Ask(const Trees& trees, std::size_t begin, std::size_t end, std::span<Question> questions) {
  std::array<Bins, kAsked> bins;
  std::array<double, kAsked> sums;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    bins[i] = *questions[i].bins;
    sums[i] = questions[i].slowdown;
  }
  trees.Add(begin, end, std::span(bins).first(questions.size()),
            std::span(sums).first(questions.size()));
  for (std::size_t i = 0; i < questions.size(); ++i) questions[i].slowdown = sums[i];
  std::ranges::sort(questions, {},
                    [](const Question& of) { return std::pair(of.slowdown, of.bins); });
}

/// Evaluates instances and sorts them by the result. Those that are left out follow.
void Ask(const Model& model, std::span<Question> questions) {
  std::span<Question> left = questions;
  std::size_t trees = 0;
  for (const Cut& cut : model.cuts()) {
    if (left.size() == 1) break;
    Ask(model.trees(), trees, cut.trees, left);
    trees = cut.trees;
    left = left.first(std::min(cut.most, left.size()));
    while (left.back().slowdown > left.front().slowdown + cut.margin) {
      left = left.first(left.size() - 1);
    }
  }
  if (left.size() > 1) Ask(model.trees(), trees, model.trees().size(), left);
  for (std::size_t i = 1; i < questions.size(); ++i) {
    questions[i].slowdown = std::max(questions[i].slowdown, questions[i - 1].slowdown);
  }
}

/// Returns why the model is not used; "" if it is.
std::string WhyNot(const Model& model, ModelUse use, PlanContext& context) {
  const ConvProblem& p = context.canonical_problem();
  const Group* const group = model.Find(context.device().gfx, p.direction, p.type);
  if (group == nullptr) {
    return absl::StrFormat("it has not been trained on %s of %s on %s", gridwise::Name(p.direction),
                           gridwise::Name(p.type), gridwise::Name(context.device().gfx));
  }
  if (use == ModelUse::kWhereBetter && !group->model_is_better()) {
    return absl::StrFormat("on %d problems it comes to %.1f %%, and they to %.1f %%",
                           group->problems, 100 * group->of_model, 100 * group->of_estimates);
  }
  return "";
}

}  // namespace

Ranking Rank(const Model* model, ModelUse use, PlanContext& context,
             std::span<RankedInstance> instances) {
  for (RankedInstance& instance : instances) instance.cycles = instance.cost.cycles;
  if (model == nullptr) return {.by_model = false, .about = "there is no model"};
  std::string reason = WhyNot(*model, use, context);
  const std::vector<RankedInstance*> asked = FirstByEstimate(*model, instances);
  std::vector<Bins> bins;
  if (reason.empty()) reason = Describe(*model, context, asked, bins);
  if (!reason.empty()) return {.by_model = false, .about = "not the model: " + reason};
  if (asked.empty()) return {.by_model = true, .about = model->about()};
  const double least = asked.front()->cycles, most = asked.back()->cycles;
  std::vector<Question> questions;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    questions.push_back({asked[i], &bins[i], std::log2(asked[i]->cycles / least)});
  }
  questions.front().slowdown -= model->margin();
  Ask(*model, questions);
  // The others follow, in the order of their estimates.
  const double slowest = std::exp2(questions.back().slowdown);
  for (RankedInstance& instance : instances)
    instance.cycles = std::max(instance.cycles, most) * slowest * least / most;
  for (const Question& question : questions) {
    question.instance->cycles = least * std::exp2(question.slowdown);
  }
  return {.by_model = true, .about = model->about()};
}

}  // namespace gridwise::model
