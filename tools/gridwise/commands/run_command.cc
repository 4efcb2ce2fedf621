// SPDX-License-Identifier: MIT
#include "tools/gridwise/commands/run_command.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/text/parse_device.h"
#include "gridwise/plan.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/cli/terminal.h"
#include "tools/gridwise/problem/npy.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/problem/problem_sets.h"
#include "tools/gridwise/problem/tensors.h"
#include "tools/gridwise/report/json.h"
#include "tools/gridwise/run/computation.h"
#include "tools/gridwise/run/demand.h"
#include "tools/gridwise/run/memory_need.h"
#include "tools/gridwise/run/time_plan.h"
#include "tools/gridwise/run/timing.h"

namespace gridwise {
namespace {

/// The problem to compute, and its operands.
struct Job {
  Problem problem;
  InstancePlan plan;
  Operands operands;
  DataType file_type = DataType::kF16;  // type of the output file
};

/// A tensor of the problem: the flag and data of its file, and its shape.
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

/// Replaces `data` with the operand's file, if it has one.
absl::Status TakeFile(const Operand& operand, const ConvProblem& problem,
                      std::vector<float>& data) {
  if (!operand.array) return absl::OkStatus();
  absl::StatusOr<std::vector<float>> tensor =
      TensorFromNpy(operand.path, *operand.array, operand.shape(problem), problem.type);
  if (!tensor.ok()) return tensor.status();
  data = *std::move(tensor);
  return absl::OkStatus();
}

/// Returns the operands a and b of a direction among x, w and dy. Returns an error if a file is
/// given for the third.
absl::StatusOr<std::pair<const Operand*, const Operand*>> ChooseOperands(Direction direction,
                                                                         const Operand& x,
                                                                         const Operand& w,
                                                                         const Operand& dy) {
  const Operand* a = direction == Direction::kForward ? &x : &dy;
  const Operand* b = direction == Direction::kBackwardWeight ? &x : &w;
  for (const Operand* operand : {&x, &w, &dy}) {
    if (operand == a || operand == b || operand->path.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat("--", operand->name, " is not an operand of ",
                                                   Name(direction), ", which takes --", a->name,
                                                   " and --", b->name));
  }
  return std::pair(a, b);
}

/// The tensors of a convolution that have files.
struct Files {
  Operand x, w, dy;

  absl::StatusOr<OperandShapes> Read() {
    OperandShapes shapes;
    for (auto [operand, shape] : {std::pair(&x, &shapes.x), {&w, &shapes.w}, {&dy, &shapes.dy}}) {
      absl::StatusOr<std::optional<NpyArray>> array = ReadOperand(operand->path);
      if (!array.ok()) return array.status();
      operand->array = *std::move(array);
      if (operand->array) *shape = operand->array->shape;
    }
    return shapes;
  }
};

/// Replaces random data with the data of files. Returns the type of the output file.
absl::Status TakeFiles(const Files& files, const ConvProblem& problem, Job& job) {
  const auto operands = ChooseOperands(problem.direction, files.x, files.w, files.dy);
  if (!operands.ok()) return operands.status();
  const auto [a, b] = *operands;
  if (absl::Status status = TakeFile(*a, problem, job.operands.a); !status.ok()) return status;
  if (absl::Status status = TakeFile(*b, problem, job.operands.b); !status.ok()) return status;
  const bool half =
      problem.output_type() == DataType::kF16 && (!a->array || a->array->type == DataType::kF16);
  job.file_type = problem.output_type() == DataType::kI32 ? DataType::kI32
                  : half                                  ? DataType::kF16
                                                          : DataType::kF32;
  return absl::OkStatus();
}

absl::Status CheckHasNoFiles(const RunOptions& options) {
  for (const std::string* path : {&options.x, &options.w, &options.dy, &options.out}) {
    if (path->empty()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("'", *path, "' is a file; gemm computes only on random data"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Job> Prepare(const RunOptions& options) {
  Files files = {.x = {"x", options.x, {}, &InputShape},
                 .w = {"w", options.w, {}, &WeightsShape},
                 .dy = {"dy", options.dy, {}, &OutputShape}};
  const absl::StatusOr<OperandShapes> shapes = files.Read();
  if (!shapes.ok()) return shapes.status();
  const absl::StatusOr<ResolvedProblem> resolved = Resolve(options.request, *shapes);
  if (!resolved.ok()) return resolved.status();
  const Problem& problem = resolved->problem;
  const auto* const conv = std::get_if<ConvProblem>(&problem);
  if (conv == nullptr) {
    if (absl::Status status = CheckHasNoFiles(options); !status.ok()) return status;
  } else if (auto operands = ChooseOperands(conv->direction, files.x, files.w, files.dy);
             !operands.ok()) {
    return operands.status();
  }
  if (!options.out.empty()) {
    absl::Status status = CheckWritable(UserPath(options.out));
    if (!status.ok()) return status;
  }
  if (conv != nullptr) {
    absl::Status added =
        AddInstanceOnDemand(options.request.program, options.family, options.instance,
                            conv->direction, resolved->device.gfx);
    if (!added.ok()) return added;
  }
  absl::StatusOr<InstancePlan> plan =
      MakePlan(problem, resolved->device,
               {.instance = options.instance,
                .family = options.family,
                .op = options.op,
                .splits = options.splits,
                .atomic = options.atomic,
                .workspace_limit = options.workspace_limit,
                .launch_per_sub_gemm = options.launch_per_sub_gemm});
  if (!plan.ok()) return plan.status();
  Job job = {.problem = problem, .plan = *std::move(plan), .operands = {}};
  if (!options.time) {
    if (absl::Status status = CheckMemory(problem, job.plan, options.verify); !status.ok()) {
      return status;
    }
    job.operands = RandomOperands(problem, job.plan.device().gfx, options.seed);
  }
  if (conv != nullptr) {
    if (absl::Status status = TakeFiles(files, *conv, job); !status.ok()) return status;
  }
  return job;
}

void PrintOutcome(const Problem& problem, const InstancePlan& plan, const Outcome& outcome) {
  const double gflops = Flops(problem) / outcome.seconds * 1e-9;
  if (!outcome.sim) {
    absl::PrintF("run        %.6f s, %.1f GFLOP/s\n", outcome.seconds, gflops);
    return;
  }
  const int cores = std::max(1, outcome.sim->threads);
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
  if (outcome.sim->ports_ms == 0) return;
  absl::PrintF("ports      on the GPU at least %.4g ms in long runs (%s%s); --time tells more\n",
               outcome.sim->ports_ms, outcome.sim->ports,
               CalibrationNote(plan.device()).empty() ? "" : "; not calibrated");
}

/// Compares the result with the CPU reference. Returns an error if the reference cannot be
/// computed.
absl::StatusOr<Judgement> Verify(const Job& job, const Outcome& outcome) {
  const absl::StatusOr<Expected> expected = Expect(job.problem, job.operands);
  if (!expected.ok()) return expected.status();
  return Judge(job.problem, outcome, *expected);
}

void PrintJudgement(const Judgement& judgement) {
  const auto& [stats, status] = judgement;
  absl::PrintF(
      "error      at most %.2f ulps and %.3g; relative norm %.3g; %.0f%% of the tolerance\n",
      stats.max_ulps, stats.max_abs, stats.rel_norm, 100 * stats.max_ratio);
  absl::PrintF("%s\n", status.ok()
                           ? Green(stdout, "PASS")
                           : absl::StrCat(Red(stdout, "FAIL"), "       ", status.message()));
}

void PrintTiming(const Timing& timing) {
  if (timing.measured) {
    absl::PrintF("time       %.4g ms, measured\n", timing.ms);
  } else {
    absl::PrintF(
        "time       %.4g ms in long runs, at %.2f GHz (%.4g to %.4g); %.4g ms at %.2f GHz; by the "
        "simulator's clock\n",
        timing.ms, timing.clock_ghz, timing.low_ms, timing.high_ms, timing.burst_ms,
        timing.burst_ghz);
    if (!timing.note.empty()) absl::PrintF("           %s\n", timing.note);
  }
  absl::PrintF("           %.1f TFLOP/s, %.0f %% of the bound of %.4g ms (%s)\n",
               timing.tflop_per_s(), 100 * timing.of_bound(), timing.roofline.ms(),
               timing.roofline.bound());
  if (timing.measured) return;
  absl::PrintF("           limited by %s; at least %.4g ms in any order (%s)\n", timing.Limit(),
               timing.ports_ms, timing.ports);
}

/// Times the job's plan and prints the time.
ExitCode RunTimed(const RunOptions& options, const Job& job) {
  const absl::StatusOr<Timing> timing =
      TimePlan(job.problem, job.plan,
               {.simulated = options.json ? SimTiming::kQuiet : SimTiming::kDescribed});
  if (!timing.ok()) return Fail(timing.status(), kDeviceError);
  if (options.json) {
    PrintJson(llvm::json::Object{
        {"problem", ToJson(job.problem)}, {"plan", ToJson(job.plan)}, {"time", ToJson(*timing)}});
  } else {
    PrintTiming(*timing);
  }
  return kSuccess;
}

/// Writes the result of a convolution to the file that the options name.
absl::Status WriteOutput(const RunOptions& options, const Job& job, const Outcome& outcome) {
  const ConvProblem& problem = std::get<ConvProblem>(job.problem);
  const TensorShape shape = problem.direction == Direction::kForward        ? OutputShape(problem)
                            : problem.direction == Direction::kBackwardData ? InputShape(problem)
                                                                            : WeightsShape(problem);
  return WriteNpy(UserPath(options.out),
                  TensorToNpy(problem.output_type(), outcome.out, shape.merged, job.file_type));
}

/// Returns the document of --json. It has "verified" if the result was compared with the reference.
llvm::json::Object ToJson(const Job& job, const Outcome& outcome,
                          const std::optional<Judgement>& judgement) {
  llvm::json::Object document{
      {"problem", ToJson(job.problem)}, {"plan", ToJson(job.plan)}, {"run", ToJson(outcome)}};
  if (!judgement) return document;
  llvm::json::Object verified = ToJson(judgement->stats);
  verified["pass"] = judgement->status.ok();
  if (!judgement->status.ok()) verified["message"] = std::string(judgement->status.message());
  document["verified"] = std::move(verified);
  return document;
}

}  // namespace

ExitCode RunCommand(const RunOptions& options) {
  if (options.time && (options.verify || !options.out.empty())) {
    return Fail(absl::InvalidArgumentError(
        "--time computes at most a part of the result; it excludes --verify "
        "and --out"));
  }
  const absl::StatusOr<Job> job = Prepare(options);
  if (!job.ok()) return Fail(job.status());
  if (!options.json) {
    absl::PrintF("problem    %s\n%s", ToString(job->problem), job->plan.ToString());
    std::fflush(stdout);
  }
  if (options.time) return RunTimed(options, *job);
  const absl::StatusOr<Outcome> outcome = Compute(job->problem, job->plan, job->operands);
  if (!outcome.ok()) return Fail(outcome.status(), kDeviceError);
  if (!options.json) PrintOutcome(job->problem, job->plan, *outcome);
  std::fflush(stdout);
  if (!options.out.empty()) {
    if (absl::Status status = WriteOutput(options, *job, *outcome); !status.ok())
      return Fail(status);
  }
  std::optional<Judgement> judgement;
  if (options.verify) {
    absl::StatusOr<Judgement> explanation = Verify(*job, *outcome);
    if (!explanation.ok()) return Fail(explanation.status());
    judgement = *std::move(explanation);
    if (!options.json) PrintJudgement(*judgement);
  }
  if (options.json) PrintJson(ToJson(*job, *outcome, judgement));
  return !judgement || judgement->status.ok() ? kSuccess : kVerificationFailed;
}

}  // namespace gridwise
