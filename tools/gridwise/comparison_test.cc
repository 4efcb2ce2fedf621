#include "tools/gridwise/comparison.h"

#include <string>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/launch/launch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "instances/plan.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ComparedSide SideOf(double us) {
  ComparedSide side;
  side.plan = RowPlan(Gfx::k942, {.row = "row<1>"}, LaunchPlan{});
  side.estimated_us = us;
  return side;
}

Comparison Of(const char* name, double a_us, double b_us) {
  return {.name = name, .problem = ConvProblem{}, .a = SideOf(a_us), .b = SideOf(b_us)};
}

/// Of three problems a wins one, b one, and b alone computes one.
ComparisonTable Table() {
  ComparisonTable table;
  table.a = "family=x";
  table.device = "gfx942";
  table.published = "half as fast";
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
  EXPECT_THAT(summary, HasSubstr("Published: half as fast."));
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
  EXPECT_THAT(csv, HasSubstr("problem,direction,sizes,a_row,a_us,a_timed_us,"));
  EXPECT_THAT(csv, HasSubstr(",0.5000,a\n"));
  EXPECT_THAT(csv, HasSubstr(",8.0000,b\n"));
  EXPECT_THAT(ToText(Table().rows[2]), HasSubstr("    a: there is <none>\n"));
}

TEST(ComparisonTest, PagesAreSelfContained) {
  const std::string page = Table().ToPage();
  EXPECT_THAT(page, HasSubstr("gfx942: a = family=x, b = any</h1>"));
  EXPECT_THAT(page, HasSubstr("row&lt;1&gt;"));
  EXPECT_THAT(page, HasSubstr("there is &lt;none&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("href=")));
  EXPECT_THAT(page, HasSubstr("<i class=f style=width:25.0%>"));
  EXPECT_THAT(page, HasSubstr("<i class=s style=width:100.0%>"));
}

TEST(ComparisonTest, PublishedOnesHaveNamesOfTheirOwn) {
  EXPECT_EQ(PublishedComparisons().size(), 3u);
  EXPECT_EQ(PublishedComparisons()[0].name, "sub_gemms");
  EXPECT_EQ(PublishedComparisons()[0].problems, "strided");
}

}  // namespace
}  // namespace gridwise
