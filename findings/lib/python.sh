# SPDX-License-Identifier: MIT
# Sourced by the findings about packages of PyPI: packages NAME==VERSION... installs them into an environment in the temporary folder, whose interpreter is
# $python then. PYTHON=/path/to/python takes an interpreter that has them, which is checked.
source "${BASH_SOURCE[0]%/*}/common.sh"

packages() {
  python=${PYTHON:-$work/environment/bin/python}
  if [[ -z ${PYTHON:-} ]]; then
    python3 -m venv "$work/environment"
    "$python" -m pip install -q --no-input --disable-pip-version-check "$@"
  fi
  local package
  for package in "$@"; do
    local version
    version=$("$python" -c 'import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))' "${package%%==*}")
    expect "the version of ${package%%==*}" "${package##*==}" "${version%%+*}"
  done
}
