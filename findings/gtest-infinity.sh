#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# GoogleTest: EXPECT_FLOAT_EQ holds for Infinity and the largest finite numbers, and EXPECT_NEAR fails for Infinity and itself.
#
# Guess    A test with EXPECT_FLOAT_EQ finds a result that overflowed; and Infinity is near Infinity.
# Really   EXPECT_FLOAT_EQ counts numbers in between, at most 4, by their bits: Infinity comes next after the largest number. It also converts both sides to
#          float first, so 1e300 equals Infinity. EXPECT_NEAR subtracts, and Infinity - Infinity is NaN. The matcher FloatNear compares first, and holds.
# Version  GoogleTest 1.12.1 of Debian 12
# Seen     EXPECT_FLOAT_EQ(INFINITY, FLT_MAX) and EXPECT_FLOAT_EQ(1e300, INFINITY) pass; EXPECT_NEAR(INFINITY, INFINITY, 1) fails: "is nan, which exceeds 1"
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/debian.sh"
packages libgtest-dev=1.12.1-0.2 libgmock-dev=1.12.1-0.2

compile gmock_main gmock gtest <<'CPP'
#include <cfloat>
#include <cmath>
#include <gmock/gmock.h>

using testing::FloatEq;
using testing::FloatNear;

TEST(FloatEq, LargestAndInfinity) { EXPECT_FLOAT_EQ(INFINITY, FLT_MAX); }
TEST(FloatEq, FourBelowInfinity) { EXPECT_FLOAT_EQ(INFINITY, std::nextafter(std::nextafter(std::nextafter(FLT_MAX, 0.f), 0.f), 0.f)); }
TEST(FloatEq, FiveBelowInfinity) { EXPECT_FLOAT_EQ(INFINITY, std::nextafter(std::nextafter(std::nextafter(std::nextafter(FLT_MAX, 0.f), 0.f), 0.f), 0.f)); }
TEST(FloatEq, DoubleBeyondFloat) { EXPECT_FLOAT_EQ(1e300, INFINITY); }
TEST(DoubleEq, LargestAndInfinity) { EXPECT_DOUBLE_EQ(INFINITY, DBL_MAX); }
TEST(FloatEqMatcher, LargestAndInfinity) { EXPECT_THAT(FLT_MAX, FloatEq(INFINITY)); }
TEST(Near, InfinityAndItself) { EXPECT_NEAR(INFINITY, INFINITY, 1); }
TEST(NearMatcher, InfinityAndItself) { EXPECT_THAT(INFINITY, FloatNear(INFINITY, 1)); }
CPP
"$work/finding" >"$work/seen" || true
outcome() { grep -oE "^\[ +(OK|FAILED) +\] $1 \(" "$work/seen" | tr -d '[]( ' | sed "s/$1//"; }
expect 'EXPECT_FLOAT_EQ of Infinity and the largest float' OK "$(outcome FloatEq.LargestAndInfinity)"
expect 'EXPECT_FLOAT_EQ of Infinity and the fourth float below it' OK "$(outcome FloatEq.FourBelowInfinity)"
expect 'EXPECT_FLOAT_EQ of Infinity and the fifth' FAILED "$(outcome FloatEq.FiveBelowInfinity)"
expect 'EXPECT_FLOAT_EQ of 1e300 and Infinity' OK "$(outcome FloatEq.DoubleBeyondFloat)"
expect 'EXPECT_DOUBLE_EQ of Infinity and the largest double' OK "$(outcome DoubleEq.LargestAndInfinity)"
expect 'the matcher FloatEq' OK "$(outcome FloatEqMatcher.LargestAndInfinity)"
expect 'EXPECT_NEAR of Infinity and itself' FAILED "$(outcome Near.InfinityAndItself)"
expect 'its message' 'is nan, which exceeds 1' "$(grep -oE 'is nan, which exceeds 1' "$work/seen")"
expect 'the matcher FloatNear' OK "$(outcome NearMatcher.InfinityAndItself)"
