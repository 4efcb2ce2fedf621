// SPDX-License-Identifier: MIT
#include "tools/gridwise/run/computation.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "core/arch/target.h"
#include "core/reference/elements.h"
#include "core/reference/gemm_expected.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/stream.h"
#include "gridwise/executable.h"
#include "tools/gridwise/cli/progress.h"
#include "tools/gridwise/problem/tensors.h"
#include "tools/gridwise/run/device_for.h"

namespace gridwise {
namespace {

absl::StatusOr<DeviceBuffer> Upload(DataType type, const std::vector<float>& tensor) {
  return DeviceBuffer::CopyOf(Encode(type, tensor));
}

absl::Status LaunchAndWait(const Executable& executable, const Tensors& tensors,
                           const DeviceBuffer& workspace) {
  const Progress progress("running on the device", SimProgress);
  const absl::StatusOr<Stream> stream = Stream::Create();
  if (!stream.ok()) return stream.status();
  absl::Status status =
      executable.Launch(tensors, workspace.data(), workspace.bytes(), stream->get());
  if (!status.ok()) return status;
  return stream->Synchronize();
}

template <class P>
Operands MakeRandomOperands(const P& problem, Gfx gfx, uint64_t seed) {
  Operands operands = {.a = RandomTensor(problem.type, problem.a_elements(), 4 * seed),
                       .b = RandomTensor(problem.type, problem.b_elements(), 4 * seed + 1),
                       .d = {},
                       .added = {}};
  // Use seeds that no tensor above uses.
  constexpr std::uint64_t kAdded = std::uint64_t{1} << 40;
  for (const std::size_t i : {0u, 1u}) {
    if (!OperandSumsOf(problem)[i].adds) continue;
    operands.added[i] = RandomTensor(
        problem.type, i == 0 ? problem.a_elements() : problem.b_elements(), kAdded + 2 * seed + i);
  }
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    operands.d[i] = RandomTensor(problem.epilogue.d[i].type, EpilogueElements(problem, i),
                                 4 * seed + 2 + static_cast<uint64_t>(i));
  }
  for (std::vector<float>* tensor :
       {&operands.a, &operands.b, &operands.added[0], &operands.added[1]}) {
    FlushAmbiguous(problem.type, gfx, *tensor);
  }
  return operands;
}

template <class P>
absl::StatusOr<Outcome> ComputeWith(const P& problem, const InstancePlan& plan,
                                    const Operands& operands) {
  const absl::StatusOr<DeviceInfo> device = DeviceFor(plan.device());
  if (!device.ok()) return device.status();
  if (absl::Status status = UseDevice(*device); !status.ok()) return status;
  const absl::StatusOr<DeviceBuffer> a = Upload(problem.type, operands.a);
  if (!a.ok()) return a.status();
  const absl::StatusOr<DeviceBuffer> b = Upload(problem.type, operands.b);
  if (!b.ok()) return b.status();
  DeviceBuffer d[2], added[2];
  for (const std::size_t i : {0u, 1u}) {
    if (operands.added[i].empty()) continue;
    absl::StatusOr<DeviceBuffer> tensor = Upload(problem.type, operands.added[i]);
    if (!tensor.ok()) return tensor.status();
    added[i] = *std::move(tensor);
  }
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    absl::StatusOr<DeviceBuffer> tensor = Upload(problem.epilogue.d[i].type, operands.d[i]);
    if (!tensor.ok()) return tensor.status();
    d[i] = *std::move(tensor);
  }
  absl::StatusOr<DeviceBuffer> out =
      DeviceBuffer::Allocate(problem.out_elements() * SizeOf(problem.output_type()));
  if (!out.ok()) return out.status();
  // The operation must write all of its output: poison makes the comparison fail.
  if (absl::Status status = out->Fill(PoisonByte(problem.output_type())); !status.ok())
    return status;
  const absl::StatusOr<DeviceBuffer> workspace = DeviceBuffer::Allocate(plan.workspace_bytes());
  if (!workspace.ok()) return workspace.status();
  const absl::StatusOr<Executable> executable = Executable::Load(plan);
  if (!executable.ok()) return executable.status();
  Outcome outcome;
  CountSimPorts();
  TakeSimRuns();  // discard earlier ones
  const auto start = std::chrono::steady_clock::now();
  absl::Status status = LaunchAndWait(*executable,
                                      {.a = a->data(),
                                       .b = b->data(),
                                       .out = out->data(),
                                       .d0 = d[0].data(),
                                       .d1 = d[1].data(),
                                       .a1 = added[0].data(),
                                       .b1 = added[1].data()},
                                      *workspace);
  if (!status.ok()) return status;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.sim = TakeSimRuns();
  outcome.out.resize(static_cast<size_t>(out->bytes()));
  if (status = out->CopyToHost(outcome.out); !status.ok()) return status;
  return outcome;
}

}  // namespace

Operands RandomOperands(const Problem& problem, Gfx gfx, uint64_t seed) {
  return std::visit([&](const auto& p) { return MakeRandomOperands(p, gfx, seed); }, problem);
}

absl::StatusOr<Outcome> Compute(const Problem& problem, const InstancePlan& plan,
                                const Operands& operands) {
  return std::visit([&](const auto& p) { return ComputeWith(p, plan, operands); }, problem);
}

absl::StatusOr<Expected> Expect(const Problem& problem, const Operands& operands) {
  const Progress progress("computing the reference on the CPU", [] { return std::nullopt; });
  const std::array<std::span<const float>, 2> d = {operands.d[0], operands.d[1]};
  if (const auto* gemm = std::get_if<GemmProblem>(&problem)) {
    return ExpectedOutput(*gemm, operands.a, operands.b, d);
  }
  return ExpectedOutput(std::get<ConvProblem>(problem), operands.a, operands.b, d,
                        {operands.added[0], operands.added[1]});
}

Judgement Judge(const Problem& problem, const Outcome& outcome, const Expected& expected) {
  const int64_t length = std::visit([](const auto& p) { return p.reduction_length(); }, problem);
  const DataType type = OutputType(problem);
  const std::vector<double> out = DecodeExactly(type, outcome.out);
  return {.stats = Compare(type, out, expected.out, length, expected.sum_rms),
          .status = CheckError(type, out, expected.out, length, expected.sum_rms)};
}

}  // namespace gridwise
