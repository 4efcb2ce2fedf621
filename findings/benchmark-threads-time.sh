#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Google Benchmark: with four threads, iterations that take 1 ms each are reported as 0.25 ms of real time.
#
# Guess    The column Time is what an iteration takes, with UseRealTime or UseManualTime whatever the number of threads: the threads run at the same time.
# Really   All threads' time is added up, divided by the number of threads, and then by the iterations of all threads together. So a benchmark that does not
#          scale at all seems to be four times as fast. Rates such as items_per_second, of all threads, are right; CPU time is per iteration.
# Version  Google Benchmark 1.7.1 of Debian 12. By 1.9.1 it is 1 ms, and rates are those of one thread.
# Seen     UseManualTime, SetIterationTime(1e-3), 5 iterations: 1 thread 1 ms; 2 threads 0.5 ms; 4 threads 0.25 ms, items_per_second 4000
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/debian.sh"
packages libbenchmark-dev=1.7.1-1 libbenchmark1debian=1.7.1-1
export LD_LIBRARY_PATH=$libraries

compile benchmark <<'CPP'
#include <benchmark/benchmark.h>

void Iterations(benchmark::State& state) {
  for (auto _ : state) state.SetIterationTime(1e-3);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Iterations)->Iterations(5)->UseManualTime()->Unit(benchmark::kMicrosecond)->Threads(1)->Threads(2)->Threads(4);
BENCHMARK_MAIN();
CPP
"$work/finding" --benchmark_format=json 2>/dev/null >"$work/seen"
# field THREADS NAME: a whole number
field() {
  python3 -c 'import json, sys
run = next(run for run in json.load(open(sys.argv[1]))["benchmarks"] if run["threads"] == int(sys.argv[2]))
print(round(run[sys.argv[3]]))' "$work/seen" "$@"
}
while read -r threads time iterations rate; do
  expect "us of an iteration of 1000 us, on $threads threads" "$time" "$(field "$threads" real_time)"
  expect 'the iterations' "$iterations" "$(field "$threads" iterations)"
  expect 'items per second' "$rate" "$(field "$threads" items_per_second)"
done <<'STATED'
1 1000 5 1000
2 500 10 2000
4 250 20 4000
STATED
