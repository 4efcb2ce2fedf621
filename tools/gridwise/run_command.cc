#include "tools/gridwise/run_command.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "instances/conv.h"
#include "tools/gridwise/computation.h"
#include "tools/gridwise/npy.h"
#include "tools/gridwise/problem_sets.h"
#include "tools/gridwise/tensors.h"

namespace gridwise {
namespace {

/// What is to be computed, from what.
struct Job {
  Plan plan;
  Operands operands;
  DataType file_type = DataType::kF16;  // of the file that is written
};

/// A tensor of the problem: the flag and the data of its file, and its shape.
struct Operand {
  const char* name;
  std::string path;
  std::optional<NpyArray> array;
  TensorShape (*shape)(const ConvProblem&);
};

absl::StatusOr<std::optional<NpyArray>> ReadOperand(const std::string& path) {
  if (path.empty()) return std::nullopt;
  absl::StatusOr<NpyArray> array = ReadNpy(UserPath(path));
  if (!array.ok()) return array.status();
  return *std::move(array);
}

/// Replaces `data` by the operand's file, if it has one.
absl::Status TakeFile(const Operand& operand, const ConvProblem& problem,
                      std::vector<float>& data) {
  if (!operand.array) return absl::OkStatus();
  absl::StatusOr<std::vector<float>> tensor =
      TensorFromNpy(operand.path, *operand.array, operand.shape(problem), problem.type);
  if (!tensor.ok()) return tensor.status();
  data = *std::move(tensor);
  return absl::OkStatus();
}

/// Files have the axes in the order of the first layouts.
absl::Status CheckLayouts(const RunOptions& options, const ConvProblem& problem) {
  const bool has_files =
      !options.x.empty() || !options.w.empty() || !options.dy.empty() || !options.out.empty();
  const ConvProblem defaults;
  if (!has_files ||
      (problem.layout == defaults.layout && problem.weight_layout == defaults.weight_layout)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--layout is ", Name(problem.layout), " and --weight-layout is ", Name(problem.weight_layout),
      "; with files they must be ", Name(defaults.layout), " and ", Name(defaults.weight_layout)));
}

/// The operands a and b of a direction among x, w and dy; an error when a file is given for the
/// third.
absl::StatusOr<std::pair<const Operand*, const Operand*>> OperandsOf(Direction direction,
                                                                     const Operand& x,
                                                                     const Operand& w,
                                                                     const Operand& dy) {
  const Operand* a = direction == Direction::kForward ? &x : &dy;
  const Operand* b = direction == Direction::kBackwardWeight ? &x : &w;
  for (const Operand* operand : {&x, &w, &dy}) {
    if (operand == a || operand == b || operand->path.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat("--", operand->name, " is no operand of ",
                                                   Name(direction), ", which takes --", a->name,
                                                   " and --", b->name));
  }
  return std::pair(a, b);
}

absl::StatusOr<Job> Prepare(const RunOptions& options) {
  Operand x = {"x", options.x, {}, &InputShape};
  Operand w = {"w", options.w, {}, &WeightsShape};
  Operand dy = {"dy", options.dy, {}, &OutputShape};
  OperandShapes shapes;
  for (auto [operand, shape] : {std::pair(&x, &shapes.x), {&w, &shapes.w}, {&dy, &shapes.dy}}) {
    absl::StatusOr<std::optional<NpyArray>> array = ReadOperand(operand->path);
    if (!array.ok()) return array.status();
    operand->array = *std::move(array);
    if (operand->array) *shape = operand->array->shape;
  }
  const absl::StatusOr<ResolvedProblem> resolved = Resolve(options.request, shapes);
  if (!resolved.ok()) return resolved.status();
  const ConvProblem& problem = resolved->problem;
  const auto operands = OperandsOf(problem.direction, x, w, dy);
  if (!operands.ok()) return operands.status();
  if (absl::Status status = CheckLayouts(options, problem); !status.ok()) return status;
  absl::StatusOr<Plan> plan = MakePlan(problem, resolved->gfx,
                                       {.row = options.row,
                                        .family = options.family,
                                        .op = options.op,
                                        .splits = options.splits,
                                        .atomic = options.atomic});
  if (!plan.ok()) return plan.status();
  const auto [a, b] = *operands;
  Operands data = RandomOperands(problem, options.seed);
  if (absl::Status status = TakeFile(*a, problem, data.a); !status.ok()) return status;
  if (absl::Status status = TakeFile(*b, problem, data.b); !status.ok()) return status;
  const bool half =
      problem.output_type() == DataType::kF16 && (!a->array || a->array->type == DataType::kF16);
  const DataType file_type = problem.output_type() == DataType::kI32 ? DataType::kI32
                             : half                                  ? DataType::kF16
                                                                     : DataType::kF32;
  return Job{*std::move(plan), std::move(data), file_type};
}

void PrintOutcome(const ConvProblem& problem, const Outcome& outcome) {
  const double gflops = problem.Flops() / outcome.seconds * 1e-9;
  if (!outcome.sim) {
    absl::PrintF("run        %.6f s, %.1f GFLOP/s\n", outcome.seconds, gflops);
    return;
  }
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  absl::PrintF(
      "run        %.2f s simulated on %d cores, %.1f GFLOP/s per core; %d workgroups, %d waves\n",
      outcome.seconds, cores, gflops / cores, outcome.sim->workgroups, outcome.sim->waves);
  int64_t total = 0;
  std::string classes;
  for (const auto& [name, count] : outcome.sim->instructions) {
    total += count;
    if (count > 0) absl::StrAppend(&classes, classes.empty() ? "" : ", ", name, " ", count);
  }
  absl::PrintF("           %d instructions: %s\n", total, classes);
}

/// Whether the result agrees with the CPU reference; an error when that cannot be computed.
absl::StatusOr<bool> Verify(const Job& job, const Outcome& outcome) {
  const ConvProblem& problem = job.plan.problem();
  const absl::StatusOr<Expected> expected = Expect(problem, job.operands);
  if (!expected.ok()) return expected.status();
  const auto [stats, status] = Judge(problem, outcome, *expected);
  absl::PrintF(
      "error      at most %.2f ulps and %.3g; relative norm %.3g; %.0f%% of the tolerance\n",
      stats.max_ulps, stats.max_abs, stats.rel_norm, 100 * stats.max_ratio);
  absl::PrintF("%s\n", status.ok() ? "PASS" : absl::StrCat("FAIL       ", status.message()));
  return status.ok();
}

ExitCode Fail(ExitCode code, const absl::Status& status) {
  std::fflush(stdout);
  absl::FPrintF(stderr, "gridwise: %s\n", status.message());
  return code;
}

}  // namespace

ExitCode RunCommand(const RunOptions& options) {
  const absl::StatusOr<Job> job = Prepare(options);
  if (!job.ok()) return Fail(kBadUsage, job.status());
  absl::PrintF("problem    %s\n%s", ToString(job->plan.problem()), job->plan.ToString());
  std::fflush(stdout);
  const absl::StatusOr<Outcome> outcome = Compute(job->plan, job->operands);
  if (!outcome.ok()) return Fail(kDeviceError, outcome.status());
  PrintOutcome(job->plan.problem(), *outcome);
  std::fflush(stdout);
  if (!options.out.empty()) {
    const ConvProblem& problem = job->plan.problem();
    const TensorShape shape = problem.direction == Direction::kForward ? OutputShape(problem)
                              : problem.direction == Direction::kBackwardData
                                  ? InputShape(problem)
                                  : WeightsShape(problem);
    const NpyArray out =
        TensorToNpy(problem.output_type(), outcome->out, shape.merged, job->file_type);
    if (absl::Status status = WriteNpy(UserPath(options.out), out); !status.ok())
      return Fail(kBadUsage, status);
  }
  if (!options.verify) return kSuccess;
  const absl::StatusOr<bool> passed = Verify(*job, *outcome);
  if (!passed.ok()) return Fail(kBadUsage, passed.status());
  return *passed ? kSuccess : kVerificationFailed;
}

}  // namespace gridwise
