#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ONNX Runtime: MaxPool of -Infinity is -Infinity in two dimensions and -3.4e38 in one and three.
#
# Guess    The maximum of -Infinity alone is -Infinity; there is no padding in it either.
# Really   It depends on rank and dilation whether the maximum begins with the lowest finite number, which then is the result. GlobalMaxPool and ReduceMax over
#          the same elements disagree. A mask of -Infinity that is pooled in 1-D comes out finite.
# Version  onnxruntime-node 1.30.0 (CPU). In 1.21.0 the dilated one gives -3.4e38 too.
# Seen     MaxPool 1-D: -3.4028234663852886e+38, 2-D: -Infinity, 3-D: -3.4028234663852886e+38, 1-D with dilation 2: -Infinity,
#          GlobalMaxPool: -3.4028234663852886e+38, ReduceMax: -Infinity
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/node.sh"
packages onnxruntime-node@1.30.0

cat >"$work/finding.js" <<'JS'
const { node, run, tensor } = require('./onnx.js'), { expect } = require('./expect.js');
const lowest = -3.4028234663852886e+38;
(async () => {
  const first = async (operator, rank, attributes) => {
    const x = tensor([1, 1, ...Array(rank).fill(3)], -Infinity);
    return (await run([node(operator, ['x'], 'y', attributes)], { x }))[0];
  };
  for (const [rank, wanted] of [[1, lowest], [2, -Infinity], [3, lowest]])
    expect(`MaxPool of -Infinity, ${rank}-D`, wanted, await first('MaxPool', rank, { kernel_shape: Array(rank).fill(2) }));
  expect('MaxPool of -Infinity, 1-D with dilation 2', -Infinity, await first('MaxPool', 1, { kernel_shape: [2], dilations: [2] }));
  expect('GlobalMaxPool of -Infinity', lowest, await first('GlobalMaxPool', 2));
  expect('ReduceMax of -Infinity', -Infinity, await first('ReduceMax', 2));
})();
JS
node "$work/finding.js"
