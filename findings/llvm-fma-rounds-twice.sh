#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# LLVM: fma of bf16, and of f16 on x86, is rounded twice, unless its operands are constants.
#
# Guess    llvm.fma rounds once for every type; that is what sets it apart from fmuladd.
# Really   Where the target has no such instruction it is computed by an f32 fma, whose result is rounded again. The product of 3 and 1 + 2^-10 lies halfway
#          between two numbers of f16, so the sign of the smallest addend decides, and f32 drops that addend. The optimiser folds the same call exactly.
# Version  LLVM 19.1.7. In LLVM 22, f16 on x86 is right; bf16 on gfx942 still is one of f32.
# Seen     fma(3, 1 + 2^-10, 2^-24) and fma(3, 1 + 2^-10, -2^-24) in f16: folded 0x4202 and 0x4201; run on x86 3.00390625 and 3.00390625, both 0x4202
#          bf16 on gfx942: v_fmac_f32, and the rounding to bf16 by integers after it
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/llvm.sh"

cat >"$work/folded.ll" <<'IR'
declare half @llvm.fma.f16(half, half, half)
define half @up() {
  %r = call half @llvm.fma.f16(half 3.0, half 0xH3C01, half 0xH0001)
  ret half %r
}
define half @down() {
  %r = call half @llvm.fma.f16(half 3.0, half 0xH3C01, half 0xH8001)
  ret half %r
}
IR
expect 'the folded results' '0xH4202 0xH4201' "$(llvm opt -S -passes=instcombine "$work/folded.ll" | grep -oE 'ret half .*' | cut -d' ' -f3 | xargs)"

cat >"$work/run.ll" <<'IR'
declare half @llvm.fma.f16(half, half, half)
declare i32 @printf(ptr, ...)
@format = constant [12 x i8] c"%.10g %.10g\00"
@addends = global [2 x half] [half 0xH0001, half 0xH8001]
define i32 @main() {
  %p = load volatile half, ptr @addends
  %n = load volatile half, ptr getelementptr (half, ptr @addends, i32 1)
  %up = call half @llvm.fma.f16(half 3.0, half 0xH3C01, half %p)
  %down = call half @llvm.fma.f16(half 3.0, half 0xH3C01, half %n)
  %up64 = fpext half %up to double
  %down64 = fpext half %down to double
  call i32 (ptr, ...) @printf(ptr @format, double %up64, double %down64)
  ret i32 0
}
IR
expect 'the results on x86' '3.00390625 3.00390625' "$(llvm lli -mattr=+f16c,+fma "$work/run.ll")"

cat >"$work/bf16.ll" <<'IR'
declare bfloat @llvm.fma.bf16(bfloat, bfloat, bfloat)
define bfloat @fma(bfloat %a, bfloat %b, bfloat %c) {
  %r = call bfloat @llvm.fma.bf16(bfloat %a, bfloat %b, bfloat %c)
  ret bfloat %r
}
IR
expect 'the fused operations of bf16 on gfx942' 'v_fmac_f32 v2, v0, v1' "$(amdgpu gfx942 fma <"$work/bf16.ll" | grep -oE 'v_(fma|mad|pk_fma)[^;]*')"
