#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/check_halves_o3.h"
#include "tools/sim/tests/gpu.h"

// A load into half of a register writes all of it on gfx942 and gfx950, and nothing but that half
// on gfx1100 and gfx1201, where the other half can be stored before the load has come back.

namespace gridwise::sim {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

bool LoadsHalvesAlone() { return TestTarget() == "gfx1100" || TestTarget() == "gfx1201"; }

/// What waits are missing in `kernel`.
std::vector<std::string> Findings(const std::string& kernel) {
  gridwiseSimCheck("check:waits");
  const absl::StatusOr<Gpu> gpu = Gpu::Load({{"O3", CheckHalvesO3()}});
  EXPECT_TRUE(gpu.ok()) << gpu.status();
  if (!gpu.ok()) return {};
  gridwiseSimClearFindings();
  const std::vector<uint32_t> zeros(64, 0);
  const Words in(zeros), out(zeros);
  const absl::Status status =
      gpu->Run("O3", kernel, {.block = {64, 1, 1}}, in.device(), out.device(), 0);
  EXPECT_TRUE(status.ok()) << status;
  std::vector<std::string> sentences;
  GridwiseSimFinding f;
  for (int i = 0; gridwiseSimFindingAt(i, &f) == 0; ++i) sentences.push_back(f.sentence);
  return sentences;
}

TEST(CheckHalves, TheHalfThatIsUnderWay) {
  EXPECT_THAT(Findings("StoreSameHalf"), ElementsAre(HasSubstr("reads v40")));
}

TEST(CheckHalves, TheOtherHalf) {
  for (const char* kernel : {"StoreOtherHalf", "StoreFirstHalf"}) {
    if (LoadsHalvesAlone()) {
      EXPECT_THAT(Findings(kernel), IsEmpty()) << kernel;
    } else {
      EXPECT_THAT(Findings(kernel), ElementsAre(HasSubstr("d16_hi v40"))) << kernel;
    }
  }
}

TEST(CheckHalves, TheLoadToWaitFor) {
  EXPECT_THAT(Findings("StoreOlderHalf"),
              ElementsAre(ContainsRegex(LoadsHalvesAlone() ? "cnt.1" : "cnt.0")));
}

}  // namespace
}  // namespace gridwise::sim
