#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cuDNN: PyTorch's default f32 gradients differ from run to run, those of f16 and bf16 do not.
#
# Guess    either all of cuDNN's backward algorithms add by atomics, or those of 16 bits do, where splits of long sums pay most.
# Really   of eleven layers, the f32 gradients of most differ in every run, in any layout; in tf32 one does, the data gradient of a 7 x 7 stem; none in f16 and
#          bf16. torch.backends.cudnn.deterministic = True makes all of them equal.
# Version  cuDNN 9.19.0, PyTorch 2.11.0 (CUDA 13), H200; needs a GPU of compute capability 9.0
# Seen     the layers named below, each with as many different results as runs
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/cudnn.sh"

cudnn <<'PY'
import cudnn
import torch

# Name: images, channels, filters, groups, size, filter, stride.
LAYERS = {
    "64@56": (32, 64, 64, 1, [56, 56], 3, 1), "256@14": (32, 256, 256, 1, [14, 14], 3, 1), "1x1@56": (32, 256, 64, 1, [56, 56], 1, 1),
    "stride2@56": (32, 128, 128, 1, [56, 56], 3, 2), "stem": (32, 3, 64, 1, [224, 224], 7, 2), "groups-of-4@56": (32, 128, 128, 32, [56, 56], 3, 1),
    "groups-of-16@28": (32, 256, 256, 16, [28, 28], 3, 1), "depthwise3@56": (32, 128, 128, 128, [56, 56], 3, 1),
    "depthwise7@28": (32, 128, 128, 128, [28, 28], 7, 1), "volume@24": (4, 32, 32, 1, [24, 24, 24], 3, 1), "line@2000": (8, 128, 128, 1, [2000], 15, 1),
}
RUNS = 8


def results(layer, dtype, layout, direction):
    """Returns how many different results there are in RUNS runs."""
    images, channels, filters, groups, size, taps, stride = layer
    torch.manual_seed(1)
    random = lambda *shape: cudnn.tensor(torch.randn(*shape, device="cuda"), dtype, layout)
    x, w = random(images, channels, *size), random(filters, channels // groups, *(taps for _ in size))
    dy = random(images, filters, *((n - 1) // stride + 1 for n in size))
    different = []
    for _ in range(RUNS):
        out = cudnn.convolve(direction, dtype, x, w, dy, stride, groups)
        if not any(torch.equal(out, other) for other in different):
            different.append(out)
    return len(different)


for deterministic in (False, True):
    torch.backends.cudnn.deterministic = deterministic
    for dtype, layout, direction in cudnn.cases():
        counts = {name: results(layer, dtype, layout, direction) for name, layer in LAYERS.items()}
        print(f"{deterministic} {dtype} {layout} {direction}: {' '.join(name for name, count in counts.items() if count > 1)}")
PY
check() {
  expect "what differs from run to run, $1" "$2" "$(seen "False $1")"
}
for layout in NHWC NCHW; do
  for direction in forward backward-data backward-weight; do
    check "f16 $layout $direction" ""
    check "bf16 $layout $direction" ""
    for type in f16 bf16 tf32 f32; do
      expect "the same where torch.backends.cudnn.deterministic, $type $layout $direction" "" "$(seen "True $type $layout $direction")"
    done
  done
  check "tf32 $layout forward" ""
  check "tf32 $layout backward-data" "stem"
  check "tf32 $layout backward-weight" ""
  check "f32 $layout forward" ""
  check "f32 $layout backward-data" "256@14 stride2@56 stem groups-of-16@28"
  check "f32 $layout backward-weight" "1x1@56 stride2@56 stem groups-of-4@56 groups-of-16@28 line@2000"
done
