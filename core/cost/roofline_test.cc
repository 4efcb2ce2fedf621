// SPDX-License-Identifier: MIT
#include "core/cost/roofline.h"

#include <cstdint>
#include <set>

#include "core/arch/device_facts.h"
#include "core/arch/infinity_cache.h"
#include "core/conv/problem.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

// Data sheets, in TFLOP/s: dense, at the peak clock.
TEST(Roofline, PeaksAreTheDataSheets) {
  const auto tflops = [](Gfx gfx, DataType type) {
    const DeviceFacts device = gfx;
    return PeakFlopsPerClock(gfx, type) * device.compute_units * device.clock_ghz * 1e-3;
  };
  EXPECT_NEAR(tflops(Gfx::k942, DataType::kF16), 1307, 2);
  EXPECT_NEAR(tflops(Gfx::k942, DataType::kF8E4M3Fnuz), 2615, 3);
  EXPECT_NEAR(tflops(Gfx::k942, DataType::kF32), 163.4, 0.2);
  EXPECT_NEAR(tflops(Gfx::k950, DataType::kBF16), 2517, 3);
  EXPECT_NEAR(tflops(Gfx::k90a, DataType::kF16), 181, 0.2);
  EXPECT_NEAR(tflops(Gfx::k90a, DataType::kI8), 181, 0.2);
  EXPECT_NEAR(tflops(Gfx::k90a, DataType::kF32), 45.3, 0.1);
  EXPECT_NEAR(tflops(Gfx::k950, DataType::kF8E4M3), 5033, 6);
  EXPECT_NEAR(tflops(Gfx::k1100, DataType::kF16), 122.9, 0.2);
  EXPECT_NEAR(tflops(Gfx::k1201, DataType::kF16), 194.6, 0.6);
  EXPECT_EQ(PeakFlopsPerClock(Gfx::k950, DataType::kF8E4M3Fnuz), 0);
}

// By going through all of them.
int64_t CountPixelsMet(const Dim& dim) {
  std::set<int64_t> met;
  for (int64_t o = 0; o < dim.out(); ++o) {
    for (int64_t t = 0; t < dim.filter; ++t) {
      const int64_t i = o * dim.stride + t * dim.dilation - dim.pad_begin;
      if (i >= 0 && i < dim.in) met.insert(i);
    }
  }
  return static_cast<int64_t>(met.size());
}

TEST(PixelsMet, AreThoseThatSomeTapMeets) {
  int checked = 0;
  for (const int64_t in : {1, 2, 5, 12, 23}) {
    for (int64_t filter = 1; filter <= 5; ++filter) {
      for (int64_t stride = 1; stride <= 6; ++stride) {
        for (int64_t dilation = 1; dilation <= 6; ++dilation) {
          for (const int64_t pad : {0, 1, 7}) {
            const Dim dim = {in, filter, stride, dilation, pad, pad / 2};
            if (dim.out() == 0) continue;
            ++checked;
            EXPECT_EQ(PixelsMet(dim), CountPixelsMet(dim))
                << in << " " << filter << " " << stride << " " << dilation << " " << pad;
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 1000);
}

TEST(Roofline, PixelsThatNoTapMeetsAreNotRead) {
  ConvProblem problem = {.rank = 2, .batch = 4, .c = 64, .k = 32};
  for (const size_t axis : {1u, 2u}) problem.dims[axis] = {.in = 56, .stride = 2};
  const auto all = [&] { return 2.0 * (problem.a_elements() + problem.b_elements()); };
  const double x = 2.0 * problem.x_elements();
  EXPECT_EQ(CountRooflineWork(problem).bytes_read, all() - x * 3 / 4);
  problem.direction = Direction::kBackwardWeight;
  EXPECT_EQ(CountRooflineWork(problem).bytes_read, all() - x * 3 / 4);
  problem.direction = Direction::kBackwardData;
  EXPECT_EQ(CountRooflineWork(problem).bytes_read, all());
  EXPECT_EQ(CountRooflineWork(problem).bytes_written, x);
}

ConvProblem Pointwise(int64_t batch, int64_t c, int64_t k, int64_t side) {
  ConvProblem problem;
  problem.rank = 2;
  problem.batch = batch;
  problem.c = c;
  problem.k = k;
  problem.dims[1].in = problem.dims[2].in = side;
  return problem;
}

TEST(Roofline, ManyChannelsAreBoundByTheMatrixUnit) {
  const ConvProblem problem = Pointwise(32, 4096, 4096, 16);
  const Roofline roofline = ComputeRoofline(CountRooflineWork(problem), Gfx::k942, 2.1);
  EXPECT_STREQ(roofline.bound(), "matrix unit");
  EXPECT_NEAR(roofline.ms(), problem.Flops() / 1307.4e12 * 1e3, 1e-4);
  EXPECT_NEAR(ComputeRoofline(CountRooflineWork(problem), Gfx::k942, 1.05).ms(), 2 * roofline.ms(),
              1e-9);
}

TEST(Roofline, FewChannelsAreBoundByMemoryOnceTheInfinityCacheIsFull) {
  const ConvProblem small = Pointwise(1, 64, 64, 256), large = Pointwise(64, 64, 64, 256);
  const double bytes = 2.0 * (small.a_elements() + small.b_elements() + small.out_elements());
  const MachineFacts machine = DeviceFacts(Gfx::k942).machine;
  ASSERT_LT(bytes, machine.mall_bytes);
  const Roofline fits = ComputeRoofline(CountRooflineWork(small), Gfx::k942, 2.1);
  EXPECT_STREQ(fits.bound(), "memory");
  EXPECT_NEAR(fits.ms(), bytes / machine.mall_gb_per_s * 1e-6, 1e-9);
  const double half = static_cast<double>(large.a_elements()) * 2;  // of what is moved
  const double gone = 1 - FractionCached(2 * half, machine.mall_bytes);
  EXPECT_GT(gone, 0.97);
  EXPECT_NEAR(
      ComputeRoofline(CountRooflineWork(large), Gfx::k942, 2.1).ms(),
      gone * half * (1 / machine.dram_read_gb_per_s + 1 / machine.dram_write_gb_per_s) * 1e-6,
      1e-4);
}

}  // namespace
}  // namespace gridwise
