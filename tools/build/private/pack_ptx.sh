#!/bin/sh
# SPDX-License-Identifier: MIT
# pack_ptx.sh PTX OUTPUT: PTX as programs hold it, an eighth of its size. A text that names the kernels and ends with a
# zero byte, followed by what xz makes of the PTX without comments and most blanks. tools/third_party/hip/cuda expands it.
set -eu

text=$2.text
sed -E 's|[ 	]*//.*$||; s/^[ 	]+//; s/[ 	]+/ /g; s/, /,/g; /^$/d' "$1" >"$text"
# The dictionary of -6, 8 MiB, is larger than any of these texts; a larger one would only take more memory to expand.
xz -6e --check=crc32 --threads=1 --stdout "$text" >"$text.xz"
{
  printf 'packed PTX, %d bytes of %d:' "$(wc -c <"$text.xz")" "$(wc -c <"$text")"
  sed -nE 's/.*(\.entry [^(]*\().*/ \1/p' "$text" | tr -d '\n'
  printf '\0'
  cat "$text.xz"
} >"$2"
rm "$text" "$text.xz"
