#!/bin/sh
# SPDX-License-Identifier: MIT
# compile_by_assembly.sh GFX CLANG OPTIONS... -o OUTPUT: as clang would, but with split_duals.awk between compiler and assembler.
set -eu

gfx=$1
clang=$2
shift 2
here=$(dirname "$0")
for output; do :; done # the last argument
text=$output.s

"$clang" "$@" -S -o "$text"
awk -f "$here/split_duals.awk" "$text" >"$text.split"
mv "$text.split" "$text"
"$clang" --target=amdgcn-amd-amdhsa -mcpu="$gfx" -x assembler "$text" -Wl,--no-undefined -Wl,--discard-all -o "$output"
rm "$text"
