// SPDX-License-Identifier: MIT
#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/hip7_test.h"

// Streams' attributes, hints about memory, copies and queries of HIP 7.

namespace gridwise::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Hip7Api : public Hip7Test {
 protected:
  void SetUp() override {
    Hip7Test::SetUp();
    for (hipStream_t* stream : {&first_, &second_}) ASSERT_EQ(hipStreamCreate(stream), hipSuccess);
  }
  void TearDown() override {
    for (hipStream_t stream : {first_, second_}) EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    Hip7Test::TearDown();
  }
  static int Get(hipStream_t stream, hipLaunchAttributeID attribute) {
    hipLaunchAttributeValue got = {};
    EXPECT_EQ(hipStreamGetAttribute(stream, attribute, &got), hipSuccess);
    return got.priority;
  }
  hipStream_t first_ = nullptr, second_ = nullptr;
};

TEST_F(Hip7Api, StreamsHaveNumbers) {
  unsigned long long first = 0, second = 0, standard = 0, again = 0;
  ASSERT_EQ(hipStreamGetId(first_, &first), hipSuccess);
  ASSERT_EQ(hipStreamGetId(second_, &second), hipSuccess);
  ASSERT_EQ(hipStreamGetId(nullptr, &standard), hipSuccess);
  ASSERT_EQ(hipStreamGetId(first_, &again), hipSuccess);
  EXPECT_NE(first, second);
  EXPECT_NE(first, standard);
  EXPECT_EQ(first, again);
  EXPECT_EQ(hipStreamGetId(reinterpret_cast<hipStream_t>(&first), &first), hipErrorInvalidHandle);
}

TEST_F(Hip7Api, StreamsKeepTheirAttributes) {
  EXPECT_EQ(Get(first_, hipLaunchAttributeSynchronizationPolicy), 1);
  hipLaunchAttributeValue set = {};
  set.priority = 4;
  ASSERT_EQ(hipStreamSetAttribute(first_, hipLaunchAttributeSynchronizationPolicy, &set),
            hipSuccess);
  set.priority = -1;
  ASSERT_EQ(hipStreamSetAttribute(first_, hipLaunchAttributePriority, &set), hipSuccess);
  EXPECT_EQ(Get(first_, hipLaunchAttributeSynchronizationPolicy), 4);
  EXPECT_EQ(Get(second_, hipLaunchAttributeSynchronizationPolicy), 1);
  ASSERT_EQ(hipStreamCopyAttributes(second_, first_), hipSuccess);
  EXPECT_EQ(Get(second_, hipLaunchAttributeSynchronizationPolicy), 4);
  int priority = 0;
  ASSERT_EQ(hipStreamGetPriority(second_, &priority), hipSuccess);
  EXPECT_EQ(priority, -1);
  EXPECT_EQ(hipStreamSetAttribute(first_, hipLaunchAttributeCooperative, &set),
            hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("attribute 2 is none of a stream's"));
}

TEST_F(Hip7Api, StreamsHaveComputeUnits) {
  hipDeviceProp_t properties;
  ASSERT_EQ(hipGetDeviceProperties(&properties, device_), hipSuccess);
  std::vector<uint32_t> mask(16);
  ASSERT_EQ(hipExtStreamGetCUMask(nullptr, 16, mask.data()), hipSuccess);
  int units = 0;
  for (const uint32_t word : mask) units += __builtin_popcount(word);
  EXPECT_EQ(units, properties.multiProcessorCount);
  hipStream_t stream = nullptr;
  const uint32_t wanted = 0x00ff00ff;
  ASSERT_EQ(hipExtStreamCreateWithCUMask(&stream, 1, &wanted), hipSuccess);
  ASSERT_EQ(hipExtStreamGetCUMask(stream, 16, mask.data()), hipSuccess);
  EXPECT_EQ(mask[0], wanted);
  EXPECT_EQ(mask[1], 0u);
  EXPECT_EQ(hipExtStreamGetCUMask(stream, 0, mask.data()), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST_F(Hip7Api, MemoryRemembersHints) {
  const hipMemLocation here = {hipMemLocationTypeDevice, device_};
  const hipMemLocation host = {static_cast<hipMemLocationType>(2), 0};
  ASSERT_EQ(hipMemAdvise_v2(words_, 8, hipMemAdviseSetReadMostly, here), hipSuccess);
  ASSERT_EQ(hipMemAdvise_v2(words_, 8, hipMemAdviseSetAccessedBy, here), hipSuccess);
  ASSERT_EQ(hipMemAdvise_v2(words_, 8, hipMemAdviseSetPreferredLocation, host), hipSuccess);
  ASSERT_EQ(hipMemPrefetchAsync_v2(words_, 8, here, 0, nullptr), hipSuccess);
  int read_mostly = 0, preferred = 99, accessed[2] = {99, 99}, prefetched = 99;
  void* data[] = {&read_mostly, &preferred, accessed, &prefetched};
  size_t bytes[] = {4, 4, 8, 4};
  hipMemRangeAttribute attributes[] = {
      hipMemRangeAttributeReadMostly, hipMemRangeAttributePreferredLocation,
      hipMemRangeAttributeAccessedBy, hipMemRangeAttributeLastPrefetchLocation};
  ASSERT_EQ(hipMemRangeGetAttributes(data, bytes, attributes, 4, words_, 8), hipSuccess);
  EXPECT_EQ(read_mostly, 1);
  EXPECT_EQ(preferred, hipCpuDeviceId);
  EXPECT_THAT(accessed, ElementsAre(device_, hipInvalidDeviceId));
  EXPECT_EQ(prefetched, device_);
  ASSERT_EQ(hipMemAdvise(words_, 8, hipMemAdviseUnsetReadMostly, device_), hipSuccess);
  EXPECT_EQ(hipMemRangeGetAttribute(&read_mostly, 4, hipMemRangeAttributeReadMostly, words_, 8),
            hipSuccess);
  EXPECT_EQ(read_mostly, 0);
  EXPECT_EQ(hipMemRangeGetAttribute(&read_mostly, 3, hipMemRangeAttributeReadMostly, words_, 8),
            hipErrorInvalidValue);
  EXPECT_EQ(hipMemRangeGetAttribute(&read_mostly, 4, hipMemRangeAttributeReadMostly, words_, 9),
            hipErrorInvalidValue);
  EXPECT_EQ(hipMemAdvise_v2(words_, 8, hipMemAdviseSetReadMostly, {}), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPrefetchAsync_v2(words_, 8, {hipMemLocationTypeDevice, 99}, 0, nullptr),
            hipErrorInvalidDevice);
}

TEST_F(Hip7Api, CopiesComeInBatches) {
  uint32_t values[2] = {3, 5}, back = 0;
  void* to[] = {words_, words_ + 1, &back};
  void* from[] = {values, values + 1, words_ + 1};
  size_t bytes[] = {4, 4, 4};
  hipMemcpyAttributes attributes = {};
  size_t first = 0, failed = 0;
  ASSERT_EQ(hipMemcpyBatchAsync(to, from, bytes, 3, &attributes, &first, 1, &failed, first_),
            hipSuccess);
  EXPECT_EQ(WordAt(0), 3u);
  EXPECT_EQ(back, 5u);
  bytes[1] = 8;
  values[0] = 4;
  EXPECT_EQ(hipMemcpyBatchAsync(to, from, bytes, 3, &attributes, &first, 1, &failed, first_),
            hipErrorInvalidValue);
  EXPECT_EQ(failed, 1u);
  EXPECT_EQ(WordAt(0), 4u);
  first = 1;
  EXPECT_EQ(hipMemcpyBatchAsync(to, from, bytes, 3, &attributes, &first, 1, &failed, first_),
            hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("begins at copy 1"));
  EXPECT_EQ(failed, SIZE_MAX);
}

TEST_F(Hip7Api, BoxesAreCopiedBetweenDevices) {
  int devices = 0;
  ASSERT_EQ(hipGetDeviceCount(&devices), hipSuccess);
  const int other = (device_ + 1) % devices;
  uint8_t *from = nullptr, *to = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&from), 64), hipSuccess);
  ASSERT_EQ(hipSetDevice(other), hipSuccess);
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&to), 64), hipSuccess);
  ASSERT_EQ(hipSetDevice(device_), hipSuccess);
  std::vector<uint8_t> bytes(64);
  for (size_t i = 0; i < 64; ++i) bytes[i] = static_cast<uint8_t>(i);
  ASSERT_EQ(hipMemcpy(from, bytes.data(), 64, hipMemcpyHostToDevice), hipSuccess);
  ASSERT_EQ(hipMemset(to, 0, 64), hipSuccess);
  hipMemcpy3DPeerParms parameters = {};
  parameters.srcPtr = {from, 8, 8, 4};
  parameters.dstPtr = {to, 16, 16, 2};
  parameters.srcPos = {1, 0, 1};
  parameters.srcDevice = device_;
  parameters.dstDevice = other;
  parameters.extent = {3, 2, 1};
  ASSERT_EQ(hipMemcpy3DPeer(&parameters), hipSuccess);
  ASSERT_EQ(hipMemcpy(bytes.data(), to, 64, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_THAT(std::vector<int>(bytes.begin(), bytes.begin() + 4), ElementsAre(33, 34, 35, 0));
  EXPECT_THAT(std::vector<int>(bytes.begin() + 16, bytes.begin() + 20), ElementsAre(41, 42, 43, 0));
  parameters.srcDevice = devices;
  EXPECT_EQ(hipMemcpy3DPeerAsync(&parameters, first_), hipErrorInvalidDevice);
  for (uint8_t* memory : {from, to}) EXPECT_EQ(hipFree(memory), hipSuccess);
}

TEST_F(Hip7Api, OccupancyLeavesLds) {
  hipDeviceProp_t properties;
  ASSERT_EQ(hipGetDeviceProperties(&properties, device_), hipSuccess);
  size_t bytes = 0;
  ASSERT_EQ(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, store_, 1, 64), hipSuccess);
  EXPECT_EQ(bytes, properties.sharedMemPerBlock);
  for (const int workgroups : {2, 4}) {
    int blocks = 0;
    ASSERT_EQ(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, store_, workgroups, 64), hipSuccess);
    ASSERT_GT(bytes, 0u);
    ASSERT_EQ(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store_, 64, bytes),
              hipSuccess);
    EXPECT_GE(blocks, workgroups);
    if (bytes == properties.sharedMemPerBlock) continue;
    ASSERT_EQ(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store_, 64, bytes + 1),
              hipSuccess);
    EXPECT_LT(blocks, workgroups);
  }
  EXPECT_EQ(hipOccupancyAvailableDynamicSMemPerBlock(&bytes, store_, 1 << 20, 64),
            hipErrorInvalidValue);
}

}  // namespace
}  // namespace gridwise::sim
