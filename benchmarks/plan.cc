// SPDX-License-Identifier: MIT
// How long it takes to plan one problem on the host: no device, no
// kernel. Budget: 50 us; 2 us to find a plan in a cache.
//
//   bazel run //benchmarks:plan
//
// plan/ plans every problem of a set in one direction for one target: per_problem is the mean of
// their time, worst_us the slowest problem's best time, and the label its name; first_us is that of
// the first one, which a thread plans that has planned nothing yet. cache/ finds
// them in a cache, of which reading the file took open_us for each.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/gemm/problem_io.h"
#include "core/text/csv_table.h"
#include "gridwise/conv.h"
#include "gridwise/gemm.h"
#include "gridwise/instances.h"
#include "gridwise/plan_cache.h"

namespace gridwise {
namespace {

/// Problems are convolutions or matrix multiplications.
template <class Named>
void PlanAll(benchmark::State& state, const std::vector<Named>& problems, Gfx gfx) {
  using Clock = std::chrono::steady_clock;
  using Microseconds = std::chrono::duration<double, std::micro>;
  std::vector<double> best(problems.size(), std::numeric_limits<double>::infinity());
  for (auto _ : state) {
    double total = 0;
    const auto plan_each = [&] {
      for (size_t i = 0; i < problems.size(); ++i) {
        const Clock::time_point start = Clock::now();
        auto plan = MakePlan(problems[i].problem, gfx);
        benchmark::DoNotOptimize(plan);
        const double us = Microseconds(Clock::now() - start).count();
        if (!plan.ok()) state.SkipWithError(plan.status().ToString().c_str());
        best[i] = std::min(best[i], us);
        total += us;
      }
    };
    std::thread(plan_each).join();  // which knows nothing of the problems yet: see ck/ops/lowered.h
    state.SetIterationTime(total * 1e-6);
  }
  state.counters["problems"] = static_cast<double>(problems.size());
  state.counters["per_problem"] = benchmark::Counter(
      static_cast<double>(problems.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["first_us"] = best.front();
  const auto worst = std::max_element(best.begin() + (best.size() > 1), best.end());
  state.counters["worst_us"] = *worst;
  state.SetLabel(problems[static_cast<size_t>(worst - best.begin())].name);
}

/// Plans of a set that a file holds: Find of one, and Open, which reads and plans all of them, for
/// each plan.
void FindAll(benchmark::State& state, const std::vector<NamedProblem>& problems, Gfx gfx) {
  const std::string path = absl::StrCat("/tmp/gridwise_plans_", getpid(), ".txt");
  const absl::StatusOr<std::unique_ptr<PlanCache>> cache = PlanCache::Open(path);
  for (const NamedProblem& named : problems) {
    const absl::StatusOr<Plan> plan = MakePlan(named.problem, gfx);
    if (!cache.ok() || !plan.ok() || !(*cache)->Store(*plan).ok()) {
      return state.SkipWithError("cannot store a plan");
    }
  }
  const auto start = std::chrono::steady_clock::now();
  const absl::StatusOr<std::unique_ptr<PlanCache>> read = PlanCache::Open(path);
  const std::chrono::duration<double, std::micro> open = std::chrono::steady_clock::now() - start;
  std::remove(path.c_str());
  if (!read.ok()) return state.SkipWithError("cannot read the plans");
  for (auto _ : state) {
    for (const NamedProblem& named : problems) {
      std::optional<Plan> plan = (*read)->Find(named.problem, gfx);
      if (!plan) return state.SkipWithError("a plan is not there");
      benchmark::DoNotOptimize(plan);
    }
  }
  const auto count = static_cast<double>(problems.size());
  state.counters["problems"] = count;
  state.counters["per_problem"] = benchmark::Counter(
      count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["open_us"] = open.count() / count;
}

absl::Status RegisterSet(const std::string& set) {
  const absl::StatusOr<std::vector<NamedProblem>> problems =
      ReadProblems(absl::StrCat("tests/problems/", set, ".csv"));
  if (!problems.ok()) return problems.status();
  const std::vector<InstanceInfo> instances = ListInstances();
  for (const Gfx gfx : kAllGfx) {
    if (std::ranges::find(instances, gfx, &InstanceInfo::gfx) == instances.end()) continue;
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
          [selected, gfx](benchmark::State& state) { PlanAll(state, selected, gfx); })
          ->UseManualTime();
      benchmark::RegisterBenchmark(
          absl::StrCat("cache/", Name(gfx), "/", Name(direction), "/", set).c_str(),
          [selected, gfx](benchmark::State& state) { FindAll(state, selected, gfx); });
    }
  }
  return absl::OkStatus();
}

absl::Status RegisterGemms(const std::string& set) {
  const absl::StatusOr<std::string> text =
      ReadText(absl::StrCat("tests/problems/", set, ".csv"), "problem set");
  if (!text.ok()) return text.status();
  const absl::StatusOr<std::vector<NamedGemm>> gemms = ParseGemms(*text, set);
  if (!gemms.ok()) return gemms.status();
  for (const Gfx gfx : kAmdGfx) {
    benchmark::RegisterBenchmark(
        absl::StrCat("plan/", Name(gfx), "/gemm/", set).c_str(),
        [gemms = *gemms, gfx](benchmark::State& state) { PlanAll(state, gemms, gfx); })
        ->UseManualTime();
  }
  return absl::OkStatus();
}

absl::Status Register() {
  for (const char* set : {"regressions", "retinanet"}) {
    if (absl::Status status = RegisterSet(set); !status.ok()) return status;
  }
  return RegisterGemms("transformers");
}

}  // namespace
}  // namespace gridwise

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const absl::Status status = gridwise::Register();
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
