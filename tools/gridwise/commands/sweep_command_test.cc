// SPDX-License-Identifier: MIT
/// `gridwise sweep`, as a user runs it.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/text/shell.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/cli/run_gridwise.h"

namespace gridwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SweepCommand, SweepsASetOfMatrices) {
  const std::string path = testing::TempDir() + "/gemms.csv";
  std::ofstream(path) << "name,batch,M,N,K,a,b\nx,2,40,24,32,row,col\ny,1,9,70,33,col,row\n";
  const ShellResult result = Gridwise(absl::StrCat("sweep --problems=", path, " --verify"));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("[2/2] y batched_gemm_"), HasSubstr("2 runs: 2 passed, 0 failed")));
}

TEST(SweepCommand, SweepsASetAndGoesOnWhereItWas) {
  const std::string csv = testing::TempDir() + "/sweep.csv";
  std::remove(csv.c_str());
  const std::string sweep = absl::StrCat("sweep --problems=", SmallSet(),
                                         " --direction=bwd_weight --n=2 --verify --csv=", csv);
  const ShellResult whole = Gridwise(sweep);
  EXPECT_EQ(whole.status, kSuccess) << whole.out;
  EXPECT_THAT(whole.out, AllOf(HasSubstr("[1/3] a "), HasSubstr("[3/3] c "), HasSubstr(": pass, "),
                               HasSubstr("3 runs: 3 passed, 0 failed")));
  const std::string text = ReadText(csv);
  EXPECT_EQ(CountLines(ReadText(csv)), 4);
  EXPECT_THAT(text, AllOf(HasSubstr("b," + Target() + ",bwd_weight f16 g1 n2 c24 k8"),
                          HasSubstr(",pass,")));
  // Interrupted in the third line.
  std::ofstream(csv, std::ios::binary) << text.substr(0, text.rfind(",pass,"));
  const ShellResult rest = Gridwise(sweep);
  EXPECT_EQ(rest.status, kSuccess) << rest.out;
  EXPECT_THAT(rest.out, AllOf(HasSubstr("[3/3] c "), Not(HasSubstr("[1/3]")), HasSubstr("3 passed"),
                              HasSubstr("2 of them earlier")));
  EXPECT_EQ(CountLines(ReadText(csv)), 4);
  EXPECT_THAT(ReadText(csv), HasSubstr(text.substr(0, text.rfind(",pass,"))));
}

TEST(SweepCommand, SweepsTimes) {
  const std::string csv = testing::TempDir() + "/times.csv";
  std::remove(csv.c_str());
  const std::string sweep = absl::StrCat("sweep --problems=", SmallSet(),
                                         " --direction=bwd_weight --n=2 --time --csv=", csv);
  const ShellResult whole = Gridwise(sweep);
  EXPECT_EQ(whole.status, kSuccess) << whole.out;
  EXPECT_THAT(whole.out,
              AllOf(HasSubstr("[1/3] a "), HasSubstr(": timed, "), HasSubstr("% of the bound"),
                    HasSubstr(" 0 unverified, 3 timed"), HasSubstr("most above their bound")));
  EXPECT_EQ(CountLines(ReadText(csv)), 4);
  EXPECT_THAT(ReadText(csv), HasSubstr(",timed,"));
  EXPECT_THAT(Gridwise(sweep).out, HasSubstr("3 of them earlier"));
  ExpectRefusal(absl::StrCat("sweep --problems=", SmallSet(), " --time --verify"), "--time");
}

TEST(SweepCommand, SweepsDirectionsAndInstances) {
  const std::string sweep = absl::StrCat("sweep --problems=", SmallSet(), " ");
  const ShellResult all = Gridwise(sweep);  // a and c in three directions, b in one
  EXPECT_EQ(all.status, kSuccess) << all.out;
  EXPECT_THAT(all.out, HasSubstr("7 runs: 0 passed, 0 failed, 0 not computed, 7 unverified"));
  const ShellResult one = Gridwise(sweep + "--problem=a --direction=fwd --all-instances --verify");
  EXPECT_EQ(one.status, kSuccess) << one.out;
  EXPECT_THAT(one.out, AllOf(HasSubstr("[2/"), HasSubstr(" passed, 0 failed")));
  const ShellResult small = Gridwise(sweep + "--direction=bwd_weight --max-flops=50k");
  EXPECT_THAT(small.out, AllOf(HasSubstr("1 problems have more than"), HasSubstr("2 runs: ")));
}

TEST(SweepCommand, TakesANumberOfSplits) {
  const std::string sweep =
      "sweep --n=2 --c=64 --k=64 --in=16x16 --filter=3 --pad=1 --direction=bwd_weight --splits=3";
  const ShellResult result = Gridwise(sweep + " --verify --csv=-");
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, HasSubstr(",0,3,pass,")) << "seed, splits and result";
  EXPECT_THAT(Gridwise(sweep + " --first-instances=2 --csv=-").out, HasSubstr(",0,3,"));
}

// A pipe is not read, and has nothing but the table.
TEST(SweepCommand, WritesToAPipe) {
  for (const char* csv : {"-", "/dev/stdout"}) {
    const ShellResult result = Shell(absl::StrCat(
        "timeout 50 tools/gridwise/gridwise sweep --problems=", SmallSet(),
        " --direction=bwd_weight --device=", Target(), " --csv=", csv, " 2>", Unread(), " | cat"));
    EXPECT_THAT(
        result.out,
        AllOf(HasSubstr("problem,device,sizes,instance,seed,splits,result,gflop,estimate_us"),
              HasSubstr("\nb," + Target()), HasSubstr("\nc," + Target())))
        << csv;
    if (csv[0] == '-') EXPECT_EQ(CountLines(result.out), 4);
  }
}

/// The numbers that lines after `title` and its heading begin with.
std::vector<double> TimesBehind(const std::string& out, const std::string& title) {
  std::vector<double> times;
  const std::size_t begin = out.find(title);
  if (begin == out.npos) return times;
  std::vector<std::string> lines = absl::StrSplit(out.substr(begin), '\n');
  for (std::size_t i = 2; i < lines.size(); ++i) {
    const std::vector<std::string> words = absl::StrSplit(lines[i], ' ', absl::SkipEmpty());
    double time = 0;
    if (words.empty() || !absl::SimpleAtod(words[0], &time)) break;
    times.push_back(time);
  }
  return times;
}

TEST(SweepCommand, SweepsTheProblemOfSizesTheFastestInstanceFirst) {
  const std::string sizes =
      "sweep --n=1 --c=8 --k=16 --in=6x5 --filter=3 --pad=1 --direction=bwd-weight --type=fp16 ";
  const std::string csv = testing::TempDir() + "/given.csv";
  std::remove(csv.c_str());
  const ShellResult timed =
      Gridwise(absl::StrCat(sizes, "--first-instances=3 --random-instances=1 --time --csv=", csv));
  EXPECT_EQ(timed.status, kSuccess) << timed.out;
  EXPECT_THAT(timed.out, AllOf(HasSubstr("[4/4] given "), HasSubstr("4 timed"),
                               Not(HasSubstr("limited by \n"))));
  const std::vector<double> times = TimesBehind(timed.out, "fastest first\n");
  EXPECT_EQ(times.size(), 4u) << timed.out;
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end())) << timed.out;
  EXPECT_THAT(ReadText(csv), HasSubstr("bwd_weight f16 g1 n1 c8 k16 in 6x5 filter 3x3"));
  // Of instances that were timed earlier, too; and in processes of their own.
  const ShellResult again = Gridwise(absl::StrCat(
      sizes, "--first-instances=3 --random-instances=1 --time --workers=2 --csv=", csv));
  EXPECT_EQ(TimesBehind(again.out, "fastest first\n"), times) << again.out;
  const ShellResult worker = Gridwise(sizes + "--first-instances=1 --verify --workers=1");
  EXPECT_THAT(worker.out, HasSubstr("1 passed")) << worker.out;
  const ShellResult gemm = Gridwise("sweep --direction=gemm --m=40 --n=24 --k=32 --b=col --verify");
  EXPECT_THAT(gemm.out, AllOf(HasSubstr("[1/1] given "), HasSubstr("1 passed"))) << gemm.out;
}

TEST(SweepCommand, NamesTheFastestInstanceOfEachProblem) {
  const std::string sweep = absl::StrCat("sweep --problems=", SmallSet(), " --direction=fwd ");
  const ShellResult result = Gridwise(sweep + "--first-instances=2 --time");
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_EQ(TimesBehind(result.out, "fastest of each problem\n").size(), 2u) << result.out;
  // Where a bound rules all others out, too.
  const ShellResult best = Gridwise(sweep + "--family=ck --all-instances --best --time");
  EXPECT_EQ(TimesBehind(best.out, "fastest of each problem\n").size(), 2u) << best.out;
  const ShellResult other = Gridwise(sweep + "--problem=a --n=2 --stride=2 --verify");
  EXPECT_THAT(other.out, AllOf(HasSubstr("[1/1] a "), HasSubstr("1 passed"))) << other.out;
}

TEST(SweepCommand, TakesLinesOfOtherPrograms) {
  const ShellResult result = Gridwise(
      "sweep convfp16 -n 1 -c 16 -H 9 -W 9 -k 32 -p 1 -q 1 -I NHWC -f NHWC -O NHWC -F 1 --verify");
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("[1/1] MIOpenDriver convfp16 -n 1 "), HasSubstr("1 passed")));
}

TEST(SweepCommand, EndsWithTheSlowestLayers) {
  const ShellResult result =
      Gridwise(absl::StrCat("sweep --problems=", SmallSet(), " --direction=fwd"));
  EXPECT_THAT(result.out, AllOf(HasSubstr("slowest, by the planner's estimate\n"),
                                HasSubstr("least efficient, by the planner's estimate\n"),
                                HasSubstr("TFLOP/s  problem\n")));
}

TEST(SweepCommand, ReportsWhatFails) {
  const std::string csv = testing::TempDir() + "/failing.csv";
  std::remove(csv.c_str());
  const std::string sweep =
      absl::StrCat("sweep --problems=", SmallSet(), " --direction=bwd_weight --verify --csv=", csv);
  const ShellResult refused = Gridwise(sweep + " --instance=none");
  EXPECT_EQ(refused.status, kVerificationFailed) << refused.out;
  EXPECT_THAT(refused.out, AllOf(HasSubstr("[1/3] a : error"), HasSubstr("instance is none"),
                                 HasSubstr("3 not computed")));
  EXPECT_THAT(ReadText(csv), HasSubstr(",error,"));
  // A result that was wrong earlier is still wrong.
  ASSERT_EQ(Gridwise(sweep).status, kSuccess);
  std::string text = ReadText(csv);
  text.replace(text.rfind(",pass,"), 6, ",fail,");
  std::ofstream(csv, std::ios::binary) << text;
  const ShellResult again = Gridwise(sweep);
  EXPECT_EQ(again.status, kVerificationFailed) << again.out;
  EXPECT_THAT(again.out, HasSubstr("3 runs: 2 passed, 1 failed, 0 not computed, 0 unverified; 3 of "
                                   "them earlier"));
}

TEST(SweepCommand, RefusesBadFlags) {
  ExpectRefusal("sweep --problems=retinanet --direction=up", "the direction is 'up'");
  ExpectRefusal("sweep --problems=retinanet --type=f7", "--type is 'f7'");
  ExpectRefusal("sweep --problems=retinanet --device=gfx000", "the device is 'gfx000'");
  ExpectRefusal("sweep --problems=/no/such.csv", "/no/such.csv");
  ExpectRefusal("sweep --problems=retinanet --x=8", "sweep takes no --x");
  ExpectRefusal("sweep --c=8 --in=5", "the problem is incomplete: give --k, --filter");
  ExpectRefusal("sweep --m=8 --n=8 --k=8", "sizes of matrices need --direction=gemm");
  ExpectRefusal("sweep --problems=transformers --m=8", "do not apply to the problems of a set");
  ExpectRefusal("sweep --problems=transformers --direction=gemm --c=8",
                "the sizes apply only to convolutions");
  ExpectRefusal("sweep --problem=gemms9 --groups=3", "must be a multiple of groups");
  ExpectRefusal("sweep --problem=gemms9 --json --csv=-", "both write to stdout");
  ExpectRefusal("sweep --problems=retinanet --n=-1", "batch is -1; must be >= 0");
  ExpectRefusal("sweep --problem=nothing", "no problem is called 'nothing'");
  ExpectRefusal("sweep --problems=retinanet --instance=x --all-instances", "exclude each other");
  ExpectRefusal("sweep --problems=retinanet --max-flops=-1",
                "--max-flops is '-1'; must be a number, 0");
  ExpectRefusal("sweep --problem=gemms9 --csv=/no/such/folder.csv", "cannot write /no/such/folder");
  ExpectRefusal("sweep --problem=gemms9 --workers=-1", "--workers is -1; must be >= 0");
  ExpectRefusal("sweep --problem=gemms9 --splits=-1", "--splits is -1; must be 0 to 65535");
  ExpectRefusal("sweep --problem=gemms9 --splits=65536", "--splits is 65536; must be 0 to 65535");
  ExpectRefusal(
      "sweep --problem=gemms9 --direction=bwd_data --max-flops=1",
      "no problem of the set has direction 'bwd_data' (empty: any) and at most 1 operations");
  for (const char* limit : {"0", "-1", "nan", "inf"}) {
    ExpectRefusal(absl::StrCat("sweep --problem=gemms9 --workers=2 --run-limit=", limit),
                  absl::StrCat("--run-limit is ", limit, "; must be above 0 and at most 1e+07"));
  }
  ExpectRefusal("sweep retinanet", "'sweep retinanet' is not understood");
}

}  // namespace
}  // namespace gridwise
