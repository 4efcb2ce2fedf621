#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# AMDGPU: a load of 16 bytes from LDS is one instruction with alignment 1 and two with alignment 4.
#
# Guess    The less a pointer is aligned, the more and narrower the instructions: one for 16 bytes, two for 8, four for 4, sixteen for 1.
# Really   Four instructions never occur. With 8 and 4 it is read in aligned pairs. Below 4 narrow accesses are unaligned too, so LLVM takes the one wide load,
#          which hardware allows in its mode for unaligned accesses. The same holds for 12 bytes and for stores. Telling the compiler that a pointer is
#          aligned to 4 can thus double the instructions. In global memory the alignment changes nothing.
# Version  LLVM 19.1.7, gfx908, gfx90a, gfx942, gfx1030
# Seen     align 1, 2, 16  ds_read_b128
#          align 8         ds_read2_b64
#          align 4         ds_read2_b32; ds_read2_b32
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/llvm.sh"

# memory GPU <IR: the names of the instructions that access memory.
memory() {
  llvm llc -mtriple=amdgcn-amd-amdhsa -mcpu="$1" -o - | grep -oE '\b(ds|global)_(read|write|load)[a-z0-9_]*' | paste -sd ' '
}

# loads GPU TYPE SPACE ALIGNMENT: the instructions that load it.
loads() {
  printf 'define %s @load(ptr addrspace(%d) %%p) {
  %%r = load %s, ptr addrspace(%d) %%p, align %d
  ret %s %%r
}\n' "$2" "$3" "$2" "$3" "$4" "$2" | memory "$1"
}

# stores GPU ALIGNMENT: the instructions that store 16 bytes to LDS.
stores() {
  printf 'define void @store(ptr addrspace(3) %%p, <4 x i32> %%v) {
  store <4 x i32> %%v, ptr addrspace(3) %%p, align %d
  ret void
}\n' "$2" | memory "$1"
}

for gpu in gfx908 gfx90a gfx942 gfx1030; do
  for alignment in 1 2 16; do
    expect "16 bytes, alignment $alignment, on $gpu" ds_read_b128 "$(loads $gpu '<4 x i32>' 3 $alignment)"
  done
  expect "16 bytes, alignment 8, on $gpu" ds_read2_b64 "$(loads $gpu '<4 x i32>' 3 8)"
  expect "16 bytes, alignment 4, on $gpu" 'ds_read2_b32 ds_read2_b32' "$(loads $gpu '<4 x i32>' 3 4)"
done
expect "12 bytes, alignment 1" ds_read_b96 "$(loads gfx942 '<3 x i32>' 3 1)"
expect "12 bytes, alignment 4" 'ds_read2_b32 ds_read_b32' "$(loads gfx942 '<3 x i32>' 3 4)"
expect "12 bytes, alignment 8" 'ds_read_b64 ds_read_b32' "$(loads gfx942 '<3 x i32>' 3 8)"
expect "a store, alignment 1" ds_write_b128 "$(stores gfx942 1)"
expect "a store, alignment 4" 'ds_write2_b32 ds_write2_b32' "$(stores gfx942 4)"
for alignment in 1 4 16; do
  expect "16 bytes of global memory, alignment $alignment" global_load_dwordx4 "$(loads gfx942 '<4 x i32>' 1 $alignment)"
done
