# SPDX-License-Identifier: MIT
# Sourced by the findings about packages of the npm registry: packages NAME@VERSION... installs them into the temporary folder, and node finds them there.
source "${BASH_SOURCE[0]%/*}/common.sh"

packages() {
  (cd "$work" && echo '{}' >package.json && npm install --loglevel=error --no-audit --no-fund --ignore-scripts --save-exact "$@" >/dev/null)
  cp "${BASH_SOURCE[0]%/*}"/*.js "$work"
}
