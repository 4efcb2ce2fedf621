// SPDX-License-Identifier: MIT
#include "tools/gridwise/sweep/sweep_worker.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What comes of a run whose program is this script, which finds its table's path in $csv.
absl::StatusOr<std::string> RunScript(const std::string& script, double limit_s = 60) {
  const std::string find_csv =
      "for flag; do case $flag in --csv=*) csv=${flag#--csv=};; esac; done; ";
  return RunInWorker({"/bin/sh", "-c", find_csv + script, "sweep"},
                     {.problem = "p", .direction = "fwd", .family = "tile", .instance = "r"},
                     limit_s);
}

TEST(RunInWorker, GivesTheLineOfTheTable) {
  const absl::StatusOr<std::string> line =
      RunScript("echo problem,instance >$csv; echo \"$*\" >>$csv; exit 1  # a wrong result");
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(*line, StartsWith("--problem=p --direction=fwd --family=tile --instance=r --csv="));
  EXPECT_THAT(*line, HasSubstr(" --workers=0"));
}

TEST(RunInWorker, SaysWhyThereIsNone) {
  const auto reason = [](const std::string& script, double limit_s = 60) {
    const absl::Status status = RunScript(script, limit_s).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(reason("echo first >&2; echo gridwise: broken >&2; exit 3"),
              HasSubstr("the process exited with status 3: gridwise: broken"));
  EXPECT_THAT(reason("kill -SEGV $$"), StartsWith("the process died of signal 11"));
  EXPECT_THAT(reason("echo problem >$csv; printf half >>$csv; kill -KILL $$"),
              StartsWith("the process died of signal 9"));
  EXPECT_THAT(reason("sleep 100", 0.3), StartsWith("the process did not end within 0.3 s"));
}

}  // namespace
}  // namespace gridwise
