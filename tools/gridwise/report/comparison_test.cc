// SPDX-License-Identifier: MIT
#include "tools/gridwise/report/comparison.h"

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/launch/launch.h"
#include "gmock/gmock.h"
#include "gridwise/plan.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "tools/page/page_data.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ComparedSide MakeSide(double us) {
  ComparedSide side;
  side.plan = InstancePlan(Gfx::k942, {.instance = "row<1>"}, LaunchPlan{});
  side.estimated_us = us;
  return side;
}

Comparison Of(const char* name, double a_us, double b_us) {
  return {.name = name, .problem = ConvProblem{}, .a = MakeSide(a_us), .b = MakeSide(b_us)};
}

/// Of three problems a wins one, b one, and b alone computes one.
ComparisonTable Table() {
  ComparisonTable table;
  table.a = "family=x";
  table.device = "gfx942";
  table.published = &PublishedComparisons()[2];
  table.rows.push_back(Of("one", 10, 20));
  table.rows.push_back(Of("two", 20, 2.5));
  table.rows.push_back(Of("three", 1, 1));
  table.rows.back().a.plan.reset();
  table.rows.back().a.reason = "there is <none>\nat all";
  return table;
}

TEST(ComparisonTest, SummaryCountsAndMeans) {
  const std::string summary = Table().Summary();
  EXPECT_THAT(summary, HasSubstr("3 problems, of which both compute 2: a is faster on 1, b on 1"));
  EXPECT_THAT(summary, HasSubstr("geometric mean of a/b: 2.000; a is at most 2.00 times as fast "
                                 "as b, and b 8.00 times as a"));
  EXPECT_THAT(summary, HasSubstr("Times are the planner's estimates, not measurements.\n"));
  EXPECT_THAT(summary, HasSubstr("Published: on 35 shapes CK Tile was 18 % slower"));
}

TEST(ComparisonTest, TimesCountInPlaceOfEstimates) {
  ComparisonTable table = Table();
  table.timed = true;
  table.rows[0].a.timing = Timing{.ms = 0.04};
  table.rows[0].b.timing = Timing{.ms = 0.01};
  EXPECT_DOUBLE_EQ(table.rows[0].ratio(), 4);
  EXPECT_STREQ(table.rows[0].winner(), "b");
  EXPECT_THAT(table.Summary(), HasSubstr("by the simulator's clock, not measurements"));
  table.rows[0].a.timing->measured = true;
  EXPECT_THAT(table.Summary(), HasSubstr("Times are measured.\n"));
}

TEST(ComparisonTest, WhatFailsDoesNotCount) {
  ComparisonTable table = Table();
  table.verified = true;
  table.rows[1].b.failed = true;
  EXPECT_EQ(table.failed(), 1);
  EXPECT_THAT(table.Summary(), HasSubstr("both compute 1: a is faster on 1"));
  EXPECT_THAT(table.Summary(), HasSubstr("1 results are wrong or missing"));
}

TEST(ComparisonTest, TablesHaveALineForEachProblem) {
  const std::string csv = Table().ToCsv();
  EXPECT_THAT(csv, HasSubstr("problem,direction,sizes,a_instance,a_us,a_timed_us,"));
  EXPECT_THAT(csv, HasSubstr(",0.5000,a,,,,\n"));
  EXPECT_THAT(csv, HasSubstr(",8.0000,b,,,,\n"));
  EXPECT_THAT(ToText(Table().rows[2]), HasSubstr("    a: there is <none>\n"));
}

/// A line of the page's table.
llvm::json::Object RowOfPage(const ComparisonTable& table, size_t index) {
  const absl::StatusOr<llvm::json::Value> data = PageData(table.ToPage());
  return *(*data->getAsObject()->getArray("rows"))[index].getAsObject();
}

/// The published problems of a comparison, each with the ratio that it says.
ComparisonTable Repeated(const PublishedComparison& published, double ratio) {
  ComparisonTable table;
  table.published = &published;
  for (const char* name : {"cls.logits@100", "box.reg@7", "other"}) {
    table.rows.push_back(Of(name, ratio, 1));
    table.rows.back().published = published.Find(name);
  }
  ConvProblem dense = {.groups = 1};
  dense.dims[1].filter = dense.dims[2].filter = 3;
  table.rows[1].problem = table.rows[2].problem = dense;
  return table;
}

TEST(ComparisonTest, PublishedFiguresStandBesideOurs) {
  const ComparisonTable wavelet = Repeated(PublishedComparisons()[1], 0.8);
  EXPECT_THAT(wavelet.Summary(),
              HasSubstr("Of 3 problems whose winner was published it is the same on 2.\n"
                        "Geometric mean of a/b on the 2 problems with figures: 0.800, published "
                        "0.703.\n"));
  EXPECT_THAT(ToText(wavelet.rows[0]), HasSubstr(" 0.800 a  published 0.943 a\n"));
  EXPECT_THAT(ToText(wavelet.rows[2]), HasSubstr(" 0.800 a  published b\n"));
  EXPECT_THAT(wavelet.ToCsv(), HasSubstr(",0.8000,a,,,0.9434,a\n"));
  EXPECT_THAT(wavelet.ToCsv(), HasSubstr(",0.8000,a,,,,b\n"));
  EXPECT_DOUBLE_EQ(RowOfPage(wavelet, 0).getObject("published")->getNumber("ratio").value_or(0),
                   wavelet.rows[0].published->ratio);
  EXPECT_EQ(RowOfPage(wavelet, 2).getObject("published")->getString("winner"), "b");
  for (const double ratio : {1.0, 1.2}) {  // where it is not the fastest, others may be as fast
    EXPECT_THAT(Repeated(PublishedComparisons()[1], ratio).Summary(),
                HasSubstr("Of 3 problems whose winner was published it is the same on 1.\n"));
  }
  const ComparisonTable classic = Repeated(PublishedComparisons()[2], 2);
  EXPECT_THAT(classic.Summary(),
              HasSubstr("Geometric mean of a/b on the 2 problems of 3x3 taps and one group: 2.000, "
                        "published 1.11."));
  EXPECT_THAT(ToText(classic.rows[2]), Not(HasSubstr("published")));
  Comparison ms = Of("almiopen-1959", 71, 61);
  ms.published = PublishedComparisons()[0].Find(ms.name);
  EXPECT_THAT(ToText(ms), HasSubstr("b  published 0.183 / 0.171 ms, 1.070 b\n"));
}

TEST(ComparisonTest, AnotherDeviceThanThePublishedOneIsSaid) {
  ComparisonTable table = Table();
  EXPECT_THAT(table.Summary(), HasSubstr("They are of gfx942; what was published is of gfx950.\n"));
  table.device = "gfx950";
  EXPECT_THAT(table.Summary(), Not(HasSubstr("They are of")));
}

TEST(ComparisonTest, DocumentsHaveATableOfAll) {
  const ComparisonTable wavelet = Repeated(PublishedComparisons()[1], 800);
  EXPECT_THAT(wavelet.ToMarkdown(),
              ::testing::StartsWith(
                  "| | a | b | a/b | published a | published b | published a/b |\n"
                  "|---|---|---|---|---|---|---|\n"
                  "| `cls.logits@100` | 0.800 ms | 0.001 ms | 800.00 b | | | 0.94 a |\n"));
  EXPECT_THAT(wavelet.ToMarkdown(),
              HasSubstr("| `other` | 0.800 ms | 0.001 ms | 800.00 b | | | b |\n\n"));
  ComparisonTable plain = Table();
  plain.published = nullptr;
  EXPECT_THAT(plain.ToMarkdown(), ::testing::StartsWith("| | a | b | a/b |\n|---|---|---|---|\n"));
  EXPECT_THAT(plain.ToMarkdown(), HasSubstr("| `three` | | 0.001 ms | b |\n"));
}

TEST(ComparisonTest, PagesHaveWhatTablesSay) {
  const absl::StatusOr<llvm::json::Value> data = PageData(Table().ToPage());
  ASSERT_TRUE(data.ok()) << data.status();
  const llvm::json::Object& page = *data->getAsObject();
  EXPECT_EQ(page.getString("device"), "gfx942");
  EXPECT_EQ(page.getString("a"), "family=x");
  EXPECT_EQ(page.getString("b"), "any");
  EXPECT_EQ(page.getArray("rows")->size(), 3u);
  EXPECT_THAT(std::string((*page.getArray("summary"))[0].getAsString().value_or("")),
              HasSubstr("3 problems, of which both compute 2"));
  EXPECT_EQ(RowOfPage(Table(), 0),
            (llvm::json::Object{{"name", "one"},
                                {"direction", "fwd"},
                                {"sizes", ToString(ConvProblem{})},
                                {"a", llvm::json::Object{{"instance", "row<1>"}, {"us", 10.}}},
                                {"b", llvm::json::Object{{"instance", "row<1>"}, {"us", 20.}}},
                                {"ratio", 0.5},
                                {"winner", "a"}}));
  const llvm::json::Object missing = RowOfPage(Table(), 2);
  EXPECT_EQ(missing.getObject("a")->getString("reason"), "there is <none>\nat all");
  EXPECT_EQ(missing.get("ratio"), nullptr);
}

TEST(ComparisonTest, PublishedOnesHaveNamesOfTheirOwn) {
  EXPECT_EQ(PublishedComparisons().size(), 3u);
  EXPECT_EQ(PublishedComparisons()[0].name, "sub_gemms");
  EXPECT_EQ(PublishedComparisons()[0].problems, "strided");
}

}  // namespace
}  // namespace gridwise
