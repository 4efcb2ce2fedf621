// SPDX-License-Identifier: MIT
#include "tools/gridwise/cli/subprocess.h"

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Ending Shell(const std::string& script, double limit_s = 60) {
  const absl::StatusOr<Ending> ending = RunProgram({"/bin/sh", "-c", script}, limit_s);
  EXPECT_TRUE(ending.ok()) << ending.status();
  return *ending;
}

TEST(RunProgram, SaysHowItEnded) {
  EXPECT_EQ(Shell("exit 0").status, 0);
  const Ending exit = Shell("echo out; echo error >&2; exit 3");
  EXPECT_EQ(exit.status, 3);
  EXPECT_EQ(exit.last_words, "error\n");
  EXPECT_EQ(exit.ToString(), "exited with status 3");
  const Ending crash = Shell("kill -SEGV $$");
  EXPECT_EQ(crash.status, -1);
  EXPECT_EQ(crash.signal, 11);
  EXPECT_THAT(crash.ToString(), StartsWith("died of signal 11 ("));
}

TEST(Subprocess, AnswersLinesWithLines) {
  absl::StatusOr<std::unique_ptr<Subprocess>> process = Subprocess::Start(
      {"/bin/sh", "-c",
       "echo ready; while read x; do echo about $x >&2; echo got $x; done; exit 4"},
      60);
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_EQ((*process)->ReadLine(), "ready");
  for (const char* line : {"first", "second"}) {
    (*process)->WriteLine(line, 60);
    EXPECT_EQ((*process)->ReadLine(), absl::StrCat("got ", line));
  }
  const Ending ending = (*process)->Wait();
  EXPECT_EQ(ending.status, 4);
  EXPECT_EQ(ending.last_words, "about second\n");
}

TEST(Subprocess, HasItsTimeForEachLine) {
  absl::StatusOr<std::unique_ptr<Subprocess>> process =
      Subprocess::Start({"/bin/sh", "-c", "while read x; do sleep $x; echo $x; done"}, 60);
  ASSERT_TRUE(process.ok()) << process.status();
  (*process)->WriteLine("0", 60);
  EXPECT_EQ((*process)->ReadLine(), "0");
  (*process)->WriteLine("100", 0.3);
  EXPECT_EQ((*process)->ReadLine(), std::nullopt);
  EXPECT_EQ((*process)->Wait().ToString(), "did not end within 0.3 s");
}

TEST(Subprocess, MayNotReadWhatIsWritten) {
  absl::StatusOr<std::unique_ptr<Subprocess>> process = Subprocess::Start({"/bin/true"}, 60);
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_EQ((*process)->ReadLine(), std::nullopt);
  (*process)->WriteLine("line", 60);
  EXPECT_EQ((*process)->Wait().status, 0);
}

TEST(RunProgram, KillsWhatIsLate) {
  for (const char* script : {"sleep 100", "sleep 100 & sleep 100", "exec 2>&-; sleep 100",
                             "trap '' TERM; while :; do :; done"}) {
    const Ending ending = Shell(script, 0.3);
    EXPECT_TRUE(ending.is_late) << script;
    EXPECT_GE(ending.seconds, 0.3) << script;
    EXPECT_LT(ending.seconds, 20) << script;
    EXPECT_EQ(ending.ToString(), "did not end within 0.3 s") << script;
  }
}

TEST(RunProgram, KeepsTheEndOfMuchText) {
  const Ending ending = Shell("i=0; while [ $i -lt 5000 ]; do echo line $i >&2; i=$((i+1)); done");
  EXPECT_EQ(ending.status, 0);
  EXPECT_LE(ending.last_words.size(), 1000u);
  EXPECT_THAT(ending.last_words, HasSubstr("line 4999\n"));
}

TEST(RunProgram, AProgramThatIsNotThereIsAnError) {
  EXPECT_THAT(RunProgram({"/nowhere/program"}, 1).status().message(),
              HasSubstr("cannot start /nowhere/program"));
}

}  // namespace
}  // namespace gridwise
