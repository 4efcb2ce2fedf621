#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# LLVM: frem on a GPU is not the remainder, and is another number on each GPU.
#
# Guess    frem, defined as C's fmod and as such always exact, becomes a loop or a call on a GPU, or at least is what the optimiser folds it to.
# Really   For f32 the back ends compute x - trunc(x / y) * y: NVPTX with a rounded product, AMDGPU with a fused one. Where the quotient rounds up, the first
#          may lose the remainder, and the second return a negative number, even one larger than the divisor.
# Version  LLVM 19.1.7. By LLVM 22, AMDGPU has the loop; NVPTX fuses.
# Seen     frem(1e9, 3), folded by the optimiser: 1
#          sm_90   div.rn, cvt.rzi, mul, sub: evaluated, 0
#          gfx942  ..., v_trunc_f32, v_fma_f32: evaluated, -32
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/llvm.sh"

cat >"$work/frem.ll" <<'IR'
define float @remainder(float %x, float %y) {
  %r = frem float %x, %y
  ret float %r
}
define float @constant() {
  %r = frem float 1.0e9, 3.0
  ret float %r
}
IR
expect 'the folded remainder' 'ret float 1.000000e+00' "$(llvm opt -S -passes=instsimplify "$work/frem.ll" | grep -oE 'ret float [0-9].*')"
expect "sm_90's sequence" 'div.rn.f32 cvt.rzi.f32.f32 mul.f32 sub.f32 testp.infinite.f32 selp.f32' \
  "$(llvm llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -o - "$work/frem.ll" | sed -n '/ remainder(/,/ret;/p' |
    grep -oE '^\s+(div|cvt|mul|sub|fma|testp|selp)[.a-z0-9]*' | xargs)"
expect "the end of gfx942's sequence" 'v_trunc_f32 v2, v2; v_fma_f32 v0, -v2, v1, v0' "$(amdgpu gfx942 remainder <"$work/frem.ll" | sed 's/.*\(v_trunc\)/\1/')"

# The same operations on the CPU. The quotient before them is the correctly rounded one on both GPUs.
cat >"$work/run.ll" <<'IR'
declare i32 @printf(ptr, ...)
@format = constant [10 x i8] c"%.0f %.0f\00"
@x = global float 1.0e9
@y = global float 3.0
define i32 @main() {
  %x = load volatile float, ptr @x
  %y = load volatile float, ptr @y
  %q = fdiv float %x, %y
  %n = fptosi float %q to i64
  %t = sitofp i64 %n to float
  %p = fmul float %t, %y
  %rounded = fsub float %x, %p
  %x64 = fpext float %x to double
  %y64 = fpext float %y to double
  %t64 = fpext float %t to double
  %p64 = fmul double %t64, %y64
  %fused = fsub double %x64, %p64
  %rounded64 = fpext float %rounded to double
  call i32 (ptr, ...) @printf(ptr @format, double %rounded64, double %fused)
  ret i32 0
}
IR
expect 'their value, product rounded and fused' '0 -32' "$(llvm lli "$work/run.ll")"
