#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# AMDGPU: __builtin_amdgcn_s_waitcnt(0xc07f) waits for LDS on gfx9 and gfx10, and for nothing that matters on gfx11.
#
# Guess    The builtin takes a mask of counters, and 0xc07f, which kernels for CDNA use everywhere, is lgkmcnt(0) on each target that accepts it.
# Really   The immediate is the instruction's own encoding. Since gfx11 its fields are at other bits: 0xc07f lets 7 LDS operations be under way there, and
#          lgkmcnt(0) alone is 0xfc07. Neither the compiler nor the assembler objects, so the kernel races.
# Version  LLVM 19.1.7, gfx90a, gfx942, gfx1030, gfx1100, gfx1151
# Seen     gfx90a, gfx942, gfx1030: s_waitcnt lgkmcnt(0)
#          gfx1100, gfx1151: s_waitcnt vmcnt(48) lgkmcnt(7)
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/llvm.sh"

# wait_for GPU IMMEDIATE: what the builtin's intrinsic becomes.
wait_for() {
  printf 'declare void @llvm.amdgcn.s.waitcnt(i32 immarg)
define amdgpu_kernel void @wait() {
  call void @llvm.amdgcn.s.waitcnt(i32 %d)
  ret void
}\n' "$2" | llvm llc -mtriple=amdgcn-amd-amdhsa -mcpu="$1" -filetype=asm -o - | grep -oE 's_waitcnt .*' | head -1
}

for gpu in gfx90a gfx942 gfx1030; do
  expect "0xc07f on $gpu" 's_waitcnt lgkmcnt(0)' "$(wait_for $gpu 0xc07f)"
done
for gpu in gfx1100 gfx1151; do
  expect "0xc07f on $gpu" 's_waitcnt vmcnt(48) lgkmcnt(7)' "$(wait_for $gpu 0xc07f)"
  expect "0xfc07 on $gpu" 's_waitcnt lgkmcnt(0)' "$(wait_for $gpu 0xfc07)"
done
