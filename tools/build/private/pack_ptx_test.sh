#!/bin/sh
# SPDX-License-Identifier: MIT
# pack_ptx_test.sh PACK: packed PTX says which kernels it has, and expands to what matters of it.
set -eu

cd "$TEST_TMPDIR"
printf '//\n// Generated\n\n.version 9.0\n\t// .globl\ta\n.visible .entry a(\n\t.param .b64 p // first\n)\n{\n\tadd.s32 \t%%r1, %%r2, 1;\n\tret;\n}\n.entry b()\n{\n\tret;\n}\n' >in.ptx
"$TEST_SRCDIR/$TEST_WORKSPACE/$1" in.ptx out
printf '.version 9.0\n.visible .entry a(\n.param .b64 p\n)\n{\nadd.s32 %%r1,%%r2,1;\nret;\n}\n.entry b()\n{\nret;\n}\n' >expected
head=$(tr '\0' '\n' <out | head -n 1)
bytes=$(echo "$head" | sed -E 's/packed PTX, ([0-9]+) bytes of .*/\1/')
[ "$head" = "packed PTX, $bytes bytes of $(wc -c <expected): .entry a( .entry b(" ] || { echo "the text is '$head'" && exit 1; }
tail -c "$bytes" out | xz --decompress | cmp - expected
[ "$(wc -c <out)" -eq $((${#head} + 1 + bytes)) ]
