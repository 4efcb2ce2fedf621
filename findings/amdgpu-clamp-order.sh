#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# AMDGPU: min(max(x, 0), 1) is one instruction, max(min(x, 1), 0) is three.
#
# Guess    Clamping to [0, 1] is the same in either order, and the compiler knows the hardware's output modifier "clamp" in both.
# Really   A NaN tells them apart. With IEEE's maxNum and minNum the first gives 0, which is what the modifier gives, and the second gives 1. So only the first
#          becomes the modifier (free where x is a result anyway); the second also has to quiet x before it begins.
# Version  LLVM 19.1.7, gfx942
# Seen     v_max_f32 v0, v0, v0 clamp
#          v_max_f32 v0, v0, v0; v_min_f32 v0, 1.0, v0; v_max_f32 v0, 0, v0
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/llvm.sh"

cat >"$work/clamp.ll" <<'IR'
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
define float @max_first(float %x) {
  %a = call float @llvm.maxnum.f32(float %x, float 0.0)
  %r = call float @llvm.minnum.f32(float %a, float 1.0)
  ret float %r
}
define float @min_first(float %x) {
  %a = call float @llvm.minnum.f32(float %x, float 1.0)
  %r = call float @llvm.maxnum.f32(float %a, float 0.0)
  ret float %r
}
define float @max_first_of_sum(float %x, float %y) {
  %s = fadd float %x, %y
  %a = call float @llvm.maxnum.f32(float %s, float 0.0)
  %r = call float @llvm.minnum.f32(float %a, float 1.0)
  ret float %r
}
IR
expect 'min(max(x, 0), 1)' 'v_max_f32 v0, v0, v0 clamp' "$(amdgpu gfx942 max_first <"$work/clamp.ll")"
expect 'max(min(x, 1), 0)' 'v_max_f32 v0, v0, v0; v_min_f32 v0, 1.0, v0; v_max_f32 v0, 0, v0' "$(amdgpu gfx942 min_first <"$work/clamp.ll")"
expect 'min(max(x + y, 0), 1)' 'v_add_f32 v0, v0, v1 clamp' "$(amdgpu gfx942 max_first_of_sum <"$work/clamp.ll")"
