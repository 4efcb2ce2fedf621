#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# debian_test.sh ARCHIVE [SUITE...]: runs archive_test.sh in root file systems of Debian, by default those of Debian 12 and 13,
# with nothing in them but the packages that every Debian has. Needs root, debootstrap (apt-get install debootstrap), xz and a
# mirror: DEBIAN_MIRROR, else deb.debian.org. It is not started by Bazel, whose /usr may be another one.
set -euo pipefail
[[ $# -gt 0 ]] || { sed -n '3,5s/^# //p' "${BASH_SOURCE[0]}" && exit 1; }
archive=$(readlink -f "$1") test=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/archive_test.sh
shift
[[ $# -gt 0 ]] || set -- bookworm trixie
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

for suite in "$@"; do
  root=$work/$suite
  echo "== $suite from $mirror"
  debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/log" 2>&1 || {
    tail -n 5 "$work/log"
    exit 1
  }
  mkdir "$root/opt/of a user"
  tar -xf "$archive" -C "$root/opt/of a user"
  cp "$test" "$root/opt/test.sh"
  # Only what every container has, too: /proc and /dev.
  unshare --mount --propagation private sh -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$1" /bin/sh -c "
      . /etc/os-release && echo \"\$PRETTY_NAME, \$(ldd --version | head -n 1)\" && /bin/sh /opt/test.sh \"/opt/of a user/gridwise-sim\""
  ' enter "$root"
  rm -rf --one-file-system "$root"
done
