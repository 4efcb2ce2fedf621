#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# oneDNN: relu of NaN is 0, clip of NaN is the lower bound, and the maximum of a window of NaN is the least finite number.
#
# Guess    NaN goes through, as it does in PyTorch and NumPy, and a maximum of nothing but NaN is NaN.
# Really   x86's maximum instruction returns its second operand if one is NaN. Kernels for SSE4.1, AVX2 and AVX-512 have the bound there. A sum of the same
#          elements is NaN, so a network's NaN is gone after its first relu.
# Version  oneDNN 2.6.3 of Debian 12 (CPU, x86)
# Seen     eltwise_relu with alpha 0: 0; eltwise_clip to -1 ... 2: -1; pooling_max of 2 x 2 NaN: -3.40282347e+38; eltwise_linear: NaN
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/onednn.sh"

compile_onednn <<'CPP'
void Eltwise(algorithm kind, float alpha, float beta) {
  const memory x = Make<float>({{1, 1, 1, 3}, Type::f32, Tag::nchw}, {NAN, -5, 5});
  memory y = Empty(x.get_desc());
  eltwise_forward::primitive_desc desc({prop_kind::forward_inference, kind, x.get_desc(), alpha, beta}, cpu);
  eltwise_forward(desc).execute(in_order, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
  in_order.wait();
  Print<float>(y, 3);
}
int main() {
  Eltwise(algorithm::eltwise_relu, 0, 0);
  Eltwise(algorithm::eltwise_clip, -1, 2);
  Eltwise(algorithm::eltwise_linear, 1, 0);
  const memory x = Make<float>({{1, 1, 2, 2}, Type::f32, Tag::nchw}, {NAN, NAN, NAN, NAN});
  memory y = Empty({{1, 1, 1, 1}, Type::f32, Tag::nchw});
  pooling_forward::primitive_desc desc(
      {prop_kind::forward_inference, algorithm::pooling_max, x.get_desc(), y.get_desc(), {2, 2}, {2, 2}, {0, 0}, {0, 0}}, cpu);
  pooling_forward(desc).execute(in_order, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
  in_order.wait();
  Print<float>(y, 1);
}
CPP
for isa in SSE41 AVX2; do
  mapfile -t seen < <(DNNL_MAX_CPU_ISA=$isa "$work/finding")
  expect "relu of NaN, -5 and 5 with $isa" "0 0 5" "${seen[0]}"
  expect "their clip to -1 ... 2" "-1 -1 2" "${seen[1]}"
  expect "their product with 1" "nan -5 5" "${seen[2]}"
  expect "the maximum of four NaN" "-3.40282347e+38" "${seen[3]}"
done
