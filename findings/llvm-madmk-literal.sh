#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# LLVM: its disassembler reads the literal of a v_madmk or v_fmamk as if it were the code of an operand.
#
# Guess    What llvm-mc assembles llvm-objdump prints again, so a literal can be taken from the disassembly.
# Really   LLVM 22 decodes the literal of these instructions like a source operand: 0x80 is the code of the integer 0, 0xf2 that of 1.0, which it
#          prints as f32. Both are small denormals. Literals that are no such code are right, and LLVM 19 prints all of them as they were.
# Version  LLVM 22.1.8, gfx942, gfx1100; LLVM 19.1.7 has it right
# Seen     v_madmk_f16 v1, v2, 0x80, v3 is 48020702 00000080, and back v_madmk_f16 v1, v2, 0x0, v3; 0xf2 is 0x3f800000; 0x5 is 0x5
set -euo pipefail
llvm_major=22
source "${BASH_SOURCE[0]%/*}/lib/llvm.sh"

# literal_of GPU INSTRUCTION LITERAL: what the disassembler prints for the literal that the assembler was given.
literal_of() {
  echo "$2 v1, v2, $3, v3" | llvm llvm-mc -triple=amdgcn-amd-amdhsa -mcpu="$1" -filetype=obj -o "$work/object" -
  llvm llvm-objdump -d "$work/object" | sed -nE "s/^\s*$2 [^,]*, [^,]*, ([^,]*), .*/\1/p"
}
# encoding_of GPU INSTRUCTION LITERAL: the last four bytes.
encoding_of() {
  echo "$2 v1, v2, $3, v3" | llvm llvm-mc -triple=amdgcn-amd-amdhsa -mcpu="$1" -show-encoding - | grep -oE '0x[0-9a-f]+,0x00,0x00,0x00\]$'
}

expect "the encoding of 0x80 on gfx942" '0x80,0x00,0x00,0x00]' "$(encoding_of gfx942 v_madmk_f16 0x80)"
expect "0x80 on gfx942" 0x0 "$(literal_of gfx942 v_madmk_f16 0x80)"
expect "0xf2 on gfx942" 0x3f800000 "$(literal_of gfx942 v_madmk_f16 0xf2)"
expect "0x5 on gfx942" 0x5 "$(literal_of gfx942 v_madmk_f16 0x5)"
expect "0x80 on gfx1100" 0x0 "$(literal_of gfx1100 v_fmamk_f16 0x80)"
expect "0x80 on gfx1100, f32" 0x0 "$(literal_of gfx1100 v_fmamk_f32 0x80)"
expect "0x3801 on gfx1100" 0x3801 "$(literal_of gfx1100 v_fmamk_f16 0x3801)"
