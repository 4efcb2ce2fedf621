#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# AMDGPU: __builtin_amdgcn_s_barrier() waits for LDS on gfx908, not on gfx90a and gfx942, and does again on gfx1100.
#
# Guess    The builtin is the instruction alone, or what __syncthreads() is, and in either case the same on each target. A kernel that exchanges values through
#          LDS around it, and is right on one GPU, is right on the next.
# Really   Nothing but a fence orders memory. Where hardware cannot back off a barrier when an exception occurs, LLVM waits for all that is under way before
#          each s_barrier, and the exchange works by that. MI200, MI300 and RDNA 2 can and get no such wait: the store is still under way at the barrier.
#          With fences, as in __syncthreads(), they wait.
# Version  LLVM 19.1.7, gfx900, gfx908, gfx90a, gfx942, gfx1030, gfx1100
# Seen     gfx908: ds_write; s_waitcnt lgkmcnt(0); s_barrier; ds_read
#          gfx942: ds_write; s_barrier; ds_read
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/llvm.sh"

cat >"$work/exchange.ll" <<'IR'
define i32 @exchange(ptr addrspace(3) %mine, ptr addrspace(3) %theirs, i32 %x) {
  store i32 %x, ptr addrspace(3) %mine
  call void @llvm.amdgcn.s.barrier()
  %y = load i32, ptr addrspace(3) %theirs
  ret i32 %y
}
define i32 @fenced(ptr addrspace(3) %mine, ptr addrspace(3) %theirs, i32 %x) {
  store i32 %x, ptr addrspace(3) %mine
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %y = load i32, ptr addrspace(3) %theirs
  ret i32 %y
}
declare void @llvm.amdgcn.s.barrier()
IR

# wait_for_lds GPU FUNCTION: LDS's counter in the waits between the store and the barrier, or none.
wait_for_lds() {
  llvm llc -mtriple=amdgcn-amd-amdhsa -mcpu="$1" -o - "$work/exchange.ll" | sed -n "/^$2:/,/s_setpc_b64/p" |
    sed -nE '/ds_(write|store)_b32/,/s_barrier/p' | sed -nE 's/.*(lgkmcnt\(0\)).*/\1/p; s/.*s_barrier.*/none/p' | head -1
}

for gpu in gfx900 gfx908 gfx1100; do
  expect "the wait of the builtin alone on $gpu" 'lgkmcnt(0)' "$(wait_for_lds $gpu exchange)"
done
for gpu in gfx90a gfx942 gfx1030; do
  expect "the wait of the builtin alone on $gpu" none "$(wait_for_lds $gpu exchange)"
  expect "the wait with fences on $gpu" 'lgkmcnt(0)' "$(wait_for_lds $gpu fenced)"
done
