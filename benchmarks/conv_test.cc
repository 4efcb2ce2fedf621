// SPDX-License-Identifier: MIT
/// Runs //benchmarks:conv on one layer, as a user does.

#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/text/shell.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ShellResult Conv(const std::string& arguments) {
  return Shell(absl::StrCat("benchmarks/conv ", arguments, " 2>&1"));
}

std::string Device() { return absl::StrCat("--device=", std::getenv("GRIDWISE_TEST_TARGET")); }

TEST(ConvBenchmark, TimesALayerByTheClock) {
  const std::string path = testing::TempDir() + "/layers.csv";
  std::ofstream(path) << "name,ndim,G,N,K,C,Z,Y,X,Di,Hi,Wi,stride_d,stride_h,stride_w,dil_d,dil_h,"
                         "dil_w,pad_d,pad_h,pad_w,directions,note\n"
                         "small,2,1,2,64,32,1,3,3,1,14,14,1,1,1,1,1,1,0,1,1,fwd bwd_data,\n";
  const ShellResult result =
      Conv(absl::StrCat(Device(), " --problems=", path, " --benchmark_filter=small/fwd"));
  EXPECT_EQ(result.status, 0) << result.out;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("time: told by the simulator's clock"), HasSubstr("/small/fwd/f16/"),
                    HasSubstr("TFLOP/s="), HasSubstr("of_bound="), HasSubstr("limited by "),
                    Not(HasSubstr("ERROR")), Not(HasSubstr("bwd_data"))));
}

TEST(ConvBenchmark, SaysWhatIsWrong) {
  const ShellResult result = Conv("--device=gfx90");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.out, AllOf(HasSubstr("conv: "), HasSubstr("gfx90")));
}

}  // namespace
}  // namespace gridwise
