#!/bin/sh
# SPDX-License-Identifier: MIT
# The drawing in the folder is the one that the program draws today.
chart=benchmarks/retinanet_gfx942.svg
mkdir -p "$TEST_TMPDIR/benchmarks"
BUILD_WORKSPACE_DIRECTORY=$TEST_TMPDIR "$1" gfx942 || exit 1
cmp "$chart" "$TEST_TMPDIR/$chart" && exit 0
echo "$chart is of an earlier day: ./bazelw run --config=gfx942 //benchmarks:layer_chart -- gfx942"
exit 1
