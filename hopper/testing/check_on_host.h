// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/launch.h"
#include "core/launch/part_kernel.h"
#include "core/passes/layout_passes.h"
#include "core/reference/expected.h"
#include "gtest/gtest.h"
#include "hopper/base/fetched.h"
#include "hopper/base/plan.h"
#include "hopper/testing/run_on_host.h"

/// Checks of the kernels' results on the host. They need no GPU, but do not replace tests on one
/// (see core/arch/hopper/on_host.h for what they do not notice). Include this before any other
/// header of device code.

namespace gridwise::hopper {

/// A square filter on images of `height` x `width` pixels.
ConvProblem Problem(Direction direction, std::int64_t groups, std::int64_t c, std::int64_t k,
                    Dim height, Dim width);
Dim Axis(std::int64_t in, std::int64_t stride = 1, std::int64_t pad = 1);  // an axis with 3 taps
/// The problem with an axis d.
ConvProblem WithDepth(ConvProblem problem, Dim depth);
/// The problem with its operands as passes copy them for instances that need such pixels.
ConvProblem WithPixels(const OperandForm& form, ConvProblem problem);

/// The problem with a bias, with a tensor like the output if `tensors` is 2, and without negative
/// outputs.
ConvProblem WithTensors(int tensors, ConvProblem problem);

/// kInfinity: one value of A is infinite; kInfinityInB: one of B. For f32, kTiny: all of A is
/// subnormal, and B is large; kHuge: A is so large that it has no parts. For tf32, kUnrounded: f32
/// of more bits; kUnroundedB: B alone, which kernels round to the nearest as they load it (tensor
/// maps of the host do not).
enum class Values { kFinite, kInfinity, kInfinityInB, kTiny, kHuge, kUnrounded, kUnroundedB };

/// A problem with random operands, its output filled with NaN, and the expected output.
class HostProblem {
 public:
  /// Kernels multiply copies of the operands in type `copied`, and write the sums of `splits`
  /// splits.
  HostProblem(const ConvProblem& problem, DataType copied, int splits, Values values);

  const absl::StatusOr<Expected>& expected() const { return expected_; }
  PartRequest request() const {
    return {.device = device_,
            .problem = multiplied_,
            .sub_gemms = gemms_,
            .split_k = split_k_,
            .part_elements = PartElements(multiplied_)};
  }
  /// From now on B is its bf16 parts (core/arch/parts.h), and B1 is B unchanged.
  void SplitB();
  char* AddressOf(const MemoryOffset& where);
  void ExpectOutput() const;

 private:
  void ExpectInfinity(const std::vector<double>& sums) const;

  const ConvProblem problem_;
  const Values values_;
  DeviceFacts device_;
  ConvProblem multiplied_;
  std::vector<SubGemm> gemms_;
  SplitK split_k_;
  DataType out_type_;
  std::vector<std::byte> a_, b_, out_, d_[2];
  std::vector<std::byte> parts_;  // b_ in bf16 parts; empty if kernels multiply b_ itself
  absl::StatusOr<Expected> expected_;
};

/// The plan's arguments, with tensor maps and addresses of the host.
template <class Args>
Args MakeArguments(const Plan<Args>& plan, HostProblem& host) {
  Args args = plan.args;
  char* const bytes = reinterpret_cast<char*>(&args);
  const auto is_b_itself = [](const KernelLaunch::Address& address) {
    return address.points_to.memory == Memory::kB1;
  };
  if (std::ranges::any_of(plan.addresses, is_b_itself)) host.SplitB();
  for (const KernelLaunch::Map& map : plan.maps) {
    const HostTensorMap value = {&map.spec, host.AddressOf(map.points_to)};
    std::memcpy(bytes + map.at, &value, sizeof(value));
  }
  for (const KernelLaunch::Address& address : plan.addresses) {
    const void* const value = host.AddressOf(address.points_to);
    std::memcpy(bytes + address.at, &value, sizeof(value));
  }
  args.epilogue.out = host.AddressOf({Memory::kOut});
  args.epilogue.tensor[0].data = host.AddressOf({Memory::kD0});
  args.epilogue.tensor[1].data = host.AddressOf({Memory::kD1});
  return args;
}

/// The problem as a part of a large one, whose axes with a single position are far apart in the
/// output.
ConvProblem WithFarAxes(ConvProblem problem);

/// Runs `kernel` with the arguments of make_plan(request) in some splits, and compares its output.
/// If a type is named, kernels multiply copies of the operands in that type.
template <class MakePlan>
void Check(const ConvProblem& problem, const MakePlan& make_plan, auto kernel, int splits = 1,
           Values values = Values::kFinite, std::optional<DataType> copied = {}) {
  SCOPED_TRACE(ToString(problem));
  HostProblem host(problem, copied.value_or(problem.type), splits, values);
  ASSERT_TRUE(host.expected().ok()) << host.expected().status();
  const PartRequest request = host.request();
  auto plan = make_plan(request);
  if constexpr (requires { plan.args.fetched; }) SetFetched(request.problem, plan);
  const auto args = MakeArguments(plan, host);
  RunGrid(static_cast<int>(plan.shape.workgroups[0]), static_cast<int>(plan.shape.threads[0]),
          [&] { kernel(args); });
  host.ExpectOutput();
}

}  // namespace gridwise::hopper
