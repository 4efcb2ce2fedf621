#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cuDNN: whether an infinite weight makes NaN where it meets padding depends on type, layout, direction and groups.
#
# Guess    padding is zeros, and zero times infinity is NaN, always or never.
# Really   NHWC in f16, bf16 and tf32 multiplies the zeros of padding; NCHW does without groups, forward, and mostly does not with groups; backward-weight with 16
#          groups of 4 never does. PyTorch runs f32 with 64 groups by kernels of its own in NHWC.
# Version  cuDNN 9.19.0, PyTorch 2.11.0 (CUDA 13), H200; needs a GPU of compute capability 9.0
# Seen     64 channels, 6 x 6, 3 x 3, weights of 0.5 with a corner tap of -infinity, in 1, 16 and 64 groups: 704 of 2,304 outputs are NaN wherever padding is
#          multiplied, and else none. Backward-weight, dy infinite at one corner: 20,480, 1,280 and 320 gradients would be
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/cudnn.sh"

cudnn <<'PY'
import math

import cudnn
import torch

for dtype, layout, direction in cudnn.cases():
    counts = []
    for groups in (1, 16, 64):
        x, dy = (cudnn.tensor(torch.ones(1, 64, 6, 6), dtype, layout) for _ in range(2))
        w = cudnn.tensor(torch.full((64, 64 // groups, 3, 3), 0.5), dtype, layout)
        (dy if direction == "backward-weight" else w)[:, :, 0, 0] = -math.inf
        out = cudnn.convolve(direction, dtype, x, w, dy, groups=groups)
        counts.append(str(out.isnan().sum().item()))
    print(f"{dtype} {layout} {direction}: {' '.join(counts)}")
PY
check() {
  expect "NaN in 1, 16 and 64 groups, $1" "$2" "$(seen "$1")"
}
for type in f16 bf16; do
  check "$type NHWC forward" "704 704 704"
  check "$type NHWC backward-data" "704 704 704"
  check "$type NHWC backward-weight" "20480 0 320"
  check "$type NCHW forward" "704 0 0"
  check "$type NCHW backward-data" "704 704 0"
  check "$type NCHW backward-weight" "20480 0 0"
done
check "tf32 NHWC forward" "704 704 704"
check "tf32 NHWC backward-data" "704 704 704"
check "f32 NHWC forward" "704 0 704"
check "f32 NHWC backward-data" "0 0 704"
for type in tf32 f32; do
  check "$type NCHW forward" "704 0 0"
  check "$type NCHW backward-data" "0 0 0"
  for layout in NHWC NCHW; do
    check "$type $layout backward-weight" "20480 0 0"
  done
done
