// SPDX-License-Identifier: MIT
// Launches that count work-items: the last workgroups of an axis have what is left.

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "hip/hip_ext.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/gpu.h"
#include "tools/sim/tests/partial_workgroups_o3.h"

namespace gridwise::sim {
namespace {

// Workgroups of 128 x 2: two and 44 work-items along x, one and half of one along y.
class PartialWorkgroups : public testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<Gpu> gpu = Gpu::Load({{"O3", PartialWorkgroupsO3()}});
    ASSERT_TRUE(gpu.ok()) << gpu.status();
    module_ = gpu->module("O3");
    ASSERT_EQ(hipModuleGetFunction(&function_, module_, "CountItems"), hipSuccess);
    out_.emplace(std::vector<uint32_t>(kWidth * kRows + 200, kUntouched));
  }
  void TearDown() override { EXPECT_EQ(hipModuleUnload(module_), hipSuccess); }

  hipError_t Launch(hipStream_t stream) {
    uint32_t* pointer = out_->device();
    uint32_t width = kWidth;
    void* arguments[] = {&pointer, &width};
    return hipExtModuleLaunchKernel(function_, kWidth, kRows, 1, 128, 2, 1, 0, stream, arguments,
                                    nullptr);
  }

  void ExpectItemsThatAreLeft() const {
    const std::vector<uint32_t> found = out_->Read();
    ASSERT_EQ(found.size(), kWidth * kRows + 200);
    for (uint32_t i = 0; i < found.size(); ++i) {
      const uint32_t x = i % kWidth, y = i / kWidth;
      const uint32_t items = (x < 256 ? 128 : 44) * (y < 2 ? 2 : 1);
      ASSERT_EQ(found[i], y < kRows ? items | 44 << 16 : kUntouched) << x << ", " << y;
    }
  }

  static constexpr uint32_t kWidth = 300, kRows = 3, kUntouched = 0xabcdabcd;
  hipModule_t module_ = nullptr;
  hipFunction_t function_ = nullptr;
  std::optional<Words> out_;
};

TEST_F(PartialWorkgroups, HaveTheWorkItemsThatAreLeft) {
  GridwiseSimRuns run;
  gridwiseSimTakeRuns(&run);
  ASSERT_EQ(Launch(nullptr), hipSuccess);
  ExpectItemsThatAreLeft();
  ASSERT_EQ(gridwiseSimTakeRuns(&run), 0);
  EXPECT_EQ(run.workgroups, 6);
  // Of 256, 256, 88, 128, 128 and 44 work-items.
  EXPECT_EQ(run.waves,
            TestTarget().starts_with("gfx9") ? 4 + 4 + 2 + 2 + 2 + 1 : 8 + 8 + 3 + 4 + 4 + 2);
}

// HIP's parameters of a node count whole workgroups.
TEST_F(PartialWorkgroups, StayPartialInAGraphWhoseParametersAreSet) {
  hipStream_t stream = nullptr;
  hipGraph_t graph = nullptr;
  hipGraphExec_t exec = nullptr;
  hipGraphNode_t node = nullptr;
  size_t count = 1;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  ASSERT_EQ(Launch(stream), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  ASSERT_EQ(hipGraphGetNodes(graph, &node, &count), hipSuccess);
  hipKernelNodeParams parameters = {};
  ASSERT_EQ(hipGraphKernelNodeGetParams(node, &parameters), hipSuccess);
  EXPECT_EQ(parameters.gridDim.x, 3u);
  EXPECT_EQ(hipGraphKernelNodeSetParams(node, &parameters), hipSuccess);
  ASSERT_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipSuccess);
  EXPECT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
  ExpectItemsThatAreLeft();
  EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

}  // namespace
}  // namespace gridwise::sim
