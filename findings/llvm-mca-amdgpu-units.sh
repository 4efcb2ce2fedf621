#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# llvm-mca: a "cycle" of gfx942 is four of gfx1100's.
#
# Guess    llvm-mca reports cycles of the clock, so that the figures of two AMD GPUs can be compared, and a 16-byte LDS read takes longer than a 4-byte one.
# Really   For gfx942 the model counts passes of four cycles (a wave of 64 on 16 lanes): an f32 add has latency 1, a load from memory 80. For gfx1100 it counts
#          cycles: 5 and 320. Nothing in the output says so. And both models give LDS reads of 4 and of 16 bytes one latency and one throughput.
# Version  LLVM 19.1.7
# Seen     latency and reciprocal throughput   gfx942     gfx1100
#          v_add_f32                           1 1.00     5 1.00
#          global_load_dwordx4                 80 1.00    320 1.00
#          ds_read_b32, ds_read_b128           5 1.00     20 1.00
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/llvm.sh"

latency() { # GPU INSTRUCTION
  echo "$2" | llvm llvm-mca -mtriple=amdgcn -mcpu="$1" -iterations=1 2>/dev/null | awk '$1 == 1 && $3 ~ /^[0-9.]+$/ { print $2, $3 }'
}
add='v_add_f32 v0, v1, v2' load='global_load_dwordx4 v[0:3], v[4:5], off' read4='ds_read_b32 v0, v4' read16='ds_read_b128 v[0:3], v4'
expect 'an f32 add on gfx942' '1 1.00' "$(latency gfx942 "$add")"
expect 'an f32 add on gfx1100' '5 1.00' "$(latency gfx1100 "$add")"
expect 'a load from memory on gfx942' '80 1.00' "$(latency gfx942 "$load")"
expect 'a load from memory on gfx1100' '320 1.00' "$(latency gfx1100 "$load")"
for read in "$read4" "$read16"; do
  expect "$read on gfx942" '5 1.00' "$(latency gfx942 "$read")"
  expect "$read on gfx1100" '20 1.00' "$(latency gfx1100 "$read")"
done
