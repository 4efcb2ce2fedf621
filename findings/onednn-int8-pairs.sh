#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# oneDNN: convolutions of u8 and s8 with sums in s32 saturate in between: 2 * 255 * 127 is 32767 on a CPU without VNNI.
#
# Guess    With s32 as the type of the output, sums are exact: that is what s32 is for, and 2 * 255 * 127 = 64770 is far below its bound.
# Really   Kernels for SSE4.1 and AVX2 add two adjacent products in 16 bits, with saturation, before they add up in 32 bits. The same call on the same
#          machine is exact if the instructions for AVX-512 VNNI are allowed. oneDNN's guide says so, and to scale weights to 7 bits.
# Version  oneDNN 2.6.3 of Debian 12 (CPU, x86)
# Seen     1 x 1 of channels of 255, weights 127, DNNL_MAX_CPU_ISA=AVX2: 2 channels 32767 (exact: 64770), 16 channels 262136 (518160)
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/onednn.sh"

compile_onednn <<'CPP'
int main() {
  for (const int weight : {127, 64}) {
    for (const int c : {1, 2, 16}) {
      const memory::dims x_size = {1, c, 1, 1}, w_size = {16, c, 1, 1}, y_size = {1, 16, 1, 1};
      convolution_forward::primitive_desc desc(
          {prop_kind::forward_inference, algorithm::convolution_direct, {x_size, Type::u8, Tag::any}, {w_size, Type::s8, Tag::any},
           {y_size, Type::s32, Tag::any}, {1, 1}, {0, 0}, {0, 0}}, cpu);
      const memory x = Make<std::uint8_t>({x_size, Type::u8, Tag::nchw}, std::vector<std::uint8_t>(c, 255));
      const memory w = Make<std::int8_t>({w_size, Type::s8, Tag::oihw}, std::vector<std::int8_t>(16 * c, weight));
      memory y = Empty(desc.dst_desc());
      convolution_forward(desc).execute(in_order, {{DNNL_ARG_SRC, As(x, desc.src_desc())},
                                                   {DNNL_ARG_WEIGHTS, As(w, desc.weights_desc())}, {DNNL_ARG_DST, y}});
      in_order.wait();
      Print<std::int32_t>(As(y, {y_size, Type::s32, Tag::nchw}), 1);
    }
  }
}
CPP
for isa in SSE41 AVX2; do
  mapfile -t seen < <(DNNL_MAX_CPU_ISA=$isa "$work/finding")
  expect "255 * 127 with $isa" 32385 "${seen[0]}"
  expect "the sum of 2" 32767 "${seen[1]}"
  expect "the sum of 16" 262136 "${seen[2]}"
  expect "the sum of 16 with weights of 64" 261120 "${seen[5]}"
done
