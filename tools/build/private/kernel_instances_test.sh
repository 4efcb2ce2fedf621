#!/bin/sh
# SPDX-License-Identifier: MIT
# What kernel_instances.awk, the argument, makes of lists of instances.
set -eu
script=$(realpath "$1")
cd "${TEST_TMPDIR:?}"

deal() { # deal LIST VARIABLE=VALUE...
  list=$1
  shift
  for variable; do set -- "$@" -v "$variable" && shift; done
  awk "$@" -f "$script" "$list"
}
is() { # is WHAT WANTED GOT
  [ "$2" = "$3" ] || { printf '%s: wanted\n%s\nand got\n%s\n' "$1" "$2" "$3" && exit 1; }
}

cat >list <<'LIST'
// A comment (of no instance).
FORWARD(       .type = kF16,  .tile = {64, 64, 32})
REQUESTED_BACKWARD_DATA(.type = kBF16, .tile = {64, 64, 32})
WEIGHT(.type = kF16, .tile = {128, 64, 32})
LIST
codes=$(deal list what=codes shards=2)
is "instances of the list" 3 "$(echo "$codes" | grep -cE '^\{[01], "[0-9a-f]{8}"\},$')"

# The same instances among others, in another order, asked for otherwise and with other blanks.
cat >longer <<'LIST'
WEIGHT(.type = kF16,   .tile = {128,64,32})
FORWARD(.type = kF32, .tile = {64, 64, 32})
REQUESTED_FORWARD(.type = kF16, .tile = {64, 64, 32})
BACKWARD_DATA(.type = kBF16, .tile = {64, 64, 32})
LIST
is "instances that a longer list shares" "$(echo "$codes" | sort)" "$(deal longer what=codes shards=2 | sed 2d | sort)"

is "a shard an instance" "0 1 2" "$(deal list what=codes shards=3 | sed 's/{\([0-9]*\),.*/\1/' | xargs)"

# Each instance is in the source of its shard and in no other, and only if it is wanted.
for shard in 0 1; do
  deal list what=source shards=2 shard=$shard header=a/b.h 'wanted=^' 'types=^' >"source$shard"
  is "first line" '#include "a/b.h"' "$(head -n 1 "source$shard")"
  is "instances of shard $shard" "$(echo "$codes" | sed -n "s/{$shard, \"\(.*\)\"},/\1/p")" \
    "$(sed -n 's/#define GRIDWISE_INSTANCE_HASH //p' "source$shard")"
done
is "instances of both" 3 "$(cat source0 source1 | grep -cE '^(FORWARD|BACKWARD_DATA|WEIGHT)[(]')"
is "wanted instances" "WEIGHT(.type = kF16, .tile = {128, 64, 32})" \
  "$(for shard in 0 1; do deal list what=source shards=2 shard=$shard header=h 'wanted=^WEIGHT' types=kF16; done | grep '^WEIGHT')"

# A line for several types is the same instances as a line each.
cat >each <<'LIST'
FORWARD(.type = kF16, .k = 2)
FORWARD(.type = kBF16, .k = 2)
REQUESTED_FORWARD(.type = kF16, .k = 3)
REQUESTED_FORWARD(.type = kBF16, .k = 3)
LIST
cat >both <<'LIST'
FORWARD(.types = {kF16, kBF16}, .k = 2)
REQUESTED_FORWARD(.types = {kF16,kBF16}, .k = 3)
LIST
is "codes of both types" "$(deal each what=codes shards=4)" "$(deal both what=codes shards=4)"
is "instances of both types" "$(cat each)" "$(deal both what=instances shards=4)"
is "the source of one type" "FORWARD(.type = kBF16, .k = 2)" \
  "$(deal both what=source shards=1 shard=0 header=h 'wanted=^FORWARD' 'types=kBF16[,)]' | grep 'k = 2')"

cat list list >twice
message=$(deal twice what=codes shards=2 2>&1) && { echo "an instance that is there twice is no error" && exit 1; }
is "message" "twice:6: has the hash of line 2; is it the same instance?" "$message"
