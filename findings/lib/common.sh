# SPDX-License-Identifier: MIT
# Sourced by the findings: a temporary folder, which is removed on exit, and the comparison that decides.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect WHAT WANTED SEEN: ends the script with a sentence if WHAT is no longer as stated.
expect() {
  if [[ $2 != "$3" ]]; then
    printf 'Changed: %s was "%s" and is now "%s".\n' "$1" "$2" "$3"
    exit 1
  fi
  printf 'As stated: %s is "%s".\n' "$1" "$3"
}
