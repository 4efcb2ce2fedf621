#include "tools/gridwise/run_command.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ck/arch/target.h"
#include "ck/conv/compare.h"
#include "ck/conv/problem.h"
#include "ck/conv/problem_io.h"
#include "ck/conv/reference.h"
#include "ck/runtime/buffer.h"
#include "ck/runtime/device.h"
#include "ck/runtime/stream.h"
#include "instances/conv.h"
#include "tools/gridwise/npy.h"
#include "tools/gridwise/problem_sets.h"
#include "tools/gridwise/progress.h"
#include "tools/gridwise/sim_report.h"
#include "tools/gridwise/tensors.h"

namespace gridwise {
namespace {

constexpr uint8_t kNanByte = 0xff;  // every element of a tensor filled with it is a NaN

/// What is to be computed, from what.
struct Job {
  Plan plan;
  std::vector<Half> dy, w;
  DataType out_type = DataType::kF16;  // of the file that is written
};

/// What the device did.
struct Outcome {
  std::vector<Half> dx;
  double seconds = 0;  // from the launch to its end
  std::optional<SimRun> sim;
};

absl::StatusOr<std::optional<NpyArray>> ReadOperand(const std::string& path) {
  if (path.empty()) return std::nullopt;
  absl::StatusOr<NpyArray> array = ReadNpy(UserPath(path));
  if (!array.ok()) return array.status();
  return *std::move(array);
}

absl::StatusOr<std::vector<Half>> MakeOperand(const std::string& path,
                                              const std::optional<NpyArray>& array,
                                              const TensorShape& shape, int64_t elements,
                                              uint64_t seed) {
  if (array) return TensorFromNpy(path, *array, shape);
  return RandomTensor(elements, seed);
}

std::vector<int64_t> ShapeOf(const std::optional<NpyArray>& array) {
  return array ? array->shape : std::vector<int64_t>();
}

absl::StatusOr<Job> Prepare(const RunOptions& options) {
  const absl::StatusOr<std::optional<NpyArray>> dy = ReadOperand(options.dy);
  if (!dy.ok()) return dy.status();
  const absl::StatusOr<std::optional<NpyArray>> w = ReadOperand(options.w);
  if (!w.ok()) return w.status();
  const absl::StatusOr<ResolvedProblem> resolved =
      Resolve(options.request, ShapeOf(*dy), ShapeOf(*w));
  if (!resolved.ok()) return resolved.status();
  const ConvProblem& problem = resolved->problem;
  absl::StatusOr<Plan> plan = MakePlan(problem, resolved->gfx, {.row = options.row});
  if (!plan.ok()) return plan.status();
  absl::StatusOr<std::vector<Half>> dy_data =
      MakeOperand(options.dy, *dy, OutputShape(problem), problem.y_elements(), 2 * options.seed);
  if (!dy_data.ok()) return dy_data.status();
  absl::StatusOr<std::vector<Half>> w_data =
      MakeOperand(options.w, *w, WeightsShape(problem), problem.w_elements(), 2 * options.seed + 1);
  if (!w_data.ok()) return w_data.status();
  const bool single = (*dy && (*dy)->type == DataType::kF32);
  return Job{*std::move(plan), *std::move(dy_data), *std::move(w_data),
             single ? DataType::kF32 : DataType::kF16};
}

absl::StatusOr<DeviceBuffer> Upload(const std::vector<Half>& tensor) {
  return DeviceBuffer::CopyOf(std::as_bytes(std::span(tensor)));
}

absl::Status LaunchAndWait(const Executable& executable, const ConvTensors& tensors,
                           const DeviceBuffer& workspace) {
  const Progress progress("running on the device", SimProgress);
  const absl::StatusOr<Stream> stream = Stream::Create();
  if (!stream.ok()) return stream.status();
  absl::Status status =
      executable.Launch(tensors, workspace.data(), workspace.bytes(), stream->get());
  if (!status.ok()) return status;
  return stream->Synchronize();
}

absl::StatusOr<Outcome> Compute(const Job& job) {
  const absl::StatusOr<DeviceInfo> device = FindDevice(Name(job.plan.gfx()));
  if (!device.ok()) return device.status();
  if (absl::Status status = UseDevice(*device); !status.ok()) return status;
  const absl::StatusOr<DeviceBuffer> dy = Upload(job.dy);
  if (!dy.ok()) return dy.status();
  const absl::StatusOr<DeviceBuffer> w = Upload(job.w);
  if (!w.ok()) return w.status();
  Outcome outcome;
  outcome.dx.resize(static_cast<size_t>(job.plan.problem().x_elements()));
  absl::StatusOr<DeviceBuffer> dx =
      DeviceBuffer::Allocate(static_cast<int64_t>(outcome.dx.size() * sizeof(Half)));
  if (!dx.ok()) return dx.status();
  // The operation owns its output: what it does not write stays NaN and fails the comparison.
  if (absl::Status status = dx->Fill(kNanByte); !status.ok()) return status;
  const absl::StatusOr<DeviceBuffer> workspace = DeviceBuffer::Allocate(job.plan.workspace_bytes());
  if (!workspace.ok()) return workspace.status();
  const absl::StatusOr<Executable> executable = Executable::Load(job.plan);
  if (!executable.ok()) return executable.status();
  const auto start = std::chrono::steady_clock::now();
  absl::Status status =
      LaunchAndWait(*executable, {.a = dy->data(), .b = w->data(), .out = dx->data()}, *workspace);
  if (!status.ok()) return status;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.sim = LastSimRun();
  if (status = dx->CopyToHost(std::as_writable_bytes(std::span(outcome.dx))); !status.ok())
    return status;
  return outcome;
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
  std::vector<double> expected(outcome.dx.size());
  {
    const Progress progress("computing the reference on the CPU", [] { return std::nullopt; });
    absl::Status status = Reference(problem, ToFloat(job.dy), ToFloat(job.w), expected);
    if (!status.ok()) return status;
  }
  const std::vector<float> actual = ToFloat(outcome.dx);
  const ErrorStats stats = Compare(problem.type, actual, expected, problem.reduction_length());
  absl::PrintF(
      "error      at most %.2f ulps and %.3g; relative norm %.3g; %.0f%% of the tolerance\n",
      stats.max_ulps, stats.max_abs, stats.rel_norm, 100 * stats.max_ratio);
  const absl::Status verdict =
      CheckError(problem.type, actual, expected, problem.reduction_length());
  absl::PrintF("%s\n", verdict.ok() ? "PASS" : absl::StrCat("FAIL       ", verdict.message()));
  return verdict.ok();
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
  const absl::StatusOr<Outcome> outcome = Compute(*job);
  if (!outcome.ok()) return Fail(kDeviceError, outcome.status());
  PrintOutcome(job->plan.problem(), *outcome);
  std::fflush(stdout);
  if (!options.out.empty()) {
    const NpyArray dx =
        TensorToNpy(outcome->dx, InputShape(job->plan.problem()).merged, job->out_type);
    if (absl::Status status = WriteNpy(UserPath(options.out), dx); !status.ok())
      return Fail(kBadUsage, status);
  }
  if (!options.verify) return kSuccess;
  const absl::StatusOr<bool> passed = Verify(*job, *outcome);
  if (!passed.ok()) return Fail(kBadUsage, passed.status());
  return *passed ? kSuccess : kVerificationFailed;
}

}  // namespace gridwise
