#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# AMDGPU: atomic additions of floats are combined within a wave without any fast-math flag, and give a sum that no order of them gives.
#
# Guess    Floating-point sums are not reassociated unless a flag allows it. If the 64 lanes of a wave add 1.0f to one address, 64 additions follow each
#          other in some order, so 2^24 stays 2^24.
# Really   If the address is the same for all lanes, LLVM adds up within the wave and one lane performs one addition: of the value times the number of active
#          lanes if that is uniform as well, and otherwise of a sum from a loop over the lanes. So 2^24 becomes 2^24 + 64.
# Version  LLVM 19.1.7, gfx90a, gfx942, gfx1100
# Seen     s_bcnt1_i32_b64 v_cvt_f32_ubyte0 v_mul_f32 ds_add_f32
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/llvm.sh"

cat >"$work/add.ll" <<'IR'
define amdgpu_kernel void @uniform(ptr addrspace(3) %sum, float %x) {
  %old = atomicrmw fadd ptr addrspace(3) %sum, float %x monotonic
  ret void
}
define amdgpu_kernel void @one(ptr addrspace(3) %sum) {
  %old = atomicrmw fadd ptr addrspace(3) %sum, float 1.0 monotonic
  ret void
}
define amdgpu_kernel void @by_lane(ptr addrspace(3) %sum) {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %x = uitofp i32 %lane to float
  %old = atomicrmw fadd ptr addrspace(3) %sum, float %x monotonic
  ret void
}
define float @one_by_one() {
  %sum = fadd float 0x4170000000000000, 1.0
  ret float %sum
}
define float @at_once() {
  %product = fmul float 1.0, 64.0
  %sum = fadd float 0x4170000000000000, %product
  ret float %sum
}
declare i32 @llvm.amdgcn.workitem.id.x()
IR

# arithmetic GPU KERNEL: which of its instructions count lanes, convert, multiply, add or read a lane.
arithmetic() {
  llvm llc -mtriple=amdgcn-amd-amdhsa -mcpu="$1" -o - "$work/add.ll" | sed -n "/^$2:/,/s_endpgm/p" |
    grep -oE '\b(s_bcnt1|v_cvt_f32_ubyte0|v_(dual_)?mul_f32|v_add_f32|v_readlane|ds_add_f32)' | paste -sd ' '
}

for gpu in gfx90a gfx942; do
  expect "a uniform value on $gpu" 's_bcnt1 v_cvt_f32_ubyte0 v_mul_f32 ds_add_f32' "$(arithmetic $gpu uniform)"
done
expect "a uniform value on gfx1100" 's_bcnt1 v_cvt_f32_ubyte0 v_dual_mul_f32 ds_add_f32' "$(arithmetic gfx1100 uniform)"
expect "the value 1 on gfx942" 's_bcnt1 v_cvt_f32_ubyte0 ds_add_f32' "$(arithmetic gfx942 one)"
expect "each lane's own value on gfx942" 'v_readlane v_add_f32 ds_add_f32' "$(arithmetic gfx942 by_lane)"

folded=$(llvm opt -S -passes=instsimplify "$work/add.ll" | grep -oE 'ret float .*' | paste -sd ,)
expect "2^24 + 1 and 2^24 + 64 * 1 in f32" 'ret float 0x4170000000000000,ret float 0x4170000400000000' "$folded"
