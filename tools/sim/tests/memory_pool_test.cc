// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/hip7_test.h"

// Memory pools of the program's own.

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;

class MemoryPools : public Hip7Test {
 protected:
  void SetUp() override {
    Hip7Test::SetUp();
    pool_ = Create(0);
  }
  void TearDown() override {
    if (pool_ != nullptr) EXPECT_EQ(hipMemPoolDestroy(pool_), hipSuccess);
    Hip7Test::TearDown();
  }

  hipMemPoolProps Properties() const {
    hipMemPoolProps properties = {};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, device_};
    return properties;
  }
  hipMemPool_t Create(size_t max_bytes) const {
    hipMemPoolProps properties = Properties();
    properties.maxSize = max_bytes;
    hipMemPool_t pool = nullptr;
    EXPECT_EQ(hipMemPoolCreate(&pool, &properties), hipSuccess);
    return pool;
  }
  static uint64_t Get(hipMemPool_t pool, hipMemPoolAttr attribute) {
    uint64_t value = ~uint64_t{0};
    EXPECT_EQ(hipMemPoolGetAttribute(pool, attribute, &value), hipSuccess);
    return value;
  }
  // Stores 7 to `to` with a kernel of the current device.
  static hipError_t StoreOn(hipModule_t module, uint32_t* to) {
    hipFunction_t store = nullptr;
    EXPECT_EQ(hipModuleGetFunction(&store, module, "Store"), hipSuccess);
    uint32_t value = 7;
    void* arguments[] = {&to, &value};
    const hipError_t error =
        hipModuleLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
    return error != hipSuccess ? error : hipDeviceSynchronize();
  }

  hipMemPool_t pool_ = nullptr;
};

TEST_F(MemoryPools, CountWhatTheyAllocate) {
  hipMemPool_t standard = nullptr;
  ASSERT_EQ(hipDeviceGetDefaultMemPool(&standard, device_), hipSuccess);
  ASSERT_NE(standard, pool_);
  const uint64_t standard_before = Get(standard, hipMemPoolAttrUsedMemCurrent);
  uint32_t *first = nullptr, *second = nullptr;
  ASSERT_EQ(hipMallocFromPoolAsync(reinterpret_cast<void**>(&first), 1000, pool_, nullptr),
            hipSuccess);
  ASSERT_EQ(hipMallocFromPoolAsync(reinterpret_cast<void**>(&second), 24, pool_, nullptr),
            hipSuccess);
  EXPECT_EQ(Get(pool_, hipMemPoolAttrUsedMemCurrent), 1024u);
  EXPECT_EQ(Get(standard, hipMemPoolAttrUsedMemCurrent), standard_before);
  EXPECT_EQ(StoreOn(module_, first), hipSuccess);
  EXPECT_EQ(hipFreeAsync(first, nullptr), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
  EXPECT_EQ(Get(pool_, hipMemPoolAttrUsedMemCurrent), 24u);
  EXPECT_EQ(Get(pool_, hipMemPoolAttrUsedMemHigh), 1024u);
  uint64_t zero = 0, threshold = 1 << 20;
  EXPECT_EQ(hipMemPoolSetAttribute(pool_, hipMemPoolAttrUsedMemHigh, &zero), hipSuccess);
  EXPECT_EQ(Get(pool_, hipMemPoolAttrUsedMemHigh), 24u);
  EXPECT_EQ(hipMemPoolSetAttribute(pool_, hipMemPoolAttrReleaseThreshold, &threshold), hipSuccess);
  EXPECT_EQ(Get(pool_, hipMemPoolAttrReleaseThreshold), threshold);
  EXPECT_EQ(hipMemPoolSetAttribute(pool_, hipMemPoolAttrUsedMemCurrent, &zero),
            hipErrorInvalidValue);
  EXPECT_EQ(hipFree(second), hipSuccess);
  EXPECT_EQ(Get(pool_, hipMemPoolAttrUsedMemCurrent), 0u);
}

TEST_F(MemoryPools, HaveALimit) {
  hipMemPool_t pool = Create(4096);
  void *first = nullptr, *second = nullptr;
  ASSERT_EQ(hipMallocFromPoolAsync(&first, 4000, pool, nullptr), hipSuccess);
  EXPECT_EQ(hipMallocFromPoolAsync(&second, 97, pool, nullptr), hipErrorOutOfMemory);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("4096 bytes, of which 4000 are in use"));
  ASSERT_EQ(hipFreeAsync(first, nullptr), hipSuccess);
  EXPECT_EQ(hipMallocFromPoolAsync(&second, 97, pool, nullptr), hipSuccess);
  // What it has allocated outlives it.
  EXPECT_EQ(hipMemPoolDestroy(pool), hipSuccess);
  EXPECT_EQ(hipMemset(second, 1, 97), hipSuccess);
  EXPECT_EQ(hipFreeAsync(second, nullptr), hipSuccess);
  EXPECT_EQ(hipMemset(second, 1, 97), hipErrorInvalidValue);
  EXPECT_EQ(hipMallocFromPoolAsync(&second, 97, pool, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolDestroy(pool), hipErrorInvalidValue);
}

TEST_F(MemoryPools, BecomeADevicesCurrentOne) {
  hipMemPool_t standard = nullptr, current = nullptr;
  void* memory = nullptr;
  ASSERT_EQ(hipDeviceGetDefaultMemPool(&standard, device_), hipSuccess);
  ASSERT_EQ(hipDeviceGetMemPool(&current, device_), hipSuccess);
  EXPECT_EQ(current, standard);
  ASSERT_EQ(hipDeviceSetMemPool(device_, pool_), hipSuccess);
  ASSERT_EQ(hipDeviceGetMemPool(&current, device_), hipSuccess);
  EXPECT_EQ(current, pool_);
  ASSERT_EQ(hipMallocAsync(&memory, 64, nullptr), hipSuccess);
  EXPECT_EQ(Get(pool_, hipMemPoolAttrUsedMemCurrent), 64u);
  EXPECT_EQ(hipFreeAsync(memory, nullptr), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
  EXPECT_EQ(hipMemPoolDestroy(standard), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolDestroy(pool_), hipSuccess);
  pool_ = nullptr;
  ASSERT_EQ(hipDeviceGetMemPool(&current, device_), hipSuccess);
  EXPECT_EQ(current, standard) << "as soon as the other one is destroyed";
}

TEST_F(MemoryPools, RefuseWhatTheyCannotBe) {
  hipMemPool_t pool = nullptr;
  hipMemPoolProps properties = Properties();
  properties.allocType = hipMemAllocationTypeInvalid;
  EXPECT_EQ(hipMemPoolCreate(&pool, &properties), hipErrorInvalidValue);
  properties = Properties();
  properties.location.id = 99;
  EXPECT_EQ(hipMemPoolCreate(&pool, &properties), hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("location 99 of type 1"));
  properties = Properties();
  properties.handleTypes = hipMemHandleTypeWin32;
  EXPECT_EQ(hipMemPoolCreate(&pool, &properties), hipErrorNotSupported);
  EXPECT_EQ(hipMemPoolCreate(nullptr, &properties), hipErrorInvalidValue);
}

/// The kernels for a device.
const CodeObject* CodeFor(int device) {
  hipDeviceProp_t properties;
  if (hipGetDeviceProperties(&properties, device) != hipSuccess) return nullptr;
  const std::string arch = properties.gcnArchName;
  const auto objects = LaunchKernelsO3();
  const auto found = std::ranges::find(objects, arch.substr(0, arch.find(':')), &CodeObject::gfx);
  return found == objects.end() ? nullptr : &*found;
}

TEST_F(MemoryPools, GiveOtherDevicesAccess) {
  int devices = 0;
  ASSERT_EQ(hipGetDeviceCount(&devices), hipSuccess);
  ASSERT_GE(devices, 2);
  int other = 0;
  while (other < devices && (other == device_ || CodeFor(other) == nullptr)) ++other;
  if (other == devices) GTEST_SKIP() << "kernels are built for no other device";
  uint32_t *before = nullptr, *after = nullptr;
  const auto allocate = [&](uint32_t** memory) {
    return hipMallocFromPoolAsync(reinterpret_cast<void**>(memory), 4, pool_, nullptr);
  };
  ASSERT_EQ(allocate(&before), hipSuccess);
  hipMemLocation location = {hipMemLocationTypeDevice, other};
  hipMemAccessFlags access = hipMemAccessFlagsProtReadWrite;
  ASSERT_EQ(hipMemPoolGetAccess(&access, pool_, &location), hipSuccess);
  EXPECT_EQ(access, hipMemAccessFlagsProtNone);
  hipMemAccessDesc wanted = {location, hipMemAccessFlagsProtReadWrite};
  ASSERT_EQ(hipMemPoolSetAccess(pool_, &wanted, 1), hipSuccess);
  ASSERT_EQ(hipMemPoolGetAccess(&access, pool_, &location), hipSuccess);
  EXPECT_EQ(access, hipMemAccessFlagsProtReadWrite);
  ASSERT_EQ(allocate(&after), hipSuccess);

  hipModule_t module = nullptr;
  ASSERT_EQ(hipSetDevice(other), hipSuccess);
  ASSERT_EQ(hipModuleLoadData(&module, CodeFor(other)->data.data()), hipSuccess);
  for (uint32_t* memory : {before, after}) {
    uint32_t word = 0;
    EXPECT_EQ(StoreOn(module, memory), hipSuccess);
    EXPECT_EQ(hipMemcpy(&word, memory, 4, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(word, 7u);
  }
  wanted.flags = hipMemAccessFlagsProtNone;
  ASSERT_EQ(hipMemPoolSetAccess(pool_, &wanted, 1), hipSuccess);
  EXPECT_EQ(StoreOn(module, after), hipErrorIllegalAddress);
  EXPECT_EQ(hipModuleUnload(module), hipSuccess);
  EXPECT_EQ(hipDeviceReset(), hipSuccess);
  ASSERT_EQ(hipSetDevice(device_), hipSuccess);
  wanted.location.id = device_;
  EXPECT_EQ(hipMemPoolSetAccess(pool_, &wanted, 1), hipErrorInvalidValue);
  for (uint32_t* memory : {before, after}) EXPECT_EQ(hipFreeAsync(memory, nullptr), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(nullptr), hipSuccess);
}

}  // namespace
}  // namespace gridwise::sim
