#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ONNX Runtime: ConvTranspose with an output_shape cuts an odd element off the beginning, where the same layer with SAME_UPPER cuts it off the end.
#
# Guess    output_shape chooses the padding that gives the shape, and an odd element is at the end, as SAME of TensorFlow and output_padding of PyTorch have it.
# Really   ONNX says that the beginning has the larger half unless auto_pad is SAME_UPPER, and the default of auto_pad is NOTSET. So a layer exported with
#          output_shape alone is shifted by one from one exported with SAME_UPPER, at the same shape.
# Version  onnxruntime-node 1.30.0 (CPU), opset 19
# Seen     1 2 3 with weights 1 10 100 and stride 2 is 1 10 102 20 203 30 300; of shape 6
#          output_shape 6 alone:       10 102 20 203 30 300
#          with or by SAME_UPPER:      1 10 102 20 203 30
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/node.sh"
packages onnxruntime-node@1.30.0

cat >"$work/finding.js" <<'JS'
const { node, run, tensor } = require('./onnx.js'), { expect } = require('./expect.js');
(async () => {
  const x = tensor([1, 1, 3], [1, 2, 3]), w = tensor([1, 1, 3], [1, 10, 100]);
  const transposed = attributes => run([node('ConvTranspose', ['x', 'w'], 'y', { strides: [2], ...attributes })], { x, w });
  const full = [1, 10, 102, 20, 203, 30, 300], last = full.slice(1), first = full.slice(0, -1);
  expect('the whole result', full, await transposed({}));
  expect('output_shape 6', last, await transposed({ output_shape: [6] }));
  expect('output_shape 6 with auto_pad NOTSET', last, await transposed({ output_shape: [6], auto_pad: 'NOTSET' }));
  expect('output_shape 6 with auto_pad SAME_LOWER', last, await transposed({ output_shape: [6], auto_pad: 'SAME_LOWER' }));
  expect('output_shape 6 with auto_pad SAME_UPPER', first, await transposed({ output_shape: [6], auto_pad: 'SAME_UPPER' }));
  expect('auto_pad SAME_UPPER', first, await transposed({ auto_pad: 'SAME_UPPER' }));
})();
JS
node "$work/finding.js"
