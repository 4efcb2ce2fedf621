#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# TensorFlow.js: on the WebAssembly backend NaN becomes -Infinity in pooling, clipping and a convolution of one channel, and 0 with a fused relu.
#
# Guess    A NaN in the input is NaN in an average and in a convolution, clipping to [-Infinity, Infinity] changes nothing, and fusing an activation changes no
#          result by more than rounding.
# Really   Kernels end by a clamp to the activation's range, [-Infinity, Infinity] without one, and in some of them the lower bound wins over a NaN. Others
#          keep it: the same convolution with two output channels is NaN. So is relu on its own.
# Version  @tensorflow/tfjs-core, -backend-cpu and -backend-wasm 4.22.0
# Seen                                                  cpu     wasm
#          average of NaN and 1                         NaN     -Infinity
#          clipByValue(NaN, -Infinity, Infinity)        NaN     -Infinity
#          1x1 convolution of NaN, one output           NaN     -Infinity
#          the same with two outputs                    NaN     NaN
#          relu(NaN)                                    NaN     NaN
#          the convolution of one output, fused relu    NaN     0
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/node.sh"
packages @tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-backend-cpu@4.22.0 @tensorflow/tfjs-backend-wasm@4.22.0

cat >"$work/finding.js" <<'JS'
const { tf, onEach } = require('./tfjs.js'), { expect } = require('./expect.js');
onEach(backend => {
  const onWasm = value => backend === 'wasm' ? value : NaN, first = tensor => tensor.dataSync()[0];
  const x = tf.tensor4d([NaN, 1], [1, 1, 2, 1]), filter = tf.ones([1, 1, 1, 1]);
  expect(`the average of NaN and 1 (${backend})`, onWasm(-Infinity), first(tf.avgPool(x, [1, 2], 1, 'valid')));
  expect(`clipByValue(NaN, -Infinity, Infinity) (${backend})`, onWasm(-Infinity), first(tf.clipByValue(x, -Infinity, Infinity)));
  expect(`a 1x1 convolution of NaN, one output (${backend})`, onWasm(-Infinity), first(tf.conv2d(x, filter, 1, 'valid')));
  expect(`a 1x1 convolution of NaN, two outputs (${backend})`, NaN, first(tf.conv2d(x, tf.ones([1, 1, 1, 2]), 1, 'valid')));
  expect(`relu(NaN) (${backend})`, NaN, first(tf.relu(x)));
  const fused = tf.fused.conv2d({ x, filter, strides: 1, pad: 'valid', activation: 'relu' });
  expect(`the convolution of one output with a fused relu (${backend})`, onWasm(0), first(fused));
});
JS
node "$work/finding.js"
