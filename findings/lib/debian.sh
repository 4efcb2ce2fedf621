# SPDX-License-Identifier: MIT
# Sourced by the findings about packages of Debian 12: packages NAME[=VERSION]... unpacks them into the temporary folder; nothing is installed. It needs
# Debian 12 (a container will do) and apt's lists (apt-get update).
source "${BASH_SOURCE[0]%/*}/common.sh"

packages() {
  if ! (cd "$work" && apt-get -q -o APT::Sandbox::User=root download "$@") >"$work/log" 2>&1; then
    cat "$work/log"
    echo "$* could not be downloaded: apt must know Debian 12's packages."
    exit 2
  fi
  local package
  for package in "$work"/*.deb; do
    dpkg-deb -x "$package" "$work"
  done
}
libraries=$work/usr/lib/x86_64-linux-gnu
# compile LIBRARY... <SOURCE: makes $work/finding of C++ and these libraries of the packages
compile() {
  "${CXX:-c++}" -O1 -std=c++17 -x c++ - -I"$work/usr/include" -I"$work/usr/include/x86_64-linux-gnu" -L"$libraries" "${@/#/-l}" -pthread -w -o "$work/finding"
}
