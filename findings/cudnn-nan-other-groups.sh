#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cuDNN: NaN of one group's input appears in other groups' outputs.
#
# Guess    the groups of a convolution are independent, so NaN in one group's channels stays in that group.
# Really   groups of 2, 4 and 8 channels are multiplied several at a time, as one matrix whose entries between groups are zeros, and NaN times zero is NaN.
#          Where one channel is NaN, all of the neighbouring groups in the matrix are. Which sizes depends on type, layout and direction.
# Version  cuDNN 9.19.0, PyTorch 2.11.0 (CUDA 13), H200; needs a GPU of compute capability 9.0
# Seen     64 channels, 28 x 28, 3 x 3, one image, channel 0 of x (forward) or dy (backward-data) NaN: 9,408 NaN outside of its group with 4 channels a group in
#          f16 and bf16, 6,272 with 8; none with 1, 16 and 32, and none in f32
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/cudnn.sh"

cudnn <<'PY'
import math

import cudnn
import torch

torch.manual_seed(1)
for dtype, layout, direction in cudnn.cases():
    counts = []
    for of_group in (1, 2, 4, 8, 16, 32):
        x, dy = (cudnn.tensor(torch.randn(1, 64, 28, 28), dtype, layout) for _ in range(2))
        w = cudnn.tensor(torch.randn(64, of_group, 3, 3), dtype, layout)
        (x if direction == "forward" else dy)[:, 0] = math.nan
        out = cudnn.convolve(direction, dtype, x, w, dy, groups=64 // of_group)
        others = out[of_group:] if direction == "backward-weight" else out[:, of_group:]
        counts.append(str(others.isnan().sum().item()))
    print(f"{dtype} {layout} {direction}: {' '.join(counts)}")
PY
check() {
  expect "NaN in other groups, of 1, 2, 4, 8, 16 and 32 channels a group, $1" "$2" "$(seen "$1")"
}
for type in f16 bf16; do
  check "$type NHWC forward" "0 0 9408 6272 0 0"
  check "$type NCHW forward" "0 0 0 6272 0 0"
  for layout in NHWC NCHW; do
    check "$type $layout backward-data" "0 4704 9408 6272 0 0"
  done
done
for direction in forward backward-data; do
  check "tf32 NHWC $direction" "0 0 3136 0 0 0"
  check "tf32 NCHW $direction" "0 0 0 0 0 0"
  for layout in NHWC NCHW; do
    check "f32 $layout $direction" "0 0 0 0 0 0"
  done
done
for type in f16 bf16 tf32 f32; do
  for layout in NHWC NCHW; do
    check "$type $layout backward-weight" "0 0 0 0 0 0"
  done
done
