#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# TensorFlow.js: whether an infinite weight makes NaN of the border depends on the backend.
#
# Guess    Padding with zeros means one thing in every backend of one library: 0 * -Infinity at the border is NaN in all, or in none.
# Really   The plain backend leaves positions outside of the image out; the WebAssembly one reads a row of zeros there and multiplies it.
# Version  @tensorflow/tfjs-core, -backend-cpu and -backend-wasm 4.22.0
# Seen     6x6x3 ones, 3x3 filter of 0.5 with one tap of -Infinity, 4 outputs, "same": NaN among 144 outputs 0 (cpu) and 44 (wasm: 11 of 36 positions)
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/node.sh"
packages @tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-backend-cpu@4.22.0 @tensorflow/tfjs-backend-wasm@4.22.0

cat >"$work/finding.js" <<'JS'
const { tf, onEach } = require('./tfjs.js'), { expect } = require('./expect.js');
onEach(backend => {
  const firstTap = tf.reshape(tf.concat([tf.fill([1, 3, 4], -Infinity), tf.fill([8, 3, 4], 0.5)]), [3, 3, 3, 4]);
  const y = Array.from(tf.conv2d(tf.ones([1, 6, 6, 3]), firstTap, 1, 'same').dataSync());
  expect(`NaN among ${y.length} outputs (${backend})`, { cpu: 0, wasm: 44 }[backend], y.filter(Number.isNaN).length);
});
JS
node "$work/finding.js"
