// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/hip7.h"
#include "tools/sim/tests/gpu.h"
#include "tools/sim/tests/launch_kernels_o3.h"

namespace gridwise::sim {

/// Kernels that leave two words after.
class Hip7Test : public testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<int> device = TestDevice();
    ASSERT_TRUE(device.ok()) << device.status();
    device_ = *device;
    ASSERT_EQ(hipSetDevice(device_), hipSuccess);
    ASSERT_EQ(hipModuleLoadData(&module_, Image()), hipSuccess);
    ASSERT_EQ(hipModuleGetFunction(&meet_, module_, "Meet"), hipSuccess);
    ASSERT_EQ(hipModuleGetFunction(&store_, module_, "Store"), hipSuccess);
    ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&words_), 8), hipSuccess);
    ASSERT_EQ(hipMemset(words_, 0, 8), hipSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(hipFree(words_), hipSuccess);
    EXPECT_EQ(hipModuleUnload(module_), hipSuccess);
  }

  static const char* Image() {
    for (const CodeObject& object : LaunchKernelsO3()) {
      if (object.gfx == TestTarget()) return object.data.data();
    }
    return nullptr;
  }

  uint32_t WordAt(int index) const {
    uint32_t word = ~0u;
    EXPECT_EQ(hipMemcpy(&word, words_ + index, 4, hipMemcpyDeviceToHost), hipSuccess);
    return word;
  }

  int device_ = 0;
  hipModule_t module_ = nullptr;
  hipFunction_t meet_ = nullptr, store_ = nullptr;
  uint32_t* words_ = nullptr;
};

}  // namespace gridwise::sim
