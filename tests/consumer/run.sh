#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh: what a repository that depends on Gridwise does, with the one in this folder and with the example of Gridwise's
# README as it stands there.
#
#   tests/consumer/run.sh [BAZEL OPTION...]          through bzlmod, with the few kernels that they use and the real HIP
#                                                    library, and run with this checkout's simulator in its place. Through
#                                                    WORKSPACE, whose repositories have paths of their own, so that all
#                                                    would be compiled again, Bazel loads and analyses them and no more;
#                                                    with the flags of later versions of Bazel, too
#   tests/consumer/run.sh --all [BAZEL OPTION...]    both through WORKSPACE, with all kernels of their target and the
#                                                    simulator that Gridwise links by default
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
gridwise=$(cd ../.. && pwd)
example=$(mktemp -d)
# Bazel's sandbox has a /tmp of its own, and the example, or this repository, may lie in the machine's.
options=(--noshow_progress --sandbox_add_mount_pair=/tmp)
if [[ ${1-} == --all ]]; then
  shift
  all_of=workspace
else
  all_of=bzlmod
  (cd "$gridwise" && ./bazelw build --noshow_progress //tools/sim/hip:lib)
  simulator=$(cd "$gridwise" && ./bazelw info --noshow_progress bazel-bin)/tools/sim/hip/lib
  options+=(
    --@gridwise//tools/config:hip=@gridwise//tools/third_party/hip:rocm "--test_env=LD_LIBRARY_PATH=$simulator"
    --@gridwise//tools/config:families=tile --@gridwise//tools/config:directions=fwd,bwd_data
    --@gridwise//tools/config:types=f16)
fi
options+=("$@")
cleanup() { # with the servers of both folders
  "$gridwise/bazelw" shutdown
  # In a folder that is in no workspace yet, bazelw would clean this repository.
  [[ ! -e $example/MODULE.bazel ]] || (cd "$example" && "$gridwise/bazelw" clean --expunge) 2>/dev/null
  rm -rf "$example"
}
trap cleanup EXIT

BAZELW_DEPS=$all_of "$gridwise/bazelw" test "${options[@]}" //...
for deps in bzlmod workspace; do
  BAZELW_DEPS=$deps "$gridwise/bazelw" --bazelrc="$gridwise/tools/build/later_bazel.bazelrc" build --nobuild --config=later_bazel \
    "${options[@]}" //...
done

# Each file of the example is a block after a line with only its name: `BUILD`:
for file in MODULE.bazel .bazelrc BUILD conv.cc WORKSPACE; do
  awk -v name="\`$file\`:" '$0 == name {found = 1} found && /^```/ {if (inside) exit; inside = 1; next} inside' \
    "$gridwise/README.md" | sed "s|path/to/gridwise|$gridwise|" >"$example/$file"
  [[ -s $example/$file ]] || { echo "README.md has no block for $file" && exit 1; }
done
cd "$example"
# A lock file that a Bazel with network access wrote does no harm and stays as it is, also where .bazelrc does not turn lock
# files off.
sed -i /lockfile_mode/d .bazelrc
cat >MODULE.bazel.lock <<'LOCK'
{
  "lockFileVersion": 13,
  "registryFileHashes": {
    "https://bcr.bazel.build/bazel_registry.json": "8a28e4aff06ee60aed2a8c281907fb8bcbf3b753c91fb5a5c57da3215d5b3497"
  },
  "selectedYankedVersions": {},
  "moduleExtensions": {}
}
LOCK
lock=$(<MODULE.bazel.lock)
BAZELW_DEPS=$all_of "$gridwise/bazelw" build "${options[@]}" //:conv
output=$("$gridwise/bazelw" --bazelw-exec env LD_LIBRARY_PATH="${simulator-}" bazel-bin/conv)
echo "$output"
[[ $output == *"0x5400 and in the middle 0x5880"*OK ]] || { echo "README.md's example computes something else" && exit 1; }
# Families that are not wanted are not in the program.
grep -q gridwise_tile_ bazel-bin/conv || { echo "there is no kernel of the tile family" && exit 1; }
[[ -z ${simulator-} ]] || ! grep -q gridwise_ck_ bazel-bin/conv || { echo "there are kernels that were left out" && exit 1; }
[[ $all_of == workspace ]] || BAZELW_DEPS=workspace "$gridwise/bazelw" build --nobuild "${options[@]}" //:conv
# Where a repository compiles an older C++, the error says what to do.
sed -i 's/-std=c++20/-std=c++17/g' .bazelrc
message=$("$gridwise/bazelw" build "${options[@]}" //:conv 2>&1) && { echo "C++17 is no error" && exit 1; }
[[ $message == *"Gridwise needs C++20"* ]] || { echo "$message" && exit 1; }
[[ $(<MODULE.bazel.lock) == "$lock" ]] || { echo "MODULE.bazel.lock has become $(<MODULE.bazel.lock)" && exit 1; }
