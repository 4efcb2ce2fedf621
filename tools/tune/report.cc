// SPDX-License-Identifier: MIT
#include "tools/tune/report.h"

#include <map>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "core/conv/problem.h"
#include "llvm/Support/JSON.h"
#include "tools/page/page.h"
#include "tools/text/json.h"
#include "tools/tune/config_space.h"

namespace gridwise {
namespace {

/// The family that an instance is of; "other" for none that is known.
std::string FamilyOf(const std::string& instance, const std::string& direction) {
  const Direction parsed = ParseDirection(direction).value_or(Direction::kForward);
  for (const ConfigSpace* space : ConfigSpaces()) {
    if (space->Parse(instance, parsed).ok()) return std::string(space->family());
  }
  return "other";
}

llvm::json::Object ToJson(const TimedProblem& problem) {
  llvm::json::Array times;
  for (const InstanceTime& time : problem.times) {
    times.push_back(llvm::json::Object{{"instance", time.instance},
                                       {"family", FamilyOf(time.instance, problem.direction)},
                                       {"estimate_us", time.estimate_us},
                                       {"ms", time.ms},
                                       {"tflop_per_s", time.tflop_per_s},
                                       {"at_least", time.at_least},
                                       {"limiter", time.limiter}});
  }
  return llvm::json::Object{{"name", problem.name},
                            {"sizes", problem.sizes},
                            {"bound_ms", problem.bound_ms},
                            {"times", std::move(times)}};
}

}  // namespace

absl::StatusOr<std::string> MakeReport(const std::vector<TimedProblem>& problems) {
  if (problems.empty()) {
    return absl::InvalidArgumentError(
        "the tables have no times; `gridwise sweep --time` makes them");
  }
  std::map<std::tuple<std::string, std::string, std::string>, llvm::json::Array> groups;
  for (const TimedProblem& problem : problems) {
    groups[{problem.device, problem.direction, problem.type}].push_back(ToJson(problem));
  }
  llvm::json::Array list;
  for (auto& [key, group] : groups) {
    const auto& [device, direction, type] = key;
    list.push_back(llvm::json::Object{{"device", device},
                                      {"direction", direction},
                                      {"type", type},
                                      {"problems", std::move(group)}});
  }
  return MakePage(PageKind::kSweep, "Times of kernels",
                  JsonText(llvm::json::Object{{"groups", std::move(list)}}));
}

}  // namespace gridwise
