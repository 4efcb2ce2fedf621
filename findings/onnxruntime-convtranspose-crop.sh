#!/usr/bin/env bash
# ONNX Runtime: ConvTranspose with output_shape leaves out the first element, not the last.
#
# Guess    output_shape 8 where the full result has 9 elements leaves out the last one.
# Really   An output_shape means padding, and its odd element goes to the start, unless auto_pad is SAME_UPPER; the default is NOTSET. The result is the one of
#          SAME_LOWER, one element off that of SAME_UPPER.
# Version  onnxruntime-node 1.30.0 (CPU)
# Seen     4 ones, filter 1 2 3, stride 2, all of it: 1 2 4 2 4 2 4 2 3
#          output_shape 8: 2 4 2 4 2 4 2 3; with SAME_LOWER the same; with SAME_UPPER: 1 2 4 2 4 2 4 2
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/node.sh"
packages onnxruntime-node@1.30.0

cat >"$work/finding.js" <<'JS'
const { node, run, tensor } = require('./onnx.js'), { expect } = require('./expect.js');
(async () => {
  const inputs = { x: tensor([1, 1, 4], 1), w: tensor([1, 1, 3], [1, 2, 3]) };
  const result = attributes => run([node('ConvTranspose', ['x', 'w'], 'y', { strides: [2], ...attributes })], inputs);
  expect('the full result', [1, 2, 4, 2, 4, 2, 4, 2, 3], await result({}));
  expect('output_shape 8', [2, 4, 2, 4, 2, 4, 2, 3], await result({ output_shape: [8] }));
  expect('output_shape 8 with SAME_LOWER', [2, 4, 2, 4, 2, 4, 2, 3], await result({ output_shape: [8], auto_pad: 'SAME_LOWER' }));
  expect('output_shape 8 with SAME_UPPER', [1, 2, 4, 2, 4, 2, 4, 2], await result({ output_shape: [8], auto_pad: 'SAME_UPPER' }));
})();
JS
node "$work/finding.js"
