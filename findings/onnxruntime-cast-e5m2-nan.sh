#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ONNX Runtime: Cast to float8e5m2 without saturation makes NaN of numbers just above the largest, and Infinity of larger ones.
#
# Guess    With saturate=0 what rounds above e5m2's largest number, 57344, becomes Infinity, as ONNX's table of casts says; NaN comes from NaN alone.
# Really   From 61440, halfway to the next power of two, up to below 65536 the result is NaN: of either sign, finite, and between numbers that become 57344
#          and others that become Infinity.
# Version  onnxruntime-node 1.30.0 (CPU); 1.21.0 does the same
# Seen     61439 -> 57344, 61440 -> NaN, 65535 -> NaN, 65536 -> Infinity, 1e6 -> Infinity
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/node.sh"
packages onnxruntime-node@1.30.0

cat >"$work/finding.js" <<'JS'
const { node, run, tensor } = require('./onnx.js'), { expect } = require('./expect.js');
const float8e5m2 = 19, float32 = 1;
(async () => {
  const x = [57344, 61439, 61440, 65535, 65536, 1e6, -61439, -61440, -65536];
  const seen = await run([node('Cast', ['x'], 't', { to: float8e5m2, saturate: 0 }), node('Cast', ['t'], 'y', { to: float32 })], { x: tensor([x.length], x) });
  expect(`Cast of ${x.join(' ')}`, [57344, 57344, NaN, NaN, Infinity, Infinity, -57344, NaN, -Infinity], seen);
})();
JS
node "$work/finding.js"
