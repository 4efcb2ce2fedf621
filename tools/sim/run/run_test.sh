#!/bin/sh
# SPDX-License-Identifier: MIT
# What //tools/sim:run says of programs that it cannot run, and what it passes on.
run=$1
fail() {
  echo "$1"
  exit 1
}

message=$("$run" ./no_such_program 2>&1) && fail "a missing program is no error"
[ "$message" = "gridwise sim: there is no program ./no_such_program" ] || fail "$message"

printf '#!/bin/sh\necho "$GRIDWISE_SIM_DEVICES $GRIDWISE_SIM $GRIDWISE_SIM_SEED $*"; exit 7\n' >script.sh
chmod +x script.sh
output=$("$run" --device=gfx1100 --check=races --seed=5 ./script.sh --device=x y)
[ $? -eq 7 ] || fail "the exit code is not the program's"
[ "$output" = "gfx1100 check:races 5 --device=x y" ] || fail "$output"
output=$("$run" --check=races,waits --deferred ./script.sh)
[ "$output" = " deferred,check:races,waits  " ] || fail "$output"

message=$("$run" --check --time ./script.sh 2>&1) && fail "check and time together are no error"
[ "$message" = "gridwise sim: GRIDWISE_SIM: 'check,time' asks for check and time; a launch is checked or timed" ] ||
  fail "$message"

printf '#!/bin/sh\necho "$GRIDWISE_SIM_BREAK $GRIDWISE_SIM_WAVE $GRIDWISE_SIM_REPORT"\n' >views.sh
printf 'echo "$GRIDWISE_SIM_COVERAGE $GRIDWISE_SIM_TRACE $GRIDWISE_SIM_MACHINE $GRIDWISE_SIM_SOURCE_ROOT"\n' >>views.sh
chmod +x views.sh
mkdir -p folder
output=$(BUILD_WORKING_DIRECTORY=$PWD/folder "$run" --break=a.hip:3 --break='K<1>+0x4' --wave='wave=2 lds=0' --report=f.xml \
  --coverage=c --trace=/t --machine=m --source-root=. "$PWD/views.sh")
[ "$output" = ";a.hip:3;K<1>+0x4 wave=2 lds=0 $PWD/folder/f.xml
$PWD/folder/c /t $PWD/folder/m $PWD/folder/." ] || fail "$output"

cp script.sh folder/
output=$(BUILD_WORKING_DIRECTORY=$PWD/folder "$run" ./script.sh)
[ $? -eq 7 ] || fail "the program is not looked for where bazel run was called"

output=$(BAZELW_WORKING_DIRECTORY=$PWD/folder BUILD_WORKING_DIRECTORY=$PWD "$run" ./script.sh)
[ $? -eq 7 ] || fail "the program is not looked for where bazelw was called"

message=$("$run" --nonsense 2>&1) && fail "an unknown option is no error"
case $message in
  *usage:*) ;;
  *) fail "$message" ;;
esac

message=$("$run" "$2" 2>&1) && fail "a static program is no error"
case $message in
  *"is linked statically"*) ;;
  *) fail "$message" ;;
esac
