#!/usr/bin/env bash
# run.sh: what a repository that depends on Gridwise does, with the one in this folder: tests it through bzlmod, on the
# simulator, and builds it through WORKSPACE, with the real HIP library, which spares building the simulator again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
trap '../../bazelw shutdown' EXIT # the server of this folder
../../bazelw test --noshow_progress "$@" //...
BAZELW_DEPS=workspace ../../bazelw build --noshow_progress "$@" \
  --@gridwise//tools/config:hip=@gridwise//tools/third_party/hip:rocm //...
