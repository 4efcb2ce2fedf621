// SPDX-License-Identifier: MIT
#include "tools/sim/check/report.h"

#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "tools/sim/check/finding.h"
#include "tools/sim/check/source_line.h"

namespace gridwise::sim {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A race in a file below the working directory whose name has to be quoted, an undefined value
/// without source, and operations of no kernel.
std::vector<Finding> ThreeFindings() {
  Finding race;
  race.category = Category::kRaces;
  race.kernel = "Tile<1, \"a\">";
  race.source = {(std::filesystem::current_path() / "kernels/my tile&.hip").string(), 13};
  race.instruction = "ds_read_b32 v1, v1";
  race.pc = 0x28;
  race.wave = 2;
  race.lane = 0;
  race.what = "reads LDS that another wave wrote";
  race.detail = ": byte 0x1fc < 0x200";
  race.count = 256;
  Finding nan;
  nan.category = Category::kNonfinite;
  nan.kernel = "Scale";
  nan.what = "makes a NaN of finite numbers";
  Finding streams;
  streams.category = Category::kStreams;
  streams.what = "nobody waited";
  return {race, nan, streams};
}

TEST(Report, EndOfTheNameIsTheFormat) {
  const std::vector<Finding> findings = ThreeFindings();
  EXPECT_EQ(ReportFor("a/b.xml", findings, {}), ToJunit(findings, {}));
  EXPECT_EQ(ReportFor("b.sarif", findings, {}), ToSarif(findings));
  EXPECT_EQ(ReportFor("b.sarif.json", findings, {}), ToSarif(findings));
  EXPECT_EQ(ReportFor("b.json", findings, {}), ToJson(findings));
}

// The properties that SARIF 2.1.0 requires, and the path as GitHub and others want it.
TEST(Report, Sarif) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(ToSarif(ThreeFindings()));
  ASSERT_TRUE(static_cast<bool>(parsed));
  const llvm::json::Object& log = *parsed->getAsObject();
  EXPECT_EQ(log.getString("version"), "2.1.0");
  const llvm::json::Object& run = *(*log.getArray("runs"))[0].getAsObject();
  const llvm::json::Object& driver = *run.getObject("tool")->getObject("driver");
  EXPECT_EQ(driver.getString("name"), "gridwise check");
  const llvm::json::Array& results = *run.getArray("results");
  ASSERT_EQ(results.size(), 3u);
  const llvm::json::Object& race = *results[0].getAsObject();
  EXPECT_EQ(race.getString("ruleId"), "races");
  const llvm::json::Array& rules = *driver.getArray("rules");
  const auto index = static_cast<size_t>(*race.getInteger("ruleIndex"));
  EXPECT_EQ(rules[index].getAsObject()->getString("id"), "races");
  EXPECT_EQ(race.getString("level"), "error");
  EXPECT_EQ(race.getInteger("occurrenceCount"), 256);
  EXPECT_THAT(race.getObject("message")->getString("text")->str(), HasSubstr("0x1fc < 0x200"));
  const llvm::json::Object& location = *(*race.getArray("locations"))[0].getAsObject();
  const llvm::json::Object& physical = *location.getObject("physicalLocation");
  EXPECT_EQ(physical.getObject("artifactLocation")->getString("uri"), "kernels/my%20tile%26.hip");
  EXPECT_EQ(physical.getObject("artifactLocation")->getString("uriBaseId"), "%SRCROOT%");
  EXPECT_EQ(physical.getObject("region")->getInteger("startLine"), 13);
  EXPECT_EQ((*location.getArray("logicalLocations"))[0].getAsObject()->getString("name"),
            "Tile<1, \"a\">");
  EXPECT_EQ(results[1].getAsObject()->getString("level"), "warning");
}

TEST(Report, SarifOfFilesElsewhere) {
  std::vector<Finding> findings = ThreeFindings();
  findings[0].source.file = "/opt/kernels/a.hip";
  EXPECT_THAT(ToSarif(findings),
              HasSubstr("\"artifactLocation\":{\"uri\":\"file:///opt/kernels/a.hip\"}"));
}

// A test that was started in a folder of the build tells of sources elsewhere in the repository.
TEST(Report, SarifOfFilesBelowARoot) {
  std::vector<Finding> findings = ThreeFindings();
  findings[0].source.file = "/opt/kernels/a.hip";
  for (const char* root : {"/opt", "/opt/", "/opt/build/.."}) {
    setenv("GRIDWISE_SIM_SOURCE_ROOT", root, 1);
    EXPECT_THAT(ToSarif(findings), HasSubstr("\"artifactLocation\":{\"uri\":\"kernels/a.hip\","
                                             "\"uriBaseId\":\"%SRCROOT%\"}"))
        << root;
  }
  unsetenv("GRIDWISE_SIM_SOURCE_ROOT");
}

TEST(Report, Junit) {
  const std::string xml = ToJunit(ThreeFindings(), {"Scale", "Copy", "Tile<1, \"a\">"});
  EXPECT_THAT(
      xml,
      AllOf(StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "),
            EndsWith("</testsuites>"), HasSubstr("tests=\"4\" failures=\"3\""),
            HasSubstr("classname=\"Tile&lt;1, &quot;a&quot;&gt;\""),
            HasSubstr("file=\"kernels/my tile&amp;.hip\" line=\"13\""),
            HasSubstr("<failure type=\"races\" message=\"reads LDS that another wave wrote: byte "
                      "0x1fc &lt; 0x200\">"),
            HasSubstr("<testcase classname=\"Copy\" name=\"nothing found\" time=\"0\"/>"),
            HasSubstr("<testcase classname=\"program\" name=\"streams pc +0x0: nobody waited\"")));
  EXPECT_THAT(ToJunit({}, {"Copy"}), HasSubstr("tests=\"1\" failures=\"0\""));
}

}  // namespace
}  // namespace gridwise::sim
