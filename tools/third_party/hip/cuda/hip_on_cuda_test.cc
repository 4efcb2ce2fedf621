// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <lzma.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/third_party/hip/cuda/fake_driver.h"
#include "tools/third_party/hip/cuda/launch.h"
#include "tools/third_party/hip/cuda/tensor_map.h"

namespace {

using ::testing::HasSubstr;

FakeDriver* fake_driver = nullptr;

/// The fake is in the process before the library looks for libcuda.so.1, which is its soname.
bool OpenFakeDriver() {
  void* const library = dlopen("tools/third_party/hip/cuda/libcuda_fake.so", RTLD_NOW);
  if (library == nullptr) return false;
  const auto get = reinterpret_cast<FakeDriver* (*)()>(dlsym(library, "TheFakeDriver"));
  if (get != nullptr) fake_driver = get();
  return fake_driver != nullptr;
}

class HipOnCudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(fake_driver, nullptr);
    *fake_driver = {};
  }
};

TEST_F(HipOnCudaTest, TheFirstCallMakesThePrimaryContextCurrent) {
  void* data = nullptr;
  ASSERT_EQ(hipMalloc(&data, 16), hipSuccess);
  EXPECT_EQ(fake_driver->contexts_made_current, 1);
  int device = -1;
  EXPECT_EQ(hipGetDevice(&device), hipSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(hipFree(data), hipSuccess);
  EXPECT_EQ(fake_driver->contexts_made_current, 1);
}

// A framework that made a context of device 1 current keeps it.
TEST_F(HipOnCudaTest, AContextThatIsCurrentStays) {
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  int device = -1;
  EXPECT_EQ(hipGetDevice(&device), hipSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(fake_driver->contexts_made_current, 1);
}

TEST_F(HipOnCudaTest, DevicesSayWhatTheyAre) {
  int count = 0;
  ASSERT_EQ(hipGetDeviceCount(&count), hipSuccess);
  EXPECT_EQ(count, 2);
  hipDeviceProp_t properties;
  ASSERT_EQ(hipGetDeviceProperties(&properties, 0), hipSuccess);
  EXPECT_STREQ(properties.name, "Fake H100");
  EXPECT_STREQ(properties.gcnArchName, "sm_90a");
  EXPECT_EQ(properties.multiProcessorCount, 132);
  EXPECT_EQ(hipGetDeviceProperties(&properties, 2), hipErrorInvalidDevice);
  EXPECT_EQ(hipSetDevice(-1), hipErrorInvalidDevice);
}

TEST_F(HipOnCudaTest, MemoryIsCopiedAndSet) {
  void* data = nullptr;
  ASSERT_EQ(hipMalloc(&data, 8), hipSuccess);
  ASSERT_EQ(hipMemset(data, 0xa5, 8), hipSuccess);
  std::array<unsigned char, 8> back = {};
  ASSERT_EQ(hipMemcpy(back.data(), data, 8, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_THAT(back, ::testing::Each(0xa5));
  EXPECT_EQ(hipFree(data), hipSuccess);
  EXPECT_EQ(hipFree(nullptr), hipSuccess);
}

hipFunction_t NewKernel() {
  hipFunction_t kernel = nullptr;
  EXPECT_EQ(hipModuleGetFunction(&kernel, nullptr, "Kernel"), hipSuccess);
  return kernel;
}

// The first argument lies 48 bytes after the start of CUDA's block where it is a tensor map.
TEST_F(HipOnCudaTest, ArgumentsOfABlockArePassedOneByOne) {
  fake_driver->parameters = {{48, 128}, {48 + 128, 4}, {48 + 136, 8}};
  std::array<char, 144> block;
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<char>(i);
  std::size_t bytes = block.size();
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, block.data(), HIP_LAUNCH_PARAM_BUFFER_SIZE,
                   &bytes, HIP_LAUNCH_PARAM_END};
  const hipFunction_t kernel = NewKernel();
  const auto launch = [&] {
    return hipModuleLaunchKernel(kernel, 1, 2, 3, 4, 5, 6, 100 << 10, nullptr, nullptr, extra);
  };
  ASSERT_EQ(launch(), hipSuccess);
  EXPECT_EQ(fake_driver->shape, (std::array<unsigned, 7>{1, 2, 3, 4, 5, 6, 100 << 10}));
  EXPECT_EQ(fake_driver->max_dynamic_shared_bytes, 100 << 10);
  ASSERT_EQ(fake_driver->arguments.size(), 3);
  EXPECT_EQ(fake_driver->arguments[0].size(), 128);
  EXPECT_EQ(fake_driver->arguments[0][0], 0);
  EXPECT_EQ(fake_driver->arguments[1], (std::vector<char>{-128, -127, -126, -125}));
  EXPECT_EQ(fake_driver->arguments[2][0], static_cast<char>(136));
  fake_driver->facts_asked_for = 0;
  fake_driver->arguments.clear();
  ASSERT_EQ(launch(), hipSuccess);
  EXPECT_EQ(fake_driver->arguments[2][0], static_cast<char>(136));
  EXPECT_EQ(fake_driver->facts_asked_for, 0) << "the first launch asked";
}

TEST_F(HipOnCudaTest, ClustersAndAnEarlyBeginningAreAttributesOfTheLaunch) {
  const auto launch = [](unsigned cluster, int begins_early) {
    return hipGridwiseModuleLaunch(NewKernel(), 8, 2, 3, 4, 5, 6, 100 << 10, nullptr, nullptr,
                                   nullptr, cluster, begins_early);
  };
  ASSERT_EQ(launch(4, 0), hipSuccess);
  EXPECT_EQ(fake_driver->shape, (std::array<unsigned, 7>{8, 2, 3, 4, 5, 6, 100 << 10}));
  EXPECT_EQ(fake_driver->cluster, 4);
  EXPECT_FALSE(fake_driver->begins_early);
  fake_driver->cluster = 0;
  ASSERT_EQ(launch(1, 1), hipSuccess);
  EXPECT_EQ(fake_driver->cluster, 0);
  EXPECT_TRUE(fake_driver->begins_early);
}

TEST_F(HipOnCudaTest, BothWaysToInstantiateAGraphPassErrorsOn) {
  hipGraphExec_t executable = nullptr;
  EXPECT_EQ(hipGraphInstantiateWithFlags(&executable, nullptr, 0), hipSuccess);
  EXPECT_EQ(hipGraphInstantiate(&executable, nullptr, nullptr, nullptr, 0), hipSuccess);
  fake_driver->next_result = 2;
  EXPECT_EQ(hipGraphInstantiate(&executable, nullptr, nullptr, nullptr, 0), hipErrorOutOfMemory);
}

TEST_F(HipOnCudaTest, SmallSharedMemoryNeedsNoAttribute) {
  ASSERT_EQ(
      hipModuleLaunchKernel(NewKernel(), 1, 1, 1, 32, 1, 1, 48 << 10, nullptr, nullptr, nullptr),
      hipSuccess);
  EXPECT_EQ(fake_driver->max_dynamic_shared_bytes, 0);
}

TEST_F(HipOnCudaTest, SaysHowMuchMemoryIsFree) {
  std::size_t free_bytes = 0, total_bytes = 0;
  ASSERT_EQ(hipMemGetInfo(&free_bytes, &total_bytes), hipSuccess);
  EXPECT_EQ(free_bytes, 3u << 20);
  EXPECT_EQ(total_bytes, 4u << 20);
}

TEST_F(HipOnCudaTest, ErrorsAreHipsAndHaveSentences) {
  void* data = nullptr;
  fake_driver->next_result = 2;
  EXPECT_EQ(hipMalloc(&data, 16), hipErrorOutOfMemory);
  EXPECT_STREQ(hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory");
  EXPECT_STREQ(hipGetErrorString(hipErrorOutOfMemory), "out of memory");
  EXPECT_STREQ(hipGetErrorString(hipSuccess), "no error");
  fake_driver->next_result = 719;
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchFailure);
  hipFunction_t function = nullptr;
  EXPECT_EQ(hipModuleGetFunction(&function, nullptr, "Missing"), hipErrorNotFound);
}

TEST_F(HipOnCudaTest, AnErrorThatHipHasNoNameForIsToldInTheDriversWords) {
  fake_driver->next_result = 715;
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorUnknown);
  EXPECT_STREQ(hipGetErrorString(hipErrorUnknown),
               "error 715 of the CUDA driver: what the driver says");
}

TEST_F(HipOnCudaTest, PtxThatDoesNotAssembleIsToldInTheAssemblersWords) {
  fake_driver->next_result = 218;
  fake_driver->jit_log = "ptxas: line 3: unknown instruction";
  hipModule_t module = nullptr;
  EXPECT_EQ(hipModuleLoadData(&module, "not PTX"), hipErrorInvalidImage);
  EXPECT_THAT(hipGetErrorString(hipErrorInvalidImage), HasSubstr("line 3: unknown instruction"));
  fake_driver->jit_log = "";
  EXPECT_EQ(hipModuleLoadData(&module, "PTX"), hipSuccess);
  EXPECT_EQ(fake_driver->image, "PTX");
}

/// `text` as tools/build/private/pack_ptx.sh packs it.
std::string Packed(const std::string& text) {
  std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t written = 0;
  const lzma_ret result = lzma_easy_buffer_encode(
      LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC32, /*allocator=*/nullptr,
      reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
      reinterpret_cast<std::uint8_t*>(packed.data()), &written, packed.size());
  EXPECT_EQ(result, LZMA_OK);
  packed.resize(written);
  return "packed PTX, " + std::to_string(packed.size()) + " bytes of " +
         std::to_string(text.size()) + ": .entry a(" + '\0' + packed;
}

TEST_F(HipOnCudaTest, PackedPtxIsExpanded) {
  std::string text = ".version 9.0\n";
  for (int i = 0; i < 5000; ++i) text += "mov.u32 %r" + std::to_string(i) + ", 0;\n";
  std::string packed = Packed(text);
  EXPECT_LT(packed.size(), text.size() / 4);
  hipModule_t module = nullptr;
  ASSERT_EQ(hipModuleLoadData(&module, packed.data()), hipSuccess);
  EXPECT_EQ(fake_driver->image, text);
  packed[packed.size() / 2] ^= 1;
  EXPECT_EQ(hipModuleLoadData(&module, packed.data()), hipErrorInvalidImage);
  EXPECT_THAT(hipGetErrorString(hipErrorInvalidImage), HasSubstr("does not expand"));
}

TEST_F(HipOnCudaTest, TensorMapsAreEncodedAndMoved) {
  alignas(64) hipGridwiseTensorMap map = {};
  hipGridwiseTensorMapShape shape = {};
  shape.type = 6;
  shape.rank = 4;
  shape.is_im2col = 1;
  shape.swizzle = 3;
  for (unsigned i = 0; i < 4; ++i) {
    shape.size[i] = 10 + i;
    shape.stride_bytes[i] = 16 * i;
  }
  shape.lower_corner[1] = -1;
  shape.upper_corner[0] = -2;
  int here = 0, there = 0;
  ASSERT_EQ(hipGridwiseTensorMapEncode(&map, &here, &shape), hipSuccess);
  EXPECT_EQ(fake_driver->size, (std::array<std::uint64_t, 5>{10, 11, 12, 13, 0}));
  EXPECT_EQ(fake_driver->stride, (std::array<std::uint64_t, 5>{16, 32, 48, 0, 0}));
  EXPECT_EQ(fake_driver->lower, (std::array<int, 3>{0, -1, 0}));
  EXPECT_EQ(fake_driver->upper, (std::array<int, 3>{-2, 0, 0}));
  EXPECT_EQ(map.words[0], reinterpret_cast<std::uint64_t>(&here));
  ASSERT_EQ(hipGridwiseTensorMapSetAddress(&map, &there), hipSuccess);
  EXPECT_EQ(map.words[0], reinterpret_cast<std::uint64_t>(&there));
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (!OpenFakeDriver()) return 1;
  return RUN_ALL_TESTS();
}
