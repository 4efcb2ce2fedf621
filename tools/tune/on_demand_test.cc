// SPDX-License-Identifier: MIT
/// Instances that are not built in are compiled, run, and right.

#include "tools/tune/on_demand.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/planning/family.h"
#include "gmock/gmock.h"
#include "gridwise/conv.h"
#include "gridwise/families.h"
#include "gtest/gtest.h"
#include "tests/conv/conv_case.h"
#include "tools/tune/config_space.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class OnDemand : public testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<Gfx> gfx = UseTestTarget();
    ASSERT_TRUE(gfx.ok()) << gfx.status();
    gfx_ = *gfx;
  }
  static Compiler Open() {
    absl::StatusOr<Compiler> compiler =
        Compiler::Open("tools/tune/compiler.json", absl::StrCat(testing::TempDir(), "/kernels"));
    EXPECT_TRUE(compiler.ok()) << compiler.status();
    return *std::move(compiler);
  }
  /// An instance like one of a family that is built in, but for one number.
  std::string NewInstance(std::string_view family, Direction direction,
                          std::string_view trait) const {
    const ConfigSpace& space = **FindConfigSpace(family);
    for (const KernelFamily* each : Families()) {
      if (each->name() != family) continue;
      for (const InstanceInfo& instance : each->Instances(direction, gfx_)) {
        if (instance.type != DataType::kF16) continue;
        ConfigSpace::Values values = space.Parse(instance.name, direction).value();
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (space.traits()[i].name() == trait) --values[i];
        }
        if (!space.Check(values, direction, gfx_).ok()) continue;
        const std::string name = space.NameOf(values, direction);
        if (!HasInstance(family, name, direction, gfx_)) return name;
      }
    }
    return "";
  }

  Gfx gfx_ = Gfx::k942;
};

TEST_F(OnDemand, ComputesWhatTheProblemSays) {
  const Dim dim = {.in = 9, .filter = 3, .pad_begin = 1, .pad_end = 1};
  for (const auto& [family, direction, trait] :
       {std::tuple("tile", Direction::kBackwardWeight, "occupancy"),
        {"ck", Direction::kForward, "occupancy"}}) {
    SCOPED_TRACE(family);
    const ConvProblem problem = {
        .direction = direction, .batch = 2, .c = 32, .k = 32, .dims = {Dim{}, dim, dim}};
    const std::string instance = NewInstance(family, direction, trait);
    ASSERT_NE(instance, "");
    EXPECT_THAT(MakePlan(problem, gfx_, {.instance = instance}).status().message(),
                StartsWith(absl::StrCat("instance is ", instance, "; must be one of")));
    const absl::Status added = AddInstance(Open(), "", instance, direction, gfx_);
    ASSERT_TRUE(added.ok()) << added;
    EXPECT_TRUE(AddInstance(Open(), "", instance, direction, gfx_).ok()) << "it is there";
    const absl::StatusOr<Plan> plan = MakePlan(problem, gfx_, {.instance = instance});
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->family(), family);
    const absl::StatusOr<ConvCase> made = ConvCase::Make(problem, /*seed=*/1);
    ASSERT_TRUE(made.ok()) << made.status();
    const absl::Status status = made->CheckPlan(*plan);
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST_F(OnDemand, CompilesOnce) {
  const std::string instance = NewInstance("direct", Direction::kForward, "pixels");
  const absl::StatusOr<CompiledInstance> first =
      CompileInstance(Open(), "direct", instance, Direction::kForward, gfx_);
  ASSERT_TRUE(first.ok()) << first.status();
  const auto written = std::filesystem::last_write_time(first->path);
  const absl::StatusOr<CompiledInstance> second =
      CompileInstance(Open(), "direct", instance, Direction::kForward, gfx_);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->path, first->path);
  EXPECT_EQ(std::filesystem::last_write_time(first->path), written);
  EXPECT_EQ(second->symbol, "gridwise_direct_requested");
}

// As under `bazel run`, where sources are in another folder than what the build makes.
TEST_F(OnDemand, HeadersMayBeInTwoFolders) {
  const std::string sources = absl::StrCat(testing::TempDir(), "/sources");
  std::filesystem::create_directories(absl::StrCat(sources, "/core/base"));
  std::filesystem::copy_file("core/base/types.h", absl::StrCat(sources, "/core/base/types.h"),
                             std::filesystem::copy_options::overwrite_existing);
  const absl::StatusOr<Compiler> compiler = Compiler::Open(
      "tools/tune/compiler.json", absl::StrCat(testing::TempDir(), "/of_two"), sources);
  ASSERT_TRUE(compiler.ok()) << compiler.status();
  const std::string instance = NewInstance("direct", Direction::kForward, "pixels");
  const absl::StatusOr<CompiledInstance> compiled =
      CompileInstance(*compiler, "direct", instance, Direction::kForward, gfx_);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
}

TEST_F(OnDemand, RefusalsAreSentences) {
  const Compiler compiler = Open();
  const auto refusal = [&](std::string_view family, std::string_view name) {
    return std::string(
        CompileInstance(compiler, family, name, Direction::kForward, gfx_).status().message());
  };
  EXPECT_THAT(refusal("direct", "f16_ch1_pixels99_taps1_stride0"),
              HasSubstr(absl::StrCat("cannot be compiled for ", Name(gfx_),
                                     ": a lane works on 1 to 16 pixels")));
  EXPECT_THAT(refusal("", "f16_t0x0x0_w1x1_mfma32x32x8_a8x1_b8x1_o1"),
              HasSubstr("tile_m is 0; must be 1 to 4096"));
  EXPECT_THAT(refusal("tile", "f16_fast"), HasSubstr("tile: name \"f16_fast\" has \"fast\""));
  EXPECT_THAT(refusal("", "fast"), HasSubstr("instance fast is no config's name:\n  tile: name"));
  EXPECT_THAT(refusal("mine", "fast"), HasSubstr("family is mine; must be one of tile, direct"));
  EXPECT_THAT(compiler.Compile("#error no such instance\n", gfx_).status().message(),
              HasSubstr("error: no such instance"));
}

}  // namespace
}  // namespace gridwise
