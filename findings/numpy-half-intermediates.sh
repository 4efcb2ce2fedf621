#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# NumPy: of float16, mean and median are right where var, std, average with weights, percentile and norm are infinite.
#
# Guess    Reductions of float16 all have float32 between input and result, as mean has.
# Really   mean has. The others compute in float16: var squares, average adds up weighted numbers, percentile takes a difference of neighbours. The variance
#          of a constant is Infinity, and the 50th percentile of -60000 and 60000 is -Infinity. dtype=numpy.float32 helps var alone.
# Version  NumPy 1.24.2 (that of Debian 12, PYTHON=/usr/bin/python3)
# Seen     ten numbers 60000: mean 60000, median 60000, var inf, std inf, average with weights 1 inf; -60000 and 60000: median 0, percentile 50 -inf;
#          300 and 400: norm inf
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/python.sh"
packages numpy==1.24.2

cat >"$work/finding.py" <<'PY'
import warnings

import numpy

warnings.simplefilter("ignore")
same = numpy.full(10, 60000, numpy.float16)
far = numpy.array([-60000, 60000], numpy.float16)
sides = numpy.array([300, 400], numpy.float16)
print("mean and median of 60000:", same.mean(), numpy.median(same))
print("var and std of 60000:", same.var(), same.std())
print("var of 60000 in float32:", same.var(dtype=numpy.float32))
print("average of 60000 without weights and with:", numpy.average(same), numpy.average(same, weights=numpy.ones_like(same)))
print("median and percentile 50 of -60000 and 60000:", numpy.median(far), numpy.percentile(far, 50))
print("norm of 300 and 400:", numpy.linalg.norm(sides))
PY
"$python" "$work/finding.py" >"$work/seen"
seen() { sed -n "s/^$1: //p" "$work/seen"; }
while IFS=: read -r what wanted; do
  expect "$what" "${wanted# }" "$(seen "$what")"
done <<'STATED'
mean and median of 60000: 60000.0 60000.0
var and std of 60000: inf inf
var of 60000 in float32: 0.0
average of 60000 without weights and with: 60000.0 inf
median and percentile 50 of -60000 and 60000: 0.0 -inf
norm of 300 and 400: inf
STATED
