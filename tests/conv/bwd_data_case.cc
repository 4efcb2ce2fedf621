#include "tests/conv/bwd_data_case.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <utility>

#include "absl/strings/str_format.h"
#include "ck/conv/compare.h"
#include "ck/conv/reference.h"
#include "ck/runtime/device.h"
#include "ck/runtime/status.h"
#include "hip/hip_runtime_api.h"

namespace gridwise {
namespace {

using Half = _Float16;

constexpr std::int64_t kMarginBytes = 512;
constexpr unsigned char kPoison = 0xff;  // NaN in every type

std::vector<Half> RandomHalves(std::int64_t count, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<Half> values(count);
  for (Half& value : values) value = static_cast<Half>(uniform(random));
  return values;
}

std::vector<float> ToFloat(const std::vector<Half>& values) {
  return {values.begin(), values.end()};
}

absl::Status CheckMargin(std::span<const unsigned char> margin, const char* where) {
  const auto touched = std::find_if(margin.begin(), margin.end(),
                                    [](unsigned char byte) { return byte != kPoison; });
  if (touched == margin.end()) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrFormat("byte %d of the margin %s dx was written", touched - margin.begin(), where));
}

}  // namespace

absl::StatusOr<BwdDataCase> BwdDataCase::Make(const ConvProblem& problem, unsigned seed) {
  std::mt19937 random(seed);
  const std::vector<Half> dy = RandomHalves(problem.y_elements(), random);
  const std::vector<Half> w = RandomHalves(problem.w_elements(), random);
  BwdDataCase result;
  result.problem_ = problem;
  result.reference_.resize(problem.x_elements());
  absl::Status status = Reference(problem, ToFloat(dy), ToFloat(w), std::span(result.reference_));
  if (!status.ok()) return status;
  absl::StatusOr<DeviceBuffer> dy_buffer = DeviceBuffer::CopyOf(std::as_bytes(std::span(dy)));
  if (!dy_buffer.ok()) return dy_buffer.status();
  absl::StatusOr<DeviceBuffer> w_buffer = DeviceBuffer::CopyOf(std::as_bytes(std::span(w)));
  if (!w_buffer.ok()) return w_buffer.status();
  result.dy_ = *std::move(dy_buffer);
  result.w_ = *std::move(w_buffer);
  return result;
}

absl::Status BwdDataCase::Check(absl::FunctionRef<absl::Status(const ConvTensors&)> launch) const {
  const std::int64_t dx_bytes = problem_.x_elements() * static_cast<std::int64_t>(sizeof(Half));
  absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(dx_bytes + 2 * kMarginBytes);
  if (!buffer.ok()) return buffer.status();
  if (absl::Status status = buffer->Fill(kPoison); !status.ok()) return status;
  unsigned char* const dx = static_cast<unsigned char*>(buffer->data()) + kMarginBytes;
  if (absl::Status status = launch({.a = dy_.data(), .b = w_.data(), .out = dx}); !status.ok())
    return status;
  if (absl::Status status = ToStatus(hipDeviceSynchronize(), "run the kernel"); !status.ok())
    return status;

  std::vector<unsigned char> bytes(buffer->bytes());
  if (absl::Status status = buffer->CopyToHost(std::as_writable_bytes(std::span(bytes)));
      !status.ok())
    return status;
  const std::span all(bytes);
  if (absl::Status status = CheckMargin(all.first(kMarginBytes), "before"); !status.ok())
    return status;
  if (absl::Status status = CheckMargin(all.last(kMarginBytes), "after"); !status.ok())
    return status;
  std::vector<Half> out(problem_.x_elements());
  std::memcpy(out.data(), bytes.data() + kMarginBytes, dx_bytes);
  return CheckError(problem_.type, ToFloat(out), reference_, problem_.reduction_length());
}

absl::Status BwdDataCase::CheckPlan(const Plan& plan) const {
  absl::StatusOr<Executable> executable = Executable::Load(plan);
  if (!executable.ok()) return executable.status();
  absl::StatusOr<DeviceBuffer> workspace = DeviceBuffer::Allocate(plan.workspace_bytes());
  if (!workspace.ok()) return workspace.status();
  if (absl::Status status = workspace->Fill(kPoison); !status.ok()) return status;
  return Check([&](const ConvTensors& tensors) {
    return executable->Launch(tensors, workspace->data(), workspace->bytes(), /*stream=*/nullptr);
  });
}

absl::StatusOr<Gfx> UseTestTarget() {
  const char* const name = std::getenv("GRIDWISE_TEST_TARGET");
  if (name == nullptr)
    return absl::FailedPreconditionError("GRIDWISE_TEST_TARGET is not set; run this as a gpu_test");
  const std::optional<Gfx> gfx = ParseGfx(name);
  if (!gfx.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("GRIDWISE_TEST_TARGET is '%s', which is no target", name));
  }
  absl::StatusOr<DeviceInfo> device = FindDevice(name);
  if (!device.ok()) return device.status();
  if (absl::Status status = UseDevice(*device); !status.ok()) return status;
  return *gfx;
}

ConvProblem Shrink(ConvProblem problem, double max_flops) {
  while (problem.Flops() > max_flops && problem.batch > 1) problem.batch = (problem.batch + 1) / 2;
  while (problem.Flops() > max_flops) {
    Dim* const largest =
        &*std::max_element(problem.dims.begin(), problem.dims.end(),
                           [](const Dim& a, const Dim& b) { return a.out() < b.out(); });
    const std::int64_t smallest = largest->dilated_filter() - largest->pad_begin - largest->pad_end;
    const std::int64_t in =
        std::max(smallest, (largest->in + 1) / 2 + 1);  // odd and even sizes alike
    if (in >= largest->in) break;
    largest->in = in;
  }
  return problem;
}

}  // namespace gridwise
