#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cuDNN: weight gradients in f16 and bf16 are three times less exact for some numbers of images.
#
# Guess    sums are f32 whatever their length, so that the error is that of rounding the result to 16 bits.
# Really   from 56 to 96 images of 64 x 64 the error is 3.3 to 3.5 times that of rounding, as if parts of a sum were rounded to 16 bits before they are added
#          up. With fewer and with more images it is that of rounding.
# Version  cuDNN 9.19.0, PyTorch 2.11.0 (CUDA 13), H200; needs a GPU of compute capability 9.0
# Seen     1 x 1, 64 to 64 channels, NHWC, normal operands, the root of the mean square of the error against f64: in bf16 5.5e-3 of the gradients' for 64 images,
#          1.7e-3 for 48 and 128
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/cudnn.sh"

cudnn <<'PY'
import cudnn
import torch

for dtype in ("f16", "bf16"):
    for images in (16, 32, 48, 64, 128, 256):
        torch.manual_seed(1)
        x, dy = (cudnn.tensor(torch.randn(images, 64, 64, 64, device="cuda") / (64 * images) ** 0.5, dtype, "NHWC") for _ in range(2))
        w = cudnn.tensor(torch.zeros(64, 64, 1, 1), dtype, "NHWC")
        exact = torch.einsum("nkhw,nchw->kc", dy.double(), x.double())
        rounded = exact.to(cudnn.TYPES[dtype]).double()
        error = cudnn.convolve("backward-weight", dtype, x, w, dy).view(64, 64).double() - exact
        times = (error.norm() / (rounded - exact).norm()).item()
        print(f"{dtype} {images}: {times:.1f} {'as rounding' if times < 1.1 else 'more than 3 times' if times > 3 else 'else'}")
PY
cat "$work/seen"
for type in f16 bf16; do
  for images in 16 32 48 128 256; do
    expect "the error in $type for $images images" "as rounding" "$(seen "$type $images" | cut -d ' ' -f 2-)"
  done
  expect "the error in $type for 64 images" "more than 3 times" "$(seen "$type 64" | cut -d ' ' -f 2-)"
done
