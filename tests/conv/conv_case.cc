// SPDX-License-Identifier: MIT
#include "tests/conv/conv_case.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "core/arch/parse_gfx.h"
#include "core/base/math.h"
#include "core/reference/compare.h"
#include "core/reference/elements.h"
#include "core/runtime/device.h"
#include "core/runtime/status.h"
#include "hip/hip_runtime_api.h"

namespace gridwise {
namespace {

constexpr std::int64_t kMarginBytes = 512;
constexpr unsigned char kPoison = 0xff;  // NaN in every type

absl::StatusOr<Gfx> TestTarget() {
  const char* const name = std::getenv("GRIDWISE_TEST_TARGET");
  if (name == nullptr)
    return absl::FailedPreconditionError("GRIDWISE_TEST_TARGET is not set; run this as a gpu_test");
  const std::optional<Gfx> gfx = ParseGfx(name);
  if (!gfx.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("GRIDWISE_TEST_TARGET is '%s', which is no target", name));
  }
  return *gfx;
}

std::vector<float> RandomElements(DataType type, std::int64_t count, std::mt19937& random) {
  const float range = OperandRange(type);
  std::uniform_real_distribution<float> uniform(-range, range);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = RoundTo(type, uniform(random));
  if (const absl::StatusOr<Gfx> gfx = TestTarget(); gfx.ok()) FlushAmbiguous(type, *gfx, values);
  return values;
}

/// The second operand of a sum. Where the target may take the sum as 0 or not (FlushAmbiguous),
/// both are 0.
std::vector<float> RandomSummands(const ConvProblem& problem, const OperandSum& sum,
                                  std::span<float> values, std::mt19937& random) {
  std::vector<float> added =
      RandomElements(problem.type, static_cast<std::int64_t>(values.size()), random);
  const absl::StatusOr<Gfx> gfx = TestTarget();
  if (!gfx.ok()) return added;
  for (std::size_t i = 0; i < added.size(); ++i) {
    const float total = RoundTo(problem.type, static_cast<float>(sum.scale * values[i] + added[i]));
    float flushed = total;
    FlushAmbiguous(problem.type, *gfx, {&flushed, 1});
    if (flushed != total) values[i] = added[i] = 0;
  }
  return added;
}

/// Makes `count` elements of the operands infinities or NaN.
void Spoil(DataType type, int count, std::vector<float>& a, std::vector<float>& b,
           std::mt19937& random) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (int i = 0; i < count; ++i) {
    std::vector<float>& values = random() % 2 == 0 ? a : b;
    const std::size_t index = random() % values.size();
    const float value = i % 3 == 2 ? std::numeric_limits<float>::quiet_NaN()
                                   : std::copysign(kInfinity, values[index]);
    values[index] = RoundTo(type, value);
  }
}

absl::Status CheckMargin(std::span<const std::byte> margin, unsigned char poison,
                         const char* where) {
  const auto touched = std::find_if(margin.begin(), margin.end(),
                                    [=](std::byte byte) { return byte != std::byte{poison}; });
  if (touched == margin.end()) return absl::OkStatus();
  return absl::DataLossError(absl::StrFormat("byte %d of the margin %s the output was written",
                                             touched - margin.begin(), where));
}

}  // namespace

absl::StatusOr<ConvCase> ConvCase::Make(const ConvProblem& problem, unsigned seed, int not_finite) {
  std::mt19937 random(seed);
  std::vector<float> a = RandomElements(problem.type, problem.a_elements(), random);
  std::vector<float> b = RandomElements(problem.type, problem.b_elements(), random);
  ConvCase result;
  result.problem_ = problem;
  std::vector<float> d[2];
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    const DataType type = problem.epilogue.d[i].type;
    d[i] = RandomElements(type, EpilogueElements(problem, i), random);
    absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::CopyOf(Encode(type, d[i]));
    if (!buffer.ok()) return buffer.status();
    result.d_[i] = *std::move(buffer);
  }
  std::vector<float> added[2];
  for (const std::size_t i : {0u, 1u}) {
    if (!problem.operand_sums[i].adds) continue;
    added[i] = RandomSummands(problem, problem.operand_sums[i], i == 0 ? a : b, random);
    absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::CopyOf(Encode(problem.type, added[i]));
    if (!buffer.ok()) return buffer.status();
    result.added_[i] = *std::move(buffer);
  }
  Spoil(problem.type, not_finite, a, b, random);
  absl::StatusOr<Expected> expected =
      ExpectedOutput(problem, a, b, {d[0], d[1]}, {added[0], added[1]});
  if (!expected.ok()) return expected.status();
  result.expected_ = *std::move(expected);
  absl::StatusOr<DeviceBuffer> a_buffer = DeviceBuffer::CopyOf(Encode(problem.type, a));
  if (!a_buffer.ok()) return a_buffer.status();
  absl::StatusOr<DeviceBuffer> b_buffer = DeviceBuffer::CopyOf(Encode(problem.type, b));
  if (!b_buffer.ok()) return b_buffer.status();
  result.a_ = *std::move(a_buffer);
  result.b_ = *std::move(b_buffer);
  return result;
}

absl::Status ConvCase::Check(absl::FunctionRef<absl::Status(const ConvTensors&)> launch) const {
  const DataType type = problem_.output_type();
  const unsigned char poison = PoisonByte(type);
  const std::int64_t out_bytes = problem_.out_elements() * SizeOf(type);
  absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(out_bytes + 2 * kMarginBytes);
  if (!buffer.ok()) return buffer.status();
  if (absl::Status status = buffer->Fill(poison); !status.ok()) return status;
  std::byte* const out = static_cast<std::byte*>(buffer->data()) + kMarginBytes;
  absl::Status launched = launch({.a = a_.data(),
                                  .b = b_.data(),
                                  .out = out,
                                  .d0 = d_[0].data(),
                                  .d1 = d_[1].data(),
                                  .a1 = added_[0].data(),
                                  .b1 = added_[1].data()});
  if (!launched.ok()) return launched;
  if (absl::Status status = ToStatus(hipDeviceSynchronize(), "run the kernel"); !status.ok())
    return status;

  std::vector<std::byte> bytes(static_cast<size_t>(buffer->bytes()));
  if (absl::Status status = buffer->CopyToHost(bytes); !status.ok()) return status;
  const std::span all(bytes);
  if (absl::Status status = CheckMargin(all.first(kMarginBytes), poison, "before"); !status.ok())
    return status;
  if (absl::Status status = CheckMargin(all.last(kMarginBytes), poison, "after"); !status.ok())
    return status;
  const auto elements = all.subspan(kMarginBytes, static_cast<size_t>(out_bytes));
  return CheckError(type, DecodeExactly(type, elements), expected_.out, problem_.reduction_length(),
                    expected_.sum_rms);
}

absl::Status ConvCase::CheckPlan(const Plan& plan) const {
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
  const absl::StatusOr<Gfx> gfx = TestTarget();
  if (!gfx.ok()) return gfx.status();
  absl::StatusOr<DeviceInfo> device = FindDevice(Name(*gfx));
  if (!device.ok()) return device.status();
  if (absl::Status status = UseDevice(*device); !status.ok()) return status;
  return *gfx;
}

namespace {

/// What a kernel computes: it has tiles of 16 channels or more, also of groups that have fewer.
double PaddedFlops(const ConvProblem& problem) {
  const auto padded = [&](std::int64_t channels) {
    return static_cast<double>(AlignUp<std::int64_t>(channels, 16)) / static_cast<double>(channels);
  };
  return problem.Flops() * padded(problem.c_per_group()) * padded(problem.k_per_group());
}

}  // namespace

ConvProblem Shrink(ConvProblem problem, double max_flops) {
  while (PaddedFlops(problem) > max_flops && problem.batch > 1)
    problem.batch = (problem.batch + 1) / 2;
  while (PaddedFlops(problem) > max_flops) {
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
