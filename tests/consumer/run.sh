#!/usr/bin/env bash
# run.sh: builds and tests the repository in this folder, which depends on Gridwise, through bzlmod and through WORKSPACE.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
trap '../../bazelw shutdown' EXIT # the server of this folder
for deps in bzlmod workspace; do
  echo "through $deps"
  BAZELW_DEPS=$deps ../../bazelw test --noshow_progress "$@" //...
done
