#!/bin/sh
# SPDX-License-Identifier: MIT
# pack_ptx.sh PTX OUTPUT: PTX as programs hold it, a fifth to an eighth of its size. A text that names the kernels and ends with a
# zero byte, and behind it what gzip makes of the PTX, without comments and most blanks. tools/third_party/hip/cuda expands it.
set -eu

text=$2.text
sed -E 's|[ 	]*//.*$||; s/^[ 	]+//; s/[ 	]+/ /g; s/, /,/g; /^$/d' "$1" >"$text"
gzip -9n <"$text" >"$text.gz"
{
  printf 'packed PTX, %d bytes of %d:' "$(wc -c <"$text.gz")" "$(wc -c <"$text")"
  sed -nE 's/.*(\.entry [^(]*\().*/ \1/p' "$text" | tr -d '\n'
  printf '\0'
  cat "$text.gz"
} >"$2"
rm "$text" "$text.gz"
