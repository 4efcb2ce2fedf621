#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# TensorFlow.js: products of int32 wrap with wrong low bits on the plain backend, powers are -2^31 on the WebAssembly one, and floorDiv of floats differs.
#
# Guess    Where an int32 result overflows, it is the low 32 bits on either backend, as additions are; and floorDiv is the floor of the quotient.
# Really   The plain backend multiplies as JavaScript numbers, whose rounding loses low bits, and keeps the low 32 of what is left: (2^31 - 1)^2 is 0, not 1.
#          WebAssembly's products are exact, but of powers that overflow it makes -2^31, of either sign. Its floorDiv divides in float32, which may
#          round up to the next integer; mod does not, so x is not floorDiv * y + mod.
# Version  @tensorflow/tfjs-core, -backend-cpu and -backend-wasm 4.22.0
# Seen                                            cpu           wasm
#          (2^31 - 1) * (2^31 - 1)                0             1
#          94906267 * 94906267                    261134296     261134297
#          (2^31 - 1) + 1                         -2147483648   -2147483648
#          pow(3, 21)                             1870418611    -2147483648
#          floorDiv(1, 0.1) and mod, of float32   9 0.09999999  10 0.09999999
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/node.sh"
packages @tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-backend-cpu@4.22.0 @tensorflow/tfjs-backend-wasm@4.22.0

cat >"$work/finding.js" <<'JS'
const { tf, onEach } = require('./tfjs.js'), { expect } = require('./expect.js');
onEach(backend => {
  const on = (cpu, wasm) => backend === 'wasm' ? wasm : cpu, first = tensor => tensor.dataSync()[0];
  const int = value => tf.scalar(value, 'int32'), most = int(2 ** 31 - 1);
  expect(`(2^31 - 1) * (2^31 - 1) (${backend})`, on(0, 1), first(tf.mul(most, most)));
  expect(`94906267 * 94906267 (${backend})`, on(261134296, 261134297), first(tf.mul(int(94906267), int(94906267))));
  expect(`(2^31 - 1) + 1 (${backend})`, -(2 ** 31), first(tf.add(most, int(1))));
  expect(`pow(3, 21) (${backend})`, on(1870418611, -(2 ** 31)), first(tf.pow(int(3), int(21))));
  const one = tf.scalar(1), tenth = tf.scalar(0.1);
  expect(`floorDiv(1, 0.1) (${backend})`, on(9, 10), first(tf.floorDiv(one, tenth)));
  expect(`mod(1, 0.1) (${backend})`, '0.09999999', first(tf.mod(one, tenth)).toFixed(8));
});
JS
node "$work/finding.js"
