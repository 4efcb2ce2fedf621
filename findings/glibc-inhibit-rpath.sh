#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# glibc's loader: --inhibit-rpath ignores the DT_RPATH of a program by the name "", and by no other.
#
# Guess    `ld.so --inhibit-rpath LIST` ignores the DT_RPATH and DT_RUNPATH of the objects that LIST names, so with the program's path in LIST, as it is on the
#          command line, --library-path decides which libamdhip64 or libcudart the program gets.
# Really   LIST is compared with the loader's names of objects, and its name of the main program is empty, also where the program is an argument. A list with the
#          program's path, relative or absolute, changes nothing; the empty list matches.
# Version  glibc 2.36 (Debian 12, libc6 2.36-9)
# Seen     ld.so --library-path mine ./program                               the library of the DT_RPATH
#          ld.so --library-path mine --inhibit-rpath ./program ./program     the library of the DT_RPATH
#          ld.so --library-path mine --inhibit-rpath "" ./program            mine
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/common.sh"

if ! (cd "$work" && apt-get -q -o APT::Sandbox::User=root download tcc=0.9.27+git20200814.62c30a4a-1 libc6 libc6-dev linux-libc-dev) >"$work/log" 2>&1; then
  cat "$work/log"
  echo "tcc and libc6-dev could not be downloaded: apt must know Debian 12's packages."
  exit 2
fi
for package in "$work"/*.deb; do
  dpkg-deb -x "$package" "$work"
done
libraries=$work/lib/x86_64-linux-gnu
loader=$libraries/ld-linux-x86-64.so.2
expect "glibc" 2.36 "$("$loader" --version | sed -nE '1s/.* ([0-9]+\.[0-9]+)\.$/\1/p')"

# compile ARGUMENT...: C, with the unpacked headers and startup files.
compile() {
  "$loader" --library-path "$libraries" "$work/usr/bin/tcc" -B"$work/usr/lib/x86_64-linux-gnu/tcc" -nostdinc -nostdlib "$@"
}
mkdir "$work/mine" "$work/theirs"
echo 'int which(void) { return 1; }' >"$work/mine.c"
echo 'int which(void) { return 2; }' >"$work/theirs.c"
printf 'int which(void);\nint main(void) { return which(); }\n' >"$work/program.c"
for whose in mine theirs; do
  compile -shared -soname libwhich.so "$work/$whose.c" -o "$work/$whose/libwhich.so"
done
crt=$work/usr/lib/x86_64-linux-gnu
compile "$crt/crt1.o" "$crt/crti.o" "$work/program.c" -L"$work/theirs" -lwhich -Wl,-rpath="$work/theirs" "$libraries/libc.so.6" "$crt/crtn.o" -o "$work/program"

# start OPTION...: whose library the program gets.
start() {
  local whose=0
  (cd "$work" && "$loader" --library-path "$work/mine:$libraries" "$@") || whose=$?
  case $whose in
    1) echo mine ;;
    2) echo theirs ;;
    *) echo "exit code $whose" ;;
  esac
}
expect "the library by --library-path alone" theirs "$(start ./program)"
expect "the library with --inhibit-rpath ./program" theirs "$(start --inhibit-rpath ./program ./program)"
expect "the library with --inhibit-rpath and the absolute path" theirs "$(start --inhibit-rpath "$work/program" "$work/program")"
expect 'the library with --inhibit-rpath ""' mine "$(start --inhibit-rpath "" ./program)"
