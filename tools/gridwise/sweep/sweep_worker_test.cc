// SPDX-License-Identifier: MIT
#include "tools/gridwise/sweep/sweep_worker.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

/// A worker whose program is a script that does this with the number of each run, `$run`.
SweepWorker Worker(const std::string& of_run, const std::string& first = "") {
  return SweepWorker(
      {"/bin/sh", "-c",
       absl::StrCat(first, "\necho problem,instance\n", "while read run\ndo ", of_run, "\ndone"),
       "sweep"});
}

std::string Reason(SweepWorker& worker, int number, double limit_s = 60) {
  const absl::Status status = worker.Run(number, limit_s).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
  return std::string(status.message());
}

TEST(SweepWorker, DoesAllRunsInOneProcess) {
  SweepWorker worker = Worker("echo $$ $run $*");
  const absl::StatusOr<std::string> first = worker.Run(7, 60);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_THAT(*first, HasSubstr(" 7 --runs-from-stdin --csv=- --workers=0"));
  const std::string process = first->substr(0, first->find(' '));
  EXPECT_THAT(*worker.Run(9, 60), StartsWith(absl::StrCat(process, " 9 ")));
  worker.End();
  EXPECT_THAT(*worker.Run(9, 60), Not(StartsWith(process + " ")));
}

TEST(SweepWorker, SaysWhyThereIsNoLine) {
  SweepWorker worker = Worker(
      "case $run in\n"
      "1) echo first >&2; echo gridwise: broken >&2; exit 3;;\n"
      "2) kill -SEGV $$;;\n"
      "3) printf half; kill -KILL $$;;\n"
      "4) sleep 100;;\n"
      "*) echo noise >&2; echo line $run;; esac",
      "echo note >&2");
  const auto still_works = [&](int number) {
    const absl::StatusOr<std::string> line = worker.Run(number, 60);
    EXPECT_EQ(line.value_or(std::string(line.status().message())), absl::StrCat("line ", number));
  };
  EXPECT_EQ(Reason(worker, 1), "the process exited with status 3: gridwise: broken");
  still_works(10);
  // What it said before is no reason.
  EXPECT_THAT(Reason(worker, 2), MatchesRegex("the process died of signal 11 [^:]*"));
  EXPECT_THAT(Reason(worker, 3), MatchesRegex("the process died of signal 9 [^:]*"));
  still_works(11);
  still_works(12);
  still_works(13);
  EXPECT_EQ(Reason(worker, 4, 0.3), "the process did not end within 0.3 s");
  still_works(14);
}

TEST(SweepWorker, SaysWhyTheProgramDoesNotStart) {
  SweepWorker worker = Worker("echo line", "echo 'gridwise: no device' >&2; exit 5");
  for (int number = 0; number < 2; ++number) {
    EXPECT_EQ(Reason(worker, number), "the process exited with status 5: gridwise: no device");
  }
}

}  // namespace
}  // namespace gridwise
