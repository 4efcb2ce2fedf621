// SPDX-License-Identifier: MIT
#include "tools/sim/view/sarif.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "tools/sim/check/finding.h"
#include "tools/sim/check/report.h"

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;

Finding Race(std::string instruction, int64_t count) {
  Finding race;
  race.category = Category::kRaces;
  race.kernel = "Reverse";
  race.source = {(std::filesystem::current_path() / "kernels/a, b:50%.hip").string(), 13};
  race.instruction = std::move(instruction);
  race.what = "reads 100% of\nit";
  race.count = count;
  return race;
}

Finding Cancellation() {
  Finding sum;
  sum.category = Category::kCancellation;
  sum.kernel = "Sum";
  sum.what = "leaves one bit";
  return sum;
}

TEST(SarifReports, SameResultsOfSeveralProcessesAreOne) {
  SarifReports reports;
  ASSERT_TRUE(reports.Add(ToSarif({Race("ds_read_b32 v1, v1", 3), Cancellation()})).ok());
  ASSERT_TRUE(reports.Add(ToSarif({Race("ds_read_b32 v1, v1", 4)})).ok());
  EXPECT_EQ(reports.size(), 2u);
  ASSERT_TRUE(reports.Add(ToSarif({Race("ds_read_b32 v2, v2", 1)})).ok());
  ASSERT_TRUE(reports.Add(ToSarif({})).ok());
  EXPECT_EQ(reports.size(), 3u);
  EXPECT_THAT(reports.Text(), HasSubstr("reads 100% of\nit, 7 times in all\n"));

  llvm::Expected<llvm::json::Value> log = llvm::json::parse(reports.Sarif());
  ASSERT_TRUE(static_cast<bool>(log));
  const llvm::json::Array& runs = *log->getAsObject()->getArray("runs");
  ASSERT_EQ(runs.size(), 1u);
  const llvm::json::Object& run = *runs[0].getAsObject();
  EXPECT_EQ(run.getObject("tool")->getObject("driver")->getString("name"), "gridwise check");
  const llvm::json::Array& results = *run.getArray("results");
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].getAsObject()->getInteger("occurrenceCount"), 7);
  EXPECT_EQ(results[1].getAsObject()->getString("ruleId"), "cancellation");
}

// As "Workflow commands for GitHub Actions" has them; what is escaped is in actions/toolkit's
// command.ts.
TEST(SarifReports, GithubCommands) {
  SarifReports reports;
  ASSERT_TRUE(reports.Add(ToSarif({Race("ds_read_b32 v1, v1", 1), Cancellation()})).ok());
  EXPECT_EQ(reports.GithubCommands(),
            "::error file=kernels/a%2C b%3A50%25.hip,line=13,title=gridwise check races::races: "
            "kernel Reverse, a, b:50%25.hip:13, pc +0x0, 'ds_read_b32 v1, v1': reads 100%25 "
            "of%0Ait\n"
            "::warning title=gridwise check cancellation::cancellation: kernel Sum: leaves one "
            "bit\n");
}

TEST(SarifReports, WhatIsNoReportChangesNothing) {
  SarifReports reports;
  for (const char* text :
       {"", "{", "[]", "{}", R"({"runs":[{}]})", R"({"runs":[{"results":[1]}]})",
        R"({"runs":[{"results":[{"message":{"text":"a"}},{"ruleId":"races"}]}]})"}) {
    EXPECT_EQ(reports.Add(text).code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_EQ(reports.size(), 0u);
}

}  // namespace
}  // namespace gridwise::sim
