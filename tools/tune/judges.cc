// SPDX-License-Identifier: MIT
#include "tools/tune/judges.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/conv/problem_io.h"
#include "core/planning/family.h"
#include "core/planning/parts_family.h"
#include "core/planning/plan_context.h"
#include "core/text/csv.h"
#include "gridwise/families.h"
#include "gridwise/planner/features.h"
#include "tools/tune/config_space.h"

namespace gridwise {
namespace {

/// The name of an instance's family, that outlives the instance.
std::string_view FamilyName(const InstanceInfo& info) {
  for (const ConfigSpace* space : ConfigSpaces()) {
    if (space->family() == info.family) return space->family();
  }
  return "other";
}

/// An instance of a family.
struct FamilyInstance {
  std::shared_ptr<const KernelFamily> family;
  std::size_t index = 0;
};

/// The instance of a name: of those that there are, or of a family of its own, without code.
absl::StatusOr<FamilyInstance> FindInstance(const std::string& instance, Direction direction,
                                            Gfx gfx) {
  for (const KernelFamily* family : Families()) {
    const std::span<const InstanceInfo> instances = family->Instances(direction, gfx);
    const auto found = std::ranges::find(instances, instance, &InstanceInfo::name);
    if (found == instances.end()) continue;
    return FamilyInstance{std::shared_ptr<const KernelFamily>(family, [](const KernelFamily*) {}),
                          static_cast<std::size_t>(found - instances.begin())};
  }
  for (const ConfigSpace* space : ConfigSpaces()) {
    const absl::StatusOr<ConfigSpace::Values> values = space->Parse(instance, direction);
    if (!values.ok() || !space->Check(*values, direction, gfx).ok()) continue;
    auto family = std::make_shared<PartsFamily>(std::string(space->family()));
    family->Add(direction, gfx, space->MakeKernel(*values, direction, gfx, {}));
    return FamilyInstance{std::move(family)};
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("instance %s is no config's name of any family on %s", instance, Name(gfx)));
}

/// What an instance says to the context's problem.
absl::StatusOr<model::RankedInstance> AskRow(const std::string& name, PlanContext& context) {
  const Direction direction = context.problem().direction;
  const Gfx gfx = context.device().gfx;
  const absl::StatusOr<FamilyInstance> instance = FindInstance(name, direction, gfx);
  if (!instance.ok()) return instance.status();
  const Applicability applicability =
      instance->family->CheckApplicability(instance->index, context);
  if (const Refusal* refusal = std::get_if<Refusal>(&applicability)) {
    return absl::InvalidArgumentError(absl::StrFormat("instance %s does not compute %s: %s", name,
                                                      ToString(context.problem()),
                                                      refusal->reason()));
  }
  const InstanceInfo& info = instance->family->Instances(direction, gfx)[instance->index];
  return model::RankedInstance{
      .family = FamilyName(info), .shape = info.shape, .cost = std::get<Cost>(applicability)};
}

absl::StatusOr<PlanContext> MakePlanContext(const TimedProblem& timed, int splits = 0) {
  const absl::StatusOr<ConvProblem> problem = ParseProblem(timed.sizes);
  if (!problem.ok()) return problem.status();
  const std::optional<Gfx> gfx = ParseGfx(timed.device);
  if (!gfx) {
    return absl::InvalidArgumentError(absl::StrFormat("device is %s; there is none", timed.device));
  }
  return PlanContext(*problem, *gfx, {.splits = splits}, UsualOperands(*gfx));
}

/// Elements of a tile; 0 of kernels without one.
double TileOf(const model::RankedInstance& instance) {
  return 1.0 * instance.shape.tile_m * instance.shape.tile_n;
}

Judge Ranked(std::string name, const ModelOf& model_of, model::ModelUse use) {
  return {std::move(name),
          [model_of, use](const TimedProblem& timed) -> absl::StatusOr<std::vector<double>> {
            absl::StatusOr<AskedProblem> asked = CheckTimedInstances(timed);
            if (!asked.ok()) return asked.status();
            PlanContext context(asked->problem, asked->device, {},
                                UsualOperands(asked->device.gfx));
            model::Rank(model_of(asked->device.gfx), use, context, asked->instances);
            std::vector<double> cycles;
            for (const model::RankedInstance& instance : asked->instances)
              cycles.push_back(instance.cycles);
            return cycles;
          }};
}

/// The problem whatever its batch: what is not to be both trained on and tried.
std::string GeometryOf(ConvProblem problem) {
  problem.batch = 1;
  return ToString(problem);
}

std::string Header() {
  std::vector<std::string> names = {"geometry", "problem",  "device",      "direction", "type",
                                    "family",   "instance", "estimate_us", "ms",        "at_least"};
  for (const std::string_view name : model::FeatureNames()) names.emplace_back(name);
  return absl::StrJoin(names, ",") + "\n";
}

}  // namespace

absl::StatusOr<AskedProblem> CheckTimedInstances(const TimedProblem& problem) {
  absl::StatusOr<PlanContext> context = MakePlanContext(problem);
  if (!context.ok()) return context.status();
  AskedProblem asked = {
      .problem = context->problem(), .device = context->device(), .instances = {}};
  for (const InstanceTime& time : problem.times) {
    const absl::StatusOr<model::RankedInstance> instance = AskRow(time.instance, *context);
    if (!instance.ok()) return instance.status();
    asked.instances.push_back(*instance);
  }
  return asked;
}

std::vector<Judge> StandardJudges(const ModelOf& model_of) {
  const auto none = [](Gfx) -> const model::Model* { return nullptr; };
  std::vector<Judge> judges = {
      Ranked("planner", model_of, model::ModelUse::kWhereBetter),
      Ranked("estimates", none, model::ModelUse::kWhereBetter),
      Ranked("model wherever trained", model_of, model::ModelUse::kWhereKnown),
  };
  judges.push_back(
      {"largest tile", [](const TimedProblem& timed) -> absl::StatusOr<std::vector<double>> {
         const absl::StatusOr<AskedProblem> asked = CheckTimedInstances(timed);
         if (!asked.ok()) return asked.status();
         std::vector<double> sizes;
         for (const auto& instance : asked->instances) sizes.push_back(-TileOf(instance));
         return sizes;
       }});
  return judges;
}

absl::StatusOr<std::string> PrintTrainingTable(const std::vector<TimedProblem>& problems,
                                               int& unknown) {
  std::string text = Header();
  unknown = 0;
  for (const TimedProblem& timed : problems) {
    absl::StatusOr<PlanContext> context = MakePlanContext(timed);
    if (!context.ok()) return context.status();
    const model::FeatureMaker maker(*context);
    const ConvProblem& problem = context->problem();
    const double ghz = context->device().clock_ghz;
    std::vector<std::pair<const InstanceTime*, model::RankedInstance>> instances;
    for (const InstanceTime& time : timed.times) {
      // As it was timed, whatever number of splits it would have today.
      absl::StatusOr<PlanContext> timed_context = MakePlanContext(timed, time.splits);
      if (!timed_context.ok()) return timed_context.status();
      const absl::StatusOr<model::RankedInstance> instance = AskRow(time.instance, *timed_context);
      if (!instance.ok()) {
        ++unknown;
        continue;
      }
      instances.emplace_back(&time, *instance);
    }
    std::vector<double> cycles;
    for (const auto& [time, instance] : instances) cycles.push_back(instance.cost.cycles);
    std::ranges::sort(cycles);
    for (const auto& [time, instance] : instances) {
      const auto rank = std::ranges::lower_bound(cycles, instance.cost.cycles) - cycles.begin();
      const model::Features features =
          maker.Of(instance.shape, instance.cost,
                   {.rank = static_cast<int>(rank),
                    .min_cycles = cycles.front(),
                    .second_cycles = cycles[cycles.size() > 1 ? 1 : 0]});
      const std::vector<std::string> known = {
          GeometryOf(problem),
          timed.sizes,
          timed.device,
          Name(problem.direction),
          Name(problem.type),
          std::string(instance.family),
          time->instance,
          absl::StrFormat("%.6g", instance.cost.cycles / ghz * 1e-3),
          absl::StrFormat("%.6g", time->ms),
          time->at_least ? "1" : "0"};
      absl::StrAppend(&text, JoinCsvLine(known));
      for (std::size_t i = 0; i < model::FeatureNames().size(); ++i) {
        absl::StrAppendFormat(&text, ",%.6g", features[i]);
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace gridwise
