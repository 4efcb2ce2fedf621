// SPDX-License-Identifier: MIT
#include "tools/gridwise/commands/list_command.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/arch/product_list.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/gemm/problem_io.h"
#include "core/planning/family.h"
#include "gridwise/instances.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/problem/problem_request.h"
#include "tools/gridwise/problem/problem_sets.h"
#include "tools/gridwise/report/json.h"
#include "tools/gridwise/report/support.h"

namespace gridwise {
namespace {

void ListTargets() {
  absl::PrintF("targets\n");
  for (Gfx gfx : kAllGfx) {
    absl::PrintF("  %s\n", Name(gfx));
    for (const Product& product : ProductsOf(gfx)) {
      absl::PrintF("    %-14s %-8s %3d compute units, %.2f GHz, %.0f GB/s%s\n", product.name,
                   product.processor, product.compute_units, product.clock_ghz,
                   product.memory_gb_per_s, product.like.empty() ? "" : "; times not calibrated");
    }
  }
}

constexpr char kGemm[] = "gemm";

/// An instance and what it computes: a direction, or "gemm".
struct ListedInstance {
  InstanceInfo instance;
  std::string kind;
};

/// The target of the filter's device, if it has one.
absl::StatusOr<std::optional<Gfx>> TargetOf(const InstanceFilter& filter) {
  if (filter.device.empty()) return std::nullopt;
  return ParseTarget(filter.device);
}

/// Returns the instances that match `filter`, whose device is of target `gfx`. Returns an error if
/// one of its words is unknown, or if no instance matches.
absl::StatusOr<std::vector<ListedInstance>> FilteredInstances(const InstanceFilter& filter,
                                                              std::optional<Gfx> gfx) {
  if (!filter.direction.empty() && filter.direction != kGemm) {
    const absl::StatusOr<Direction> parsed = ParseDirectionWord(filter.direction);
    if (!parsed.ok()) return parsed.status();
  }
  std::vector<ListedInstance> instances;
  for (InstanceInfo& instance : ListInstances()) {
    std::string kind = Name(instance.direction);
    instances.push_back({std::move(instance), std::move(kind)});
  }
  for (InstanceInfo& instance : ListGemmInstances())
    instances.push_back({std::move(instance), kGemm});
  std::erase_if(instances, [&](const ListedInstance& listed) {
    return (gfx && listed.instance.gfx != *gfx) ||
           (!filter.direction.empty() && listed.kind != filter.direction) ||
           (!filter.family.empty() && listed.instance.family != filter.family);
  });
  if (instances.empty()) {
    return absl::NotFoundError(absl::StrFormat(
        "no instance is of family '%s', direction '%s' and device '%s' at once (empty: any)",
        filter.family, filter.direction, filter.device));
  }
  return instances;
}

/// Prints instances by target and direction: their number, or each with its family.
void PrintInstances(const std::vector<ListedInstance>& instances, bool each) {
  for (Gfx gfx : kAllGfx) {
    for (const char* kind : {Name(Direction::kForward), Name(Direction::kBackwardData),
                             Name(Direction::kBackwardWeight), kGemm}) {
      std::vector<std::string> names;
      for (const ListedInstance& listed : instances) {
        if (listed.instance.gfx != gfx || listed.kind != kind) continue;
        names.push_back(
            absl::StrFormat("%s (%s%s)", listed.instance.name, listed.instance.family,
                            listed.instance.use == InstanceUse::kOnRequest ? ", on request" : ""));
      }
      if (names.empty()) continue;
      absl::PrintF("instances %s %s: %d\n", Name(gfx), kind, names.size());
      if (!each) continue;
      for (const std::string& name : names) absl::PrintF("  %s\n", name);
    }
  }
}

/// Returns the names of the directions of a problem of a set.
std::vector<std::string> DirectionsOf(const NamedProblem& named) {
  std::vector<std::string> names;
  for (const Direction direction : named.directions) names.push_back(Name(direction));
  return names;
}

void ListProblems(const std::vector<ProblemSet>& sets, bool each) {
  for (const ProblemSet& set : sets) {
    absl::PrintF("problem set %s: %d problems\n", set.name, set.problems.size() + set.gemms.size());
    if (!each) continue;
    for (const NamedGemm& named : set.gemms) {
      absl::PrintF("  %s\n    %s\n", named.name, ToString(named.problem));
    }
    for (const NamedProblem& named : set.problems) {
      const std::string directions = absl::StrJoin(DirectionsOf(named), ", ");
      ConvProblem problem = named.problem;
      if (!named.directions.empty()) problem.direction = named.directions.front();
      absl::PrintF("  %s (%s)\n    %s\n", named.name, directions, ToString(problem));
    }
  }
}

llvm::json::Object ToJson(const Product& product) {
  return llvm::json::Object{
      {"name", std::string(product.name)},          {"processor", std::string(product.processor)},
      {"compute_units", product.compute_units},     {"clock_ghz", product.clock_ghz},
      {"memory_gb_per_s", product.memory_gb_per_s}, {"calibrated", product.like.empty()}};
}

llvm::json::Array TargetsJson() {
  llvm::json::Array targets;
  for (const Gfx gfx : kAllGfx) {
    llvm::json::Array products;
    for (const Product& product : ProductsOf(gfx)) products.push_back(ToJson(product));
    llvm::json::Object target = ToJson(ProductsOf(gfx).front());
    target["product"] = std::exchange(target["name"], Name(gfx));
    target["products"] = std::move(products);
    targets.push_back(std::move(target));
  }
  return targets;
}

llvm::json::Array InstancesJson(const std::vector<ListedInstance>& instances) {
  llvm::json::Array documents;
  for (const auto& [instance, kind] : instances) {
    documents.push_back(llvm::json::Object{{"family", std::string(instance.family)},
                                           {"instance", instance.name},
                                           {"target", Name(instance.gfx)},
                                           {"direction", kind},
                                           {"type", Name(instance.type)},
                                           {"on_request", instance.use == InstanceUse::kOnRequest},
                                           {"compiled", !instance.code.object.empty()}});
  }
  return documents;
}

llvm::json::Array ProblemsJson(const std::vector<ProblemSet>& sets) {
  llvm::json::Array documents;
  for (const ProblemSet& set : sets) {
    llvm::json::Array problems;
    for (const NamedProblem& named : set.problems) {
      llvm::json::Array directions;
      for (const std::string& name : DirectionsOf(named)) directions.push_back(name);
      problems.push_back(llvm::json::Object{{"name", named.name},
                                            {"directions", std::move(directions)},
                                            {"note", named.note},
                                            {"problem", ToJson(named.problem)}});
    }
    for (const NamedGemm& named : set.gemms) {
      problems.push_back(llvm::json::Object{
          {"name", named.name}, {"note", named.note}, {"problem", ToJson(named.problem)}});
    }
    documents.push_back(llvm::json::Object{{"name", set.name}, {"problems", std::move(problems)}});
  }
  return documents;
}

}  // namespace

ExitCode ListCommand(const std::string& what, const InstanceFilter& filter,
                     const std::string& problem_sets, const std::string& program, bool json) {
  if (!what.empty() && what != "targets" && what != "instances" && what != "problems" &&
      what != "support") {
    return Fail(absl::InvalidArgumentError(absl::StrFormat(
        "nothing is called '%s'; list targets, instances, problems or support", what)));
  }
  const absl::StatusOr<std::optional<Gfx>> gfx = TargetOf(filter);
  if (!gfx.ok()) return Fail(gfx.status());
  const absl::StatusOr<std::vector<ListedInstance>> instances = FilteredInstances(filter, *gfx);
  if (!instances.ok()) return Fail(instances.status());
  if (what == "support") {
    if (json) {
      return Fail(absl::InvalidArgumentError(
          "--json is given; list prints targets, instances and problems as JSON, and support as a "
          "Markdown table only"));
    }
    absl::PrintF("%s", SupportTable(filter.family, filter.direction, *gfx));
    return kSuccess;
  }
  const absl::StatusOr<std::vector<ProblemSet>> sets = LoadProblemSets(problem_sets, program);
  if (!sets.ok()) return Fail(sets.status());
  if (json) {
    llvm::json::Object document;
    if (what.empty() || what == "targets") document["targets"] = TargetsJson();
    if (what.empty() || what == "instances") document["instances"] = InstancesJson(*instances);
    if (what.empty() || what == "problems") document["problem_sets"] = ProblemsJson(*sets);
    PrintJson(std::move(document));
    return kSuccess;
  }
  if (what.empty() || what == "targets") ListTargets();
  if (what.empty() || what == "instances") PrintInstances(*instances, what == "instances");
  if (what.empty() || what == "problems") ListProblems(*sets, what == "problems");
  return kSuccess;
}

}  // namespace gridwise
