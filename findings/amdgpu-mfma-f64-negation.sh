#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# AMDGPU: the last argument of an MFMA builtin negates matrices if they are f64 and the GPU is an MI300.
#
# Guess    The builtin's last three arguments are cbsz, abid and blgp, and blgp chooses how lanes of B are permuted, as it does for all types and targets.
# Really   On gfx942 the three bits of blgp in an f64 instruction are signs: 1 negates A, 2 negates B and 4 C. The builtin has kept its type, so the same
#          source is another product on gfx90a, in the same encoding, without a warning. The assembler tells them apart: neg: is refused on gfx90a, and
#          blgp: on gfx942. For f32 it is blgp on both.
# Version  LLVM 19.1.7, gfx90a, gfx942
# Seen     __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, c, 0, 0, 1)
#          gfx90a: v_mfma_f64_16x16x4f64 ... blgp:1
#          gfx942: v_mfma_f64_16x16x4_f64 ... neg:[1,0,0]
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/llvm.sh"

# modifier GPU NAME C A BLGP: the modifier of the instruction that the builtin's intrinsic becomes.
modifier() {
  printf 'declare %s @llvm.amdgcn.mfma.%s(%s, %s, %s, i32 immarg, i32 immarg, i32 immarg)
define %s @product(%s %%a, %s %%b, %s %%c) {
  %%d = call %s @llvm.amdgcn.mfma.%s(%s %%a, %s %%b, %s %%c, i32 0, i32 0, i32 %d)
  ret %s %%d
}\n' "$3" "$2" "$4" "$4" "$3" "$3" "$4" "$4" "$3" "$3" "$2" "$4" "$4" "$3" "$5" "$3" | amdgpu "$1" product | grep -oE '(blgp|neg):[^;]*'
}

# encoding GPU MODIFIER: the last byte of an f64 instruction with it, or the assembler's error.
encoding() {
  echo "v_mfma_f64_16x16x4f64 a[0:7], v[0:1], v[2:3], a[0:7] $2" |
    llvm llvm-mc -triple=amdgcn-amd-amdhsa -mcpu="$1" -show-encoding 2>&1 | sed -nE 's/.*error: //p; s/.*encoding: .*,(0x..)\]$/\1/p'
}

f64=(f64.16x16x4f64 '<4 x double>' double)
f32=(f32.16x16x4f32 '<4 x float>' float)
for bits in "1 [1,0,0]" "2 [0,1,0]" "4 [0,0,1]"; do
  read -r blgp signs <<<"$bits"
  expect "f64 with $blgp on gfx90a" "blgp:$blgp" "$(modifier gfx90a "${f64[@]}" "$blgp")"
  expect "f64 with $blgp on gfx942" "neg:$signs" "$(modifier gfx942 "${f64[@]}" "$blgp")"
  expect "f32 with $blgp on gfx942" "blgp:$blgp" "$(modifier gfx942 "${f32[@]}" "$blgp")"
done
expect "blgp:1 on gfx90a" 0x24 "$(encoding gfx90a blgp:1)"
expect "neg:[1,0,0] on gfx942" 0x24 "$(encoding gfx942 'neg:[1,0,0]')"
expect "neg:[1,0,0] on gfx90a" 'invalid modifier: neg is not supported' "$(encoding gfx90a 'neg:[1,0,0]')"
expect "blgp:1 on gfx942" 'invalid modifier: blgp is not supported' "$(encoding gfx942 blgp:1)"
