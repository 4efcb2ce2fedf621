#!/bin/sh
# SPDX-License-Identifier: MIT
# The simulator's views of normalize.hip: run, coverage, findings, the program and its source, a device.
run=$1 coverage=$2 findings=$3 program=$4 source=$5 device=$6
unset BUILD_WORKING_DIRECTORY BAZELW_WORKING_DIRECTORY
cd "$TEST_TMPDIR" || exit 1
for path in run coverage findings program source; do
  eval "$path=$TEST_SRCDIR/$TEST_WORKSPACE/\$$path"
done
fail() {
  echo "$1"
  exit 1
}
line_of() { grep -n "// $1\$" "$source" | cut -d: -f1; }
nan=$(line_of NAN) never=$(line_of NEVER)
[ -n "$nan" ] && [ -n "$never" ] || fail "the source has no marks"
simulate() { "$run" --device="$device" "$@" "$program" >log 2>&1; }
expect() { grep -qE -- "$2" "$1" || { cat "$1"; fail "$1 does not say: $2"; }; }
reject() { grep -qE -- "$2" "$1" && { cat "$1"; fail "$1 says: $2"; }; }

# Check mode does not look for it unless it is asked to.
GRIDWISE_SIM_EXITCODE=9 simulate --check || fail "check mode finds something: $(cat log)"
GRIDWISE_SIM_EXITCODE=9 simulate --check=nonfinite --report=found.sarif
[ $? -eq 9 ] || fail "no NaN is found: $(cat log)"
expect log "^gridwise check: nonfinite: kernel Normalize, normalize.hip:$nan, pc .*: workgroup \(2, 0, 0\), wave 0, lane 0: makes "
reject log "workgroup \([013], 0, 0\)"
expect found.sarif "\"startLine\":$nan\b"
simulate --check=nonfinite --report=found.xml
expect found.xml "<testcase classname=\"Normalize\" .* line=\"$nan\""

# Two processes, a report each, with paths below the folder in which the program was compiled.
compiled=$(grep -o '"uri":"file://[^"]*/normalize\.hip"' found.sarif | sed -n '1s,"uri":"file://\(.*\)/normalize.hip",\1,p')
[ -n "$compiled" ] || fail "found.sarif names no file: $(cat found.sarif)"
mkdir reports
for process in 1 2; do simulate --check=nonfinite --source-root="$compiled" --report=reports/%p.sarif; done
[ "$(ls reports | wc -l)" -eq 2 ] || fail "two processes write $(ls reports)"
"$findings" --sarif=both.sarif reports/*.sarif >shown
[ $? -eq 1 ] || fail "findings: $(cat shown)"
[ "$(grep -c . shown)" -eq "$(grep -o '"ruleId"' found.sarif | grep -c .)" ] || fail "findings: $(cat shown)"
expect shown "^nonfinite: kernel Normalize, normalize.hip:$nan, .*, [0-9]*[02468] times in all\$" # twice as often as one
expect both.sarif "\"uri\":\"normalize.hip\",\"uriBaseId\":\"%SRCROOT%\""
"$findings" --github reports/*.sarif >shown
expect shown "^::warning file=normalize.hip,line=$nan,title=gridwise check nonfinite::nonfinite: kernel Normalize, "
"$findings" reports 2>shown
[ $? -eq 2 ] || fail "a folder is a report: $(cat shown)"

simulate --coverage=executed || fail "$(cat log)"
simulate --coverage=executed || fail "$(cat log)"
"$coverage" --lcov=lcov.info --html=page.html "$TEST_TMPDIR/executed" >report || fail "coverage: $(cat report)"
expect report "^coverage of 2 runs"
expect report "$device Normalize\$"
expect report "normalize.hip:$never\b"
expect lcov.info "^DA:$never,0\$"
expect lcov.info "^FN:[0-9]+,_Z9NormalizePKfPfb"
expect page.html "\"executions\":0,\"pc\":[0-9]+,\"source\":\"normalize.hip:$never\""
# Waves come to the line of the NaN at least once in each of 4 workgroups, in each of 2 runs.
executed=$(sed -n "s/^DA:$nan,//p" lcov.info)
[ "$executed" -ge 8 ] || fail "line $nan was executed $executed times"

simulate --break="normalize.hip:$nan" --break=Normalize+0x0 --break="normalize.hip:$never" --wave="workgroup=1 lds=0 as=f32"
expect log "^gridwise break: kernel Normalize, normalize.hip:$nan, pc .*: workgroup \(1, 0, 0\), wave 0\$"
expect log "^gridwise break: kernel Normalize,.* pc \+0x0, .*: workgroup \(1, 0, 0\), wave 0\$"
expect log "^  lds \+0x0 "
expect log "^  the last 32 instructions:"
expect log "^gridwise break: normalize.hip:$never was not reached by workgroup \(1, 0, 0\), wave 0\$"

simulate --trace=traced --wave="workgroup=3"
expect traced "^kernel Normalize: workgroup \(3, 0, 0\), wave 0\$"
[ "$(grep -c s_endpgm traced)" -eq 1 ] || fail "the trace does not end once"
expect traced "^\+0x0 "
# All waves execute the same number of instructions: on gfx9 one in each of 4 workgroups, in each of 2 runs.
case $device in
  gfx9*)
    counted=$(awk '$1 == "i" { sum += $3 } END { print sum }' executed)
    seen=$(grep -c '^+0x' traced)
    [ "$counted" -eq $((8 * seen)) ] || fail "$counted instructions were counted, the trace has $seen"
    ;;
esac
exit 0
