#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sim.sh unpack | test: the steps of action.yml, whose inputs are in the environment, as what GitHub says of itself is.
set -euo pipefail

folder=$RUNNER_TEMP/gridwise-sim

fail() {
  echo "::error title=gridwise::$*"
  exit 1
}

# Makes $folder of the archive, unless an earlier step of the job has.
unpack() {
  local archive=$ARCHIVE
  echo "folder=$folder" >>"$GITHUB_OUTPUT"
  [[ ! -e $folder/bin/run ]] || return 0
  if [[ -z $archive ]]; then
    [[ -n $VERSION ]] || fail "neither an archive nor a version is given"
    archive=$GITHUB_SERVER_URL/$REPOSITORY/releases/download/v$VERSION/gridwise-sim-$VERSION-linux-x86_64.tar.xz
  fi
  command -v xz >/dev/null || fail "xz is missing, which unpacks the archive: apt-get install xz-utils"
  if [[ $archive == *://* ]]; then
    command -v curl >/dev/null || fail "curl is missing, which fetches $archive: apt-get install curl ca-certificates"
    curl --fail --silent --show-error --location --retry 3 --output "$RUNNER_TEMP/gridwise-sim.tar.xz" "$archive" ||
      fail "$archive cannot be fetched"
    archive=$RUNNER_TEMP/gridwise-sim.tar.xz
  fi
  tar -xf "$archive" -C "$RUNNER_TEMP" || fail "$archive cannot be unpacked"
}

# Runs the command; then its findings are annotations, a report and the outputs of the step.
run_tests() {
  local reports status=0 annotations count
  reports=$(mktemp -d "$RUNNER_TEMP/gridwise-reports.XXXXXX")
  export PATH=$folder/bin:$PATH GRIDWISE_SIM_REPORT=$reports/%p.sarif GRIDWISE_SIM_SOURCE_ROOT=$GITHUB_WORKSPACE
  case $CHECKS in
    none) ;;
    usual) export GRIDWISE_SIM=check ;;
    *) export GRIDWISE_SIM=check:$CHECKS ;;
  esac
  [[ -z $TARGET ]] || export GRIDWISE_SIM_DEVICES=$TARGET
  bash -eo pipefail -c "$COMMAND" || status=$?
  ((status == 0)) || echo "::error title=gridwise::the command ended with exit code $status"
  [[ $CHECKS != none ]] || exit "$status"

  if ! compgen -G "$reports/*.sarif" >/dev/null; then
    ((status == 0)) || exit "$status"
    fail "the command has launched no kernel on the simulator: compile with its hipcc, or start programs by its run"
  fi
  annotations=$("$folder/bin/findings" --github --sarif="$reports.sarif" "$reports"/*.sarif) || (($? == 1)) ||
    fail "the reports in $reports cannot be read"
  count=$(grep -c '^::' <<<"$annotations" || true)
  [[ -z $annotations ]] || echo "$annotations"
  printf 'findings=%d\nsarif=%s\n' "$count" "$reports.sarif" >>"$GITHUB_OUTPUT"
  echo "check mode has seen $(find "$reports" -name '*.sarif' | wc -l) processes and found $count mistakes"
  [[ $FAIL_ON_FINDINGS != true || $count == 0 || $status != 0 ]] || status=1
  exit "$status"
}

case ${1-} in
  unpack) unpack ;;
  test) run_tests ;;
  *) fail "sim.sh is called with '${1-}', not with unpack or test" ;;
esac
