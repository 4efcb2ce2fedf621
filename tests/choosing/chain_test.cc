// SPDX-License-Identifier: MIT
/// From traits to a validated model, in small: the commands of tools/tune/README.md, but for the
/// training itself, in whose place a model by hand stands.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/text/shell.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "tools/page/page_data.h"

namespace gridwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string File(const std::string& name) { return absl::StrCat(testing::TempDir(), "/", name); }

std::string ReadText(const std::string& name) {
  std::ifstream file(File(name));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// What the program says, which must end with `status`.
std::string Gridwise(const std::string& arguments, int status = 0) {
  const std::string command = absl::StrCat("XDG_CACHE_HOME=", testing::TempDir(),
                                           " tools/gridwise/gridwise ", arguments, " 2>&1");
  const ShellResult result = Shell(command);
  EXPECT_EQ(result.status, status) << arguments << "\n" << result.out;
  return result.out;
}

/// A model of a single tree for the features of a table, by which instances with tiles of 128 or
/// more along m take a million times longer than they are estimated to.
std::string ModelFor(const std::string& features) {
  const std::vector<std::string> lines = absl::StrSplit(features, '\n');
  const std::vector<std::string> header = absl::StrSplit(lines.front(), ',');
  std::string text =
      "date 2026-01-01\ntrainer a pencil\ninstances 0\ngroup gfx942 fwd f16 9 0.5 0.6\nfamily "
      "tile\n";
  // Features follow what is known of a time.
  const auto first = std::ranges::find(header, "at_least") - header.begin() + 1;
  int tile_m = -1;
  for (auto i = static_cast<std::size_t>(first); i < header.size(); ++i) {
    if (header[i] == "tile_m") tile_m = static_cast<int>(i - static_cast<std::size_t>(first));
    absl::StrAppend(&text, "feature ", header[i], " -1e9 1e9\n");
  }
  return absl::StrCat(text, "tree ", tile_m, "<128 0 20\n");
}

TEST(Chain, FromTraitsToAValidatedModel) {
  Gridwise(
      absl::StrCat("instances --config=tools/tune/examples/small.json --arch=gfx942 "
                   "--where='occupancy == 2' --export=",
                   File("instances.json")));
  Gridwise(absl::StrCat("compile --jobs=2 --instances=", File("instances.json")));
  Gridwise(absl::StrCat("problems --use=test --direction=fwd --number=4 --max-flops=50M --csv=",
                        File("problems.csv")));
  const std::string sweep =
      absl::StrCat("sweep --problems=", File("problems.csv"),
                   " --instances=", File("instances.json"), " --direction=fwd --time --quick ");
  Gridwise(absl::StrCat(sweep, "--shard=1/2 --csv=", File("1.csv")));
  Gridwise(absl::StrCat(sweep, "--shard=2/2 --workers=1 --csv=", File("2.csv")));
  Gridwise(absl::StrCat("merge ", File("1.csv"), " ", File("2.csv"), " --csv=", File("times.csv")));
  // A header, four problems on three kernels each, and the end of the last line.
  EXPECT_THAT(std::vector<std::string>(absl::StrSplit(ReadText("times.csv"), '\n')), SizeIs(14));
  EXPECT_EQ(Gridwise(absl::StrCat("merge ", File("1.csv"), " --csv=", File("times.csv"))), "");
  EXPECT_THAT(std::vector<std::string>(absl::StrSplit(ReadText("times.csv"), '\n')), SizeIs(14))
      << "what is there already is not repeated";

  Gridwise(absl::StrCat("features ", File("times.csv"), " --csv=", File("features.csv")));
  const std::string features = ReadText("features.csv");
  EXPECT_THAT(std::vector<std::string>(absl::StrSplit(features, '\n')), SizeIs(14));
  std::ofstream(File("model.inc")) << ModelFor(features);
  const std::string validated =
      Gridwise(absl::StrCat("validate ", File("times.csv"), " --model=", File("model.inc")));
  EXPECT_THAT(validated,
              AllOf(HasSubstr("model: 2026-01-01, a pencil"),
                    HasSubstr("gfx942 fwd f16: 4 problems, 3.0 kernels each"),
                    HasSubstr("  planner "), HasSubstr("  estimates "),
                    HasSubstr("  model wherever trained "), HasSubstr("  largest tile ")));
  Gridwise(absl::StrCat("report ", File("times.csv"), " --html=", File("report.html")));
  const absl::StatusOr<llvm::json::Value> page = PageData(ReadText("report.html"));
  ASSERT_TRUE(page.ok()) << page.status();
  const llvm::json::Array& groups = *page->getAsObject()->getArray("groups");
  ASSERT_EQ(groups.size(), 1u);
  const llvm::json::Array& problems = *groups[0].getAsObject()->getArray("problems");
  EXPECT_EQ(problems.size(), 4u);
  for (const llvm::json::Value& problem : problems) {
    EXPECT_EQ(problem.getAsObject()->getArray("times")->size(), 3u);
  }
}

TEST(Chain, MistakesAreSentences) {
  EXPECT_THAT(Gridwise("validate --against=luck x.csv", 2), HasSubstr("must be oracle"));
  EXPECT_THAT(Gridwise("validate", 2), HasSubstr("no table is named"));
  EXPECT_THAT(Gridwise("merge nowhere.csv --csv=-", 2), HasSubstr("cannot read nowhere.csv"));
  EXPECT_THAT(Gridwise("sweep --shard=3/2 --problems=retinanet", 2),
              HasSubstr("--shard is '3/2'; must be two numbers"));
  std::ofstream(File("bad.model")) << "tree 1\n";
  EXPECT_THAT(Gridwise(absl::StrCat("validate x.csv --model=", File("bad.model")), 2),
              HasSubstr("bad.model: the model has 0 features"));
}

/// A sweep that is killed goes on and ends with the table of one that was not.
TEST(Sweep, KilledAtAnyMomentResumes) {
  std::ofstream(File("few.csv"))
      << "name,ndim,G,N,K,C,Z,Y,X,Di,Hi,Wi,stride_d,stride_h,stride_w,dil_d,dil_h,dil_w,pad_d,"
         "pad_h,pad_w,directions\n"
         "a,2,1,1,32,32,1,1,1,1,8,8,1,1,1,1,1,1,0,0,0,fwd\n"
         "b,2,1,2,64,32,1,3,3,1,9,9,1,1,1,1,1,1,0,1,1,fwd\n";
  const std::string sweep =
      absl::StrCat("sweep --problems=", File("few.csv"),
                   " --direction=fwd --family=tile --time --all-instances --csv=");
  Gridwise(sweep + File("whole.csv"));
  for (double seconds = 0.05; ReadText("killed.csv").find(",timed,") == std::string::npos;
       seconds *= 1.5) {
    ASSERT_LT(seconds, 60);
    const std::string killed =
        absl::StrCat("timeout -s KILL ", seconds, " tools/gridwise/gridwise ", sweep,
                     File("killed.csv"), " >", File("killed.txt"), " 2>&1");
    EXPECT_NE(std::system(killed.c_str()), -1);
  }
  // As a kill within a write leaves it.
  std::ofstream(File("killed.csv"), std::ios::app) << "like-this,gfx942,fwd f16 g1";
  Gridwise(sweep + File("killed.csv"));
  EXPECT_EQ(ReadText("killed.csv"), ReadText("whole.csv"));
}

}  // namespace
}  // namespace gridwise
