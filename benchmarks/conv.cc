// SPDX-License-Identifier: MIT
// How long the layers of the problem sets take, each by name, direction, type and instance:
//
//   bazel run --config=gfx942 //benchmarks:conv -- --benchmark_filter=retinanet/.*/fwd
//
// On a real device the time is measured by events; on a simulated one it is what the simulator's
// clock says of long runs, from a sample of each launch. The context names
// which: "time". Counters: TFLOP/s, and the part of the roofline's bound (of_bound). A simulated
// layer's label says what limits it.
//
// Flags besides Google Benchmark's: --device=gfx942, --problems=retinanet (a set or a CSV file;
// default: all sets), --n=32 (in place of the set's batch), --type=f16, --all_instances.

#include "gridwise/conv.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/runtime/device.h"
#include "core/text/parse_device.h"
#include "tools/gridwise/problem/problem_request.h"
#include "tools/gridwise/problem/problem_sets.h"
#include "tools/gridwise/run/device_for.h"
#include "tools/gridwise/run/sim_report.h"
#include "tools/gridwise/run/time_plan.h"
#include "tools/gridwise/run/timing.h"

ABSL_FLAG(std::string, device, "gfx942", "GPU: a target as gfx942, or its product as MI300X");
ABSL_FLAG(std::string, problems, "", "a set (retinanet, regressions) or a CSV file; default: both");
ABSL_FLAG(int64_t, n, 0, "batch size; 0: the set's own");
ABSL_FLAG(std::string, type, "f16", "of the operands");
ABSL_FLAG(bool, all_instances, false,
          "every instance that accepts a layer; default: the planner's choice");

namespace gridwise {
namespace {

void Time(benchmark::State& state, const Plan& plan) {
  for (auto _ : state) {
    const absl::StatusOr<Timing> timing =
        TimePlan(plan.problem(), plan, {.simulated = SimTiming::kQuiet});
    if (!timing.ok()) {
      ResetDevice().IgnoreError();  // a fault stays with the device until then
      return state.SkipWithError(timing.status().ToString().c_str());
    }
    state.SetIterationTime(timing->ms * 1e-3);
    state.counters["TFLOP/s"] = timing->tflop_per_s();
    state.counters["of_bound"] = timing->of_bound();
    if (!timing->measured) state.SetLabel("limited by " + timing->Limit());
  }
}

/// The instances to time `problem` on; an empty name is the planner's choice.
std::vector<PlanOptions> ListInstances(const ConvProblem& problem, const DeviceFacts& device) {
  if (!absl::GetFlag(FLAGS_all_instances)) return {{}};
  std::vector<PlanOptions> instances;
  for (const InstanceExplanation& explanation : ExplainInstances(problem, device)) {
    if (!explanation.reason)
      instances.push_back({.instance = explanation.instance, .family = explanation.family});
  }
  return instances;
}

void Register(const std::string& set, const NamedProblem& named, Direction direction,
              const RequestedTarget& target) {
  ConvProblem problem = named.problem;
  problem.direction = direction;
  target.SetTypes(problem);
  if (const int64_t n = absl::GetFlag(FLAGS_n); n > 0) problem.batch = n;
  for (const PlanOptions& instance : ListInstances(problem, target.device)) {
    const absl::StatusOr<Plan> plan = MakePlan(problem, target.device, instance);
    if (!plan.ok()) continue;  // e.g. a type that the direction does not take
    const std::string name = absl::StrCat(set, "/", named.name, "/", Name(direction), "/",
                                          Name(problem.type), "/", plan->instance());
    benchmark::RegisterBenchmark(name.c_str(),
                                 [plan = *plan](benchmark::State& state) { Time(state, plan); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
}

absl::Status RegisterAll(const std::string& program) {
  ProblemRequest request;
  request.type = absl::GetFlag(FLAGS_type);
  request.problems = absl::GetFlag(FLAGS_problems);
  request.device = absl::GetFlag(FLAGS_device);
  const absl::StatusOr<RequestedTarget> target = ResolveTarget(request);
  if (!target.ok()) return target.status();
  const absl::StatusOr<DeviceInfo> device = DeviceFor(target->device);
  if (!device.ok()) return device.status();
  const absl::StatusOr<std::vector<ProblemSet>> sets = LoadProblemSets(request.problems, program);
  if (!sets.ok()) return sets.status();
  for (const ProblemSet& set : *sets) {
    for (const NamedProblem& named : set.problems) {
      for (const Direction direction : named.directions)
        Register(set.name, named, direction, *target);
    }
  }
  benchmark::AddCustomContext("device", absl::StrCat(device->name, " (", device->target, ")"));
  benchmark::AddCustomContext(
      "time", IsSimulated() ? "told by the simulator's clock, of long runs" : "measured by events");
  if (const std::string note = CalibrationNote(target->device); IsSimulated() && !note.empty())
    benchmark::AddCustomContext("clock", note);
  return absl::OkStatus();
}

}  // namespace
}  // namespace gridwise

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  absl::ParseCommandLine(argc, argv);
  if (const absl::Status status = gridwise::RegisterAll(argv[0]); !status.ok()) {
    std::fprintf(stderr, "conv: %s\n", std::string(status.message()).c_str());
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
