#!/usr/bin/env bash
# ONNX Runtime: ConvTranspose with output_shape drops the first row and column, not the last.
#
# Guess    output_shape [8, 8] where the full result has 9 x 9 leaves out the end, as frameworks do whose odd element of padding goes there.
# Really   The operator's auto_pad defaults to NOTSET, and with an output_shape any value but SAME_UPPER puts the odd element of padding at the start: each
#          output moves by one against SAME_UPPER with the same shape.
# Version  onnxruntime-node 1.30.0 (CPU)
# Seen     4 ones, filter 1 2 3, stride 2, all of it: 1 2 4 2 4 2 4 2 3
#          output_shape 8: 2 4 2 4 2 4 2 3; with SAME_UPPER: 1 2 4 2 4 2 4 2
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
  expect('output_shape 8 with SAME_UPPER', [1, 2, 4, 2, 4, 2, 4, 2], await result({ output_shape: [8], auto_pad: 'SAME_UPPER' }));
})();
JS
node "$work/finding.js"
