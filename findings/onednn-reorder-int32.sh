#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# oneDNN: a reorder of 3e9 from f32 to s32 is 2147483520 if the tensor has 3, 5 or 7 elements, and -2147483648 if it has 4, 8 or 12.
#
# Guess    Conversions to integers saturate, as those to s8 and u8 do, whatever the size of the tensor.
# Really   Where elements come in fours, x86's vector instruction alone converts them, and returns the most negative integer from 2^31 on. Others are
#          clamped first. So a sum or a bias that overflows changes its sign with the shape, or with the layout.
# Version  oneDNN 2.6.3 of Debian 12 (CPU, x86)
# Seen     3e9 in a tensor of 1 ... 9 elements: 2147483520, but for 4 and 8: -2147483648. Infinity likewise; as s8 both are always 127
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/onednn.sh"

compile_onednn <<'CPP'
int main() {
  for (const float value : {3e9f, INFINITY}) {
    for (int n = 1; n <= 9; ++n) {
      const memory x = Make<float>({{n}, Type::f32, Tag::a}, std::vector<float>(n, value));
      Print<std::int32_t>(As(x, {{n}, Type::s32, Tag::a}), 1);
      Print<std::int8_t>(As(x, {{n}, Type::s8, Tag::a}), 1);
    }
  }
  const memory x = Make<float>({{1, 8, 2, 2}, Type::f32, Tag::nchw}, std::vector<float>(32, 3e9f));
  Print<std::int32_t>(As(x, {{1, 8, 2, 2}, Type::s32, Tag::nchw}), 1);
  Print<std::int32_t>(As(x, {{1, 8, 2, 2}, Type::s32, Tag::nhwc}), 1);
}
CPP
clamped=2.14748352e+09
wrapped=-2.14748365e+09
for isa in SSE41 AVX2; do
  mapfile -t seen < <(DNNL_MAX_CPU_ISA=$isa "$work/finding")
  for i in {0..17}; do
    n=$((i % 9 + 1))
    value=$( ((i < 9)) && echo 3e9 || echo Infinity)
    expect "$value in a tensor of $n, as s32 with $isa" "$( ((n % 4 == 0)) && echo "$wrapped" || echo "$clamped")" "${seen[2 * i]}"
    expect "the same as s8" 127 "${seen[2 * i + 1]}"
  done
  expect "3e9 in 8 channels of 2 x 2, from NCHW to NCHW" "$wrapped" "${seen[36]}"
  expect "3e9 in 8 channels of 2 x 2, from NCHW to NHWC" "$clamped" "${seen[37]}"
done
