// SPDX-License-Identifier: MIT
#include "tools/gridwise/sweep/sweep_table.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "core/text/csv.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/text/read_file.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using Result = SweepRecord::Result;

constexpr Result kComputed[] = {Result::kPass, Result::kFail, Result::kUnverified};
constexpr std::span kVerified = std::span(kComputed).first(2);
constexpr Result kTimes[] = {Result::kTimed};

SweepRecord Record(const std::string& problem, Result result, const std::string& message = "") {
  SweepRecord record;
  record.problem = problem;
  record.device = "gfx942";
  record.sizes = "fwd f16 g1";
  record.instance = "instance";
  record.result = result;
  record.message = message;
  return record;
}

std::string FreshPath(const std::string& name) {
  const std::string path = testing::TempDir() + "/" + name;
  std::remove(path.c_str());
  return path;
}

void WriteText(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// The complete lines after the header, in their fields.
std::vector<std::vector<std::string>> Lines(const std::string& path) {
  std::vector<std::vector<std::string>> lines;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(ReadFile(path).value(), '\n')))
    lines.push_back(SplitCsvLine(line).value_or(std::vector<std::string>()));
  if (!lines.empty()) lines.erase(lines.begin());
  if (!lines.empty()) lines.pop_back();  // after the last line end
  return lines;
}

/// A file of two records.
std::string TwoRecords(const std::string& name) {
  const std::string path = FreshPath(name);
  absl::StatusOr<SweepTable> table = SweepTable::Open(path);
  EXPECT_TRUE(table.ok()) << table.status();
  EXPECT_TRUE(table->Add(Record("one, \"quoted\"", Result::kPass)).ok());
  EXPECT_TRUE(table->Add(Record("two", Result::kFail, "wrong\nby far")).ok());
  return path;
}

TEST(SweepTable, LinesReachTheFileAtOnce) {
  const std::string path = FreshPath("at_once.csv");
  absl::StatusOr<SweepTable> table = SweepTable::Open(path);
  ASSERT_TRUE(table.ok()) << table.status();
  SweepRecord record = Record("one", Result::kPass);
  record.error = ErrorStats{.max_abs = 0.5, .rel_norm = 0.25, .max_ulps = 2, .max_ratio = 0.125};
  record.sim = SimRun{.instructions = {{"valu", 7}, {"mma", 3}}, .workgroups = 4, .waves = 8};
  ASSERT_TRUE(table->Add(record).ok());
  ASSERT_THAT(Lines(path), SizeIs(1));  // the table is still open
  const std::vector<std::string> columns = *SplitCsvLine(SweepTable::Header());
  const auto field = [&](const std::string& column) {
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == column) return Lines(path)[0].at(i);
    }
    return std::string("no such column");
  };
  EXPECT_EQ(field("problem"), "one");
  EXPECT_EQ(field("result"), "pass");
  EXPECT_EQ(field("max_abs"), "0.5");
  EXPECT_EQ(field("max_ulps"), "2");
  EXPECT_EQ(field("rel_norm"), "0.25");
  EXPECT_EQ(field("of_tolerance"), "0.125");
  EXPECT_EQ(field("workgroups"), "4");
  EXPECT_EQ(field("waves"), "8");
  EXPECT_EQ(field("mma"), "3");
  EXPECT_EQ(field("valu"), "7");
  EXPECT_EQ(field("lds"), "");
  EXPECT_EQ(field("message"), "");
  EXPECT_EQ(field("ms"), "");
}

TEST(SweepTable, TellsTimes) {
  const std::string path = FreshPath("times.csv");
  absl::StatusOr<SweepTable> table = SweepTable::Open(path);
  ASSERT_TRUE(table.ok()) << table.status();
  SweepRecord record = Record("one", Result::kTimed);
  record.timing = Timing{.ms = 0.5,
                         .low_ms = 0.25,
                         .high_ms = 1,
                         .limiter = "LDS",
                         .gain = 0.125,
                         .roofline = {.matrix_ms = 0.125, .memory_ms = 0.0625},
                         .flops = 1e9};
  ASSERT_TRUE(table->Add(record).ok());
  const std::string text = ReadFile(path).value();
  EXPECT_THAT(text, HasSubstr(",0.5,0.25,1,"));
  EXPECT_THAT(text, HasSubstr(",2,0.125,0.25,matrix unit,LDS (12 % less without it),"));
  EXPECT_EQ(table->Find(record, kTimes), Result::kTimed);
  EXPECT_EQ(table->Find(record, kComputed), std::nullopt);
  EXPECT_EQ(table->FindMs(record), 0.5);
  EXPECT_EQ(SweepTable::Open(path)->FindMs(record), 0.5);
  EXPECT_EQ(table->FindMs(Record("two", Result::kTimed)), std::nullopt);
}

TEST(SweepTable, ABoundIsNoTime) {
  SweepTable table;
  SweepRecord record = Record("one", Result::kSlower);
  record.timing = Timing{.ms = 0.5};
  ASSERT_TRUE(table.Add(record).ok());
  EXPECT_EQ(table.FindMs(record), std::nullopt);
}

TEST(SweepTable, KnowsWhatTheFileHolds) {
  const std::string path = TwoRecords("holds.csv");
  const absl::StatusOr<SweepTable> table = SweepTable::Open(path);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->Find(Record("one, \"quoted\"", Result::kError), kVerified), Result::kPass);
  EXPECT_EQ(table->Find(Record("two", Result::kError), kVerified), Result::kFail);
  EXPECT_EQ(table->Find(Record("three", Result::kPass), kVerified), std::nullopt);
  SweepRecord other = Record("two", Result::kPass);
  for (std::string* field : {&other.device, &other.sizes, &other.instance}) {
    const std::string kept = *field;
    *field = "other";
    EXPECT_EQ(table->Find(other, kVerified), std::nullopt);
    *field = kept;
  }
  other.seed = 1;
  EXPECT_EQ(table->Find(other, kVerified), std::nullopt);
}

TEST(SweepTable, WhatWasNotVerifiedIsNotAVerifiedResult) {
  SweepTable table;
  ASSERT_TRUE(table.Add(Record("one", Result::kUnverified)).ok());
  EXPECT_EQ(table.Find(Record("one", Result::kPass), kComputed), Result::kUnverified);
  EXPECT_EQ(table.Find(Record("one", Result::kPass), kVerified), std::nullopt);
}

TEST(SweepTable, WhatCouldNotBeComputedIsTriedAgain) {
  SweepTable table;
  ASSERT_TRUE(table.Add(Record("one", Result::kError)).ok());
  EXPECT_EQ(table.Find(Record("one", Result::kPass), kComputed), std::nullopt);
  ASSERT_TRUE(table.Add(Record("one", Result::kPass)).ok());
  EXPECT_EQ(table.Find(Record("one", Result::kPass), kComputed), Result::kPass);
}

// An interruption can leave any part of a line: cut the file at every byte.
TEST(SweepTable, ATornLastLineIsWrittenAgain) {
  const std::string whole = ReadFile(TwoRecords("whole.csv")).value();
  const size_t header = whole.find('\n') + 1;
  const size_t first = whole.find('\n', header) + 1;
  const std::string path = FreshPath("torn.csv");
  for (size_t bytes = 0; bytes <= whole.size(); ++bytes) {
    WriteText(path, whole.substr(0, bytes));
    {
      absl::StatusOr<SweepTable> table = SweepTable::Open(path);
      ASSERT_TRUE(table.ok()) << bytes << " bytes: " << table.status();
      const SweepRecord one = Record("one, \"quoted\"", Result::kPass);
      const SweepRecord two = Record("two", Result::kFail, "wrong\nby far");
      EXPECT_EQ(table->Find(one, kVerified).has_value(), bytes >= first);
      EXPECT_EQ(table->Find(two, kVerified).has_value(), bytes == whole.size());
      for (const SweepRecord& record : {one, two}) {
        if (!table->Find(record, kVerified)) ASSERT_TRUE(table->Add(record).ok());
      }
    }
    ASSERT_EQ(ReadFile(path).value(), whole) << "cut at " << bytes;
  }
}

TEST(SweepTable, OtherFilesAreRefusedAndLeftAlone) {
  const std::string path = FreshPath("other.csv");
  for (const std::string text : {"name,ndim\nx,2\n", "notes without an end"}) {
    WriteText(path, text);
    const absl::StatusOr<SweepTable> table = SweepTable::Open(path);
    EXPECT_EQ(table.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(table.status().message()), HasSubstr("remove it or name another"));
    EXPECT_EQ(ReadFile(path).value(), text);
  }
  const std::string whole = ReadFile(TwoRecords("whole.csv")).value();
  WriteText(path, SweepTable::Header() + "\none,two\n");
  EXPECT_THAT(std::string(SweepTable::Open(path).status().message()),
              HasSubstr("other.csv:2: the line does not have the"));
  std::string changed = whole;
  changed.replace(changed.find(",pass,"), 6, ",done,");
  WriteText(path, changed);
  EXPECT_THAT(
      std::string(SweepTable::Open(path).status().message()),
      HasSubstr("result is 'done'; must be pass, fail, unverified, timed, slower or error"));
  EXPECT_THAT(std::string(SweepTable::Open("/no/such/folder.csv").status().message()),
              HasSubstr("cannot write /no/such/folder.csv"));
}

/// Columns of the line of `HasTheTileEnginesColumns`.
constexpr std::pair<const char*, const char*> kColumnsOfOne[] = {{"kernel", "instance"},
                                                                 {"problem_idx", "5"},
                                                                 {"N", "3"},
                                                                 {"C", "24"},
                                                                 {"K", "8"},
                                                                 {"G", "2"},
                                                                 {"Di", "1"},
                                                                 {"Hi", "9"},
                                                                 {"Wi", "7"},
                                                                 {"Z", "1"},
                                                                 {"Y", "3"},
                                                                 {"X", "1"},
                                                                 {"stride_d", "1"},
                                                                 {"stride_h", "2"},
                                                                 {"stride_w", "1"},
                                                                 {"pad_d", "0"},
                                                                 {"pad_h", "1"},
                                                                 {"pad_w", "0"},
                                                                 {"dilation_d", "1"},
                                                                 {"dilation_h", "4"},
                                                                 {"dilation_w", "1"},
                                                                 {"latency_ms", "0.25"},
                                                                 {"tflops", "4"},
                                                                 {"non_zero", ""},
                                                                 {"family", "tile"},
                                                                 {"direction", "bwd_data"},
                                                                 {"type", "bf16"}};

TEST(SweepTable, HasTheTileEnginesColumns) {
  const std::string path = FreshPath("elsewhere.csv");
  absl::StatusOr<SweepTable> table = SweepTable::Open(path);
  ASSERT_TRUE(table.ok()) << table.status();
  ConvProblem conv = {.direction = Direction::kBackwardData,
                      .type = DataType::kBF16,
                      .groups = 2,
                      .batch = 3,
                      .c = 24,
                      .k = 8};
  conv.rank = 2;
  conv.dims[1] = {.in = 9, .filter = 3, .stride = 2, .dilation = 4, .pad_begin = 1, .pad_end = 1};
  conv.dims[2] = {.in = 7};
  SweepRecord record = Record("one", Result::kTimed);
  record.family = "tile";
  record.problem_index = 5;
  record.shape = conv;
  record.timing = Timing{.ms = 0.25, .flops = 1e9};
  ASSERT_TRUE(table->Add(record).ok());
  record.result = Result::kPass;
  record.timing.reset();
  record.non_zero = 11;
  ASSERT_TRUE(table->Add(record).ok());
  record.shape = GemmProblem();
  ASSERT_TRUE(table->Add(record).ok());
  const std::vector<std::string> columns = *SplitCsvLine(SweepTable::Header());
  const std::vector<std::vector<std::string>> lines = Lines(path);
  ASSERT_THAT(lines, SizeIs(3));
  const auto field = [&](int line, const std::string& column) {
    const auto found = std::find(columns.begin(), columns.end(), column);
    return found == columns.end() ? "no column"
                                  : lines[static_cast<std::size_t>(line)]
                                         [static_cast<std::size_t>(found - columns.begin())];
  };
  for (const auto& [column, value] : kColumnsOfOne) {
    EXPECT_EQ(field(0, column), value) << column;
  }
  EXPECT_EQ(field(1, "latency_ms"), "");
  EXPECT_EQ(field(1, "non_zero"), "11");
  EXPECT_EQ(field(2, "direction"), "gemm");
  EXPECT_EQ(field(2, "N"), "");
}

TEST(SweepTable, EveryColumnIsOnThePage) {
  const std::string page = ReadFile("docs/tables.md").value();
  const std::vector<std::string> columns = *SplitCsvLine(SweepTable::Header());
  for (const std::string& column : columns) {
    EXPECT_THAT(page, HasSubstr("\n| `" + column + "` |"));
  }
}

}  // namespace
}  // namespace gridwise
