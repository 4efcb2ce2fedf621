/// What the examples have in common: a plan's tensors are made, it is launched, checked and timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/compare.h"
#include "core/conv/elements.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/stream.h"
#include "instances/executable.h"

namespace gridwise::examples {

/// The words of the command line: flags of the form --name=value, which the examples of BUILD are
/// made of, then numbers, which users give.
class Words {
 public:
  Words(int argc, char** argv);

  /// The value of --name; `otherwise` without one.
  std::string Flag(const std::string& name, const std::string& otherwise) const;
  /// Number `index`; `otherwise` where there are fewer.
  std::int64_t Number(std::size_t index, std::int64_t otherwise) const;
  std::size_t numbers() const { return numbers_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>> flags_;
  std::vector<std::int64_t> numbers_;
};

/// The first three numbers.
struct Settings {
  explicit Settings(const Words& words);

  bool verify;        // compare with the CPU: 0 or 1
  std::int64_t init;  // operands: 0 zeros, 1 integers, 2 real numbers
  bool time;          // 0 or 1
};

std::vector<float> MakeTensor(DataType type, std::int64_t elements, std::int64_t init,
                              unsigned seed);

/// Microseconds of a launch, on average; the first ones do not count.
absl::StatusOr<double> Time(const Executable& executable, const Tensors& tensors,
                            const DeviceBuffer& workspace);

/// Computes `problem`, a convolution or a matrix multiplication, by its plan.
template <class Problem>
absl::Status Run(const Problem& problem, const RowPlan& plan, const Settings& settings) {
  std::printf("%s\n%s", ToString(problem).c_str(), plan.ToString().c_str());
  const absl::StatusOr<DeviceInfo> device = FindDevice(Name(plan.gfx()));
  if (!device.ok()) return device.status();
  if (absl::Status status = UseDevice(*device); !status.ok()) return status;
  const std::vector<float> a = MakeTensor(problem.type, problem.a_elements(), settings.init, 1);
  const std::vector<float> b = MakeTensor(problem.type, problem.b_elements(), settings.init, 2);
  const auto a_device = DeviceBuffer::CopyOf(Encode(problem.type, a));
  const auto b_device = DeviceBuffer::CopyOf(Encode(problem.type, b));
  const DataType type = problem.output_type();
  auto out = DeviceBuffer::Allocate(problem.out_elements() * SizeOf(type));
  const auto workspace = DeviceBuffer::Allocate(plan.workspace_bytes());
  for (const auto* buffer : {&a_device, &b_device, &std::as_const(out), &workspace}) {
    if (!buffer->ok()) return buffer->status();
  }
  // What the kernel does not write is no number.
  if (absl::Status status = out->Fill(PoisonByte(type)); !status.ok()) return status;

  const absl::StatusOr<Executable> executable = Executable::Load(plan);
  if (!executable.ok()) return executable.status();
  const Tensors tensors = {.a = a_device->data(), .b = b_device->data(), .out = out->data()};
  absl::Status status =
      executable->Launch(tensors, workspace->data(), workspace->bytes(), /*stream=*/nullptr);
  if (!status.ok()) return status;
  if (status = SynchronizeDevice(); !status.ok()) return status;

  if (settings.verify) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(out->bytes()));
    if (status = out->CopyToHost(bytes); !status.ok()) return status;
    const auto expected = ExpectedOutput(problem, a, b);
    if (!expected.ok()) return expected.status();
    status = CheckError(type, DecodeExactly(type, bytes), expected->out, problem.reduction_length(),
                        expected->sum_rms);
    if (!status.ok()) return status;
    std::printf("verified\n");
  }
  if (settings.time) {
    const absl::StatusOr<double> us = Time(*executable, tensors, *workspace);
    if (!us.ok()) return us.status();
    std::printf("time       %.1f us, %.2f TFLOP/s, by the device's clock\n", *us,
                problem.Flops() / *us * 1e-6);
  }
  return absl::OkStatus();
}

/// Prints an error and returns the exit status.
int Finish(const absl::Status& status);

}  // namespace gridwise::examples
