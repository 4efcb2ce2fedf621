// SPDX-License-Identifier: MIT
/// Shared by the examples: makes a plan's tensors, launches the plan, checks and times it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/reference/compare.h"
#include "core/reference/elements.h"
#include "core/runtime/buffer.h"
#include "gridwise/executable.h"
#include "hip/hip_runtime_api.h"

namespace gridwise::examples {

/// The words of the command line: flags of the form --name=value, from which BUILD makes the
/// examples, then numbers, which users give.
class Words {
 public:
  /// Returns kInvalidArgument for a word that is neither one of `flags` nor a number, and for more
  /// than `most` numbers.
  static absl::StatusOr<Words> Parse(int argc, char** argv,
                                     std::initializer_list<std::string_view> flags,
                                     std::size_t most);

  /// The value of --name, or `otherwise`.
  std::string Flag(const std::string& name, const std::string& otherwise) const;
  /// Number `index`, or `otherwise` if there are fewer.
  std::int64_t Number(std::size_t index, std::int64_t otherwise) const;
  std::size_t numbers() const { return numbers_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>> flags_;
  std::vector<std::int64_t> numbers_;
};

/// The first three numbers.
struct Settings {
  static absl::StatusOr<Settings> Of(const Words& words);

  bool verify;        // compare with the CPU: 0 or 1
  std::int64_t init;  // operands: 0 zeros, 1 integers, 2 real numbers
  bool time;          // 0 or 1
};

/// An input tensor.
struct Operand {
  DataType type;
  std::vector<float> values;
};
Operand MakeOperand(DataType type, std::int64_t elements, const Settings& settings, unsigned seed);

struct LaunchTime {
  double us;
  const char* by;  // the source of the time
};

/// A loaded plan, with its tensors on the device.
class Computation {
 public:
  /// `operands` are A, B and the tensors of the epilogue.
  static absl::StatusOr<Computation> Load(const InstancePlan& plan,
                                          const std::vector<Operand>& operands, DataType out_type,
                                          std::int64_t out_elements);

  absl::Status Launch(hipStream_t stream) const;
  /// Launches the plan and returns its output.
  absl::StatusOr<std::vector<double>> Compute();
  /// The time of a launch: by the device's events, or by the simulator's clock on a simulated
  /// device, where events would measure how long the simulation takes.
  absl::StatusOr<LaunchTime> Time() const;

 private:
  explicit Computation(Executable executable) : executable_(std::move(executable)) {}

  Executable executable_;
  std::array<DeviceBuffer, 4> operands_ = {};
  DeviceBuffer out_ = {}, workspace_ = {};
  DataType out_type_ = DataType::kF32;
};

/// Computes `problem`, a convolution, a matrix multiplication or a view, with its plan.
template <class Problem>
absl::Status Run(const Problem& problem, const InstancePlan& plan, const Settings& settings) {
  std::printf("%s\n%s", ToString(problem).c_str(), plan.ToString().c_str());
  std::vector<Operand> operands = {
      MakeOperand(problem.type, problem.a_elements(), settings, /*seed=*/1),
      MakeOperand(problem.type, problem.b_elements(), settings, /*seed=*/2)};
  for (Operand& operand : operands) FlushAmbiguous(operand.type, plan.gfx(), operand.values);
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    operands.push_back(MakeOperand(problem.epilogue.d[static_cast<std::size_t>(i)].type,
                                   EpilogueElements(problem, i), settings,
                                   /*seed=*/3u + static_cast<unsigned>(i)));
  }
  const DataType type = problem.output_type();
  absl::StatusOr<Computation> computation =
      Computation::Load(plan, operands, type, problem.out_elements());
  if (!computation.ok()) return computation.status();
  const absl::StatusOr<std::vector<double>> out = computation->Compute();
  if (!out.ok()) return out.status();
  if (settings.verify) {
    operands.resize(4);
    const auto expected = ExpectedOutput(problem, operands[0].values, operands[1].values,
                                         {operands[2].values, operands[3].values});
    if (!expected.ok()) return expected.status();
    absl::Status status =
        CheckError(type, *out, expected->out, problem.reduction_length(), expected->sum_rms);
    if (!status.ok()) return status;
    std::printf("verified\n");
  }
  if (settings.time) {
    const absl::StatusOr<LaunchTime> time = computation->Time();
    if (!time.ok()) return time.status();
    std::printf("time       %.1f us, %.2f TFLOP/s, by %s\n", time->us,
                problem.Flops() / time->us * 1e-6, time->by);
  }
  return absl::OkStatus();
}

/// Prints an error and returns the exit status.
int Finish(const absl::Status& status);

}  // namespace gridwise::examples
