// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/problem_sets.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "core/conv/problem_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

TEST(ProblemSetsTest, BuiltInSetsAreFoundByName) {
  const auto sets = LoadProblemSets("", "");
  ASSERT_TRUE(sets.ok()) << sets.status();
  ASSERT_EQ(sets->size(), 3);
  const auto problem = FindProblem(*sets, "almiopen-1959");
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(problem->problem.dims[1].in, 40);
  EXPECT_EQ(problem->problem.c, 128);
  const auto gemm = FindGemm(*sets, "bert.qkv");
  ASSERT_TRUE(gemm.ok()) << gemm.status();
  EXPECT_EQ(gemm->problem.n, 2304);
  const auto one = LoadProblemSets("retinanet", "");
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_FALSE(FindProblem(*one, "almiopen-1959").ok());
  const auto by_name = LoadProblemSets("strided", "");
  ASSERT_TRUE(by_name.ok()) << by_name.status();
  for (const NamedProblem& problem : by_name->front().problems) {
    EXPECT_GT(problem.problem.dims[1].stride, 1) << problem.name;
  }
}

TEST(ProblemSetsTest, TheExampleOfTheReadmeIsASet) {
  std::ifstream file("tests/problems/README.md");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const size_t begin = text.find("```csv\n");
  ASSERT_NE(begin, text.npos);
  const auto problems =
      ParseProblems(text.substr(begin + 7, text.find("```", begin + 7) - begin - 7), "README.md");
  ASSERT_TRUE(problems.ok()) << problems.status();
  ASSERT_EQ(problems->size(), 2u);
  EXPECT_EQ((*problems)[1].problem.groups, 96);
}

TEST(ProblemSetsTest, UnknownNamesSayWhereTheyWereLookedFor) {
  const auto sets = LoadProblemSets("", "");
  ASSERT_TRUE(sets.ok()) << sets.status();
  EXPECT_THAT(FindProblem(*sets, "nothing").status().message(),
              HasSubstr("no problem is called 'nothing' in regressions, retinanet"));
}

TEST(ProblemSetsTest, LinesOfOtherProgramsAreProblems) {
  const std::vector<ProblemSet> none;
  const auto error = [&](const std::string& line) {
    return std::string(FindOrReadProblem(none, line, "").status().message());
  };
  const std::string conv = "MIOpenDriver conv -n 2 -c 8 -H 9 -W 9 -k 16 -y 3 -x 3";
  const auto problem = FindOrReadProblem(none, conv, "");
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(problem->name, conv);
  EXPECT_EQ(problem->problem.k, 16);
  EXPECT_THAT(error(conv + " -y x"), HasSubstr("--problem:1: "));
  EXPECT_THAT(error("MIOpenDriver bnorm -n 2 -c 8"), HasSubstr("left out: 1 "));
  EXPECT_THAT(error(conv + "\n" + conv + " -u 2 -v 2"), HasSubstr("it has 2 problems"));
  EXPECT_THAT(error("--problem: almiopen 1959"), HasSubstr("no problem is called '--problem: a"));
}

TEST(ProblemSetsTest, FilesAreReadFromTheUsersFolder) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/mine.csv")
      << "name,ndim,G,N,K,C,Z,Y,X,Di,Hi,Wi,stride_d,stride_h,stride_w,dil_d,dil_h,"
         "dil_w,pad_d,pad_h,pad_w,directions\n"
         "small,2,1,1,4,8,1,1,1,1,5,5,1,1,1,1,1,1,0,0,0,bwd_data\n";
  ASSERT_EQ(setenv("BUILD_WORKING_DIRECTORY", folder.c_str(), 1), 0);
  const auto sets = LoadProblemSets("mine.csv", "");
  ASSERT_TRUE(sets.ok()) << sets.status();
  EXPECT_TRUE(FindProblem(*sets, "small").ok());
  EXPECT_THAT(LoadProblemSets("none.csv", "").status().message(), HasSubstr("none.csv"));
  EXPECT_EQ(UserPath("/a/b"), "/a/b");
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_EQ(UserPath("b"), "b");
}

}  // namespace
}  // namespace gridwise
