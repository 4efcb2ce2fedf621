#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# update.sh: takes the files of the packages that package.json names from the npm registry.
#
#   tools/third_party/npm/update.sh            writes them here
#   tools/third_party/npm/update.sh --check    fails if those that are here differ from the registry's
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# A package, a file of it, and its name here.
files='
@observablehq/plot dist/plot.umd.min.js plot.min.js
@observablehq/plot LICENSE plot.LICENSE
d3 dist/d3.min.js d3.min.js
d3 LICENSE d3.LICENSE
datatables.net js/dataTables.min.js datatables.min.js
datatables.net License.txt datatables.LICENSE
datatables.net-dt css/dataTables.dataTables.min.css datatables.min.css'

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp package.json "$folder"
npm install --loglevel=error --no-audit --no-fund --ignore-scripts --prefix "$folder"
status=0
while read -r package file name; do
  [[ -n $package ]] || continue
  if [[ ${1-} != --check ]]; then
    cp "$folder/node_modules/$package/$file" "$name"
  elif ! cmp --silent "$folder/node_modules/$package/$file" "$name"; then
    echo "$name differs from $file of $package; tools/third_party/npm/update.sh writes it" >&2
    status=1
  fi
done <<<"$files"
exit $status
