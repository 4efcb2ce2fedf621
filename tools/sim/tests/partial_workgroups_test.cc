// Launches that count work-items: the last workgroups of an axis have what is left.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "hip/hip_ext.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/gpu.h"
#include "tools/sim/tests/partial_workgroups_o3.h"

namespace gridwise::sim {
namespace {

TEST(PartialWorkgroups, HaveTheWorkItemsThatAreLeft) {
  const absl::StatusOr<int> device = TestDevice();
  ASSERT_TRUE(device.ok()) << device.status();
  ASSERT_EQ(hipSetDevice(*device), hipSuccess);
  hipModule_t module = nullptr;
  for (const CodeObject& object : PartialWorkgroupsO3()) {
    if (object.gfx == TestTarget())
      ASSERT_EQ(hipModuleLoadData(&module, object.data.data()), hipSuccess);
  }
  hipFunction_t function = nullptr;
  ASSERT_EQ(hipModuleGetFunction(&function, module, "CountItems"), hipSuccess);

  // Workgroups of 128 x 2: two and 44 along x, one and half of one along y.
  uint32_t width = 300;
  constexpr uint32_t kRows = 3, kUntouched = 0xabcdabcd;
  const Words out(std::vector<uint32_t>(width * kRows + 200, kUntouched));
  uint32_t* pointer = out.device();
  void* arguments[] = {&pointer, &width};
  GridwiseSimRuns run;
  gridwiseSimTakeRuns(&run);
  ASSERT_EQ(hipExtModuleLaunchKernel(function, width, kRows, 1, 128, 2, 1, 0, nullptr, arguments,
                                     nullptr),
            hipSuccess);
  const std::vector<uint32_t> found = out.Read();
  for (uint32_t i = 0; i < found.size(); ++i) {
    const uint32_t x = i % width, y = i / width;
    const uint32_t items = (x < 256 ? 128 : 44) * (y < 2 ? 2 : 1);
    ASSERT_EQ(found[i], y < kRows ? items | 44 << 16 : kUntouched) << x << ", " << y;
  }
  ASSERT_EQ(gridwiseSimTakeRuns(&run), 0);
  EXPECT_EQ(run.workgroups, 6);
  // Of 256, 256, 88, 128, 128 and 44 work-items.
  EXPECT_EQ(run.waves,
            TestTarget().starts_with("gfx9") ? 4 + 4 + 2 + 2 + 2 + 1 : 8 + 8 + 3 + 4 + 4 + 2);
  EXPECT_EQ(hipModuleUnload(module), hipSuccess);
}

}  // namespace
}  // namespace gridwise::sim
