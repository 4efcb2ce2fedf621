#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# configs_test BAZELRC TARGET...: each target and family, and nothing else, has a config of its name, which CI's matrix is made from.
set -euo pipefail

bazelrc=$1
shift
configs=$(sed -nE 's/^build:((gfx|sm_)[0-9a-z-]+) .*--\/\/tools\/config:targets=\1$/\1/p' "$bazelrc" | sort)
targets=$(printf '%s\n' "$@" | sort)
if [[ $configs != "$targets" ]]; then
  printf 'targets.bzl has\n%s\n.bazelrc has configs of\n%s\n' "$targets" "$configs" >&2
  exit 1
fi
