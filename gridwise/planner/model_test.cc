// SPDX-License-Identifier: MIT
/// Reading and evaluating models. The built-in model fits the library.

#include "gridwise/planner/model.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/cost/cost.h"
#include "core/launch/instance_shape.h"
#include "core/planning/plan_context.h"
#include "gmock/gmock.h"
#include "gridwise/planner/features.h"
#include "gridwise/planner/ranking.h"
#include "gtest/gtest.h"

namespace gridwise::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::size_t IndexOf(std::string_view name) {
  const auto names = FeatureNames();
  const auto found = std::ranges::find(names, name);
  EXPECT_NE(found, names.end()) << name;
  return static_cast<std::size_t>(found - names.begin());
}

/// Ranges of all features. All but that of log2_k are wide.
std::string Ranges() {
  std::string text;
  for (const std::string_view name : FeatureNames()) {
    absl::StrAppend(&text, "feature ", name, name == "log2_k" ? " 4 9\n" : " -1000000 1000000\n");
  }
  return text;
}

/// A model with two trees. The first adds 4 to the estimated log2 of the time of tiles of 128 or
/// more along m. To others it adds 1 if their k tile is below 64. The second tree is one leaf.
std::string Text() {
  return absl::StrCat("R\"model(\n# by hand\ndate 2026-01-02\ntrainer a pencil\ninstances 5\n",
                      "group gfx942 fwd f16 10 0.8 0.9\ngroup gfx942 fwd bf16 10 0.9 0.8\n",
                      "cut 1 inf 4\nfamily tile\n", Ranges(), "tree ", IndexOf("tile_m"), "<128 ",
                      IndexOf("tile_k"), "<64 1 0 4\ntree 0.5\n)model\"\n");
}

ConvProblem Problem(DataType type = DataType::kF16, int64_t c = 64) {
  ConvProblem problem{.type = type, .batch = 2, .c = c, .k = 64};
  problem.dims[1] = problem.dims[2] = {.in = 16};
  return problem;
}

Cost CostOf(double cycles) {
  return {.matrix_cycles = cycles, .rounds = 1, .resident = 1, .cycles = cycles};
}

RankedInstance Instance(int tile_m, int tile_k, double cycles, std::string_view family = "tile") {
  return {.family = family,
          .shape = {.tile_m = tile_m, .tile_n = 64, .tile_k = tile_k},
          .cost = CostOf(cycles)};
}

TEST(Model, IsReadAndAsked) {
  const absl::StatusOr<Model> model = Model::Parse(Text());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->about(), "2026-01-02, a pencil, 5 times");
  std::vector<Features> instances(3);
  instances[0][IndexOf("tile_m")] = 128;
  instances[1][IndexOf("tile_m")] = 127;
  instances[2][IndexOf("tile_k")] = 64;
  std::vector<double> sums(3);
  std::vector<Bins> bins(3);
  for (std::size_t i = 0; i < 3; ++i) model->trees().SetBins(instances[i], nullptr, bins[i]);
  model->trees().Add(0, 1, bins, sums);
  EXPECT_THAT(sums, ElementsAre(4, 1, 0));
  model->trees().Add(1, model->trees().size(), bins, sums);
  EXPECT_THAT(sums, ElementsAre(4.5, 1.5, 0.5));
  EXPECT_TRUE(model->Find(Gfx::k942, Direction::kForward, DataType::kF16)->model_is_better());
  EXPECT_FALSE(model->Find(Gfx::k942, Direction::kForward, DataType::kBF16)->model_is_better());
  EXPECT_EQ(model->Find(Gfx::k950, Direction::kForward, DataType::kF16), nullptr);
}

TEST(Model, WhatIsNoModelIsASentence) {
  const auto error = [](const std::string& text) {
    return std::string(Model::Parse(text).status().message());
  };
  EXPECT_THAT(error("hello 1\n"), HasSubstr("line 1: \"hello\" is no line of a model"));
  EXPECT_THAT(error("family tile\n"), HasSubstr("the model has 0 features"));
  EXPECT_THAT(error(Ranges()), HasSubstr("the model has no tree"));
  EXPECT_THAT(error("feature log2_k 4\n"), HasSubstr("a feature is a name and two numbers"));
  EXPECT_THAT(error("feature log2_k 4 many\n"), HasSubstr("a feature is a name and two numbers"));
  EXPECT_THAT(error("feature wrong 0 1\n"), HasSubstr("feature 0 is wrong, and in this library"));
  EXPECT_THAT(error(Ranges() + "tree 0<1 2\n"), HasSubstr("a tree lacks leaves"));
  EXPECT_THAT(error(Ranges() + "tree 1 2\n"), HasSubstr("after its last leaf"));
  EXPECT_THAT(error(Ranges() + "tree 999<1 2 3\n"), HasSubstr("\"999<1\" is no node"));
  EXPECT_THAT(error(Ranges() + "tree x\n"), HasSubstr("\"x\" is no node"));
  EXPECT_THAT(error("group gfx1 fwd f16 1 2 3\n"), HasSubstr("a group is a device"));
  EXPECT_THAT(error("cut 1 0.5\n"), HasSubstr("a cut is a number of trees"));
  EXPECT_THAT(error("cut 1 0.5 0\n"), HasSubstr("a number above 0"));
  EXPECT_THAT(error(Ranges() + "tree 1\ncut 2 0.5 4\n"),
              HasSubstr("a cut after 2 of 1 trees; must be after the last cut's 0 or more"));
  std::string chain = "tree", thresholds;
  for (int i = 0; i < 11; ++i) absl::StrAppend(&chain, " 0<", i, " 1");
  EXPECT_THAT(error(Ranges() + chain + " 1\n"), HasSubstr("a tree has more than 10 levels"));
  for (int i = 0; i < 256; ++i) absl::StrAppend(&thresholds, "tree 0<", i, " 1 2\n");
  EXPECT_THAT(error(Ranges() + thresholds),
              HasSubstr("feature 0 has 256 thresholds; must be at most 255"));
}

/// Evaluates the trees of a model on a feature's value.
double Evaluate(const Model& model, std::size_t feature, float value) {
  Features features = {};
  features[feature] = value;
  Bins bins = {};
  model.trees().SetBins(features, nullptr, bins);
  double sum = 0;
  model.trees().Add(0, model.trees().size(), {&bins, 1}, {&sum, 1});
  return sum;
}

TEST(Model, ComparesValuesAsTheirThresholdsDo) {
  // As many thresholds as there may be, and fewer.
  for (const int count : {1, 15, 16, 17, 33, 255}) {
    std::string text = Ranges();
    for (int i = 0; i < count; ++i) absl::StrAppend(&text, "tree 3<", i, ".5 0 1\n");
    const absl::StatusOr<Model> model = Model::Parse(text);
    ASSERT_TRUE(model.ok()) << model.status();
    for (int above = 0; above <= count; ++above) {
      const float at = static_cast<float>(above) - 0.5f;  // not below the first `above` thresholds
      EXPECT_EQ(Evaluate(*model, 3, at), above) << count;
      EXPECT_EQ(Evaluate(*model, 3, at + 0.75f), above) << count;
    }
    for (const float value : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
      EXPECT_EQ(Evaluate(*model, 3, value), count) << "is below nothing";
    }
  }
}

TEST(Ranking, IsByTheModelWhereItIsBetter) {
  const Model model = *Model::Parse(Text());
  PlanContext context(Problem(), Gfx::k942, {});
  std::vector<RankedInstance> instances = {Instance(128, 32, 100), Instance(64, 32, 200),
                                           Instance(64, 64, 300)};
  const Ranking ranking = Rank(&model, ModelUse::kWhereBetter, context, instances);
  EXPECT_TRUE(ranking.by_model) << ranking.about;
  EXPECT_THAT(ranking.about, HasSubstr("2026-01-02"));
  EXPECT_NEAR(instances[0].cycles / instances[1].cycles, 8 * 0.5, 1e-9);
  EXPECT_NEAR(instances[2].cycles / instances[1].cycles, 0.5 * 1.5, 1e-9);
}

TEST(Ranking, AsksAboutInstancesOfLeastEstimateAlone) {
  const Model model = *Model::Parse(Text());
  PlanContext context(Problem(), Gfx::k942, {});
  // The model would rank the 13th and 14th first, in any order.
  std::vector<RankedInstance> instances = {Instance(64, 64, 210), Instance(64, 64, 200, "fast")};
  for (int i = 0; i < 12; ++i) instances.push_back(Instance(128, 32, 100 + i));
  const Ranking ranking = Rank(&model, ModelUse::kWhereBetter, context, instances);
  EXPECT_TRUE(ranking.by_model) << ranking.about;
  EXPECT_NEAR(instances[13].cycles / instances[2].cycles, 1.03, 1e-9);  // after the four finalists
  EXPECT_GT(instances[1].cycles, instances[2].cycles);
  EXPECT_GT(instances[0].cycles, instances[1].cycles);
}

/// Returns Text() with one line replaced.
Model ModelWith(const std::string& line, const std::string& instead) {
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr(line));
  return *Model::Parse(absl::StrReplaceAll(text, {{line, instead}}));
}

TEST(Ranking, PutsNothingBeforeTheLeastEstimateForLessThanTheMargin) {
  PlanContext context(Problem(), Gfx::k942, {});
  for (const auto& [margin, first] : {std::pair("0.4", 1), std::pair("0.5", 0)}) {
    const Model model =
        ModelWith("family tile\n", absl::StrCat("margin ", margin, "\nfamily tile\n"));
    // The trees say 1 and log2(1.5).
    std::vector<RankedInstance> instances = {Instance(64, 32, 100), Instance(64, 64, 150)};
    EXPECT_TRUE(Rank(&model, ModelUse::kWhereBetter, context, instances).by_model);
    EXPECT_EQ(instances[1].cycles < instances[0].cycles, first == 1) << margin;
  }
}

TEST(Ranking, LeavesOutWhatIsSlowerByAMargin) {
  // The second tree makes tiles of 128 rows the fastest, unless they are left out after the first.
  const std::string second = absl::StrCat("\ntree ", IndexOf("tile_m"), "<128 0 -9\n)model\"\n");
  const std::string text = absl::StrReplaceAll(Text(), {{"\ntree 0.5\n)model\"\n", second}});
  PlanContext context(Problem(), Gfx::k942, {});
  for (const auto& [cut, first] :
       {std::pair("cut 1 3 4", 1), std::pair("cut 1 4 4", 0), std::pair("cut 1 inf 1", 1)}) {
    const absl::StatusOr<Model> model =
        Model::Parse(absl::StrReplaceAll(text, {{"cut 1 inf 4", cut}}));
    ASSERT_TRUE(model.ok()) << model.status();
    std::vector<RankedInstance> instances = {Instance(128, 32, 100), Instance(64, 64, 100)};
    EXPECT_TRUE(Rank(&*model, ModelUse::kWhereBetter, context, instances).by_model);
    EXPECT_EQ(instances[1].cycles <= instances[0].cycles, first == 1) << cut;
  }
}

TEST(Ranking, DoesNotAskAboutInstancesOfFurtherEstimatesThanItKnows) {
  const Model model =
      ModelWith("feature log2_of_least -1000000 1000000\n", "feature log2_of_least 0 2\n");
  EXPECT_NEAR(model.furthest_estimate(), 2.2, 1e-3);
  PlanContext context(Problem(), Gfx::k942, {});
  std::vector<RankedInstance> instances = {Instance(64, 64, 500), Instance(128, 32, 100),
                                           Instance(128, 32, 400)};
  EXPECT_TRUE(Rank(&model, ModelUse::kWhereBetter, context, instances).by_model);
  EXPECT_LT(instances[1].cycles, instances[2].cycles);
  EXPECT_LT(instances[2].cycles, instances[0].cycles);
}

/// Checks that the estimates rank the instances. Returns the reason.
std::string WhyNot(const ConvProblem& problem, Gfx gfx, std::string_view family = "tile",
                   const Model* model = nullptr) {
  PlanContext context(problem, gfx, {});
  std::vector<RankedInstance> instances = {Instance(128, 32, 100), Instance(64, 32, 200, family)};
  const Ranking ranking = Rank(model, ModelUse::kWhereBetter, context, instances);
  EXPECT_FALSE(ranking.by_model);
  EXPECT_EQ(instances[0].cycles, 100);
  EXPECT_EQ(instances[1].cycles, 200);
  return ranking.about;
}

TEST(Ranking, IsByTheEstimatesElsewhere) {
  const Model model = *Model::Parse(Text());
  EXPECT_THAT(WhyNot(Problem(), Gfx::k942), HasSubstr("there is no model"));
  EXPECT_THAT(WhyNot(Problem(), Gfx::k950, "tile", &model), HasSubstr("fwd of f16 on gfx950"));
  EXPECT_THAT(WhyNot(Problem(DataType::kBF16), Gfx::k942, "tile", &model),
              HasSubstr("on 10 problems it comes to 80.0 %, and they to 90.0 %"));
  EXPECT_THAT(WhyNot(Problem(), Gfx::k942, "fast", &model), HasSubstr("instances of family fast"));
  EXPECT_THAT(WhyNot(Problem(DataType::kF16, 1024), Gfx::k942, "tile", &model),
              HasSubstr("far from its training set: log2_k is 10, and 4 to 9"));
}

TEST(Features, AreOfTheTrueGemms) {
  ConvProblem problem = Problem();
  problem.direction = Direction::kBackwardData;
  problem.groups = 2;
  problem.dims[1] = problem.dims[2] = {.in = 16, .filter = 3, .stride = 2, .pad_begin = 1};
  PlanContext context(problem, Gfx::k942, {});
  const Features features = FeatureMaker(context).Of(
      Instance(64, 32, 10).shape, CostOf(10), {.rank = 3, .min_cycles = 5, .second_cycles = 20});
  const auto value = [&](std::string_view name) { return features[IndexOf(name)]; };
  // Pixels of odd rows and columns have 2 x 2 taps; a phase has 8 x 8 of 16 x 16 pixels.
  EXPECT_EQ(value("log2_sub_gemms"), 2);
  EXPECT_EQ(value("log2_taps"), 2);
  EXPECT_EQ(value("log2_m"), 7);        // 2 images
  EXPECT_EQ(value("log2_n"), 5);        // c of a group
  EXPECT_EQ(value("log2_k"), 7);        // 4 taps of 32 k of a group
  EXPECT_EQ(value("align_source"), 4);  // 32
  EXPECT_EQ(value("filled_m"), 1);      // 128 by 64
  EXPECT_EQ(value("filled_n"), 0.5f);   // 32 by 64
  EXPECT_EQ(value("log2_steps"), 2);    // 128 by 32
  EXPECT_EQ(value("wave_size"), 64);
  EXPECT_EQ(value("log2_of_least"), 1);  // 10 by 5
  EXPECT_EQ(value("rank"), 3);
  EXPECT_EQ(value("log2_second_of_least"), 2);  // 20 by 5
  EXPECT_EQ(value("output_run_bytes"), 64);
}

TEST(BuiltIn, IsForThisLibrary) {
  for (const auto& [name, gfx] :
       {std::pair("model.inc", Gfx::k942), std::pair("sm_90a.inc", Gfx::kSm90a)}) {
    std::ifstream file(std::string("gridwise/planner/") + name);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    ASSERT_FALSE(text.empty());
    if (text.find("\ntree ") == std::string::npos) {
      EXPECT_EQ(BuiltInModel(gfx), nullptr);
      continue;
    }
    EXPECT_TRUE(Model::Parse(text).ok())
        << Model::Parse(text).status() << "; train it again: tools/tune/train.py";
    const Model* const packed = BuiltInModel(gfx);
    ASSERT_NE(packed, nullptr);
    EXPECT_NE(packed->Find(gfx, Direction::kForward, DataType::kF16), nullptr);
    const Model read = *Model::Parse(text);
    EXPECT_EQ(packed->about(), read.about());
    ASSERT_EQ(packed->trees().size(), read.trees().size());
    for (std::size_t i = 0; i < FeatureNames().size(); ++i) {
      EXPECT_EQ(Evaluate(*packed, i, 3), Evaluate(read, i, 3)) << i;
    }
  }
}

}  // namespace
}  // namespace gridwise::model
