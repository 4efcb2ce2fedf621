// SPDX-License-Identifier: MIT
/// The commands about kernels that are not built in, and problem sets, as a user runs them.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/text/csv.h"
#include "core/text/shell.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/gridwise/cli/exit_code.h"
#include "tools/gridwise/cli/run_gridwise.h"
#include "tools/tune/times.h"

namespace gridwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string File(const std::string& name) { return absl::StrCat(testing::TempDir(), "/", name); }

std::string ReadOutput(const std::string& name) { return ReadText(File(name)); }

constexpr char kTraits[] = R"({"family": "direct", "direction": "fwd",
  "traits": {"type": "f16", "channels": [1, 2, 3], "pixels": [6, 7]}})";

TEST(Instances, AreCountedListedAndExported) {
  std::ofstream(File("traits.json")) << kTraits;
  const std::string command =
      absl::StrCat("instances --config=", File("traits.json"), " --arch=", Target());
  ShellResult result = Gridwise(command);
  EXPECT_EQ(result.status, kSuccess);
  EXPECT_THAT(result.out,
              AllOf(StartsWith(absl::StrCat("4 instances for ", Target(), ", of 6 configs")),
                    HasSubstr("2  a lane loads 4 bytes at most")));
  result = Gridwise(absl::StrCat(command, " --where='pixels == 7 and channels < 2' --list"));
  EXPECT_EQ(result.out, "direct fwd f16_ch1_pixels7_taps1_stride0\n");
  result = Gridwise(absl::StrCat(command, " --where='pixels > 6' --count"));
  EXPECT_THAT(result.out, HasSubstr("3  left out by the filter"));
  result = Gridwise(absl::StrCat(command, " --export=", File("instances.json")));
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(ReadOutput("instances.json"),
              HasSubstr("\"name\": \"f16_ch2_pixels7_taps1_stride0\"}"));
  result = Gridwise(absl::StrCat("compile --instances=", File("instances.json")));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_EQ(CountLines(result.out), 4) << result.out;
}

TEST(Instances, AreOfTheTileEnginesFilesAndWords) {
  std::ofstream(File("forward_bf16.json")) << R"({"variant": "forward", "trait_config": {
      "data_type": {"values": ["bf16"]}, "pipeline": {"values": ["compv3", "compv5"]}}})";
  const std::string command =
      absl::StrCat("instances ", File("forward_bf16.json"), " --arch ", Target());
  const ShellResult count = Gridwise(absl::StrCat(command, " --count-only"));
  EXPECT_EQ(count.status, kSuccess) << count.out;
  EXPECT_THAT(count.out, HasSubstr("of 20 configs"));
  const ShellResult some = Gridwise(absl::StrCat(
      command, " --filter \"c.tile_n >= 128 and c.pipeline == 'compv5'\" --list --export-json=",
      File("kernels.json")));
  EXPECT_EQ(some.status, kSuccess) << some.out;
  EXPECT_THAT(some.out, AllOf(StartsWith("tile fwd bf16_t"), HasSubstr("_double2\n")));
  EXPECT_EQ(CountLines(some.out) + 2, CountLines(ReadOutput("kernels.json")));
  EXPECT_THAT(Gridwise(absl::StrCat(command, " other.json")).out,
              HasSubstr("instances takes one file of traits"));
}

TEST(Instances, BadFilesAreSentences) {
  EXPECT_THAT(Gridwise("instances").out, HasSubstr("no file of traits is named"));
  EXPECT_THAT(Gridwise("instances --config=/nowhere").out, HasSubstr("cannot read /nowhere"));
  std::ofstream(File("bad.json")) << R"({"family": "fast", "traits": {}})";
  const ShellResult result = Gridwise(absl::StrCat("instances --config=", File("bad.json")));
  EXPECT_EQ(result.status, kBadUsage);
  EXPECT_THAT(result.out, HasSubstr("bad.json: family is fast; must be one of tile"));
}

TEST(Compile, AnInstanceThatIsNotBuiltInRuns) {
  constexpr char kInstance[] = "f16_ch1_pixels5_taps1_stride0";
  ShellResult result = Gridwise(absl::StrCat("compile ", kInstance, " --device=", Target()));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out,
              AllOf(StartsWith(absl::StrCat("direct fwd ", kInstance, " ", Target(), ": ")),
                    HasSubstr(".hsaco")));
  result = Gridwise(absl::StrCat(
      "run fwd --n=1 --c=6 --k=6 --groups=6 --in=9x7 --filter=3 --pad=1 --instance=", kInstance,
      " --device=", Target(), " --verify"));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr(kInstance), HasSubstr("\nPASS\n")));
  result =
      Gridwise(absl::StrCat("isa --direction=fwd --instance=", kInstance, " --device=", Target()));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, AllOf(HasSubstr(kInstance), HasSubstr("s_endpgm")));
}

TEST(Compile, WhatCannotExistIsASentence) {
  const std::string device = " --device=" + Target();
  ShellResult result = Gridwise("compile f16_ch1_pixels50_taps1_stride0" + device);
  EXPECT_EQ(result.status, kBadUsage);
  EXPECT_THAT(result.out, HasSubstr("a lane works on 1 to 16 pixels"));
  result = Gridwise(
      "run fwd --n=1 --c=6 --k=6 --groups=6 --in=9x7 --filter=3 "
      "--instance=f16_ch1_pixels50_taps1_stride0" +
      device);
  EXPECT_EQ(result.status, kBadUsage);
  EXPECT_THAT(result.out, HasSubstr("a lane works on 1 to 16 pixels"));
  EXPECT_THAT(Gridwise("compile fast" + device).out, HasSubstr("fast is no config's name"));
  EXPECT_THAT(Gridwise("compile").out, HasSubstr("no instance is named"));
  ExpectRefusal("compile fast --jobs=-1", "--jobs is -1; must be >= 0");
  ExpectRefusal("compile fast --instances=instances.json",
                "--instances=instances.json and the name fast are given");
}

TEST(Problems, AreMadeAndRead) {
  const ShellResult made = Gridwise(
      absl::StrCat("problems --use=test --direction=bwd_weight --number=20 --max-flops=20M --csv=",
                   File("set.csv")));
  EXPECT_EQ(made.status, kSuccess) << made.out;
  const ShellResult swept =
      Gridwise(absl::StrCat("sweep --problems=", File("set.csv"), " --max-flops=1M",
                            " --device=", Target(), " --verify"));
  EXPECT_EQ(swept.status, kSuccess) << swept.out;
  EXPECT_THAT(swept.out, HasSubstr(" 0 failed, 0 not computed"));
  EXPECT_THAT(Gridwise("problems --use=fun").out, HasSubstr("--use is 'fun'; must be training"));
}

/// Columns of a sweep's table that are the same whenever it is made: key and result.
std::string KeysAndResults(const std::string& name) {
  std::string keys;
  for (const std::string_view line : absl::StrSplit(ReadOutput(name), '\n')) {
    const std::optional<std::vector<std::string>> fields = SplitCsvLine(line);
    if (!fields || fields->size() < 6) continue;
    for (std::size_t i = 0; i < 6; ++i) absl::StrAppend(&keys, (*fields)[i], " ");
    keys += '\n';
  }
  return keys;
}

/// The names, instances and times of a sweep's table, the fastest instance of each problem.
std::vector<std::string> FindFastest(const std::string& name) {
  std::vector<std::string> best;
  const auto times = ReadTimes(ReadOutput(name));
  EXPECT_TRUE(times.ok()) << times.status();
  if (!times.ok()) return best;
  for (const TimedProblem& problem : *times) {
    const auto fastest = std::ranges::min_element(problem.times, {}, &InstanceTime::ms);
    best.push_back(absl::StrCat(problem.name, " ", problem.sizes, " ", fastest->instance));
  }
  return best;
}

/// That instances which are slower by `name`, of one problem, have bounds above its best time, and
/// that by `all` they take as long, or 10 % less, as samples of a tenth may say.
void ExpectBounds(const std::string& name, const std::string& all) {
  const auto times = ReadTimes(ReadOutput(name)), whole = ReadTimes(ReadOutput(all));
  ASSERT_TRUE(times.ok() && whole.ok());
  const double best = std::ranges::min_element(times->front().times, {}, &InstanceTime::ms)->ms;
  for (const InstanceTime& time : times->front().times) {
    const auto same =
        std::ranges::find(whole->front().times, time.instance, &InstanceTime::instance);
    ASSERT_NE(same, whole->front().times.end()) << time.instance;
    if (!time.at_least) continue;
    EXPECT_GT(time.ms, 1.1 * best) << time.instance;
    EXPECT_GT(same->ms, 0.9 * time.ms) << time.instance;
  }
}

// What a bound rules out is not the best: the instances are those that are best in a table of all.
TEST(SweepBest, HasTheBestOfAllInstances) {
  for (const std::string problem :
       {"--problem=l4.conv2b --direction=bwd_weight", "--problem=head.3x3@7 --direction=fwd"}) {
    for (const char* name : {"all.csv", "best.csv"}) std::remove(File(name).c_str());
    const std::string sweep = absl::StrCat("sweep --problems=retinanet ", problem,
                                           " --n=4 --time --all-instances --device=", Target());
    const ShellResult all = Gridwise(absl::StrCat(sweep, " --csv=", File("all.csv")));
    ASSERT_EQ(all.status, kSuccess) << all.out;
    const std::string best = absl::StrCat(sweep, " --best --quick --csv=", File("best.csv"));
    const ShellResult some = Gridwise(best);
    ASSERT_EQ(some.status, kSuccess) << some.out;
    EXPECT_THAT(some.out, AllOf(HasSubstr("1 timed as the best of their instances"),
                                Not(HasSubstr(" 0 are ruled out by a bound"))));
    EXPECT_EQ(FindFastest("best.csv"), FindFastest("all.csv"));
    const std::string table = ReadOutput("best.csv");
    EXPECT_EQ(std::ranges::count(table, '\n'), std::ranges::count(ReadOutput("all.csv"), '\n'));
    EXPECT_THAT(table, HasSubstr(",slower,"));
    ExpectBounds("best.csv", "all.csv");
    EXPECT_THAT(Gridwise(best).out, HasSubstr("1 of them earlier"));
    EXPECT_EQ(ReadOutput("best.csv"), table);
  }
}

// A table that lacks lines, by a kill or since there are new instances, is completed: what it has
// is neither timed again nor forgotten.
TEST(SweepBest, CompletesATable) {
  std::remove(File("killed.csv").c_str());
  const std::string sweep = absl::StrCat(
      "sweep --problems=retinanet --problem=head.3x3@7 --direction=fwd --n=4 --time ",
      "--all-instances --best --quick --device=", Target(), " --csv=", File("killed.csv"));
  ASSERT_EQ(Gridwise(sweep).status, kSuccess);
  const std::string whole = ReadOutput("killed.csv");
  std::vector<std::string> lines = absl::StrSplit(absl::StripSuffix(whole, "\n"), '\n');
  ASSERT_GT(lines.size(), 4u);
  // Killed at its last three instances.
  std::ofstream(File("killed.csv"))
      << absl::StrJoin(std::vector(lines.begin(), lines.end() - 3), "\n") << "\n";
  ShellResult result = Gridwise(sweep);
  EXPECT_THAT(result.out, HasSubstr("; of 3 instances"));
  EXPECT_EQ(ReadOutput("killed.csv"), whole);
  // Without what was the first instance, which is timed by the bound that the others set.
  std::rotate(lines.begin() + 1, lines.begin() + 2, lines.end());
  std::ofstream(File("killed.csv"))
      << absl::StrJoin(std::vector(lines.begin(), lines.end() - 1), "\n") << "\n";
  result = Gridwise(sweep);
  EXPECT_THAT(result.out, HasSubstr("; of 1 instances"));
  const std::vector<std::string> completed =
      absl::StrSplit(absl::StripSuffix(ReadOutput("killed.csv"), "\n"), '\n');
  ASSERT_EQ(completed.size(), lines.size());
  EXPECT_TRUE(std::equal(lines.begin(), lines.end() - 1, completed.begin()));
  // Of what is only slower than another, a sweep of times wants the time.
  result = Gridwise(absl::StrCat("sweep --problems=retinanet --problem=head.3x3@7 --direction=fwd ",
                                 "--n=4 --time --all-instances --quick --device=", Target(),
                                 " --csv=", File("killed.csv")));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  const auto times = ReadTimes(ReadOutput("killed.csv"));
  ASSERT_TRUE(times.ok()) << times.status();
  EXPECT_TRUE(std::ranges::none_of(times->front().times, &InstanceTime::at_least));
}

TEST(SweepBest, WantsTimes) {
  const ShellResult result = Gridwise("sweep --problems=retinanet --best");
  EXPECT_EQ(result.status, kBadUsage);
  EXPECT_THAT(result.out, HasSubstr("it needs --time"));
  EXPECT_THAT(Gridwise("sweep --problems=retinanet --time --quick --precise").out,
              HasSubstr("exclude each other"));
}

TEST(SweepWorkers, MakeTheSameTable) {
  Gridwise(
      absl::StrCat("problems --use=test --number=30 --max-flops=1M --csv=", File("small.csv")));
  const std::string sweep =
      absl::StrCat("sweep --problems=", File("small.csv"), " --device=", Target(),
                   " --family=tile --verify --max-flops=300k --csv=");
  ShellResult result = Gridwise(sweep + File("alone.csv"));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  // What hangs is a line, and is done again the next time.
  result = Gridwise(absl::StrCat(sweep, File("workers.csv"), " --workers=2 --run-limit=0.001"));
  EXPECT_EQ(result.status, kVerificationFailed) << result.out;
  EXPECT_THAT(result.out, HasSubstr("the process did not end within"));
  EXPECT_THAT(ReadOutput("workers.csv"), HasSubstr(",error,"));
  std::remove(File("workers.csv").c_str());
  result = Gridwise(absl::StrCat(sweep, File("workers.csv"), " --workers=2"));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  std::vector<std::string> alone = absl::StrSplit(KeysAndResults("alone.csv"), '\n');
  std::vector<std::string> workers = absl::StrSplit(KeysAndResults("workers.csv"), '\n');
  EXPECT_GT(alone.size(), 4u);
  EXPECT_THAT(workers, ::testing::UnorderedElementsAreArray(alone));
  result = Gridwise(absl::StrCat(sweep, File("workers.csv"), " --workers=2"));
  EXPECT_THAT(result.out, HasSubstr(" of them earlier"));
}

TEST(SweepWorkers, TakeInstancesOfAFile) {
  std::ofstream(File("traits.json")) << kTraits;
  Gridwise(absl::StrCat("instances --config=", File("traits.json"), " --arch=", Target(),
                        " --where='channels == 1' --export=", File("instances.json")));
  std::ofstream(File("depthwise.csv"))
      << "name,ndim,G,N,K,C,Z,Y,X,Di,Hi,Wi,stride_d,stride_h,stride_w,dil_d,dil_h,dil_w,pad_d,"
         "pad_h,pad_w,directions\na,2,8,1,8,8,1,3,3,1,9,9,1,1,1,1,1,1,0,1,1,fwd\n";
  const ShellResult result =
      Gridwise(absl::StrCat("sweep --problems=", File("depthwise.csv"), " --device=", Target(),
                            " --instances=", File("instances.json"),
                            " --workers=1 --verify --csv=", File("instances.csv")));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  EXPECT_THAT(result.out, HasSubstr("2 runs: 2 passed"));
  EXPECT_THAT(ReadOutput("instances.csv"), HasSubstr(",f16_ch1_pixels7_taps1_stride0,0,1,pass,"));
}

/// How long a sweep with `flags` tells for an instance and layer whose hits in L2 take much traffic
/// to find.
double MsOfSweep(const std::string& flags) {
  const std::string table = "ms" + std::to_string(flags.size()) + ".csv";
  std::ofstream(File("large.csv"))
      << "name,ndim,G,N,K,C,Z,Y,X,Di,Hi,Wi,stride_d,stride_h,stride_w,dil_d,dil_h,dil_w,pad_d,"
         "pad_h,pad_w,directions\nl3.conv3,2,1,32,1024,512,1,1,1,1,50,50,1,1,1,1,1,1,0,0,0,"
         "bwd_weight\n";
  const ShellResult result =
      Gridwise(absl::StrCat("sweep --problems=", File("large.csv"), " --device=", Target(),
                            " --time ", flags, " --csv=", File(table)));
  EXPECT_EQ(result.status, kSuccess) << result.out;
  const auto times = ReadTimes(ReadOutput(table));
  EXPECT_TRUE(times.ok() && !times->empty()) << times.status();
  return times.ok() && !times->empty() ? times->front().times.front().ms : 0;
}

/// A number of the first line after the header of a table.
double FieldOf(const std::string& table, const std::string& column) {
  const std::vector<std::string> lines = absl::StrSplit(ReadOutput(table), '\n');
  if (lines.size() < 2) return 0;
  const auto columns = SplitCsvLine(lines[0]), fields = SplitCsvLine(lines[1]);
  double value = 0;
  for (std::size_t i = 0; columns && fields && i < columns->size() && i < fields->size(); ++i) {
    if ((*columns)[i] == column && absl::SimpleAtod((*fields)[i], &value)) return value;
  }
  return 0;
}

TEST(Sweep, IsAsPreciseAsARunOfItsOwn) {
  const std::string instance = "f16_t128x128x32_w2x2_mfma32x32x8_a8x2_b8x2_o4_wavelet4";
  const double alone = MsOfSweep("--instance=" + instance);
  EXPECT_GT(alone, 0);
  std::ofstream(File("large.json"))
      << R"({"version": "0.2.0", "target": "gfx942", "instances": [)"
      << R"({"family": "tile", "direction": "bwd_weight", "name": ")" << instance << R"("}]})";
  EXPECT_NEAR(MsOfSweep("--instances=" + File("large.json") + " --precise"), alone, 0.001 * alone);
}

// A layer whose quick sample says 0.044 ms, and whose full one 0.051.
TEST(Compare, IsAsPreciseAsARunOfItsOwn) {
  const std::string instance = "f16_t128x128x32_w2x2_mfma32x32x8_a8x2_b8x2_o4_wavelet4";
  const std::string layer = absl::StrCat(
      " --problem=head.3x3@25 --n=32 --direction=bwd_weight --time --device=", Target());
  const auto ms_of_sweep = [&](const std::string& table, const std::string& flags) {
    Gridwise(absl::StrCat("sweep --instance=", instance, layer, flags, " --csv=", File(table)));
    return FieldOf(table, "ms");
  };
  const double alone = ms_of_sweep("full.csv", "");
  EXPECT_GT(alone, 0);
  EXPECT_LT(ms_of_sweep("quick.csv", " --quick"), 0.95 * alone)
      << "the layer tells no samples apart";
  // The second choice takes no such layer.
  const ShellResult compared = Gridwise(absl::StrCat("compare --a=instance=", instance,
                                                     " --b=instance=f16_ch1_pixels8_taps1_stride0",
                                                     layer, " --csv=", File("compared.csv")));
  EXPECT_EQ(compared.status, kSuccess) << compared.out;
  EXPECT_NEAR(FieldOf("compared.csv", "a_timed_us") * 1e-3, alone, 0.001 * alone) << compared.out;
}

}  // namespace
}  // namespace gridwise
