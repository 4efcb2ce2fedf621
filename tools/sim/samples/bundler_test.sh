#!/bin/sh
# SPDX-License-Identifier: MIT
# The stand-in for clang-offload-bundler: what it says of inputs that it cannot read. hipcc_test.sh has it join and take apart.
bundler=$PWD/$1
cd "$TEST_TMPDIR" || exit 1
fail() {
  echo "$1"
  exit 1
}
# With every option but the inputs: says which input it is and writes nothing.
refuses() { # input, message
  rm -f joined
  message=$("$bundler" -type=o -targets=host-x86_64,hipv4-gfx942 -input=/dev/null "-input=$1" -output=joined 2>&1) &&
    fail "$1 is no error"
  [ "$message" = "bundler: $1: $2" ] || fail "$message"
  [ ! -e joined ] || fail "it writes a bundle without $1"
}
refuses missing.o "No such file or directory"
refuses . "Is a directory"
message=$("$bundler" -unbundle -type=o -targets=hipv4-gfx942 -input=missing.o -output=part 2>&1) && fail "missing.o is no error"
[ "$message" = "bundler: missing.o: No such file or directory" ] || fail "$message"
[ ! -e part ] || fail "it writes a part of nothing"

# An empty input is none: clang passes /dev/null for the host.
echo code >device.o
"$bundler" -type=o -targets=host-x86_64,hipv4-gfx942 -input=/dev/null -input=device.o -output=joined || fail "it joins nothing"
[ "$(head -c 24 joined)" = "__CLANG_OFFLOAD_BUNDLE__" ] || fail "it writes no bundle"
