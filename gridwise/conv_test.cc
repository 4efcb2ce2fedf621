// SPDX-License-Identifier: MIT
#include "gridwise/conv.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/conv/tensor_bytes.h"
#include "core/launch/launch.h"
#include "core/planning/family.h"
#include "gmock/gmock.h"
#include "gridwise/families.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

ConvProblem Square(Direction direction, std::int64_t in, std::int64_t filter) {
  const Dim dim = {.in = in, .filter = filter, .pad_begin = filter / 2, .pad_end = filter / 2};
  return {.direction = direction, .batch = 2, .c = 64, .k = 64, .dims = {Dim{}, dim, dim}};
}

Plan PlanOf(const ConvProblem& problem, const PlanOptions& options = {}) {
  absl::StatusOr<Plan> plan = MakePlan(problem, Gfx::k942, options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

class EveryDirection : public testing::TestWithParam<Direction> {};

TEST_P(EveryDirection, IsOneLaunchUnlessSomethingElseIsAskedFor) {
  const Plan plan = PlanOf(Square(GetParam(), 16, 3), {.splits = 1});
  EXPECT_EQ(plan.launches(), 1);
  EXPECT_EQ(plan.splits(), 1);
  EXPECT_EQ(plan.workspace_bytes(), 0);
}

TEST_P(EveryDirection, SplitsAddASumOfTheirWorkspace) {
  const ConvProblem problem = Square(GetParam(), 16, 3);
  const absl::StatusOr<std::vector<Plan>> plans =
      RankPlans(problem, Gfx::k942, /*n=*/1000, {.family = "tile", .splits = 3});
  ASSERT_TRUE(plans.ok()) << plans.status();
  int added = 0, with_fixup = 0;
  for (const Plan& plan : *plans) {
    EXPECT_EQ(plan.splits(), 3) << plan.instance();
    if (absl::StrContains(plan.instance(), "_fixup")) {
      ++with_fixup;
      EXPECT_EQ(plan.launches(), 1) << plan.instance();
      EXPECT_GT(plan.workspace_bytes(), 3 * problem.out_elements() * 4) << plan.instance();
    } else {
      ++added;
      EXPECT_EQ(plan.launches(), 2) << plan.instance();
      EXPECT_EQ(plan.workspace_bytes(), 3 * problem.out_elements() * 4) << plan.instance();
    }
  }
  EXPECT_GT(added, 0);
  EXPECT_GT(with_fixup, 0);
}

TEST_P(EveryDirection, AtomicSplitsShareOneSum) {
  const ConvProblem problem = Square(GetParam(), 16, 3);
  const Plan plan = PlanOf(problem, {.splits = 3, .atomic = true});
  EXPECT_EQ(plan.launches(), 2);
  EXPECT_EQ(plan.workspace_bytes(), problem.out_elements() * 4);
}

TEST_P(EveryDirection, ChannelsFirstIsTransposedThereAndBack) {
  ConvProblem problem = Square(GetParam(), 16, 3);
  problem.layout = Layout::kNGCHW;
  // Two of the three tensors are activations, in every direction.
  EXPECT_EQ(PlanOf(problem, {.splits = 1}).launches(), 3);
  EXPECT_GE(PlanOf(problem, {.splits = 1}).workspace_bytes(),
            2 * (problem.x_elements() + problem.y_elements()));
  problem.dims = {Dim{}, Dim{}, Dim{}};  // a single pixel: nothing to transpose
  EXPECT_EQ(PlanOf(problem, {.splits = 1}).launches(), 1);
}

TEST_P(EveryDirection, LargeTensorsAreComputedInParts) {
  const ConvProblem problem = Square(GetParam(), 64, 3);
  const Plan whole = PlanOf(problem, {.splits = 1});
  const Plan parts = PlanOf(problem, {.offset_limit = 1 << 19, .splits = 1});
  EXPECT_EQ(whole.launches(), 1);
  EXPECT_GT(parts.launches(), 2);
  // Each pixel, or each term, once.
  const auto work = [](const Plan& plan) {
    std::int64_t products = 0;
    for (const GemmShape& gemm : plan.SubGemms()) products += gemm.m * gemm.n * gemm.k;
    return products;
  };
  EXPECT_EQ(work(parts), work(whole));
  const absl::Status impossible = MakePlan(problem, Gfx::k942, {.offset_limit = 100}).status();
  EXPECT_EQ(impossible.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(impossible.message(), HasSubstr("must be below 100"));
}

TEST_P(EveryDirection, KeepsAWorkspaceLimit) {
  ConvProblem problem = Square(GetParam(), 16, 3);
  problem.batch = 64;
  const std::int64_t largest = PlanOf(problem, {.family = "tile", .splits = 8}).workspace_bytes();
  for (const std::int64_t limit : {std::int64_t{0}, largest / 3, largest}) {
    const absl::StatusOr<std::vector<Plan>> plans =
        RankPlans(problem, Gfx::k942, /*n=*/1000, {.workspace_limit = limit});
    ASSERT_TRUE(plans.ok()) << plans.status();
    EXPECT_GT(plans->size(), 10u);
    for (const Plan& plan : *plans) EXPECT_LE(plan.workspace_bytes(), limit) << plan.instance();
  }
}

TEST_P(EveryDirection, SaysHowMuchWorkspaceItNeeds) {
  ConvProblem problem = Square(GetParam(), 16, 3);
  problem.layout = Layout::kNGCHW;  // copies of the tensors
  problem.batch = 1;                // of several there are copies of some at a time
  const Plan plan = PlanOf(problem, {.splits = 1});
  ASSERT_GT(plan.workspace_bytes(), 0);
  const absl::Status status =
      MakePlan(problem, Gfx::k942, {.instance = plan.instance(), .workspace_limit = 1}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(status.message(),
              HasSubstr(absl::StrCat("in a workspace of 1 bytes; the least is ",
                                     plan.workspace_bytes(), ", of ", plan.instance())));
}

/// Copies that the device has no room for, or the caller, are made for some images at a time.
TEST_P(EveryDirection, TransposesMicroBatches) {
  constexpr std::int64_t kPixels = 64;
  ConvProblem problem = Square(GetParam(), kPixels, 3);
  problem.layout = Layout::kNGCHW;
  problem.batch = 7;
  const Plan whole = PlanOf(problem);
  const std::int64_t limit = whole.workspace_bytes() / 3;
  DeviceFacts small = Gfx::k942;
  small.memory_bytes = TensorBytes(problem) + limit;
  const absl::StatusOr<Plan> of_device = MakePlan(problem, small);
  ASSERT_TRUE(of_device.ok()) << of_device.status();
  const absl::StatusOr<Plan> of_caller = MakePlan(problem, Gfx::k942, {.workspace_limit = limit});
  ASSERT_TRUE(of_caller.ok()) << of_caller.status();
  for (const Plan& plan : {*of_device, *of_caller}) {
    EXPECT_LE(plan.workspace_bytes(), limit);
    EXPECT_GE(plan.launches(), 3 * 3) << "three micro-batches or more";
    std::int64_t pixels = 0;
    for (const GemmShape& gemm : plan.SubGemms()) {
      pixels += GetParam() == Direction::kBackwardWeight ? gemm.k : gemm.m;
    }
    EXPECT_EQ(pixels, 7 * kPixels * kPixels);
  }
}

/// Where each image's dw takes more room than its copies, micro-batches are of no use.
TEST(MicroBatches, AreNoneThatTakeMoreRoom) {
  ConvProblem problem = Square(Direction::kBackwardWeight, 7, 3);
  problem.layout = Layout::kNGCHW;
  const std::int64_t whole = PlanOf(problem, {.splits = 1}).workspace_bytes();
  const absl::Status status =
      MakePlan(problem, Gfx::k942, {.splits = 1, .workspace_limit = whole - 1}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(status.message(), HasSubstr(absl::StrCat("the least is ", whole)));
}

/// What fits on the device beside the tensors comes first, and a plan that does not says so.
TEST_P(EveryDirection, PrefersWhatTheDeviceHasRoomFor) {
  const ConvProblem problem = Square(GetParam(), 16, 3);
  const std::int64_t tensors = TensorBytes(problem);
  EXPECT_EQ(tensors, 2 * (problem.x_elements() + problem.w_elements() + problem.y_elements()));
  DeviceFacts small = Gfx::k942;
  small.memory_bytes = tensors;
  const absl::StatusOr<std::vector<Plan>> plans = RankPlans(problem, small, /*n=*/1000);
  ASSERT_TRUE(plans.ok()) << plans.status();
  EXPECT_EQ(plans->front().workspace_bytes(), 0);
  EXPECT_TRUE(std::ranges::is_sorted(*plans, {},
                                     [](const Plan& plan) { return plan.workspace_bytes() > 0; }));
  small.memory_bytes = tensors - 1;
  const absl::StatusOr<Plan> plan = MakePlan(problem, small);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->ToString(),
              HasSubstr(absl::StrCat("more than the device's memory of ", tensors - 1)));
  EXPECT_THAT(PlanOf(problem).ToString(), Not(HasSubstr("memory of")));
}

INSTANTIATE_TEST_SUITE_P(Directions, EveryDirection, testing::ValuesIn(kAllDirections),
                         [](const auto& info) { return Name(info.param); });

/// Where the launches' tables begin.
std::vector<std::int64_t> TablesOf(const Plan& plan) {
  std::vector<std::int64_t> tables;
  for (const KernelLaunch& launch : plan.launch_plan().launches) {
    for (const KernelLaunch::Address& address : launch.addresses) {
      if (address.points_to.memory == Memory::kTable) tables.push_back(address.points_to.offset);
    }
  }
  return tables;
}

/// Many sub-GEMMs have a table in memory, and parts that differ in their images have equal ones.
TEST(MakePlan, LaunchesWithEqualTablesShareOne) {
  ConvProblem problem = Square(Direction::kBackwardData, 64, 3);
  problem.dims[1].stride = problem.dims[2].stride = 8;
  problem.batch = 1;
  const Plan one = PlanOf(problem, {.family = "tile"});
  const std::vector<std::int64_t> tables = TablesOf(one);
  ASSERT_GT(tables.size(), 0u);
  problem.batch = 2;
  // Room for one image of dx, in f32 as of splits, but not for two.
  const Plan two = PlanOf(
      problem,
      {.instance = one.instance(), .family = "tile", .offset_limit = 64 * 64 * 64 * 4 * 3 / 2});
  std::vector<std::int64_t> twice = tables;
  twice.insert(twice.end(), tables.begin(), tables.end());
  EXPECT_EQ(TablesOf(two), twice);
  EXPECT_EQ(two.launch_plan().table, one.launch_plan().table);
}

TEST(MakePlan, PointwiseIsAGemmOverAllPixels) {
  const Plan plan = PlanOf(Square(Direction::kForward, 7, 1));
  ASSERT_EQ(plan.SubGemms().size(), 1u);
  EXPECT_EQ(plan.SubGemms()[0], (GemmShape{.m = 2 * 7 * 7, .n = 64, .k = 64}));
}

TEST(RankPlans, AKernelOfSeveralOpsIsRankedOnce) {
  const ConvProblem problem = Square(Direction::kBackwardWeight, 14, 3);
  const auto instances_of = [&](const PlanOptions& options) {
    std::vector<std::string> instances;
    const auto plans = RankPlans(problem, Gfx::k942, 100, options);
    EXPECT_TRUE(plans.ok()) << plans.status();
    if (!plans.ok()) return instances;
    for (const Plan& plan : *plans) instances.push_back(plan.instance());
    return instances;
  };
  const std::string config = "f16_t128x128x32_w2x2_mfma32x32x8_aeven8x2_bcheck2-4x4_o3";
  EXPECT_THAT(instances_of({}), Contains("cshuffle_v3_" + config));
  EXPECT_THAT(instances_of({}), Not(Contains("two_stage_" + config)));
  EXPECT_THAT(instances_of({.op = "two_stage"}), Contains("two_stage_" + config));
}

TEST(MakePlan, AStrideThatLeadsNowhereIsNoDistance) {
  ConvProblem problem = Square(Direction::kBackwardWeight, 1, 1);
  problem.dims[2].stride = 1'000'000;
  EXPECT_EQ(PlanOf(problem).launches(), 1);
}

TEST(MakePlan, AStemIsReadAsPixels) {
  ConvProblem problem = Square(Direction::kForward, 64, 7);
  problem.c = 3;
  const Plan plan = PlanOf(problem, {.splits = 1});
  EXPECT_THAT(plan.instance(), HasSubstr("_px4"));
  EXPECT_EQ(plan.launches(), 1);
  EXPECT_EQ(plan.SubGemms()[0].k, 7 * 7 * 3);
}

TEST(MakePlan, ALongFilterHasTheTapsOfALineAsChannels) {
  ConvProblem problem = Square(Direction::kForward, 64, 9);
  problem.c = 3;
  const Plan plan = PlanOf(problem, {.splits = 1});
  EXPECT_EQ(plan.launches(), 2) << "padding first";
  EXPECT_EQ(plan.SubGemms()[0].k, 9 * 9 * 3);
}

TEST(MakePlan, AFilterAsLargeAsItsInputIsAGemm) {
  for (const Direction direction : kAllDirections) {
    ConvProblem problem = Square(direction, 7, 7);
    for (Dim& dim : problem.dims) {
      dim.pad_begin = dim.pad_end = 0;
      // With a stride of less, pixels of dx meet padding, which is multiplied.
      if (direction == Direction::kBackwardData) dim.stride = dim.filter;
    }
    ConvProblem gemm = problem;
    gemm.c *= 7 * 7;
    for (Dim& dim : gemm.dims) dim = Dim{};
    EXPECT_EQ(PlanOf(problem).cost().cycles, PlanOf(gemm).cost().cycles) << Name(direction);
  }
}

TEST(MakePlan, DepthwiseIsTheDirectKernelsWork) {
  ConvProblem problem = Square(Direction::kForward, 56, 3);
  problem.groups = problem.c = problem.k = 256;
  for (const Gfx gfx : kAmdGfx) {
    for (const DataType type : kAllDataTypes) {
      // Direct kernels have no 8-bit floats but e4m3.
      if (!HasType(gfx, type) || type == DataType::kF8E5M2 || type == DataType::kF8E5M2Fnuz)
        continue;
      problem.type = type;
      const absl::StatusOr<Plan> plan = MakePlan(problem, gfx);
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_THAT(plan->instance(), HasSubstr("_ch")) << Name(gfx) << " " << Name(type);
    }
  }
}

TEST(MakePlan, AutomaticSplitsFillTheGpu) {
  ConvProblem problem = Square(Direction::kBackwardWeight, 64, 3);
  problem.batch = 16;
  const Plan plan = PlanOf(problem);
  EXPECT_GT(plan.splits(), 4);
  EXPECT_LT(plan.cost().cycles, PlanOf(problem, {.splits = 1}).cost().cycles);
}

TEST(MakePlan, ErrorsNameTheValue) {
  const ConvProblem problem = Square(Direction::kForward, 8, 3);
  const auto error = [](const ConvProblem& of, const PlanOptions& options) {
    const absl::Status status = MakePlan(of, Gfx::k942, options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(error(problem, {.splits = -1}), HasSubstr("splits is -1; must be 0 to 65535"));
  EXPECT_THAT(error(problem, {.workspace_limit = -1}),
              HasSubstr("workspace_limit is -1; must be >= 0"));
  EXPECT_THAT(error(problem, {.instance = "fast"}), HasSubstr("instance is fast; must be one of"));
  ConvProblem invalid = problem;
  invalid.k = 0;
  EXPECT_THAT(error(invalid, {}), HasSubstr("k is 0; must be >= 1"));
  invalid = problem;
  invalid.epilogue.tensors = 3;
  EXPECT_THAT(error(invalid, {}), HasSubstr("epilogue.tensors is 3; must be <= 2"));
}

TEST(MakePlan, TargetsSayWhichTypesTheyLack) {
  ConvProblem problem = Square(Direction::kForward, 8, 3);
  for (const Gfx gfx : kAmdGfx) {
    for (const DataType type : {DataType::kI8, DataType::kF8E4M3, DataType::kF8E4M3Fnuz,
                                DataType::kF8E5M2, DataType::kF8E5M2Fnuz, DataType::kTF32}) {
      problem.type = type;
      const absl::Status status = MakePlan(problem, gfx).status();
      const bool fnuz = type == DataType::kF8E4M3Fnuz || type == DataType::kF8E5M2Fnuz;
      const bool ocp = type == DataType::kF8E4M3 || type == DataType::kF8E5M2;
      const bool has = type == DataType::kI8 || (fnuz && gfx == Gfx::k942) ||
                       (ocp && (gfx == Gfx::k950 || gfx == Gfx::k1201));
      SCOPED_TRACE(absl::StrCat(Name(gfx), " ", Name(type)));
      EXPECT_EQ(status.ok(), has) << status;
      if (has) continue;
      EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
      EXPECT_THAT(status.message(), HasSubstr(absl::StrCat("it has no instructions that multiply ",
                                                           Name(type), ", but f16 bf16 f32 i8")));
    }
  }
}

// What f16 has, forward in 8 bits has: layouts, groups, any channels, axes, epilogues.
TEST(MakePlan, BytesHaveWhatF16Has) {
  ConvProblem problem = Square(Direction::kForward, 20, 3);
  problem.type = DataType::kI8;
  EXPECT_EQ(PlanOf(problem).problem().output_type(), DataType::kI32);
  problem.layout = Layout::kNGCHW;
  EXPECT_EQ(PlanOf(problem).launches(), 3) << "transposes x and y";
  problem.layout = Layout::kGNHWC;
  problem.groups = problem.c = problem.k = 33;
  EXPECT_EQ(PlanOf(problem).launches(), 1);
  problem = Square(Direction::kForward, 64, 7);
  problem.type = DataType::kI8;
  problem.out_type = DataType::kF32;
  problem.c = 3;
  problem.epilogue.alpha = 0.01;
  EXPECT_EQ(PlanOf(problem).SubGemms()[0].k, 7 * 7 * 3) << "a stem";
  EXPECT_THAT(MakePlan(problem, Gfx::k942, {.splits = 2}).status().message(),
              HasSubstr("splits is 2; must be 0 or 1, because type is i8"));
}

// 2^30 pixels of 16 channels: their tiles have more than 2^32 work-items.
TEST(MakePlan, LaunchesKeepTheLimitsOfAGrid) {
  const Dim dim = {.in = 1024, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const ConvProblem problem = {.batch = 1024, .c = 16, .k = 16, .dims = {Dim{}, dim, dim}};
  for (const Gfx gfx : kAmdGfx) {
    const absl::StatusOr<Plan> plan = MakePlan(problem, gfx);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_GT(plan->launches(), 0);
    for (const KernelLaunch& launch : plan->launch_plan().launches) {
      EXPECT_LE(std::int64_t{launch.shape.workgroups[0]} * launch.shape.threads[0], kMaxWorkItems)
          << plan->ToString();
    }
  }
}

// Half of the units take half of the splits, or the same where that is best.
TEST(MakePlan, DeviceFactsAreAValue) {
  const Dim dim = {.in = 16, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const ConvProblem problem = {.direction = Direction::kBackwardData,
                               .batch = 1,
                               .c = 256,
                               .k = 4096,
                               .dims = {Dim{}, dim, dim}};
  const absl::StatusOr<Plan> whole = MakePlan(problem, Gfx::k942);
  const absl::StatusOr<Plan> part = MakePlan(problem, DeviceFacts(Gfx::k942, 38));
  ASSERT_TRUE(whole.ok() && part.ok());
  EXPECT_GT(part->cost().cycles, whole->cost().cycles);
  EXPECT_LT(part->splits(), whole->splits());
  EXPECT_EQ(part->device().compute_units, 38);
}

TEST(MakePlan, SaysInWhichOrderTilesAreComputed) {
  const Dim dim = {.in = 64, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const ConvProblem problem = {.batch = 32, .c = 256, .k = 4096, .dims = {Dim{}, dim, dim}};
  EXPECT_THAT(PlanOf(problem).ToString(), HasSubstr("order      8 XCDs, bands of "));
}

TEST(MakePlan, FamiliesCanBeChosen) {
  const ConvProblem depthwise = {
      .groups = 64, .c = 64, .k = 64, .dims = {Dim{}, {.in = 8}, {.in = 8}}};
  EXPECT_EQ(PlanOf(depthwise, {.family = "direct"}).family(), "direct");
  EXPECT_EQ(PlanOf(depthwise, {.family = "tile"}).family(), "tile");
  EXPECT_THAT(MakePlan(depthwise, Gfx::k942, {.family = "fast"}).status().message(),
              HasSubstr("family is fast; must be one of tile, direct"));
}

/// What RegisterInstances adds to a family.
class NoFurtherInstances : public KernelFamily {
 public:
  std::string_view name() const override { return "tile"; }
  std::span<const InstanceInfo> Instances(Direction, Gfx) const override { return {}; }
  Applicability CheckApplicability(std::size_t, PlanContext&) const override {
    return "there is none";
  }
  LaunchPlan MakeLaunches(std::size_t, PlanContext&) const override { return {}; }
};

TEST(MakePlan, NamesEachFamilyOnceWhateverInstancesAreAdded) {
  static const NoFurtherInstances instances;
  ASSERT_TRUE(RegisterInstances(instances).ok());
  const std::string message(
      MakePlan(Square(Direction::kForward, 8, 1), Gfx::k942, {.family = "fast"})
          .status()
          .message());
  const std::size_t first = message.find("tile");
  EXPECT_NE(first, message.npos);
  EXPECT_EQ(message.find("tile", first + 1), message.npos) << message;
}

TEST(MakePlan, SubGemmsMayHaveALaunchEach) {
  ConvProblem problem = Square(Direction::kBackwardData, 16, 3);
  problem.dims[1].stride = problem.dims[2].stride = 2;
  problem.c = problem.k = 8;
  for (const char* family : {"tile", "direct", "ck"}) {
    const Plan together = PlanOf(problem, {.family = family, .splits = 1});
    EXPECT_EQ(together.launches(), 1) << family;
    const Plan apart =
        PlanOf(problem, {.family = family, .splits = 1, .launch_per_sub_gemm = true});
    EXPECT_EQ(apart.launches(), 4) << family;
    EXPECT_EQ(apart.SubGemms(), together.SubGemms()) << family;
    EXPECT_EQ(apart.workgroups(), together.workgroups()) << family;
  }
  const Plan forward =
      PlanOf(Square(Direction::kForward, 16, 3), {.splits = 1, .launch_per_sub_gemm = true});
  EXPECT_EQ(forward.launches(), 1);
}

// Three of the four sub-GEMMs have no taps: an XCD with a run of the launch would have all of the
// work or none.
TEST(MakePlan, XcdsShareEachSubGemm) {
  ConvProblem problem = Square(Direction::kBackwardData, 50, 1);
  problem.dims[1].stride = problem.dims[2].stride = 2;
  problem.c = problem.k = 512;
  for (const char* family : {"tile", "ck"}) {
    const Plan plan = PlanOf(problem, {.family = family, .splits = 1});
    ASSERT_EQ(plan.SubGemms().size(), 4u) << family;
    const BlockMap map = plan.launch_plan().launches.front().map.value();
    EXPECT_EQ(map.of_section.xcds, 8) << family;
    EXPECT_EQ(map.of_launch.xcds, 1) << family;
  }
}

TEST(MakePlan, TheClassicFamilyLowersABoundedNumberOfSubGemms) {
  ConvProblem problem = Square(Direction::kBackwardData, 64, 1);
  problem.dims[1].stride = problem.dims[2].stride = 32;
  EXPECT_TRUE(MakePlan(problem, Gfx::k942).ok());
  EXPECT_THAT(MakePlan(problem, Gfx::k942, {.family = "ck"}).status().message(),
              HasSubstr("there are 1024 sub-GEMMs; the classic family lowers at most 512"));
  problem.dims[2].stride = 16;
  EXPECT_TRUE(MakePlan(problem, Gfx::k942, {.family = "ck"}).ok());
}

TEST(MakePlan, PartsHaveWholeMergedGroups) {
  // 131080 groups in 4 parts of 32770, which 4 does not divide.
  ConvProblem problem = {.rank = 1, .groups = 131080, .c = 131080 * 16, .k = 131080 * 16};
  problem.dims[2] = {.in = 4, .filter = 3, .pad_begin = 1, .pad_end = 1};
  int merging = 0;
  for (const InstanceExplanation& explanation : ExplainInstances(problem, Gfx::k942)) {
    if (!absl::EndsWith(explanation.instance, "_g4")) continue;
    ++merging;
    EXPECT_EQ(explanation.reason.value_or(""), "there are 32770 groups; the instance merges 4");
  }
  EXPECT_GT(merging, 0);
  EXPECT_FALSE(absl::EndsWith(PlanOf(problem).instance(), "_g4"));
}

TEST(MakePlan, ManyGroupsAreComputedInParts) {
  ConvProblem problem = {.rank = 1, .groups = 100000, .c = 200000, .k = 200000};
  problem.dims[2] = {.in = 4, .filter = 3, .pad_begin = 1, .pad_end = 1};
  EXPECT_EQ(PlanOf(problem, {.splits = 1}).launches(), 2);
}

}  // namespace
}  // namespace gridwise
