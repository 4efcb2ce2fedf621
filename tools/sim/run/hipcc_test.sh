#!/bin/sh
# SPDX-License-Identifier: MIT
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

# Programs are told the size of waves that clang is, however it is told.
size() { # expected, options
  expected=$1
  shift
  output=$("$hipcc" "$@" --cuda-device-only -E -P | tail -n 1) || fail "does not preprocess with $*"
  [ "$output" = "$expected" ] || fail "waves of $output lanes, not $expected, with $*"
}
echo __AMDGCN_WAVEFRONT_SIZE > size.hip
echo "-O1 '--offload-arch=gfx1201' -mwavefrontsize64 size.hip" > response
size 64 --offload-arch=gfx942 size.hip
size 64 --offload-arch=gfx90a size.hip
size 32 --offload-arch=gfx1100 size.hip
size 64 --offload-arch=gfx1100 -mwavefrontsize64 size.hip
size 32 --offload-arch=gfx1100 -mwavefrontsize64 -mno-wavefrontsize64 size.hip
size 64 --offload-arch=gfx1201 -Xarch_gfx1201 -mwavefrontsize64 size.hip
size 64 --offload-arch=gfx942:xnack-:sramecc+ size.hip
size 64 @response
cat > lanes.hip <<'EOF'
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void Sum(int* result) {
  int sum = static_cast<int>(threadIdx.x) + 1;
  for (int step = warpSize / 2; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (threadIdx.x == 0) result[0] = sum, result[1] = warpSize;
}
int main() {
  int* result = nullptr;
  if (hipMalloc(reinterpret_cast<void**>(&result), 8) != hipSuccess) return 1;
  Sum<<<1, 64>>>(result);
  int copy[2] = {};
  if (hipMemcpy(copy, result, 8, hipMemcpyDeviceToHost) != hipSuccess) return 1;
  std::printf("%d of %d\n", copy[0], copy[1]);
}
EOF
lanes() { # expected, device to run on
  output=$("$run" --device="$2" ./lanes) || fail "it does not run on $2"
  [ "$output" = "$1" ] || fail "$output, not $1, on $2"
}
"$hipcc" --offload-arch=gfx942:xnack-:sramecc+,gfx1201 lanes.hip -o lanes || fail "does not compile for a list"
lanes "528 of 32" gfx1201
lanes "2080 of 64" gfx942
# HIP has none of 64 on RDNA, and says so.
message=$("$hipcc" --offload-arch=gfx1100 -mwavefrontsize64 lanes.hip -o lanes 2>&1) &&
  fail "waves of 64 lanes on gfx1100 are no error"
case $message in
  *"HIP is not supported on the specified GPU ARCH with wavefront size 64"*) ;;
  *) fail "$message" ;;
esac

# Device code in two objects.
cat > kernel.hip <<'EOF'
#include <hip/hip_runtime.h>
#include <cstdio>
__device__ int Twice(int x);
__global__ void Double(int* x) { *x = Twice(*x); }
int main() {
  int* x = nullptr;
  if (hipMallocManaged(reinterpret_cast<void**>(&x), 4) != hipSuccess) return 1;
  *x = 21;
  Double<<<1, 1>>>(x);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  std::printf("%d\n", *x);
}
EOF
cat > twice.hip <<'EOF'
#include <hip/hip_runtime.h>
__device__ int Twice(int x) { return 2 * x; }
EOF
for file in kernel twice; do
  "$hipcc" --offload-arch=gfx942,gfx1201 -fgpu-rdc -c $file.hip || fail "$file does not compile apart"
done
"$hipcc" --offload-arch=gfx942,gfx1201 -fgpu-rdc kernel.o twice.o -o double || fail "objects do not link"
for device in gfx942 gfx1201; do
  [ "$("$run" --device="$device" ./double)" = 42 ] || fail "linked, it does not run on $device"
done

message=$("$hipcc" --offload-arch=gfx000 "$source" 2>&1) && fail "an unknown device is no error"
case $message in
  *"--offload-arch is gfx000; the simulator has gfx942"*) ;;
  *) fail "$message" ;;
esac
