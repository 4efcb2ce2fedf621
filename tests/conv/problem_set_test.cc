// SPDX-License-Identifier: MIT
// Every instance on every problem of a problem set that it accepts, in one direction.
//
// GRIDWISE_TEST_PROBLEMS names the problem set, or several ("a.csv,b.csv").
// GRIDWISE_TEST_DIRECTION and GRIDWISE_TEST_TYPES ("f16,bf16:f32": of the operands, or of the
// operands and the output) say what is computed; types that the target lacks are left out.
// GRIDWISE_TEST_MAX_FLOPS bounds the size: larger problems are shrunk to it, which keeps the smoke
// tier short; and so does GRIDWISE_TEST_MAX_GROUPS, if it is set. GRIDWISE_TEST_INSTANCES is "all",
// "accepting" or "planned": every instance, each of which must accept a problem; those that do; or
// the planner's choice. GRIDWISE_TEST_SPREAD, if set, is a number n: each instance is run on one in
// n of the problems that it accepts, at least one, and adjacent instances on others.
// GRIDWISE_TEST_FAMILY, if set, names the families whose instances are run ("tile,direct").
// GRIDWISE_TEST_BATCH, if set, is the number of images in place of the set's. GRIDWISE_TEST_NAMES,
// if set, names the problems to take ("stem,l2.conv3") in place of all; each must be in the set.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/log/check.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/arch/parse_gfx.h"
#include "core/base/parse_type.h"
#include "core/conv/problem_io.h"
#include "gridwise/conv.h"
#include "gtest/gtest.h"
#include "tests/conv/conv_case.h"
#include "tests/conv/test_family.h"

namespace gridwise {
namespace {

std::string Env(const char* name) {
  const char* const value = std::getenv(name);
  CHECK(value != nullptr) << "set " << name;
  return value;
}

/// Nothing if the variable is not set.
std::optional<std::string> OptionalEnv(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

struct Types {
  DataType operands;
  std::optional<DataType> out;
};

std::vector<Types> TypesOf(Gfx gfx) {
  const auto parse = [](std::string_view name) {
    const std::optional<DataType> type = ParseDataType(name);
    CHECK(type.has_value()) << name << " is no type";
    return *type;
  };
  std::vector<Types> types;
  for (const std::string_view names : absl::StrSplit(Env("GRIDWISE_TEST_TYPES"), ',')) {
    const std::pair<std::string_view, std::string_view> of =
        absl::StrSplit(names, absl::MaxSplits(':', 1));
    const DataType operands = parse(of.first);
    if (!HasType(gfx, operands)) continue;
    types.push_back({operands, of.second.empty() ? std::nullopt : std::optional(parse(of.second))});
  }
  CHECK(!types.empty());
  return types;
}

/// The problem with no more than `max` groups of the same size.
ConvProblem LimitGroups(ConvProblem problem, std::int64_t max) {
  if (problem.groups <= max) return problem;
  problem.c = problem.c_per_group() * max;
  problem.k = problem.k_per_group() * max;
  problem.groups = max;
  return problem;
}

std::vector<NamedProblem> ReadAllProblems() {
  std::vector<NamedProblem> all;
  const std::string paths = Env("GRIDWISE_TEST_PROBLEMS");
  for (const std::string_view path : absl::StrSplit(paths, ',')) {
    const absl::StatusOr<std::vector<NamedProblem>> some = ReadProblems(std::string(path));
    CHECK_OK(some.status());
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

std::vector<NamedProblem> Problems(Gfx gfx) {
  const std::optional<Direction> direction = ParseDirection(Env("GRIDWISE_TEST_DIRECTION"));
  CHECK(direction.has_value());
  double max_flops = 0;
  CHECK(absl::SimpleAtod(Env("GRIDWISE_TEST_MAX_FLOPS"), &max_flops));
  std::int64_t groups = std::numeric_limits<std::int64_t>::max();
  if (const auto value = OptionalEnv("GRIDWISE_TEST_MAX_GROUPS"))
    CHECK(absl::SimpleAtoi(*value, &groups)) << *value << " is no number of groups";
  std::optional<std::set<std::string>> names;
  if (const auto value = OptionalEnv("GRIDWISE_TEST_NAMES")) names = absl::StrSplit(*value, ',');
  std::int64_t batch = 0;
  if (const auto value = OptionalEnv("GRIDWISE_TEST_BATCH"))
    CHECK(absl::SimpleAtoi(*value, &batch) && batch > 0) << *value << " is no batch size";
  // Some forward instances of the classic family take sums of tensors, and nothing else.
  const std::vector<std::string> families = TestFamilies();
  const bool with_sums = *direction == Direction::kForward &&
                         std::find(families.begin(), families.end(), "ck") != families.end();
  std::vector<NamedProblem> problems;
  for (NamedProblem& named : ReadAllProblems()) {
    if (names && names->erase(named.name) == 0) continue;
    if (batch > 0) named.problem.batch = batch;
    if (std::find(named.directions.begin(), named.directions.end(), *direction) ==
        named.directions.end())
      continue;
    named.problem.direction = *direction;
    for (const Types& types : TypesOf(gfx)) {
      named.problem.type = types.operands;
      named.problem.out_type = types.out;
      named.problem = Shrink(LimitGroups(named.problem, groups), max_flops);
      problems.push_back(named);
      if (!with_sums || SizeOf(types.operands) == 1) continue;
      problems.push_back(named);
      problems.back().name += "_sums";
      problems.back().problem.operand_sums = {
          {{.adds = true, .scale = 0.5}, {.adds = true, .scale = -0.75}}};
    }
  }
  CHECK(!names || names->empty()) << "no problem is called " << *names->begin();
  return problems;
}

/// What the instances of the families say that the test is about.
std::vector<InstanceExplanation> Explanations(const ConvProblem& problem, Gfx gfx) {
  std::vector<InstanceExplanation> explanations;
  for (const std::string& family : TestFamilies()) {
    const std::vector<InstanceExplanation> some =
        ExplainInstances(problem, gfx, {.family = family});
    explanations.insert(explanations.end(), some.begin(), some.end());
  }
  return explanations;
}

struct Run {
  NamedProblem named;
  std::string instance, family;  // empty: the planner's choice
};

void PrintTo(const Run& run, std::ostream* out) { *out << run.named.name << " " << run.instance; }

/// Takes one in `n` of each instance's runs: of every n runs, the first one of the first instance,
/// the second one of the next instance, and so on.
std::vector<Run> Spread(const std::vector<Run>& runs, std::size_t n) {
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> of_instances;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    of_instances[{runs[i].family, runs[i].instance}].push_back(i);
  }
  std::set<std::size_t> kept;
  std::size_t instance = 0;
  for (const auto& [name, indices] : of_instances) {
    for (std::size_t i = instance++ % std::min(n, indices.size()); i < indices.size(); i += n) {
      kept.insert(indices[i]);
    }
  }
  std::vector<Run> some;
  for (const std::size_t i : kept) some.push_back(runs[i]);
  return some;
}

std::vector<Run> MakeRuns() {
  const std::optional<Gfx> gfx = ParseGfx(Env("GRIDWISE_TEST_TARGET"));
  CHECK(gfx.has_value());
  const bool all_instances = Env("GRIDWISE_TEST_INSTANCES") != "planned";
  std::vector<Run> runs;
  for (const NamedProblem& named : Problems(*gfx)) {
    if (!all_instances) {
      for (const std::string& family : TestFamilies()) {
        runs.push_back({.named = named, .instance = "", .family = family});
      }
      continue;
    }
    for (const InstanceExplanation& explanation : Explanations(named.problem, *gfx)) {
      if (explanation.reason.has_value()) continue;
      runs.push_back(
          {.named = named, .instance = explanation.instance, .family = explanation.family});
    }
  }
  const std::optional<std::string> spread = OptionalEnv("GRIDWISE_TEST_SPREAD");
  if (!spread) return runs;
  int n = 0;
  CHECK(absl::SimpleAtoi(*spread, &n) && n > 0) << *spread << " is no number of problems";
  return Spread(runs, static_cast<std::size_t>(n));
}

const std::vector<Run>& Runs() {
  static const auto* const runs = new std::vector<Run>(MakeRuns());
  return *runs;
}

std::string TestName(const testing::TestParamInfo<Run>& info) {
  std::string name =
      absl::StrCat(info.param.named.name, "_", Name(info.param.named.problem.type), "_",
                   info.param.instance.empty() ? "planned" : info.param.instance, "_",
                   Name(info.param.named.problem.output_type()));
  for (char& c : name) {
    if (!absl::ascii_isalnum(c)) c = '_';
  }
  return name;
}

class ProblemSet : public testing::TestWithParam<Run> {};

TEST_P(ProblemSet, MatchesReference) {
  const auto& [named, instance, family] = GetParam();
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  // Instances of one problem follow each other: its reference is computed once.
  static std::optional<ConvCase> last;
  if (!last.has_value() || last->problem() != named.problem) {
    absl::StatusOr<ConvCase> made = ConvCase::Make(named.problem, /*seed=*/1);
    ASSERT_TRUE(made.ok()) << made.status();
    last.emplace(*std::move(made));
  }
  const absl::StatusOr<Plan> plan =
      MakePlan(named.problem, *gfx, {.instance = instance, .family = family});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const absl::Status status = last->CheckPlan(*plan);
  EXPECT_TRUE(status.ok()) << named.name << " on " << plan->instance() << ": "
                           << ToString(named.problem) << "\n"
                           << status;
}

TEST(Instances, SomeAreRun) { EXPECT_FALSE(Runs().empty()); }

/// The set says something of each instance, and each is run, if the test is to run them all.
TEST(Instances, EachHasAProblem) {
  if (Env("GRIDWISE_TEST_INSTANCES") != "all") GTEST_SKIP() << "not all instances are run";
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  std::map<std::string, bool> accepts;
  for (const NamedProblem& named : Problems(*gfx)) {
    for (const InstanceExplanation& explanation : Explanations(named.problem, *gfx)) {
      accepts[explanation.instance] |= !explanation.reason.has_value();
    }
  }
  EXPECT_FALSE(accepts.empty());
  std::set<std::string> run;
  for (const auto& each : Runs()) run.insert(each.instance);
  for (const auto& [instance, accepted] : accepts) {
    EXPECT_TRUE(accepted) << instance;
    EXPECT_TRUE(run.contains(instance)) << instance;
  }
}

INSTANTIATE_TEST_SUITE_P(Conv, ProblemSet, testing::ValuesIn(Runs()), TestName);

}  // namespace
}  // namespace gridwise
