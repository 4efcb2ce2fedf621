// SPDX-License-Identifier: MIT
/// Speed of the CPU reference, per core: bazel run -c opt //core/reference:reference_benchmark

#include <vector>

#include "absl/status/status.h"
#include "benchmark/benchmark.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/reference/reference.h"

namespace gridwise {
namespace {

constexpr Dim kPlain3 = {.in = 28, .filter = 3, .pad_begin = 1, .pad_end = 1};
constexpr Dim kStride2 = {.in = 28, .filter = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};

constexpr ConvProblem kProblems[] = {
    {.batch = 2, .c = 256, .k = 256, .dims = {Dim{}, kPlain3, kPlain3}},
    {.batch = 4, .c = 256, .k = 256, .dims = {Dim{}, kStride2, kStride2}},
    {.groups = 32, .batch = 2, .c = 256, .k = 256, .dims = {Dim{}, kPlain3, kPlain3}},
};

/// Arguments: index of the problem, direction.
void BM_Reference(benchmark::State& state) {
  ConvProblem problem = kProblems[state.range(0)];
  problem.direction = kAllDirections[state.range(1)];
  const std::vector<float> a(problem.a_elements(), 0.5f), b(problem.b_elements(), 0.25f);
  std::vector<double> out(problem.out_elements());
  for (auto _ : state) {
    const absl::Status status = Reference(problem, a, b, out, /*threads=*/1);
    if (!status.ok()) state.SkipWithError(status.ToString().c_str());
    benchmark::DoNotOptimize(out.data());
  }
  state.SetLabel(ToString(problem));
  state.counters["FLOP/s"] =
      benchmark::Counter(problem.Flops(), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(BM_Reference)->ArgsProduct({{0, 1, 2}, {0, 1, 2}})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gridwise
