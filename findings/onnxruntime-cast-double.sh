#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ONNX Runtime: Cast from double to a narrow type rounds twice.
#
# Guess    Cast from float64 to float16, bfloat16 or float8 gives the nearest number.
# Really   It goes by float32. A number just above the middle between two neighbours becomes the middle there, and then the tie goes to the even neighbour, the
#          farther one. Python's struct.pack('e', x) rounds once.
# Version  onnxruntime-node 1.30.0 (CPU)
# Seen     1 + 2^-11 + 2^-40 to float16: 1, though 1 + 2^-10 is nearer; 1 + 2^-8 + 2^-40 to bfloat16: 1, not 1 + 2^-7; 1 + 2^-4 + 2^-40 to float8e4m3fn: 1
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/node.sh"
packages onnxruntime-node@1.30.0

cat >"$work/finding.js" <<'JS'
const { node, run, tensor } = require('./onnx.js'), { expect } = require('./expect.js');
const float64 = 11;
(async () => {
  for (const [type, code, bits] of [['float16', 10, 10], ['bfloat16', 16, 7], ['float8e4m3fn', 17, 3]]) {
    const middle = 1 + 2 ** -(bits + 1), x = [middle + 2 ** -40, middle + 2 ** -20];
    const seen = await run([node('Cast', ['x'], 't', { to: code }), node('Cast', ['t'], 'y', { to: float64 })], { x: tensor([2], x, 'float64') }, 'float64');
    expect(`Cast to ${type} of 2^-40 and 2^-20 above the middle of 1 and ${1 + 2 ** -bits}`, [1, 1 + 2 ** -bits], seen);
  }
})();
JS
node "$work/finding.js"
