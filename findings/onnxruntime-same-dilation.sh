#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ONNX Runtime: auto_pad SAME_UPPER with a dilation makes Conv fail when it runs, and MaxPool return less than the session tells.
#
# Guess    ONNX defines SAME_UPPER by the output's shape, input over stride rounded up, with any dilation; or else the model is refused when it is loaded.
# Really   Both models load, and the session tells 6 outputs for 6 inputs. Conv raises an error at its first run. MaxPool pads as if there were no dilation and
#          returns 4.
# Version  onnxruntime-node 1.30.0 (CPU)
# Seen     Conv: "Dilation not supported for AutoPadType::SAME_UPPER or AutoPadType::SAME_LOWER."
#          MaxPool of 1 2 3 4 5 6, kernel 3, dilation 2: 4 5 6 5, told shape 1,1,6
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/node.sh"
packages onnxruntime-node@1.30.0

cat >"$work/finding.js" <<'JS'
const { node, load, run, tensor } = require('./onnx.js'), { expect } = require('./expect.js');
(async () => {
  const same = { kernel_shape: [3], auto_pad: 'SAME_UPPER', dilations: [2] };
  const x = tensor([1, 1, 6], [1, 2, 3, 4, 5, 6]), w = tensor([1, 1, 3], 1);
  const conv = await load([node('Conv', ['x', 'w'], 'y', same)], { x, w });
  expect('the shape that the session of Conv tells', '1,1,6', String(conv.outputMetadata[0].shape));
  const error = await conv.run({ x, w }).then(() => 'none', e => /Dilation not supported[^.]*\./.exec(e.message)?.[0] ?? e.message);
  expect('its error', 'Dilation not supported for AutoPadType::SAME_UPPER or AutoPadType::SAME_LOWER.', error);
  const pool = await load([node('MaxPool', ['x'], 'y', same)], { x });
  expect('the shape that the session of MaxPool tells', '1,1,6', String(pool.outputMetadata[0].shape));
  expect('its result', [4, 5, 6, 5], await run([node('MaxPool', ['x'], 'y', same)], { x }));
})();
JS
node "$work/finding.js"
