// SPDX-License-Identifier: MIT
// Calls of functions of another code object, as a library calls a function that its user passes.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/callbacks_o3.h"
#include "tools/sim/tests/gpu.h"

namespace gridwise::sim {
namespace {

using testing::HasSubstr;

constexpr unsigned kWorkgroups = 5, kItems = 256 * kWorkgroups;

// Two copies of the same code, of which one multiplies by 7 and the other one by 11.
class Callbacks : public testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<Gpu> gpu =
        Gpu::Load({{"library", CallbacksO3()}, {"user", CallbacksO3()}});
    ASSERT_TRUE(gpu.ok()) << gpu.status();
    library_ = gpu->module("library");
    user_ = gpu->module("user");
    ASSERT_NO_FATAL_FAILURE(SetFactor(library_, 7));
    ASSERT_NO_FATAL_FAILURE(SetFactor(user_, 11));
  }
  void TearDown() override { EXPECT_EQ(hipModuleUnload(library_), hipSuccess); }

  static void SetFactor(hipModule_t module, uint32_t factor) {
    hipDeviceptr_t address = nullptr;
    size_t bytes = 0;
    ASSERT_EQ(hipModuleGetGlobal(&address, &bytes, module, "factor"), hipSuccess);
    ASSERT_EQ(hipMemcpyHtoD(address, &factor, sizeof(factor)), hipSuccess);
  }

  static hipError_t Launch(hipModule_t module, const char* kernel, unsigned workgroups,
                           unsigned items, void** arguments) {
    hipFunction_t function = nullptr;
    if (hipError_t error = hipModuleGetFunction(&function, module, kernel); error != hipSuccess)
      return error;
    return hipModuleLaunchKernel(function, workgroups, 1, 1, items, 1, 1, 0, nullptr, arguments,
                                 nullptr);
  }

  // Device address of the copy of Cube in `module`.
  static uint64_t AddressOfCube(hipModule_t module) {
    const Words words(std::vector<uint32_t>(2));
    uint32_t* out = words.device();
    void* arguments[] = {&out};
    EXPECT_EQ(Launch(module, "AddressOfCube", 1, 1, arguments), hipSuccess);
    const std::vector<uint32_t> halves = words.Read();
    return halves[0] | uint64_t{halves[1]} << 32;
  }

  hipError_t Map(uint64_t function, const Words& in, const Words& out) const {
    uint32_t *from = in.device(), *to = out.device();
    void* arguments[] = {&function, &from, &to};
    const hipError_t error = Launch(library_, "MapOddOnes", kWorkgroups, 256, arguments);
    return error != hipSuccess ? error : hipDeviceSynchronize();
  }

  hipModule_t library_ = nullptr, user_ = nullptr;
};

TEST_F(Callbacks, AreCalledInAnotherCodeObject) {
  const uint64_t cube = AddressOfCube(user_);
  ASSERT_NE(cube, AddressOfCube(library_));
  const std::vector<uint32_t> values = RandomWords(kItems, 3);
  const Words in(values), out(std::vector<uint32_t>(kItems, 0));
  for (int repeat = 0; repeat < 2; ++repeat) {
    ASSERT_EQ(Map(cube, in, out), hipSuccess) << gridwiseSimLastFault();
    const std::vector<uint32_t> results = out.Read();
    for (unsigned i = 0; i < kItems; ++i) {
      const uint32_t x = values[i];
      ASSERT_EQ(results[i], x * x * x * (x % 2 != 0 ? 11 : 7)) << i;
    }
  }
  EXPECT_EQ(hipModuleUnload(user_), hipSuccess);
}

TEST_F(Callbacks, OfUnloadedCodeAreRefused) {
  const uint64_t cube = AddressOfCube(user_);
  const Words in(std::vector<uint32_t>(kItems, 1)), out(std::vector<uint32_t>(kItems, 0));
  ASSERT_EQ(Map(cube, in, out), hipSuccess) << gridwiseSimLastFault();
  ASSERT_EQ(hipModuleUnload(user_), hipSuccess);
  EXPECT_NE(Map(cube, in, out), hipSuccess);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("jumps to an address that is not code"));
}

}  // namespace
}  // namespace gridwise::sim
