// SPDX-License-Identifier: MIT
// Splits that the launch adds up (tile/epilogue/fixup.h): the same bits whichever
// workgroup is the last, on a workspace that holds anything, launch after launch.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/stream.h"
#include "gridwise/conv.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tests/conv/conv_case.h"
#include "tools/sim/check/settings.h"

namespace gridwise {
namespace {

constexpr int kSplits = 5;

/// A long K of few tiles, of two groups, with an epilogue that is not linear.
ConvProblem LongK(Direction direction) {
  const Dim dim = {.in = 9, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const bool along_pixels = direction == Direction::kBackwardWeight;
  ConvProblem problem = {
      .direction = direction,
      .groups = 2,
      .batch = along_pixels ? 7 : 6,  // whose instances are for 512 pixels and more
      .c = 160,
      .k = 144,
      .dims = {Dim{}, dim, dim}};
  problem.epilogue.low = 0;
  return problem;
}

class Fixup : public testing::TestWithParam<Direction> {
 protected:
  void SetUp() override {
    const absl::StatusOr<Gfx> gfx = UseTestTarget();
    ASSERT_TRUE(gfx.ok()) << gfx.status();
    gfx_ = *gfx;
    // All instances that there are.
    const absl::StatusOr<std::vector<Plan>> all =
        RankPlans(LongK(GetParam()), gfx_, /*n=*/1000, {.family = "tile", .splits = kSplits});
    ASSERT_TRUE(all.ok()) << all.status();
    for (const Plan& plan : *all) {
      if (plan.instance().find("_fixup") != std::string::npos) plans_.push_back(plan);
    }
    if (!plans_.empty()) return;
    ASSERT_NE(TraitsOf(gfx_).mma_unit, MmaUnit::kMfma) << "each direction has such instances";
    GTEST_SKIP() << "no instance of the direction has a fix-up on " << Name(gfx_);
  }
  void TearDown() override { sim::SetCheckSettings(settings_); }

  const sim::CheckSettings settings_ = sim::CurrentCheckSettings();
  Gfx gfx_ = Gfx::k942;
  std::vector<Plan> plans_;
};

TEST_P(Fixup, IsOneLaunchThatWritesTheOutput) {
  const absl::StatusOr<ConvCase> made = ConvCase::Make(LongK(GetParam()), /*seed=*/7);
  ASSERT_TRUE(made.ok()) << made.status();
  for (const Plan& plan : plans_) {
    EXPECT_EQ(plan.launches(), 1) << plan.instance();
    EXPECT_EQ(plan.splits(), kSplits) << plan.instance();
    const absl::Status status = made->CheckPlan(plan);
    EXPECT_TRUE(status.ok()) << plan.instance() << ": " << status;
  }
}

/// What `launch(executable, tensors, workspace)` leaves in the output.
template <class Launch>
std::vector<std::byte> ComputeOutput(const ConvCase& made, const Plan& plan,
                                     DeviceBuffer& workspace, Launch launch) {
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(made.problem().out_elements() * SizeOf(made.problem().type)));
  const absl::StatusOr<Executable> executable = Executable::Load(plan);
  EXPECT_TRUE(executable.ok()) << executable.status();
  const absl::Status status = made.Check([&](const ConvTensors& tensors) -> absl::Status {
    absl::Status launched = launch(*executable, tensors, workspace);
    if (launched.ok()) launched = SynchronizeDevice();
    if (!launched.ok()) return launched;
    EXPECT_EQ(hipMemcpy(bytes.data(), tensors.out, bytes.size(), hipMemcpyDeviceToHost),
              hipSuccess);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << plan.instance() << ": " << status;
  return bytes;
}

absl::Status LaunchOnce(const Executable& executable, const ConvTensors& tensors,
                        DeviceBuffer& workspace) {
  return executable.Launch(tensors, workspace.data(), workspace.bytes(), /*stream=*/nullptr);
}

// What instances leave to a pass is left to it then, too: one tensor of sums for all splits.
TEST_P(Fixup, HandsJoinedSumsToAPass) {
  ConvProblem problem = LongK(GetParam());
  problem.epilogue.unary = Unary::kTanh;
  const absl::StatusOr<ConvCase> made = ConvCase::Make(problem, /*seed=*/10);
  ASSERT_TRUE(made.ok()) << made.status();
  for (const Plan& plan : plans_) {
    const absl::StatusOr<Plan> finished =
        MakePlan(problem, gfx_, {.instance = plan.instance(), .splits = kSplits});
    ASSERT_TRUE(finished.ok()) << finished.status();
    EXPECT_EQ(finished->launches(), 2) << plan.instance();
    const absl::Status status = made->CheckPlan(*finished);
    EXPECT_TRUE(status.ok()) << plan.instance() << ": " << status;
  }
}

// Each launch finds what the one before it left in the workspace, and the first one has garbage.
TEST_P(Fixup, HasTheSameBitsInAnyOrder) {
  const absl::StatusOr<ConvCase> made = ConvCase::Make(LongK(GetParam()), /*seed=*/8);
  ASSERT_TRUE(made.ok()) << made.status();
  for (const Plan& plan : plans_) {
    absl::StatusOr<DeviceBuffer> workspace = DeviceBuffer::Allocate(plan.workspace_bytes());
    ASSERT_TRUE(workspace.ok()) << workspace.status();
    ASSERT_TRUE(workspace->Fill(0x5a).ok());
    const std::vector<std::byte> in_order = ComputeOutput(*made, plan, *workspace, LaunchOnce);
    for (const std::uint64_t seed : {1, 2, 3}) {
      sim::SetCheckSettings({.categories = settings_.categories, .seed = seed});
      EXPECT_TRUE(ComputeOutput(*made, plan, *workspace, LaunchOnce) == in_order)
          << plan.instance() << ", seed " << seed;
    }
    sim::SetCheckSettings(settings_);
  }
}

// Nobody has to write the workspace first; check mode must not say so either.
TEST_P(Fixup, TakesAWorkspaceThatWasNeverWritten) {
  const absl::StatusOr<ConvCase> made = ConvCase::Make(LongK(GetParam()), /*seed=*/11);
  ASSERT_TRUE(made.ok()) << made.status();
  for (const Plan& plan : plans_) {
    absl::StatusOr<DeviceBuffer> workspace = DeviceBuffer::Allocate(plan.workspace_bytes());
    ASSERT_TRUE(workspace.ok()) << workspace.status();
    ComputeOutput(*made, plan, *workspace, LaunchOnce);
  }
}

// A graph has one number for all of its launches.
TEST_P(Fixup, IsLaunchedByAGraphAgain) {
  const absl::StatusOr<ConvCase> made = ConvCase::Make(LongK(GetParam()), /*seed=*/9);
  ASSERT_TRUE(made.ok()) << made.status();
  const Plan& plan = plans_.front();
  absl::StatusOr<DeviceBuffer> workspace = DeviceBuffer::Allocate(plan.workspace_bytes());
  ASSERT_TRUE(workspace.ok()) << workspace.status();
  ASSERT_TRUE(workspace->Fill(0xff).ok());
  const auto launch = [&](const Executable& executable, const ConvTensors& tensors,
                          DeviceBuffer& memory) -> absl::Status {
    const absl::StatusOr<Stream> stream = Stream::Create();
    if (!stream.ok()) return stream.status();
    hipGraph_t graph = nullptr;
    hipGraphExec_t instance = nullptr;
    EXPECT_EQ(hipStreamBeginCapture(stream->get(), hipStreamCaptureModeGlobal), hipSuccess);
    absl::Status launched =
        executable.Launch(tensors, memory.data(), memory.bytes(), stream->get());
    EXPECT_EQ(hipStreamEndCapture(stream->get(), &graph), hipSuccess);
    if (!launched.ok()) return launched;
    EXPECT_EQ(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    for (int i = 0; i < 3; ++i) {
      // What a launch before this one wrote must not stand for what this one did not.
      EXPECT_EQ(hipMemsetAsync(tensors.out, 0xff,
                               static_cast<std::size_t>(made->problem().out_elements() * 2),
                               stream->get()),
                hipSuccess);
      // Nor what it left in the workspace: sums of its splits are in the second half.
      const std::int64_t half = memory.bytes() / 2;
      EXPECT_EQ(hipMemsetAsync(static_cast<std::byte*>(memory.data()) + half, 0xff,
                               static_cast<std::size_t>(memory.bytes() - half), stream->get()),
                hipSuccess);
      EXPECT_EQ(hipGraphLaunch(instance, stream->get()), hipSuccess);
    }
    const absl::Status finished = stream->Synchronize();
    EXPECT_EQ(hipGraphExecDestroy(instance), hipSuccess);
    return finished;
  };
  ComputeOutput(*made, plan, *workspace, launch);
}

TEST_P(Fixup, RefusesMoreSplitsThanItJoins) {
  const absl::StatusOr<Plan> plan =
      MakePlan(LongK(GetParam()), gfx_, {.instance = plans_.front().instance(), .splits = 33});
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.status().message().find("33 splits; the instance adds up at most"),
            std::string::npos)
      << plan.status();
}

// Who asks for atomic sums wants less workspace.
TEST_P(Fixup, RefusesSumsInNoOrder) {
  const absl::StatusOr<Plan> plan =
      MakePlan(LongK(GetParam()), gfx_,
               {.instance = plans_.front().instance(), .splits = kSplits, .atomic = true});
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.status().message().find("the instance adds them in a fixed order"),
            std::string::npos)
      << plan.status();
}

INSTANTIATE_TEST_SUITE_P(Directions, Fixup, testing::ValuesIn(kAllDirections),
                         [](const auto& info) { return std::string(Name(info.param)); });

}  // namespace
}  // namespace gridwise
