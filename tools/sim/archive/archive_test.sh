#!/bin/sh
# SPDX-License-Identifier: MIT
# archive_test.sh ARCHIVE: unpacks the archive, or takes the folder where it is unpacked, and calls its programs as a user does
# who has nothing else: without an environment, from another folder, in a path with a space. Whatever they load, compile or link
# comes from the archive.
archive=$(readlink -f "$1")
work=$(mktemp -d "${TEST_TMPDIR:-/tmp}/a user.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() {
  echo "FAILED: $1"
  exit 1
}
if [ -d "$archive" ]; then
  root=$archive
else
  mkdir "$work/some where"
  tar -xf "$archive" -C "$work/some where" || fail "$archive cannot be unpacked"
  root="$work/some where/gridwise-sim"
fi
bin=$root/bin loader=$root/lib/ld-linux-x86-64.so.2
call() { env -i "$@"; }
has() { printf '%s\n' "$2" | grep -qE -- "$1" || fail "it does not say '$1': $2"; }
# The libraries that a loader lists, of a file that it names, are the archive's.
inside() {
  elsewhere=$(printf '%s\n' "$2" | grep ' => ' | grep -vF " => $root/lib/")
  [ -z "$elsewhere" ] || fail "$1 loads $elsewhere"
  [ "$(printf '%s\n' "$2" | grep -cF " => $root/lib/")" -ge "$3" ] || fail "$1 loads too little: $2"
}

files=0
for file in "$root"/libexec/programs/* "$root"/lib/lib*.so.[0-9]*; do
  listed=$(call "$loader" --library-path "$root/lib" --list "$file") || fail "$file: $listed"
  inside "$file" "$listed" 0
  files=$((files + 1))
done
[ "$files" -ge 30 ] || fail "there are $files programs and libraries"

# A check.
cp "$root/samples/missing_barrier.hip" "$root/samples/check.h" "$root/samples/vector_add.hip" .
call "$bin/hipcc" -g missing_barrier.hip -o barrier || fail "hipcc does not compile missing_barrier.hip"
output=$(call GRIDWISE_SIM_EXITCODE=9 "$bin/run" --check --report=found.sarif ./barrier 2>&1)
[ $? -eq 9 ] || fail "run --check finds nothing: $output"
has '^gridwise check: races: kernel Reverse, missing_barrier\.hip:14, pc ' "$output"
output=$(call "$bin/findings" --github found.sarif)
[ $? -eq 1 ] || fail "findings: $output"
has '^::error file=missing_barrier\.hip,line=14,title=gridwise check races::races: kernel Reverse' "$output"

# All of the headers, and the devices, which run names if a program has code for none of them.
output=$(call "$bin/hipcc" -M --cuda-host-only vector_add.hip) || fail "hipcc -M: $output"
has '/usr/include/hip/hip_runtime\.h' "$output"
other=$(printf '%s\n' "$output" | sed 's/\\ /\r/g; s/^[^ ]*\.o://; s/\\$//' | tr ' ' '\n' | tr '\r' ' ' | grep -v '^$' |
  grep -vF "$root/" | grep -vE '^(vector_add\.hip|(\./)?check\.h)$')
[ -z "$other" ] || fail "hipcc reads headers elsewhere: $other"
call "$bin/hipcc" --offload-arch=gfx1030 vector_add.hip -o add || fail "hipcc does not compile vector_add.hip for gfx1030"
output=$(call "$bin/run" ./add 2>&1) && fail "gfx1030 is a device"
devices=$(printf '%s\n' "$output" | sed -n 's/.*; the simulator has //p' | tr -d ',')
has ' gfx90a( |$)' "$devices"
call "$bin/hipcc" -O2 --offload-arch="$(echo "$devices" | tr ' ' ',')" vector_add.hip -o add ||
  fail "hipcc does not compile vector_add.hip for $devices"
for device in $devices; do
  output=$(call "$bin/run" --device=$device ./add 2>&1) || fail "vector_add on $device: $output"
  has '^added 10007 numbers$' "$output"
done

# Such a program starts by itself, and so in a script, with all of its libraries; started by run, wherever the archive is now.
output=$(call LD_TRACE_LOADED_OBJECTS=1 ./add) || fail "it does not start by itself: $output"
inside "a program" "$output" 30
printf '#!/bin/sh\n./add && ls / >/dev/null\n' >script && chmod +x script
output=$(call PATH=/usr/bin:/bin "$bin/run" --device=gfx950 ./script 2>&1) || fail "not in a script: $output"
has '^added 10007 numbers$' "$output"
if [ ! -d "$archive" ]; then
  mv "$root" "$work/else where"
  output=$(call "$work/else where/bin/run" ./add 2>&1) || fail "not after the archive was moved: $output"
  has '^added 10007 numbers$' "$output"
  mv "$work/else where" "$root"
fi

# Programs that others have linked, here with the system's loader and a library before the simulator's.
cat >count.c <<'EOF'
#include <stdio.h>
int hipGetDeviceCount(int*);
int main(void) {
  int count = -1;
  return printf("%d of %d\n", hipGetDeviceCount(&count), count) < 0;
}
EOF
mkdir others
printf 'int hipGetDeviceCount(int* count) { return 7; }\n' >others.c
clang() { call "$root/libexec/clang++" -no-canonical-prefixes --sysroot="$root" -B "$root/libexec" -fuse-ld=lld -x c "$@"; }
clang -shared -fPIC -Wl,-soname,libamdhip64.so.6 others.c -o others/libamdhip64.so || fail "clang links no library"
cp others/libamdhip64.so others/libamdhip64.so.6
clang count.c -o count -Lothers -lamdhip64 -Wl,--disable-new-dtags '-Wl,-rpath,$ORIGIN/others' || fail "clang links no program"
output=$(call "$bin/run" --device=gfx942,gfx950 ./count 2>&1) || fail "it does not run: $output"
has '^0 of 2$' "$output"

# The command line.
has '^usage|run|explain' "$(call "$bin/gridwise" help)"
has MI300X "$(call "$bin/gridwise" list targets)"
output=$(call HOME="$work" "$bin/gridwise" explain fwd --problem=almiopen-1959 2>&1) || fail "gridwise explain: $output"
has 'f16_t' "$output"
output=$(call "$bin/gridwise" run fwd --n=1 --c=32 --k=32 --in=8x8 --filter=3x3 --pad=1x1 --verify 2>&1) || fail "gridwise run: $output"
has '^PASS$' "$output"
printf './bin/MIOpenDriver convfp16 -n 2 -c 64 -H 14 -W 14 -k 64 -y 3 -x 3 -p 1 -q 1 -u 1 -v 1 -F 1\n' >miopen.txt
output=$(call "$bin/gridwise" network miopen.txt 2>&1) || fail "gridwise network: $output"
has 'total' "$output"
other=f16_t64x128x32_w2x2_mfma32x32x8_a8x1_b8x1_o4_wavelet4
output=$(call "$bin/gridwise" run fwd --problem=almiopen-1959 --instance=$other 2>&1) && fail "gridwise compiles kernels"
has "came without the kernels' headers" "$output"
echo "$files programs and libraries; missing_barrier.hip is found out, and others run: PASS"
