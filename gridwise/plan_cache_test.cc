// SPDX-License-Identifier: MIT
/// Plans as lines of text, and files of them.

#include "gridwise/plan_cache.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gridwise/plan_text.h"
#include "gridwise/version.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

ConvProblem Square(std::int64_t channels, Direction direction = Direction::kForward) {
  const Dim dim = {.in = 16, .filter = 3, .pad_begin = 1, .pad_end = 1};
  return {
      .direction = direction, .batch = 2, .c = channels, .k = channels, .dims = {Dim{}, dim, dim}};
}

/// A problem that has no default where it may have another value.
ConvProblem Unusual() {
  ConvProblem problem = {.direction = Direction::kForward,
                         .type = DataType::kI8,
                         .out_type = DataType::kF32,
                         .rank = 3,
                         .groups = 2,
                         .batch = 3,
                         .c = 32,
                         .k = 64,
                         .dims = {Dim{5, 2, 2, 2, 1, 0}, Dim{6, 3, 1, 1, 0, 2}, Dim{7, 1, 3}},
                         .layout = Layout::kGNHWC,
                         .weight_layout = WeightLayout::kKYXGC};
  problem.epilogue = {
      .alpha = 1.0 / 3,
      .tensors = 2,
      .d = {EpilogueTensor{EpilogueTensor::Op::kMultiply, 0.1, DataType::kF32, {0, 0, 0, 0, 32, 1}},
            EpilogueTensor{.type = DataType::kF32}},
      .low = 0,
      .high = 6};
  return problem;
}

Plan PlanOf(const ConvProblem& problem, const DeviceFacts& device = Gfx::k942,
            const PlanOptions& options = {}) {
  absl::StatusOr<Plan> plan = MakePlan(problem, device, options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

/// The line with `text` replaced, and the checksum of that.
std::string Forged(const Plan& plan, std::string_view text, std::string_view replacement) {
  std::string line = PrintPlan(plan);
  line = absl::StrReplaceAll(line.substr(0, line.rfind(" sum=")), {{text, replacement}});
  std::uint32_t sum = 2166136261u;
  for (const char c : line) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619u;
  return absl::StrFormat("%s sum=%08x", line, sum);
}

TEST(Version, IsTheModules) {
  const std::string module = GRIDWISE_MODULE_VERSION;
  if (module.empty()) GTEST_SKIP() << "under WORKSPACE modules have no version";
  EXPECT_EQ(kVersion, module);
}

TEST(PlanText, IsReadAsWhatWasPrinted) {
  std::vector<Plan> plans = {
      PlanOf(Unusual()), PlanOf(Square(64), DeviceFacts(Gfx::k942, 38)),
      PlanOf(Square(64, Direction::kBackwardWeight), Gfx::k1201, {.splits = 3, .atomic = true}),
      PlanOf(Square(64), Gfx::k950, {.offset_limit = 1 << 15})};
  for (const Direction direction : kAllDirections) plans.push_back(PlanOf(Square(48, direction)));
  ConvProblem functions = Square(64);
  functions.operand_sums = {{{.adds = true, .scale = 0.3}, {.adds = true}}};
  functions.epilogue = {.unary = Unary::kLeakyRelu, .unary_parameter = 0.01};
  plans.push_back(PlanOf(functions));
  for (const Plan& plan : plans) {
    const std::string line = PrintPlan(plan);
    const absl::StatusOr<Plan> read = ParsePlan(line);
    ASSERT_TRUE(read.ok()) << line << "\n" << read.status();
    EXPECT_EQ(read->problem(), plan.problem()) << line;
    EXPECT_EQ(read->device(), plan.device()) << line;
    EXPECT_EQ(read->instance(), plan.instance()) << line;
    EXPECT_EQ(read->family(), plan.family()) << line;
    EXPECT_EQ(read->ToString(), plan.ToString()) << line;
    EXPECT_EQ(PrintPlan(*read), line);
  }
}

TEST(PlanText, IsALineForPeopleToo) {
  EXPECT_THAT(
      PrintPlan(PlanOf(Square(64))),
      StartsWith(absl::StrCat("gridwise=", kVersion,
                              " direction=fwd type=f16 batch=2 c=64 k=64 in=1x16x16 "
                              "filter=1x3x3 pad=0x1x1 pad_end=0x1x1 device=gfx942 "
                              "units=304 xcds=8 clock=2.1 memory=5300 family=tile instance=")));
  const absl::StatusOr<ConvProblem> read = ParseProblemPart(PrintProblemPart(Unusual()));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, Unusual());
}

TEST(PlanText, EveryDamageIsSeen) {
  const std::string line = PrintPlan(PlanOf(Square(64)));
  for (std::size_t i = 0; i < line.size(); ++i) {
    EXPECT_FALSE(ParsePlan(line.substr(0, i)).ok()) << i;
    std::string flipped = line;
    flipped[i] ^= 1;
    EXPECT_FALSE(ParsePlan(flipped).ok()) << flipped;
  }
}

TEST(PlanText, RefusalsAreSentences) {
  const Plan plan = PlanOf(Square(64));
  const auto refusal = [](const std::string& line) { return ParsePlan(line).status(); };
  EXPECT_THAT(refusal("hello").message(), HasSubstr("must begin with \"gridwise=\""));
  const absl::Status version = refusal(Forged(plan, kVersion, "0.0.7"));
  EXPECT_EQ(version.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(version.message(), HasSubstr("of version 0.0.7 of Gridwise, and this is "));
  EXPECT_THAT(refusal(Forged(plan, plan.instance(), "f16_fast")).message(),
              HasSubstr("instance is f16_fast; must be one of"));
  EXPECT_THAT(refusal(Forged(plan, "family=tile", "family=mine")).message(),
              HasSubstr("family is mine; must be one of"));
  EXPECT_THAT(refusal(Forged(plan, "batch=2", "batch=x")).message(), HasSubstr("batch is \"x\""));
  EXPECT_THAT(refusal(Forged(plan, "batch=2", "batches=2")).message(),
              HasSubstr("batches is given twice or is unknown"));
  EXPECT_THAT(refusal(Forged(plan, "batch=2", "batch=-1")).message(), HasSubstr("batch is -1"));
}

class Cache : public testing::Test {
 protected:
  void SetUp() override { std::remove(path_.c_str()); }
  std::unique_ptr<PlanCache> Open() const {
    absl::StatusOr<std::unique_ptr<PlanCache>> cache = PlanCache::Open(path_);
    EXPECT_TRUE(cache.ok()) << cache.status();
    return *std::move(cache);
  }
  std::string Text() const {
    std::ifstream file(path_);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void Write(const std::string& text) const { std::ofstream(path_, std::ios::app) << text; }

  const std::string path_ = absl::StrCat(testing::TempDir(), "/plans.txt");
};

TEST_F(Cache, FindsWhatWasStored) {
  const Plan plan = PlanOf(Square(64)), other = PlanOf(Square(64), Gfx::k950);
  const std::unique_ptr<PlanCache> cache = Open();
  EXPECT_FALSE(cache->Find(Square(64), Gfx::k942).has_value());
  ASSERT_TRUE(cache->Store(plan).ok());
  ASSERT_TRUE(cache->Store(other).ok());
  const std::unique_ptr<PlanCache> reopened = Open();
  for (const PlanCache* each : {cache.get(), reopened.get()}) {
    ASSERT_TRUE(each->Find(Square(64), Gfx::k942).has_value());
    EXPECT_EQ(each->Find(Square(64), Gfx::k942)->instance(), plan.instance());
    EXPECT_EQ(each->Find(Square(64), Gfx::k950)->instance(), other.instance());
    EXPECT_FALSE(each->Find(Square(128), Gfx::k942).has_value());
    EXPECT_FALSE(each->Find(Square(64), DeviceFacts(Gfx::k942, 38)).has_value());
    EXPECT_FALSE(each->Find(Square(64), Gfx::k942, /*atomic=*/true).has_value());
    EXPECT_THAT(each->skipped(), IsEmpty());
  }
}

TEST_F(Cache, TheLastLineCounts) {
  const absl::StatusOr<std::vector<Plan>> plans = RankPlans(Square(64), Gfx::k942, 3);
  ASSERT_TRUE(plans.ok());
  ASSERT_EQ(plans->size(), 3u);
  for (const Plan& plan : *plans) ASSERT_TRUE(Open()->Store(plan).ok());
  EXPECT_EQ(Open()->size(), 1u);
  EXPECT_EQ(Open()->Find(Square(64), Gfx::k942)->instance(), plans->back().instance());
}

TEST_F(Cache, WhatCannotBeUsedIsReportedAndSkipped) {
  ASSERT_TRUE(Open()->Store(PlanOf(Square(64))).ok());
  Write(absl::StrCat("\nnoise\n", Forged(PlanOf(Square(64)), kVersion, "0.0.7"), "\r\n",
                     PrintPlan(PlanOf(Square(128))).substr(0, 100)));  // its writer was killed
  ASSERT_TRUE(Open()->Store(PlanOf(Square(256))).ok());
  const std::unique_ptr<PlanCache> cache = Open();
  EXPECT_EQ(cache->size(), 2u);
  EXPECT_THAT(cache->skipped(), ElementsAre(StartsWith(path_ + ":3: the line is \"noise\""),
                                            StartsWith(path_ + ":4: the plan is of version 0.0.7"),
                                            StartsWith(path_ + ":5: the line is \"gridwise=")));
}

TEST_F(Cache, ManyProcessesStoreAtATime) {
  constexpr int kProcesses = 8, kPlans = 40;
  std::vector<Plan> plans;
  for (int i = 0; i < kProcesses * kPlans; ++i) plans.push_back(PlanOf(Square(8 + 8 * i)));
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const absl::StatusOr<std::unique_ptr<PlanCache>> cache = PlanCache::Open(path_);
      bool ok = cache.ok();
      for (int i = 0; ok && i < kPlans; ++i) ok = (*cache)->Store(plans[process * kPlans + i]).ok();
      _exit(ok ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const std::unique_ptr<PlanCache> cache = Open();
  EXPECT_EQ(cache->size(), plans.size());
  EXPECT_THAT(cache->skipped(), IsEmpty());
}

TEST_F(Cache, AKilledProcessLosesNoLine) {
  constexpr int kProcesses = 16, kPlans = 40;
  std::vector<Plan> plans;
  for (int i = 0; i < kProcesses * kPlans; ++i) plans.push_back(PlanOf(Square(8 + 8 * i)));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const absl::StatusOr<std::unique_ptr<PlanCache>> cache = PlanCache::Open(path_);
      bool ok = cache.ok();
      for (int i = 0; ok && i < kPlans; ++i) {
        ok = (*cache)->Store(plans[process * kPlans + i]).ok() && write(ends[1], "", 1) == 1;
      }
      _exit(ok ? 0 : 1);
    }
    children.push_back(child);
  }
  close(ends[1]);
  std::size_t stored = 0;
  for (char byte; read(ends[0], &byte, 1) == 1;) {  // until every process has ended
    if (++stored != kProcesses * kPlans / 8) continue;
    for (std::size_t i = 0; i < children.size(); i += 2) kill(children[i], SIGKILL);
  }
  close(ends[0]);
  int killed = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    killed += WIFSIGNALED(status) ? 1 : 0;
    EXPECT_TRUE(WIFSIGNALED(status) || status == 0);
  }
  EXPECT_GT(killed, 0) << "nothing was tested";
  const std::unique_ptr<PlanCache> cache = Open();
  EXPECT_GE(cache->size(), stored);
  EXPECT_LE(cache->size(), stored + static_cast<std::size_t>(killed)) << "stored, not yet said";
  EXPECT_THAT(cache->skipped(), IsEmpty());
}

TEST_F(Cache, AFileThatCannotBeReadOrWrittenIsAnError) {
  EXPECT_FALSE(PlanCache::Open(testing::TempDir()).ok()) << "a folder";
  const absl::StatusOr<std::unique_ptr<PlanCache>> cache = PlanCache::Open("/nowhere/plans.txt");
  ASSERT_TRUE(cache.ok()) << "there is none yet";
  EXPECT_THAT((*cache)->Store(PlanOf(Square(64))).message(), HasSubstr("/nowhere/plans.txt"));
  EXPECT_TRUE((*cache)->Find(Square(64), Gfx::k942).has_value());
}

}  // namespace
}  // namespace gridwise
