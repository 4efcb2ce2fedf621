/// The commands about kernels that are not built in, and problem sets, as a user runs them.

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/gridwise/exit_code.h"

namespace gridwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Result {
  int status = -1;
  std::string out;  // stdout and stderr
};

/// The program with these arguments; compiled kernels are kept in the test's folder.
Result Gridwise(const std::string& arguments) {
  Result result;
  const std::string command = absl::StrCat("XDG_CACHE_HOME=", testing::TempDir(),
                                           " tools/gridwise/gridwise ", arguments, " 2>&1");
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    result.out.append(buffer, n);
  }
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

std::string Target() {
  const char* const target = std::getenv("GRIDWISE_TEST_TARGET");
  return target == nullptr ? "" : target;
}

std::string File(const std::string& name) { return absl::StrCat(testing::TempDir(), "/", name); }

std::string TextOf(const std::string& name) {
  std::ifstream file(File(name));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

constexpr char kTraits[] = R"({"family": "direct", "direction": "fwd",
  "traits": {"type": "f16", "channels": [1, 2, 3], "cells": [6, 7]}})";

TEST(Instances, AreCountedListedAndExported) {
  std::ofstream(File("traits.json")) << kTraits;
  const std::string command =
      absl::StrCat("instances --config=", File("traits.json"), " --arch=", Target());
  Result result = Gridwise(command);
  EXPECT_EQ(result.status, kSuccess);
  EXPECT_THAT(result.out, AllOf(StartsWith(absl::StrCat("4 rows for ", Target(), ", of 6 configs")),
                                HasSubstr("2  a lane loads 4 bytes at most")));
  result = Gridwise(absl::StrCat(command, " --where='cells == 7 and channels < 2' --list"));
  EXPECT_EQ(result.out, "direct fwd f16_ch1_cells7_taps1_stride0\n");
  result = Gridwise(absl::StrCat(command, " --where='cells > 6' --count"));
  EXPECT_THAT(result.out, HasSubstr("3  left out by the filter"));
  result = Gridwise(absl::StrCat(command, " --export=", File("rows.json")));
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(TextOf("rows.json"), HasSubstr("\"name\": \"f16_ch2_cells7_taps1_stride0\"}"));
  result = Gridwise(absl::StrCat("compile --rows=", File("rows.json")));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 4) << result.out;
}

TEST(Instances, BadFilesAreSentences) {
  EXPECT_THAT(Gridwise("instances").out, HasSubstr("--config is missing"));
  EXPECT_THAT(Gridwise("instances --config=/nowhere").out, HasSubstr("cannot read /nowhere"));
  std::ofstream(File("bad.json")) << R"({"family": "fast", "traits": {}})";
  const Result result = Gridwise(absl::StrCat("instances --config=", File("bad.json")));
  EXPECT_EQ(result.status, kBadUsage);
  EXPECT_THAT(result.out, HasSubstr("bad.json: family is fast; must be one of tile"));
}

TEST(Compile, ARowThatIsNotBuiltInRuns) {
  constexpr char kRow[] = "f16_ch1_cells5_taps1_stride0";
  Result result = Gridwise(absl::StrCat("compile ", kRow, " --device=", Target()));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(StartsWith(absl::StrCat("direct fwd ", kRow, " ", Target(), ": ")),
                                HasSubstr(".hsaco")));
  result = Gridwise(
      absl::StrCat("run fwd --n=1 --c=6 --k=6 --groups=6 --in=9x7 --filter=3 --pad=1 --row=", kRow,
                   " --device=", Target(), " --verify"));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr(kRow), HasSubstr("\nPASS\n")));
}

TEST(Compile, WhatCannotExistIsASentence) {
  const std::string device = " --device=" + Target();
  Result result = Gridwise("compile f16_ch1_cells50_taps1_stride0" + device);
  EXPECT_EQ(result.status, kBadUsage);
  EXPECT_THAT(result.out, HasSubstr("a lane works on 1 to 16 cells"));
  result = Gridwise(
      "run fwd --n=1 --c=6 --k=6 --groups=6 --in=9x7 --filter=3 "
      "--row=f16_ch1_cells50_taps1_stride0" +
      device);
  EXPECT_EQ(result.status, kBadUsage);
  EXPECT_THAT(result.out, HasSubstr("a lane works on 1 to 16 cells"));
  EXPECT_THAT(Gridwise("compile fast" + device).out, HasSubstr("fast is no config's name"));
  EXPECT_THAT(Gridwise("compile").out, HasSubstr("no row is named"));
}

TEST(Problems, AreMadeAndRead) {
  const Result made = Gridwise(
      absl::StrCat("problems --use=test --direction=bwd_weight --number=20 --max-flops=20M --csv=",
                   File("set.csv")));
  EXPECT_EQ(made.status, kSuccess) << made.out;
  const Result swept =
      Gridwise(absl::StrCat("sweep --problems=", File("set.csv"), " --max-flops=1M",
                            " --device=", Target(), " --verify"));
  EXPECT_EQ(swept.status, kSuccess) << swept.out;
  EXPECT_THAT(swept.out, HasSubstr(" 0 failed, 0 not computed"));
  EXPECT_THAT(Gridwise("problems --use=fun").out, HasSubstr("--use is 'fun'; must be training"));
}

}  // namespace
}  // namespace gridwise
