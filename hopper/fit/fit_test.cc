// SPDX-License-Identifier: MIT
#include "hopper/fit/fit.h"

#include <string_view>

#include "core/arch/device_facts.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/cost/fitted_constants.h"
#include "core/launch/part_kernel.h"
#include "gtest/gtest.h"

namespace gridwise::hopper {
namespace {

void ExpectPhysical(const Fit& fit) {
  int checked = 0;
  Fit::Fields(fit, [&](std::string_view name, double value) {
    EXPECT_GT(value, 0) << name;
    ++checked;
  });
  EXPECT_EQ(checked, 27);
  // Parts of a rate of the hardware: the tensor core's, device memory's, and the 128 bytes per
  // cycle that shared memory, and an SM's connection to L2 at best, deliver.
  for (const double part : {fit.efficiency, fit.efficiency_of_all, fit.dram, fit.l2 / 128,
                            fit.l2_of_all / 128, fit.halo_dense / 128}) {
    EXPECT_LE(part, 1);
  }
  EXPECT_LE(fit.efficiency_of_all, fit.efficiency);
  // Parts of a tile's store that are not hidden.
  for (const double part : {fit.shared_store, fit.pingpong_store, fit.only_store}) {
    EXPECT_LE(part, 1);
  }
}

TEST(Fit, IsPhysical) {
  ExpectPhysical(kFits.along_channels);
  ExpectPhysical(kFits.along_pixels);
}

// Estimates of a request use its constants, and not the built-in ones.
TEST(Fit, IsThatOfTheRequest) {
  const DeviceFacts device(Gfx::kSm90a);
  ConvProblem problem;
  PartRequest request = {.device = device, .problem = problem, .sub_gemms = {}, .split_k = {}};
  EXPECT_EQ(&FitOf(request), &kFits.along_channels);
  FittedConstants constants;
  request.fits = &constants;
  EXPECT_EQ(&FitOf(request), &kFits.along_channels);
  Fits fits = kFits;
  fits.along_channels.launch = 1;
  fits.along_pixels.launch = 2;
  constants.Set(fits);
  EXPECT_EQ(FitOf(request).launch, 1);
  problem.direction = Direction::kBackwardWeight;
  EXPECT_EQ(FitOf(request).launch, 2);
  problem.type = DataType::kTF32;
  EXPECT_EQ(FitOf(request).launch, 1);
}

}  // namespace
}  // namespace gridwise::hopper
