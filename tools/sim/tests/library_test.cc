// SPDX-License-Identifier: MIT
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/hip7_test.h"

// Libraries (HIP 7.2).

namespace gridwise::sim {
namespace {

class Libraries : public Hip7Test {
 protected:
  void SetUp() override {
    Hip7Test::SetUp();
    ASSERT_EQ(Load(&library_, 0), hipSuccess);
  }
  void TearDown() override {
    if (library_ != nullptr) EXPECT_EQ(hipLibraryUnload(library_), hipSuccess);
    Hip7Test::TearDown();
  }
  static hipError_t Load(hipLibrary_t* library, unsigned compiler_options) {
    return hipLibraryLoadData(library, Image(), nullptr, nullptr, compiler_options, nullptr,
                              nullptr, 0);
  }
  hipError_t LaunchStore(hipKernel_t kernel, uint32_t value) {
    void* arguments[] = {&words_, &value};
    return hipModuleLaunchKernel(reinterpret_cast<hipFunction_t>(kernel), 1, 1, 1, 1, 1, 1, 0,
                                 nullptr, arguments, nullptr);
  }

  hipLibrary_t library_ = nullptr;
};

TEST_F(Libraries, KernelsAreFunctions) {
  hipKernel_t kernel = nullptr;
  ASSERT_EQ(hipLibraryGetKernel(&kernel, library_, "Store"), hipSuccess);
  ASSERT_EQ(LaunchStore(kernel, 11), hipSuccess);
  EXPECT_EQ(WordAt(0), 11u);
  uint32_t value = 12;
  void* arguments[] = {&words_, &value};
  const hipLaunchConfig_t config = {dim3(1), dim3(1), 0, nullptr, nullptr, 0};
  ASSERT_EQ(hipLaunchKernelExC(&config, kernel, arguments), hipSuccess);
  EXPECT_EQ(WordAt(0), 12u);
  EXPECT_EQ(hipLibraryUnload(library_), hipSuccess);
  EXPECT_EQ(LaunchStore(kernel, 13), hipErrorInvalidResourceHandle);
  EXPECT_EQ(hipLibraryUnload(library_), hipErrorInvalidHandle);
  library_ = nullptr;
  EXPECT_EQ(WordAt(0), 12u);
}

TEST_F(Libraries, EnumerateTheirKernels) {
  unsigned count = 0;
  ASSERT_EQ(hipLibraryGetKernelCount(&count, library_), hipSuccess);
  ASSERT_EQ(count, 2u);
  hipKernel_t kernels[3] = {};
  ASSERT_EQ(hipLibraryEnumerateKernels(kernels, 1, library_), hipSuccess);
  EXPECT_NE(kernels[0], nullptr);
  EXPECT_EQ(kernels[1], nullptr);
  ASSERT_EQ(hipLibraryEnumerateKernels(kernels, 3, library_), hipSuccess);
  EXPECT_EQ(kernels[2], nullptr);
  std::set<std::string> names;
  for (hipKernel_t kernel : {kernels[0], kernels[1]}) {
    const char* name = nullptr;
    hipLibrary_t library = nullptr;
    ASSERT_EQ(hipKernelGetName(&name, kernel), hipSuccess);
    names.insert(name);
    ASSERT_EQ(hipKernelGetLibrary(&library, kernel), hipSuccess);
    EXPECT_EQ(library, library_);
  }
  EXPECT_THAT(names, testing::ElementsAre("Meet", "Store"));
  hipLibrary_t library = nullptr;
  EXPECT_EQ(hipKernelGetLibrary(&library, reinterpret_cast<hipKernel_t>(store_)),
            hipErrorInvalidHandle)
      << "it is a module's";
}

TEST_F(Libraries, DescribeParameters) {
  hipKernel_t kernel = nullptr;
  size_t offset = 99, bytes = 99;
  ASSERT_EQ(hipLibraryGetKernel(&kernel, library_, "Meet"), hipSuccess);
  EXPECT_EQ(hipKernelGetParamInfo(kernel, 0, &offset, &bytes), hipSuccess);
  EXPECT_EQ(offset, 0u);
  EXPECT_EQ(bytes, 8u);
  EXPECT_EQ(hipKernelGetParamInfo(kernel, 2, &offset, nullptr), hipSuccess);
  EXPECT_EQ(offset, 12u);
  EXPECT_EQ(hipKernelGetParamInfo(kernel, 3, &offset, &bytes), hipErrorInvalidValue);
}

TEST_F(Libraries, RefuseWhatTheyLack) {
  hipKernel_t kernel = nullptr;
  hipLibrary_t library = nullptr;
  EXPECT_EQ(hipLibraryGetKernel(&kernel, library_, "Stor"), hipErrorNotFound);
  EXPECT_EQ(Load(&library, 2), hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(), testing::HasSubstr("2 options of the run-time compiler"));
  EXPECT_EQ(
      hipLibraryLoadFromFile(&library, "/no/such/file", nullptr, nullptr, 0, nullptr, nullptr, 0),
      hipErrorFileNotFound);
  int devices = 0;
  ASSERT_EQ(hipGetDeviceCount(&devices), hipSuccess);
  ASSERT_GE(devices, 2);
  ASSERT_EQ(hipSetDevice((device_ + 1) % devices), hipSuccess);
  EXPECT_EQ(hipLibraryGetKernel(&kernel, library_, "Store"), hipErrorNoBinaryForGpu);
  ASSERT_EQ(hipSetDevice(device_), hipSuccess);
  EXPECT_EQ(hipLibraryGetKernel(&kernel, library_, "Store"), hipSuccess);
}

}  // namespace
}  // namespace gridwise::sim
