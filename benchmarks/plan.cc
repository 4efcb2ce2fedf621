// How long it takes to plan one problem, on the host: no device, no kernel. Budget: 50 us.
//
//   bazel run //benchmarks:plan

#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "ck/conv/problem_io.h"
#include "instances/conv.h"

namespace gridwise {
namespace {

void Plan(benchmark::State& state, const ConvProblem& problem) {
  for (auto _ : state) {
    absl::StatusOr<gridwise::Plan> plan = MakePlan(problem, Gfx::k942);
    if (!plan.ok()) state.SkipWithError(plan.status().ToString().c_str());
    benchmark::DoNotOptimize(plan);
  }
}

void RegisterPlans(const std::string& path) {
  const absl::StatusOr<std::vector<NamedProblem>> problems = ReadProblems(path);
  if (!problems.ok()) {
    benchmark::RegisterBenchmark(path.c_str(),
                                 [status = problems.status()](benchmark::State& state) {
                                   state.SkipWithError(status.ToString().c_str());
                                 });
    return;
  }
  for (const NamedProblem& named : *problems) {
    ConvProblem problem = named.problem;
    problem.direction = Direction::kBackwardData;
    benchmark::RegisterBenchmark(("plan/bwd_data/" + named.name).c_str(),
                                 [problem](benchmark::State& state) { Plan(state, problem); });
  }
}

}  // namespace
}  // namespace gridwise

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  gridwise::RegisterPlans("tests/problems/regressions.csv");
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
