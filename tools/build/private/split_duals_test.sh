#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# split_duals_test AWK: what becomes of dual instructions.
set -euo pipefail

wanted=$(cat <<'END'
	v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v4, v5
	v_add_f32 v0, v1, v2
	v_mul_f32 v3, v5, v7
	v_mul_f32 v3, v4, v8
	v_mul_f32 v0, v1, v2
	v_fmac_f32 v3, v0, v4
	v_fmac_f32 v0, v2, v5
	v_mov_b32 v3, v2
	v_fmac_f32 v2, v4, v5
	v_fmamk_f32 v0, v1, 0x11223344, v2
	v_fmaak_f32 v3, v2, v4, 0x11223344
	v_cndmask_b32 v3, v4, v5, vcc_lo
	v_mov_b32 v0, v6
	v_dual_mov_b32 v0, s1 :: v_dual_mov_b32 v3, v4
	v_dual_mov_b32 v0, v4 :: v_dual_mov_b32 v3, v4
	v_add_f32_e32 v0, v1, v2
END
)
# In order: none; src0 and a comment; vsrc1; the second half reads the first one's result; so as an addend; a literal
# between the sources; VCC; an SGPR; twice the same register; no dual instruction.
have=$(awk -f "$1" <<'END'
	v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v4, v5
	v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v5, v7   ; src0
	v_dual_mul_f32 v3, v4, v8 :: v_dual_mul_f32 v0, v1, v2
	v_dual_fmac_f32 v0, v2, v5 :: v_dual_fmac_f32 v3, v0, v4
	v_dual_fmac_f32 v2, v4, v5 :: v_dual_mov_b32 v3, v2
	v_dual_fmamk_f32 v0, v1, 0x11223344, v2 :: v_dual_fmaak_f32 v3, v2, v4, 0x11223344
	v_dual_cndmask_b32 v3, v4, v5 :: v_dual_mov_b32 v0, v6
	v_dual_mov_b32 v0, s1 :: v_dual_mov_b32 v3, v4
	v_dual_mov_b32 v0, v4 :: v_dual_mov_b32 v3, v4
	v_add_f32_e32 v0, v1, v2
END
)
diff <(echo "$wanted") <(echo "$have")

if awk -f "$1" <<<$'\tv_dual_add_f32 v0, v2, v3 :: v_dual_add_f32 v3, v4, v0' 2>/dev/null; then
  echo "halves that read each other's results were split"
  exit 1
fi
