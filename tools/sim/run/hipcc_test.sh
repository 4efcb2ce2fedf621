#!/bin/sh
# //tools/sim:hipcc, called as a user calls it: compile, link, run.
hipcc=$PWD/$1
run=$PWD/$2
source=$PWD/tools/sim/run/hipcc_test_program.cpp
fail() {
  echo "$1"
  exit 1
}

# In one step, for all devices, from another folder.
mkdir -p folder
cp "$source" folder/program.cpp
BUILD_WORKING_DIRECTORY=$PWD/folder "$hipcc" -O1 program.cpp -o program || fail "does not compile"
for device in gfx942:64 gfx950:64 gfx1100:32 gfx1201:32; do
  output=$("$run" --device=${device%:*} folder/program) || fail "$device does not run"
  [ "$output" = "${device#*:} lanes" ] || fail "$device: $output"
done

# In two, for one device, which is then the one that it runs on.
"$hipcc" --offload-arch=gfx1100 -c "$source" -o program.o || fail "does not compile apart"
"$hipcc" program.o -o program || fail "does not link"
[ "$("$run" ./program)" = "32 lanes" ] || fail "linked apart, it does not run"
# Nor need it be told which device there is code for.
output=$(LD_LIBRARY_PATH=$(dirname "$run")/../hip/lib ./program) || fail "it does not run by itself"
[ "$output" = "32 lanes" ] || fail "by itself: $output"

"$hipcc" --genco --offload-arch=gfx942 "$source" -o code || fail "makes no code object"
[ "$(head -c 24 code)" = "__CLANG_OFFLOAD_BUNDLE__" ] || fail "the code object is no bundle"

message=$("$hipcc" --offload-arch=gfx000 "$source" 2>&1) && fail "an unknown device is no error"
case $message in
  *"--offload-arch is gfx000; the simulator has gfx942"*) ;;
  *) fail "$message" ;;
esac
