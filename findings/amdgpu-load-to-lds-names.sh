#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# AMDGPU: the load that __builtin_amdgcn_global_load_lds becomes has two names, and no assembler of a GPU takes both.
#
# Guess    It is the instruction global_load_lds_dword wherever the compiler accepts the builtin, so scripts can look for it in disassembly.
# Really   On gfx90a and before it is global_load_dword with a modifier, lds, and without a destination. gfx942 gave it a name of its own, and its
#          assembler no longer knows the modifier. A search of disassembly by name finds none on MI200 and counts them as loads to registers.
# Version  LLVM 19.1.7, gfx90a, gfx942
# Seen     gfx90a: global_load_dword v0, s[0:1] lds
#          gfx942: global_load_lds_dword v0, s[0:1]
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/llvm.sh"

# load_on GPU: what the builtin's intrinsic becomes.
load_on() {
  printf 'declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg, i32 immarg)
define amdgpu_kernel void @load(ptr addrspace(1) %%from, ptr addrspace(3) %%to) {
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %%from, ptr addrspace(3) %%to, i32 4, i32 0, i32 0)
  ret void
}\n' | llvm llc -mtriple=amdgcn-amd-amdhsa -mcpu="$1" -filetype=asm -o - | grep -oE 'global_load.*' | head -1
}

# assembles GPU INSTRUCTION: yes or no.
assembles() {
  if echo "$2" | llvm llvm-mc -triple=amdgcn-amd-amdhsa -mcpu="$1" -filetype=null - >/dev/null 2>&1; then echo yes; else echo no; fi
}

expect "the load on gfx90a" 'global_load_dword v0, s[0:1] lds' "$(load_on gfx90a | sed -E 's/s\[[0-9]+:[0-9]+\]/s[0:1]/')"
expect "the load on gfx942" 'global_load_lds_dword v0, s[0:1]' "$(load_on gfx942 | sed -E 's/s\[[0-9]+:[0-9]+\]/s[0:1]/')"
expect "the modifier on gfx90a" yes "$(assembles gfx90a 'global_load_dword v0, s[0:1] lds')"
expect "the modifier on gfx942" no "$(assembles gfx942 'global_load_dword v0, s[0:1] lds')"
expect "the name on gfx90a" no "$(assembles gfx90a 'global_load_lds_dword v0, s[0:1]')"
expect "the name on gfx942" yes "$(assembles gfx942 'global_load_lds_dword v0, s[0:1]')"
