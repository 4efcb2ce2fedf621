#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# AMDGPU: whether a read of LDS waits for loads to LDS depends on there being alias metadata, and not on what it says.
#
# Guess    the compiler waits (s_waitcnt vmcnt) before a read of LDS if the read may touch what a load to LDS (buffer_load ... lds) writes, so a read of the very
#          bytes that were loaded needs no wait of its own, and a read of others is not held up.
# Really   a read without metadata waits, wherever it reads in the array. With any !tbaa, !alias.scope or !noalias, as loads of C++ have by their type, it does
#          not, even of the address that is loaded to, and the loads to LDS have no such metadata that it could be compared with. Builtins, such as gfx950's
#          transposing reads, have none by themselves.
# Version  LLVM 22.1.8, gfx942, gfx950
# Seen     load <4 x i16> of LDS after the load to the same address: "s_waitcnt vmcnt(0)" before it; with "!tbaa" of short: none
set -euo pipefail
llvm_major=22
source "${BASH_SOURCE[0]%/*}/lib/llvm.sh"

# waits GPU READ ADDRESS: "waits" if the read, at "same" as a load to LDS or at the lane's own, comes after s_waitcnt vmcnt(0), else "does not wait".
waits() {
  local address='getelementptr i8, ptr addrspace(3) @tile, i32 %where'
  if [[ $3 == own ]]; then address='getelementptr i64, ptr addrspace(3) @tile, i32 %lane'; fi
  cat >"$work/read.ll" <<IR
@tile = internal addrspace(3) global [4096 x i8] poison, align 16
declare void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8), ptr addrspace(3), i32, i32, i32, i32, i32)
declare <4 x i16> @llvm.amdgcn.ds.read.tr16.b64.v4i16(ptr addrspace(3))
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @read(ptr addrspace(8) inreg %from, ptr addrspace(1) %to, i32 %where) {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %loaded = getelementptr i8, ptr addrspace(3) @tile, i32 %where
  %p = $address
  %q = getelementptr i64, ptr addrspace(1) %to, i32 %lane
  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %from, ptr addrspace(3) %loaded, i32 4, i32 0, i32 0, i32 0, i32 0)
  %v = $2
  store <4 x i16> %v, ptr addrspace(1) %q
  ret void
}
!0 = !{!"root"}
!1 = !{!"short", !0}
!2 = !{!1, !1, i64 0}
!3 = distinct !{!3}
!4 = distinct !{!4, !3}
!5 = !{!4}
IR
  llvm llc -mtriple=amdgcn-amd-amdhsa -mcpu="$1" -o "$work/read.s" "$work/read.ll"
  # From the load to LDS to the read.
  if sed -n '/^\tbuffer_load_dword .* lds$/,/^\tds_read/p' "$work/read.s" | grep -q 's_waitcnt vmcnt(0)'; then echo waits; else echo "does not wait"; fi
}
plain='load <4 x i16>, ptr addrspace(3) %p'
transposing='call <4 x i16> @llvm.amdgcn.ds.read.tr16.b64.v4i16(ptr addrspace(3) %p)'
for address in same own; do
  for gpu in gfx942 gfx950; do
    expect "a read of the $address address, $gpu" waits "$(waits $gpu "$plain" $address)"
    for metadata in '!tbaa !2' '!alias.scope !5' '!noalias !5'; do
      expect "the same with $metadata" "does not wait" "$(waits $gpu "$plain, $metadata" $address)"
    done
  done
  expect "a transposing read of the $address address, gfx950" waits "$(waits gfx950 "$transposing" $address)"
  expect "the same with !noalias !5" "does not wait" "$(waits gfx950 "$transposing, !noalias !5" $address)"
done
