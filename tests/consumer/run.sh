#!/usr/bin/env bash
# run.sh: what a repository that depends on Gridwise does, with the one in this folder: tests it through bzlmod, on the
# simulator, for the one target that its tests and the README's example name, and builds it through WORKSPACE, with the real
# HIP library and for the target of fewest rows: the simulator and the other kernels need not be built again to show that it
# does. Then the same with the example of Gridwise's README, as it stands there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
gridwise=$(cd ../.. && pwd)
example=$(mktemp -d)
cache=$(mktemp -d) # what both repositories build of Gridwise is the same
# Bazel's sandbox has a /tmp of its own, and the example, or this repository, may lie in the machine's.
shared=(--noshow_progress "--disk_cache=$cache" --sandbox_add_mount_pair=/tmp)
cleanup() { # with the servers of both folders
  "$gridwise/bazelw" shutdown
  (cd "$example" && "$gridwise/bazelw" clean --expunge) 2>/dev/null
  rm -rf "$example" "$cache"
}
trap cleanup EXIT
tested=(--@gridwise//tools/config:targets=gfx942)
small=(--@gridwise//tools/config:hip=@gridwise//tools/third_party/hip:rocm --@gridwise//tools/config:targets=gfx1100)

"$gridwise/bazelw" test "${shared[@]}" "${tested[@]}" "$@" //...
BAZELW_DEPS=workspace "$gridwise/bazelw" build "${shared[@]}" "$@" "${small[@]}" //...

# Each file of the example is a block behind a line that is its name alone: `BUILD`:
for file in MODULE.bazel .bazelrc BUILD conv.cc WORKSPACE; do
  awk -v name="\`$file\`:" '$0 == name {found = 1} found && /^```/ {if (inside) exit; inside = 1; next} inside' \
    "$gridwise/README.md" | sed "s|path/to/gridwise|$gridwise|" >"$example/$file"
  [[ -s $example/$file ]] || { echo "README.md has no block for $file" && exit 1; }
done
cd "$example"
output=$("$gridwise/bazelw" run "${shared[@]}" "$@" //:conv)
echo "$output"
[[ $output == *"0x5400 and in the middle 0x5880"*OK ]] || { echo "README.md's example computes something else" && exit 1; }
BAZELW_DEPS=workspace "$gridwise/bazelw" build "${shared[@]}" "$@" "${small[@]}" //:conv
# Where a repository compiles an older C++, the error says what to do.
sed -i 's/-std=c++20/-std=c++17/g' .bazelrc
message=$("$gridwise/bazelw" build "${shared[@]}" "$@" "${small[@]}" //:conv 2>&1) && { echo "C++17 is no error" && exit 1; }
[[ $message == *"Gridwise needs C++20"* ]] || { echo "$message" && exit 1; }
