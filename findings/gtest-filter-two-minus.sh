#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# GoogleTest: --gtest_filter=-Slow.*:-Large.* leaves out Slow alone, and -Slow.*-Large.* nothing at all.
#
# Guess    Each pattern with a minus is left out, as in the filters of many tools.
# Really   The first minus ends the patterns of tests to run; all that follow it are left out anyway. A second minus is a character of the pattern, and no test
#          has such a name. There is no warning: the tests that should not run do.
# Version  GoogleTest 1.12.1 of Debian 12
# Seen     of Fast.A, Slow.A and Large.A, -Slow.*:-Large.* runs Fast.A Large.A, -Slow.*-Large.* all three, and -Slow.*:Large.* Fast.A
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/debian.sh"
packages libgtest-dev=1.12.1-0.2

compile gtest_main gtest <<'CPP'
#include <gtest/gtest.h>

TEST(Fast, A) {}
TEST(Slow, A) {}
TEST(Large, A) {}
CPP
tests() { "$work/finding" --gtest_color=no --gtest_filter="$1" | grep -oE '\] [A-Za-z]+\.A$' | cut -c3- | xargs; }
expect 'what -Slow.*:-Large.* runs' 'Fast.A Large.A' "$(tests '-Slow.*:-Large.*')"
expect 'what -Slow.*-Large.* runs' 'Fast.A Slow.A Large.A' "$(tests '-Slow.*-Large.*')"
expect 'what *:-Slow.*:-Large.* runs' 'Fast.A Large.A' "$(tests '*:-Slow.*:-Large.*')"
expect 'what -Slow.*:Large.* runs' Fast.A "$(tests '-Slow.*:Large.*')"
