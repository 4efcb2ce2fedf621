// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/gpu.h"
#include "tools/sim/tests/rare_kernels_o3.h"

// Global wave sync, the state of barriers, and how often a program ran what is not known.

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RareKernels : public testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<int> device = TestDevice();
    ASSERT_TRUE(device.ok()) << device.status();
    ASSERT_EQ(hipSetDevice(*device), hipSuccess);
    const char* image = nullptr;
    for (const CodeObject& object : RareKernelsO3()) {
      if (object.gfx == TestTarget()) image = object.data.data();
    }
    ASSERT_EQ(hipModuleLoadData(&module_, image), hipSuccess);
    ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&words_), 8), hipSuccess);
    ASSERT_EQ(hipMemset(words_, 0, 8), hipSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(hipFree(words_), hipSuccess);
    EXPECT_EQ(hipModuleUnload(module_), hipSuccess);
  }

  uint32_t WordAt(int index) const {
    uint32_t word = ~0u;
    EXPECT_EQ(hipMemcpy(&word, words_ + index, 4, hipMemcpyDeviceToHost), hipSuccess);
    return word;
  }

  static constexpr unsigned kWorkgroups = 4;
  unsigned workgroups_ = kWorkgroups;
  hipModule_t module_ = nullptr;
  uint32_t* words_ = nullptr;
};

TEST_F(RareKernels, WavesOfTheDeviceSynchronise) {
  if (TestTarget() == "gfx1201") GTEST_SKIP() << "the target has no global wave sync";
  hipFunction_t init = nullptr, meet = nullptr;
  ASSERT_EQ(hipModuleGetFunction(&init, module_, "SyncInit"), hipSuccess);
  ASSERT_EQ(hipModuleGetFunction(&meet, module_, "SyncMeet"), hipSuccess);
  uint32_t* stored = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&stored), 4 * kWorkgroups), hipSuccess);
  ASSERT_EQ(hipMemset(stored, 0, 4 * kWorkgroups), hipSuccess);
  void* arguments[] = {&words_, &workgroups_, &stored};
  ASSERT_EQ(hipModuleLaunchKernel(init, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr),
            hipSuccess);
  ASSERT_EQ(
      hipModuleLaunchCooperativeKernel(meet, kWorkgroups, 1, 1, 1, 1, 1, 0, nullptr, arguments),
      hipSuccess);
  EXPECT_EQ(WordAt(0), 3 * kWorkgroups);
  EXPECT_EQ(WordAt(1), 0u);
  EXPECT_EQ(hipFree(stored), hipSuccess);
}

TEST_F(RareKernels, BarriersTellWhoHasSignalled) {
  if (TestTarget() != "gfx1201") GTEST_SKIP() << "the target has no such instruction";
  hipFunction_t kernel = nullptr;
  ASSERT_EQ(hipModuleGetFunction(&kernel, module_, "BarrierState"), hipSuccess);
  void* arguments[] = {&words_};
  // Bit 0: valid; 10..4: members; 22..16: signals (RDNA4 ISA).
  for (const unsigned waves : {1u, 2u, 3u}) {
    ASSERT_EQ(
        hipModuleLaunchKernel(kernel, 1, 1, 1, 32 * waves, 1, 1, 0, nullptr, arguments, nullptr),
        hipSuccess);
    EXPECT_EQ(WordAt(0), waves == 1 ? 0 : 1u << 16 | waves << 4 | 1u);
    EXPECT_EQ(WordAt(1), waves == 1 ? 0 : waves << 4 | 1u);
  }
}

TEST_F(RareKernels, FidelityCountsWhatIsNotKnown) {
  hipFunction_t kernel = nullptr;
  ASSERT_EQ(hipModuleGetFunction(&kernel, module_, "NotKnown"), hipSuccess);
  void* arguments[] = {&words_};
  const std::string earlier = gridwiseSimFidelity();
  EXPECT_THAT(earlier, Not(HasSubstr("not known")));
  ASSERT_EQ(hipModuleLaunchKernel(kernel, 3, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr),
            hipSuccess);
  const std::string not_known = R"("executed":3,"fidelity":"not known","opcode":")";
  EXPECT_THAT(gridwiseSimFidelity(), HasSubstr(not_known + "v_sin_f32"));
  EXPECT_THAT(gridwiseSimFidelity(), HasSubstr(not_known + "s_load_"));
}

}  // namespace
}  // namespace gridwise::sim
