// How long it takes to plan one problem, on the host: no device, no kernel. Budget: 50 us.
//
//   bazel run //benchmarks:plan
//
// A benchmark plans every problem of a set in one direction for one target: per_problem is the
// mean of their CPU time, worst_us the slowest problem's best time, and the label its name.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "instances/conv.h"

namespace gridwise {
namespace {

void PlanAll(benchmark::State& state, const std::vector<NamedProblem>& problems, Gfx gfx) {
  using Clock = std::chrono::steady_clock;
  using Microseconds = std::chrono::duration<double, std::micro>;
  std::vector<double> best(problems.size(), std::numeric_limits<double>::infinity());
  for (auto _ : state) {
    for (size_t i = 0; i < problems.size(); ++i) {
      const Clock::time_point start = Clock::now();
      absl::StatusOr<Plan> plan = MakePlan(problems[i].problem, gfx);
      benchmark::DoNotOptimize(plan);
      const double us = Microseconds(Clock::now() - start).count();
      if (!plan.ok()) state.SkipWithError(plan.status().ToString().c_str());
      best[i] = std::min(best[i], us);
    }
  }
  state.counters["problems"] = static_cast<double>(problems.size());
  state.counters["per_problem"] = benchmark::Counter(
      static_cast<double>(problems.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  const auto worst = std::max_element(best.begin(), best.end());
  state.counters["worst_us"] = *worst;
  state.SetLabel(problems[static_cast<size_t>(worst - best.begin())].name);
}

absl::Status RegisterSet(const std::string& set) {
  const absl::StatusOr<std::vector<NamedProblem>> problems =
      ReadProblems(absl::StrCat("tests/problems/", set, ".csv"));
  if (!problems.ok()) return problems.status();
  for (const Gfx gfx : kAmdGfx) {
    for (const Direction direction : kAllDirections) {
      std::vector<NamedProblem> selected;
      for (const NamedProblem& named : *problems) {
        if (std::find(named.directions.begin(), named.directions.end(), direction) ==
            named.directions.end())
          continue;
        selected.push_back(named);
        selected.back().problem.direction = direction;
      }
      if (selected.empty()) continue;
      benchmark::RegisterBenchmark(
          absl::StrCat("plan/", Name(gfx), "/", Name(direction), "/", set).c_str(),
          [selected, gfx](benchmark::State& state) { PlanAll(state, selected, gfx); });
    }
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace gridwise

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const char* set : {"regressions", "retinanet"}) {
    if (absl::Status status = gridwise::RegisterSet(set); !status.ok()) {
      std::fprintf(stderr, "%s\n", status.ToString().c_str());
      return 1;
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
