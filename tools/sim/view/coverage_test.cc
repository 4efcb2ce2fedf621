// SPDX-License-Identifier: MIT
#include "tools/sim/view/coverage.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "tools/page/page_data.h"
#include "tools/sim/view/coverage_report.h"

namespace gridwise::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

SourceLine Line3() { return {"/src/a.hip", 3}; }
SourceLine Line4() { return {"/src/a.hip", 4}; }
SourceLine Header() { return {"/src/a.h", 9}; }

/// Two waves come to a kernel whose branch one of them takes: the jump leads over the
/// instructions at 8 and 12.
Coverage OneRun() {
  Coverage coverage;
  coverage.runs = 1;
  FunctionCoverage& scale = coverage.functions[{"gfx942", "_Z5scalePf", 0xabc}];
  scale = {.kernel = true, .bytes = 24, .source = {"/src/a.hip", 2}, .instructions = {}};
  scale.instructions[0] = {.text = "s_mov_b32 s0, 1", .source = Line3(), .executions = 2};
  scale.instructions[4] = {
      .text = "s_cbranch_scc1 2", .source = Line4(), .executions = 2, .branches = true, .taken = 1};
  scale.instructions[8] = {.text = "v_mov_b32_e32 v0, 1", .source = Header(), .executions = 1};
  scale.instructions[12] = {.text = "s_nop 0", .source = Line3(), .executions = 0};
  scale.instructions[16] = {.text = "s_endpgm", .source = {}, .executions = 2};
  coverage.functions[{"gfx942", "Idle", 0xdef}] = {
      .kernel = true, .bytes = 8, .source = {}, .instructions = {}};
  return coverage;
}

TEST(Coverage, BlocksOfAFileAreSummed) {
  const std::string block = CoverageBlock(OneRun());
  const absl::StatusOr<Coverage> read = ParseCoverage(block + block);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->runs, 2);
  ASSERT_EQ(read->functions.size(), 2u);
  const FunctionCoverage& scale = read->functions.at({"gfx942", "_Z5scalePf", 0xabc});
  EXPECT_TRUE(scale.kernel);
  EXPECT_EQ(scale.bytes, 24u);
  EXPECT_EQ(scale.source, (SourceLine{"/src/a.hip", 2}));
  ASSERT_EQ(scale.instructions.size(), 5u);
  const InstructionCoverage& branch = scale.instructions.at(4);
  EXPECT_EQ(branch.text, "s_cbranch_scc1 2");
  EXPECT_EQ(branch.source, Line4());
  EXPECT_EQ(branch.executions, 4);
  EXPECT_TRUE(branch.branches);
  EXPECT_EQ(branch.taken, 2);
  EXPECT_EQ(scale.instructions.at(8).source, Header());
  EXPECT_FALSE(scale.instructions.at(8).branches);
  EXPECT_EQ(scale.instructions.at(16).source.line, 0);
}

TEST(Coverage, CodeThatWasCompiledAgainIsAnotherFunction) {
  Coverage sum = OneRun();
  Coverage other;
  other.functions[{"gfx942", "_Z5scalePf", 0xabd}].kernel = true;
  other.functions[{"gfx950", "_Z5scalePf", 0xabc}].kernel = true;
  sum.Add(other);
  EXPECT_EQ(sum.functions.size(), 4u);
}

TEST(Coverage, ABlockWithoutItsEndIsSkipped) {
  // A process was killed while it wrote, anywhere.
  const std::string block = CoverageBlock(OneRun());
  const size_t end = block.rfind("end");
  for (size_t size = 0; size <= end; ++size) {
    const std::string cut = block + block.substr(0, size);
    const absl::StatusOr<Coverage> read = ParseCoverage(cut + block);
    ASSERT_TRUE(read.ok()) << size << ": " << read.status();
    ASSERT_EQ(read->runs, 2) << size;
    EXPECT_EQ(read->functions.size(), 2u) << size;
    EXPECT_EQ(read->functions.at({"gfx942", "_Z5scalePf", 0xabc}).instructions.size(), 5u) << size;
    EXPECT_EQ(ParseCoverage(cut).value_or(Coverage()).runs, 1) << size;
  }
}

TEST(Coverage, OtherFilesAreRefused) {
  const absl::StatusOr<Coverage> read = ParseCoverage("TN:\nSF:/src/a.hip\n");
  EXPECT_THAT(std::string(read.status().message()), AllOf(HasSubstr("line 1"), HasSubstr("TN:")));
  std::string block = CoverageBlock(OneRun());
  block.replace(block.find("i 8 1"), 5, "i 8 x");
  EXPECT_THAT(std::string(ParseCoverage(block).status().message()), HasSubstr("'i 8 x"));
  for (const std::string_view line :
       {"i -8 1 - 0 0 s_nop 0", "i 8 -1 - 0 0 s_nop 0", "i 8 1 -1 0 0 s_cbranch_vccz 2",
        "i 8 1 - 0 -1 s_nop 0", "i 8 1 - 0 4294967296 s_nop 0"}) {
    block = CoverageBlock(OneRun());
    block.insert(block.find("i 8 1"), std::string(line) + "\n");
    EXPECT_THAT(std::string(ParseCoverage(block).status().message()), HasSubstr(line)) << line;
  }
}

TEST(Coverage, CountsEndAtTheGreatestNumber) {
  Coverage run = OneRun();
  const FunctionKey key{"gfx942", "_Z5scalePf", 0xabc};
  const int64_t most = std::numeric_limits<int64_t>::max();
  run.functions.at(key).instructions.at(8).executions = most - 1;
  const std::string block = CoverageBlock(run);
  const absl::StatusOr<Coverage> read = ParseCoverage(block + block);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->functions.at(key).instructions.at(8).executions, most);
}

TEST(Coverage, ThreadsAppendToOneFile) {
  const std::string path = testing::TempDir() + "/appended";
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { EXPECT_TRUE(AppendCoverage(path, OneRun()).ok()); });
  for (std::thread& thread : threads) thread.join();
  const absl::StatusOr<Coverage> read = ReadCoverage(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->runs, 8);
  EXPECT_EQ(read->functions.at({"gfx942", "_Z5scalePf", 0xabc}).instructions.at(0).executions, 16);
  EXPECT_FALSE(ReadCoverage(path + ".none").ok());
}

TEST(CoverageReport, Totals) {
  const Coverage coverage = OneRun();
  const CoverageTotals totals = CountTotals(coverage.functions.at({"gfx942", "_Z5scalePf", 0xabc}));
  EXPECT_EQ(totals.instructions, 5);
  EXPECT_EQ(totals.executed, 4);
  EXPECT_EQ(totals.branches, 1);
  EXPECT_EQ(totals.both_ways, 1);
  EXPECT_EQ(totals.lines, 3);
  EXPECT_EQ(totals.executed_lines, 3);
  EXPECT_THAT(CoverageText(coverage, false),
              AllOf(HasSubstr("4 of 5 (80.0 %)"), HasSubstr("gfx942 scale\n"),
                    HasSubstr("+0xc to +0xc, 1 instruction: a.hip:3\n"),
                    HasSubstr("never launched: 1\n  gfx942 Idle\n"), Not(HasSubstr("s_endpgm"))));
  EXPECT_THAT(CoverageText(coverage, true),
              HasSubstr("2  +0x4      a.hip:4                  s_cbranch_scc1 2  [jumps 1, goes on "
                        "1]\n"));
}

// A template's lines are in many functions: those that one of them executed are not missing.
TEST(CoverageReport, LinesOfSeveralFunctions) {
  Coverage coverage = OneRun();
  FunctionCoverage& other = coverage.functions[{"gfx942", "Other", 1}];
  int offset = 0;
  for (const int line : {3, 20, 21, 23, 25}) {
    other.instructions[static_cast<uint64_t>(4 * offset++)] = {
        .text = "s_nop 0", .source = {"/src/a.hip", line}, .executions = line == 23};
  }
  EXPECT_THAT(CoverageText(coverage, false), AllOf(HasSubstr("executed\n  /src/a.hip: 20-21, 25\n"),
                                                   HasSubstr("4 of 7 (57.1 %)          all\n")));
}

TEST(CoverageReport, Page) {
  const absl::StatusOr<llvm::json::Value> data = PageData(CoverageHtml(OneRun()));
  ASSERT_TRUE(data.ok()) << data.status();
  const llvm::json::Object& page = *data->getAsObject();
  EXPECT_EQ(page.getInteger("runs"), 1);
  EXPECT_EQ(*page.getArray("never_launched"), llvm::json::Array{"gfx942 Idle"});
  ASSERT_EQ(page.getArray("functions")->size(), 1u);
  const llvm::json::Object& scale = *(*page.getArray("functions"))[0].getAsObject();
  EXPECT_EQ(scale.getString("name"), "scale");
  EXPECT_EQ(scale.getObject("totals")->getInteger("executed"), 4);
  EXPECT_EQ(*scale.getObject("totals"), *page.getObject("all"));
  const llvm::json::Array& instructions = *scale.getArray("instructions");
  ASSERT_EQ(instructions.size(), 5u);
  EXPECT_EQ(instructions[1].getAsObject()->getInteger("taken"), 1);
  EXPECT_EQ(*instructions[3].getAsObject(),
            (llvm::json::Object{
                {"pc", 12}, {"text", "s_nop 0"}, {"source", "a.hip:3"}, {"executions", 0}}));
}

// As geninfo(1) describes a tracefile.
TEST(CoverageReport, Lcov) {
  EXPECT_EQ(CoverageLcov(OneRun()),
            "TN:\nSF:/src/a.h\nFNF:0\nFNH:0\nBRF:0\nBRH:0\nDA:9,1\nLF:1\nLH:1\nend_of_record\n"
            "TN:\nSF:/src/a.hip\nFN:2,_Z5scalePf\nFNDA:2,_Z5scalePf\nFNF:1\nFNH:1\n"
            "BRDA:4,0,0,1\nBRDA:4,0,1,1\nBRF:2\nBRH:2\nDA:3,2\nDA:4,2\nLF:2\nLH:2\n"
            "end_of_record\n");
}

}  // namespace
}  // namespace gridwise::sim
