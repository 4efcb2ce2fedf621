// SPDX-License-Identifier: MIT
/// Problem sets for training and tests.

#include "tools/tune/problem_generator.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "core/conv/validate.h"
#include "gtest/gtest.h"
#include "tools/tune/networks.h"

namespace gridwise {
namespace {

TEST(Networks, LayersAreValidAndDifferent) {
  std::set<std::string> names;
  for (const NetworkLayer& layer : NetworkLayers()) {
    EXPECT_TRUE(Validate(layer.problem).ok()) << layer.name << ": " << Validate(layer.problem);
    EXPECT_TRUE(names.insert(layer.name).second) << layer.name;
  }
  EXPECT_GT(names.size(), 150u);
}

TEST(Generator, SetsOfADirectionShareNoGeometry) {
  std::vector<NamedProblem> training = GenerateProblems({.count = 1500});
  EXPECT_EQ(training.size(), 1500u);
  const std::vector<NamedProblem> test =
      GenerateProblems({.seed = 7, .use = ProblemUse::kTest, .count = 300});
  EXPECT_EQ(test.size(), 300u);
  for (const NamedProblem& seen : training) {
    for (const NamedProblem& unseen : test) {
      ConvProblem like = unseen.problem;
      like.batch = seen.problem.batch;
      EXPECT_FALSE(like == seen.problem) << seen.name << " " << unseen.name;
    }
  }
}

TEST(Generator, HasWhatThereIs) {
  const std::vector<NamedProblem> problems =
      GenerateProblems({.direction = Direction::kBackwardData, .count = 500});
  std::map<std::string, int> kinds;
  for (const NamedProblem& named : problems) {
    const ConvProblem& p = named.problem;
    EXPECT_TRUE(Validate(p).ok()) << Validate(p);
    EXPECT_EQ(p.direction, Direction::kBackwardData);
    EXPECT_LE(p.Flops(), 5e12);
    const auto any = [&p](auto holds) { return std::any_of(p.dims.begin(), p.dims.end(), holds); };
    kinds["1 axis"] += p.rank == 1;
    kinds["3 axes"] += p.rank == 3;
    kinds["depthwise"] += p.groups > 1 && p.groups == p.c && p.groups == p.k;
    kinds["grouped"] += p.groups > 1 && p.groups != p.c;
    kinds["odd channels"] += p.c_per_group() % 8 != 0 && p.groups == 1;
    kinds["strides"] += any([](const Dim& dim) { return dim.stride > 1; });
    kinds["dilation"] += any([](const Dim& dim) { return dim.dilation > 1; });
    kinds["one end"] += any([](const Dim& dim) { return dim.pad_begin != dim.pad_end; });
    kinds["network"] += !absl::StartsWith(named.name, "synthetic");
  }
  for (const auto& [kind, count] : kinds) EXPECT_GT(count, 4) << kind;
}

TEST(Generator, IsTheSameEverywhere) {
  const std::string text = PrintProblems(GenerateProblems({.count = 50}));
  EXPECT_EQ(PrintProblems(GenerateProblems({.count = 50})), text);
  EXPECT_NE(PrintProblems(GenerateProblems({.seed = 2, .count = 50})), text);
  const absl::StatusOr<std::vector<NamedProblem>> read = ParseProblems(text, "generated");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(PrintProblems(*read), text);
}

}  // namespace
}  // namespace gridwise
