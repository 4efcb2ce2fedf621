#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# AMDGPU: an inline constant of a packed 16-bit instruction has one half.
#
# Guess    v_pk_add_f16 v0, v0, 1.0 adds 1.0 to both halves, as v_add_f16 v0, 1.0, v0 does to its one, and v_pk_add_u16 v0, v0, 5 adds 5 to both.
# Really   The constant stands in the low half only, and the high half is what a 32-bit constant has there: zero, but ones for -1. Both halves get it only with
#          op_sel_hi:[1,0], by which the high half takes the operand's low half. So 5 needs the modifier and -1 does not. For packed f32 it is the same.
#          The assembler takes either; LLVM's own output tells which means which.
# Version  LLVM 19.1.7, gfx942 and gfx1100
# Seen     <1.0, 1.0>  v_pk_add_f16 v0, v0, 1.0 op_sel_hi:[1,0]
#          <1.0, 0.0>  v_pk_add_f16 v0, v0, 1.0
#          <5, 5>      v_pk_add_u16 v0, v0, 5 op_sel_hi:[1,0]
#          <-1, -1>    v_pk_add_u16 v0, v0, -1
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/llvm.sh"

cat >"$work/add.ll" <<'IR'
define <2 x half> @both_one(<2 x half> %a) {
  %r = fadd <2 x half> %a, <half 1.0, half 1.0>
  ret <2 x half> %r
}
define <2 x half> @low_one(<2 x half> %a) {
  %r = fadd <2 x half> %a, <half 1.0, half 0.0>
  ret <2 x half> %r
}
define <2 x i16> @both_five(<2 x i16> %a) {
  %r = add <2 x i16> %a, <i16 5, i16 5>
  ret <2 x i16> %r
}
define <2 x i16> @both_minus_one(<2 x i16> %a) {
  %r = add <2 x i16> %a, <i16 -1, i16 -1>
  ret <2 x i16> %r
}
IR
for gpu in gfx942 gfx1100; do
  expect "<1.0, 1.0> on $gpu" 'v_pk_add_f16 v0, v0, 1.0 op_sel_hi:[1,0]' "$(amdgpu $gpu both_one <"$work/add.ll")"
  expect "<1.0, 0.0> on $gpu" 'v_pk_add_f16 v0, v0, 1.0' "$(amdgpu $gpu low_one <"$work/add.ll")"
  expect "<5, 5> on $gpu" 'v_pk_add_u16 v0, v0, 5 op_sel_hi:[1,0]' "$(amdgpu $gpu both_five <"$work/add.ll")"
  expect "<-1, -1> on $gpu" 'v_pk_add_u16 v0, v0, -1' "$(amdgpu $gpu both_minus_one <"$work/add.ll")"
done
