#!/bin/sh
# SPDX-License-Identifier: MIT
# Starts the program of this file's name with the C library of its folder, whichever the system has.
self=$(readlink -f "$0")
root=${self%/*/*}
exec "$root/lib/ld-linux-x86-64.so.2" --argv0 "$self" --library-path "$root/lib" \
  "$root/libexec/programs/${self##*/}" "$@"
