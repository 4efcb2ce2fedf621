// SPDX-License-Identifier: MIT
// The checks can fail: launches that forget part of the work, or do other work, are caught.

#include <array>
#include <cstring>
#include <functional>

#include "core/launch/launch.h"
#include "core/runtime/device.h"
#include "core/runtime/module.h"
#include "core/runtime/status.h"
#include "gmock/gmock.h"
#include "gridwise/conv.h"
#include "gtest/gtest.h"
#include "tests/conv/conv_case.h"

namespace gridwise {
namespace {

/// Starts a launch that needs neither table nor workspace, as Executable does.
absl::Status Start(const KernelLaunch& launch, const ConvTensors& tensors) {
  const absl::StatusOr<DeviceInfo> device = CurrentDevice();
  if (!device.ok()) return device.status();
  const absl::StatusOr<hipFunction_t> kernel = LoadKernel(launch.code, *device);
  if (!kernel.ok()) return kernel.status();
  const std::array<const void*, 3> starts = {tensors.a, tensors.b, tensors.out};
  std::vector<std::byte> arguments = launch.arguments;
  for (const KernelLaunch::Address& address : launch.addresses) {
    const auto memory = static_cast<std::size_t>(address.points_to.memory);
    if (memory >= starts.size()) return absl::InternalError("the launch takes other memory");
    const char* const value = static_cast<const char*>(starts[memory]) + address.points_to.offset;
    std::memcpy(arguments.data() + address.at, &value, sizeof(value));
  }
  absl::Status launched = Launch(*kernel, launch.shape, arguments);
  if (!launched.ok()) return launched;
  return ToStatus(hipDeviceSynchronize(), "run the kernel");
}

class Broken : public testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<Gfx> gfx = UseTestTarget();
    ASSERT_TRUE(gfx.ok()) << gfx.status();
    gfx_ = *gfx;
  }
  /// A fault stays with the device until then.
  void TearDown() override { EXPECT_TRUE(ResetDevice().ok()); }

  /// Checks the result of `problem` where what is launched is the plan of `planned`, but for what
  /// `breakage` does to it.
  absl::Status Check(
      const ConvProblem& problem, const ConvProblem& planned,
      const std::function<void(KernelLaunch&)>& breakage = [](KernelLaunch&) {}) {
    const absl::StatusOr<Plan> plan = MakePlan(planned, gfx_, {.splits = 1});
    if (!plan.ok()) return plan.status();
    if (plan->launches() != 1) return absl::InternalError("the plan has several launches");
    KernelLaunch launch = plan->launch_plan().launches[0];
    breakage(launch);
    absl::StatusOr<ConvCase> made = ConvCase::Make(problem, /*seed=*/2);
    if (!made.ok()) return made.status();
    return made->Check([&](const ConvTensors& tensors) { return Start(launch, tensors); });
  }

  Gfx gfx_ = Gfx::k942;
};

/// 4 sub-GEMMs with taps, of instances that fill no tile.
ConvProblem Strided() {
  const Dim dim = {.in = 14, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
  return {.direction = Direction::kBackwardData,
          .batch = 2,
          .c = 32,
          .k = 32,
          .dims = {Dim{}, dim, dim}};
}

/// Stride beyond the filter: one sub-GEMM has taps, three only write zeros.
ConvProblem Uncovered() {
  const Dim dim = {.in = 16, .filter = 1, .stride = 2};
  return {.direction = Direction::kBackwardData,
          .batch = 2,
          .c = 32,
          .k = 32,
          .dims = {Dim{}, dim, dim}};
}

/// Launches one of four sub-GEMMs of the same size.
void LaunchAQuarter(KernelLaunch& launch) {
  ASSERT_EQ(launch.shape.workgroups[0] % 4, 0u);
  launch.shape.workgroups.x /= 4;
}

TEST_F(Broken, UnbrokenLaunchesPass) {
  EXPECT_TRUE(Check(Strided(), Strided()).ok()) << Check(Strided(), Strided());
  EXPECT_TRUE(Check(Uncovered(), Uncovered()).ok()) << Check(Uncovered(), Uncovered());
}

TEST_F(Broken, OnlyOneSubGemmIsCaught) {
  const absl::Status status = Check(Strided(), Strided(), LaunchAQuarter);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST_F(Broken, SkippedZeroFillIsCaught) {
  const absl::Status status = Check(Uncovered(), Uncovered(), LaunchAQuarter);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST_F(Broken, WrongTapIsCaught) {
  ConvProblem shifted = Strided();
  shifted.dims[2].pad_begin = 0;
  shifted.dims[2].pad_end = 2;
  const absl::Status status = Check(Strided(), shifted);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST_F(Broken, InstancesPastTheLastAreCaught) {
  // They are pixels of an image that dx does not have: in the margin, or outside of the allocation.
  ConvProblem larger = Strided();
  larger.batch = 3;
  EXPECT_FALSE(Check(Strided(), larger).ok());
}

}  // namespace
}  // namespace gridwise
