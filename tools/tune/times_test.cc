// SPDX-License-Identifier: MIT
/// Tables of sweeps as they are read.

#include "tools/tune/times.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

constexpr char kHeader[] = "problem,device,sizes,instance,result,estimate_us,ms,limiter\n";

std::string Line(const std::string& problem, const std::string& instance, const std::string& ms) {
  return problem + ",gfx942,fwd f16 g1 of " + problem + "," + instance + ",timed,3.5," + ms +
         ",LDS\n";
}

TEST(ReadTimes, GroupsTimesByProblem) {
  const auto problems = ReadTimes(kHeader + Line("a", "x", "2") + Line("b", "x", "3") +
                                  Line("a", "y", "4") + "c,gfx942,fwd f16 g1,x,error,,,\n");
  ASSERT_TRUE(problems.ok()) << problems.status();
  ASSERT_EQ(problems->size(), 2u);
  const TimedProblem& a = problems->front();
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.direction, "fwd");
  EXPECT_EQ(a.type, "f16");
  ASSERT_EQ(a.times.size(), 2u);
  EXPECT_EQ(a.times[1].instance, "y");
  EXPECT_EQ(a.times[1].ms, 4);
  EXPECT_EQ(a.times[1].estimate_us, 3.5);
  EXPECT_EQ(a.times[1].limiter, "LDS");
  EXPECT_FALSE(a.times[1].at_least);
}

TEST(ReadTimes, WhatIsSlowerHasABound) {
  const auto problems =
      ReadTimes(kHeader + Line("a", "x", "2") + "a,gfx942,fwd f16 g1 of a,y,slower,3.5,4,\n");
  ASSERT_TRUE(problems.ok()) << problems.status();
  ASSERT_EQ(problems->front().times.size(), 2u);
  EXPECT_FALSE(problems->front().times[0].at_least);
  EXPECT_TRUE(problems->front().times[1].at_least);
  EXPECT_EQ(problems->front().times[1].ms, 4);
}

TEST(ReadTimes, TablesMayFollowEachOther) {
  const auto problems = ReadTimes(kHeader + Line("a", "x", "2") +
                                  "problem,device,instance,sizes,ms,result,estimate_us\n"
                                  "a,gfx942,x,fwd f16 g1 of a,5,timed,6\n");
  ASSERT_TRUE(problems.ok()) << problems.status();
  ASSERT_EQ(problems->size(), 1u);
  ASSERT_EQ(problems->front().times.size(), 1u) << "the last one counts";
  EXPECT_EQ(problems->front().times[0].ms, 5);
}

TEST(ReadTimes, WhatIsNoTableIsASentence) {
  EXPECT_THAT(ReadTimes("hello\n").status().message(), HasSubstr("line 1 is none of a table"));
  EXPECT_THAT(ReadTimes(std::string(kHeader) + "short\n").status().message(),
              HasSubstr("line 2 is none"));
  EXPECT_THAT(ReadTimes("problem,device\na,gfx942\n").status().message(), HasSubstr("line 1"));
  EXPECT_THAT(ReadTimes(kHeader + Line("f", "x", "0")).status().message(),
              HasSubstr("problem f on instance x has the time \"0\""));
  EXPECT_THAT(ReadTimes(std::string(kHeader) + "f,gfx942,fwd,x,timed,1,1,\n").status().message(),
              HasSubstr("problem f has the sizes \"fwd\"; must begin with a direction"));
}

}  // namespace
}  // namespace gridwise
