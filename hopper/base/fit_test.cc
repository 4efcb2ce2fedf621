// SPDX-License-Identifier: MIT
#include "hopper/base/fit.h"

#include <string_view>

#include "core/arch/device_facts.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/cost/fitted_constants.h"
#include "core/launch/part_kernel.h"
#include "gtest/gtest.h"

namespace gridwise::hopper {
namespace {

TEST(Fit, IsPhysical) {
  int checked = 0;
  Fit::Fields(kFit, [&](std::string_view name, double value) {
    EXPECT_GT(value, 0) << name;
    ++checked;
  });
  EXPECT_EQ(checked, 26);
  // Parts of a rate of the hardware: the tensor core's, device memory's, and the 128 bytes per
  // cycle that shared memory, and an SM's connection to L2 at best, deliver.
  for (const double part : {kFit.efficiency, kFit.efficiency_of_all, kFit.dram, kFit.l2 / 128,
                            kFit.l2_of_all / 128, kFit.halo_dense / 128}) {
    EXPECT_LE(part, 1);
  }
  EXPECT_LE(kFit.efficiency_of_all, kFit.efficiency);
  // Parts of a tile's store that are not hidden.
  for (const double part : {kFit.shared_store, kFit.pingpong_store, kFit.only_store}) {
    EXPECT_LE(part, 1);
  }
}

// Estimates of a request use its constants, and not the built-in ones.
TEST(Fit, IsThatOfTheRequest) {
  const DeviceFacts device(Gfx::kSm90a);
  const ConvProblem problem;
  PartRequest request = {.device = device, .problem = problem, .sub_gemms = {}, .split_k = {}};
  EXPECT_EQ(&FitOf(request), &kFit);
  FittedConstants fits;
  request.fits = &fits;
  EXPECT_EQ(&FitOf(request), &kFit);
  Fit fit = kFit;
  fit.launch = 1;
  fits.Set(fit);
  EXPECT_EQ(FitOf(request).launch, 1);
  fit.launch = 2;
  fits.Set(fit);
  EXPECT_EQ(FitOf(request).launch, 2);
}

}  // namespace
}  // namespace gridwise::hopper
