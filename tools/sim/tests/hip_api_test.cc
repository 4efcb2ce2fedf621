// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/gpu.h"
#include "tools/sim/tests/group_kernels_o3.h"

// The HIP API as host programs use it.

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;

const char* Image() {
  for (const CodeObject& object : GroupKernelsO3()) {
    if (object.gfx == TestTarget()) return object.data.data();
  }
  return nullptr;
}

/// What the product's data sheet and ROCm's documentation say of a target's GPU.
struct Expected {
  const char* target;
  const char* arch;
  const char* name;
  int units;  // compute units; pairs of them on RDNA, as HIP counts
  int lanes;
  size_t lds;
  uint64_t memory_gib;
  int major;
  int minor;
  int clock_khz;
};
constexpr Expected kExpected[] = {
    {"gfx942", "gfx942:sramecc+:xnack-", "AMD Instinct MI300X", 304, 64, 65536, 192, 9, 4, 2100000},
    {"gfx950", "gfx950:sramecc+:xnack-", "AMD Instinct MI355X", 256, 64, 163840, 288, 9, 5,
     2400000},
    {"gfx1100", "gfx1100", "AMD Radeon RX 7900 XTX", 48, 32, 65536, 24, 11, 0, 2500000},
    {"gfx90a", "gfx90a:sramecc+:xnack-", "AMD Instinct MI210", 104, 64, 65536, 64, 9, 0, 1700000},
    {"gfx1201", "gfx1201", "AMD Radeon RX 9070 XT", 32, 32, 65536, 16, 12, 0, 2970000},
};

TEST(HipApi, DescribesTheDevice) {
  int count = 0;
  ASSERT_EQ(hipInit(0), hipSuccess);
  ASSERT_EQ(hipGetDeviceCount(&count), hipSuccess);
  ASSERT_GE(count, 1);
  const absl::StatusOr<int> device = TestDevice();
  ASSERT_TRUE(device.ok()) << device.status();
  const Expected* expected = nullptr;
  for (const Expected& row : kExpected) {
    if (TestTarget() == row.target) expected = &row;
  }
  ASSERT_NE(expected, nullptr) << TestTarget();
  hipDeviceProp_t p;
  ASSERT_EQ(hipGetDeviceProperties(&p, *device), hipSuccess);
  EXPECT_STREQ(p.gcnArchName, expected->arch);
  EXPECT_STREQ(p.name, expected->name);
  EXPECT_EQ(p.multiProcessorCount, expected->units);
  EXPECT_EQ(p.warpSize, expected->lanes);
  EXPECT_EQ(p.sharedMemPerBlock, expected->lds);
  EXPECT_EQ(p.totalGlobalMem, expected->memory_gib << 30);
  EXPECT_EQ(p.major, expected->major);
  EXPECT_EQ(p.minor, expected->minor);
  EXPECT_EQ(p.clockRate, expected->clock_khz);
  int value = 0;
  EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, *device), hipSuccess);
  EXPECT_EQ(value, expected->lanes);
  EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxThreadsPerBlock, *device),
            hipSuccess);
  EXPECT_EQ(value, 1024);
  EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxSurface1D, *device),
            hipErrorInvalidValue);
  EXPECT_EQ(hipGetDeviceProperties(&p, count), hipErrorInvalidDevice);
  EXPECT_EQ(hipSetDevice(count), hipErrorInvalidDevice);
  EXPECT_EQ(hipSetDevice(*device), hipSuccess);
}

TEST(HipApi, LastErrorIsReadOnce) {
  static_cast<void>(hipGetLastError());
  EXPECT_EQ(hipSetDevice(99), hipErrorInvalidDevice);
  EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
  EXPECT_STREQ(hipGetErrorName(hipErrorInvalidDevice), "hipErrorInvalidDevice");
  EXPECT_STREQ(hipGetErrorString(hipErrorOutOfMemory), "out of memory");
}

TEST(HipApi, CopiesStayInsideAllocations) {
  void* device = nullptr;
  std::vector<char> host(200, 'x');
  ASSERT_EQ(hipMalloc(&device, 100), hipSuccess);
  EXPECT_EQ(hipMemcpy(device, host.data(), 100, hipMemcpyHostToDevice), hipSuccess);
  EXPECT_EQ(hipMemcpy(device, host.data(), 101, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(host.data(), static_cast<char*>(device) + 50, 51, hipMemcpyDeviceToHost),
            hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(),
              AllOf(HasSubstr("a copy reads 51 bytes"), HasSubstr("100-byte allocation")));
  EXPECT_EQ(hipMemcpy(host.data(), host.data() + 100, 10, hipMemcpyDeviceToHost),
            hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("a copy reads 10 bytes that must be the device's"));
  EXPECT_EQ(hipMemset(device, 'y', 101), hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("a fill writes 101 bytes"));
  EXPECT_EQ(hipMemset(device, 'y', 99), hipSuccess);
  // The pointers count, not the kind.
  EXPECT_EQ(hipMemcpy(host.data(), device, 100, hipMemcpyHostToDevice), hipSuccess);
  EXPECT_EQ(host[98], 'y');
  EXPECT_EQ(host[99], 'x');
  EXPECT_EQ(hipMemsetD32(device, 0x01020304, 25), hipSuccess);
  EXPECT_EQ(hipMemcpyDtoH(host.data(), device, 100), hipSuccess);
  EXPECT_EQ(host[99], 1);
  EXPECT_EQ(host[96], 4);
  EXPECT_EQ(hipFree(static_cast<char*>(device) + 1), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(device), hipSuccess);
  EXPECT_EQ(hipFree(device), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(host.data(), device, 10, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("which was freed"));
  EXPECT_EQ(hipFree(nullptr), hipSuccess);
}

TEST(HipApi, CountsMemory) {
  size_t free_before = 0, free_after = 0, total = 0;
  void* device = nullptr;
  ASSERT_EQ(hipMemGetInfo(&free_before, &total), hipSuccess);
  ASSERT_EQ(hipMalloc(&device, 12345), hipSuccess);
  ASSERT_EQ(hipMemGetInfo(&free_after, &total), hipSuccess);
  EXPECT_EQ(free_before - free_after, 12345u);
  EXPECT_EQ(hipFree(device), hipSuccess);
  EXPECT_EQ(hipMalloc(&device, total + 1), hipErrorOutOfMemory);
  // As much as the product has, but not more than there is.
  EXPECT_GT(total, 0u);
  EXPECT_LE(total, static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE));
}

TEST(HipApi, TimedDevicesHaveTheProductsMemory) {
  size_t free = 0, before = 0, timed = 0, after = 0;
  hipDeviceProp_t properties = {};
  int device = -1;
  ASSERT_EQ(hipGetDevice(&device), hipSuccess);
  ASSERT_EQ(hipGetDeviceProperties(&properties, device), hipSuccess);
  ASSERT_EQ(hipMemGetInfo(&free, &before), hipSuccess);
  gridwiseSimTime(1);
  EXPECT_EQ(hipMemGetInfo(&free, &timed), hipSuccess);
  gridwiseSimTime(0);
  EXPECT_EQ(hipMemGetInfo(&free, &after), hipSuccess);
  EXPECT_EQ(timed, properties.totalGlobalMem);
  EXPECT_EQ(after, before);
}

TEST(HipApi, MemoryCanBeLimited) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    setenv("GRIDWISE_SIM_MEMORY", "0.5", 1);
    size_t free = 0, total = 0;
    const bool half = hipMemGetInfo(&free, &total) == hipSuccess && total == size_t{512} << 20;
    void* memory = nullptr;
    const bool refused = hipMalloc(&memory, (size_t{512} << 20) + 1) == hipErrorOutOfMemory;
    std::exit(half && refused ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

TEST(HipApi, StreamsAndEvents) {
  hipStream_t stream = nullptr;
  hipEvent_t start = nullptr, stop = nullptr;
  float milliseconds = -1;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(hipEventCreate(&start), hipSuccess);
  ASSERT_EQ(hipEventCreate(&stop), hipSuccess);
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipErrorInvalidHandle);
  EXPECT_EQ(hipEventRecord(start, stream), hipSuccess);
  EXPECT_EQ(hipEventRecord(stop, stream), hipSuccess);
  EXPECT_EQ(hipEventSynchronize(stop), hipSuccess);
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, start, stop), hipSuccess);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(hipStreamWaitEvent(stream, start, 0), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(stream), hipErrorInvalidHandle);
  EXPECT_EQ(hipEventDestroy(start), hipSuccess);
  EXPECT_EQ(hipEventDestroy(stop), hipSuccess);
  EXPECT_EQ(hipEventDestroy(stop), hipErrorInvalidHandle);
}

class Modules : public testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<int> device = TestDevice();
    ASSERT_TRUE(device.ok()) << device.status();
    ASSERT_EQ(hipSetDevice(*device), hipSuccess);
    ASSERT_EQ(hipModuleLoadData(&module_, Image()), hipSuccess);
  }
  void TearDown() override { EXPECT_EQ(hipModuleUnload(module_), hipSuccess); }
  hipModule_t module_ = nullptr;
};

TEST_F(Modules, FindKernels) {
  hipFunction_t function = nullptr, again = nullptr;
  EXPECT_EQ(hipModuleGetFunction(&function, module_, "Scann"), hipErrorNotFound);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("no kernel 'Scann'"));
  ASSERT_EQ(hipModuleGetFunction(&function, module_, "Scan"), hipSuccess);
  ASSERT_EQ(hipModuleGetFunction(&again, module_, "Scan"), hipSuccess);
  EXPECT_EQ(function, again);
  int value = 0;
  EXPECT_EQ(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
            hipSuccess);
  EXPECT_EQ(value, 2048);
}

TEST_F(Modules, LaunchesArePackedOrByPointers) {
  hipFunction_t function = nullptr;
  ASSERT_EQ(hipModuleGetFunction(&function, module_, "ReduceTree"), hipSuccess);
  std::vector<uint32_t> words(512, 3);
  struct {
    uint32_t* in;
    uint32_t* out;
    int n;
  } arguments = {nullptr, nullptr, 512};
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&arguments.in), 2048), hipSuccess);
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&arguments.out), 8), hipSuccess);
  ASSERT_EQ(hipMemcpy(arguments.in, words.data(), 2048, hipMemcpyHostToDevice), hipSuccess);
  size_t bytes = sizeof(arguments);
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                   &bytes, HIP_LAUNCH_PARAM_END};
  void* parameters[] = {&arguments.in, &arguments.out, &arguments.n};
  GridwiseSimRuns run;
  gridwiseSimTakeRuns(&run);  // those of earlier tests
  for (const bool packed : {false, true}) {
    uint32_t sums[2] = {};
    ASSERT_EQ(hipMemset(arguments.out, 0, 8), hipSuccess);
    ASSERT_EQ(hipModuleLaunchKernel(function, 2, 1, 1, 256, 1, 1, 0, nullptr,
                                    packed ? nullptr : parameters, packed ? extra : nullptr),
              hipSuccess);
    ASSERT_EQ(hipMemcpy(sums, arguments.out, 8, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(sums[0], 768u);
    EXPECT_EQ(sums[1], 768u);
  }
  ASSERT_EQ(gridwiseSimTakeRuns(&run), 0);
  EXPECT_EQ(run.launches, 2);
  EXPECT_EQ(run.workgroups, 4);
  EXPECT_EQ(run.waves, TestTarget().starts_with("gfx9") ? 16 : 32);
  EXPECT_STREQ(run.class_names[1], "valu");
  for (const int executed : {0, 1, 3, 4, 5})
    EXPECT_GT(run.instructions[executed], 0) << run.class_names[executed];
  EXPECT_EQ(run.instructions[2], 0) << "there is no matrix instruction in it";
  EXPECT_EQ(gridwiseSimTakeRuns(&run), 1) << "they have been taken";
  uint64_t done = 0, total = 0;
  gridwiseSimProgress(&done, &total);
  EXPECT_EQ(total, 2u);
  // HIP does not ask for the last arguments; here those that are missing are 0.
  bytes = 16;
  uint32_t sums[2] = {};
  ASSERT_EQ(hipMemset(arguments.out, 0, 8), hipSuccess);
  testing::internal::CaptureStderr();
  ASSERT_EQ(hipModuleLaunchKernel(function, 2, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra),
            hipSuccess);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("take 20 bytes, and 16 were given; the others are 0"));
  ASSERT_EQ(hipMemcpy(sums, arguments.out, 8, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_EQ(sums[0], 768u) << "n is not looked at";
  bytes = 18;
  EXPECT_EQ(hipModuleLaunchKernel(function, 2, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra),
            hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("argument 2 ends at byte 20, and 18 bytes"));
  EXPECT_EQ(hipModuleLaunchKernel(function, 2, 1, 1, 256, 1, 1, 0, nullptr, nullptr, nullptr),
            hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("take 20 bytes, and none were given"));
  EXPECT_EQ(hipFree(arguments.in), hipSuccess);
  EXPECT_EQ(hipFree(arguments.out), hipSuccess);
}

TEST_F(Modules, RefuseBadLaunches) {
  hipFunction_t function = nullptr;
  ASSERT_EQ(hipModuleGetFunction(&function, module_, "Scan"), hipSuccess);
  const auto launch = [&](unsigned groups, unsigned block, unsigned lds) {
    void* parameters[] = {nullptr, nullptr, nullptr};
    return hipModuleLaunchKernel(function, groups, 1, 1, block, 1, 1, lds, nullptr, parameters,
                                 nullptr);
  };
  EXPECT_EQ(launch(0, 256, 0), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch(1, 1025, 0), hipErrorInvalidConfiguration);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("1025 work-items"));
  EXPECT_EQ(launch(1, 256, 163840), hipErrorInvalidConfiguration);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("of LDS"));
  EXPECT_EQ(launch(1, 256, 0), hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("kernelParams[0] is null"));
}

TEST(HipApi, RefusesBadImages) {
  hipModule_t module = nullptr;
  EXPECT_EQ(hipModuleLoadData(&module, "nonsense, and long enough to be looked at"),
            hipErrorInvalidImage);
  EXPECT_EQ(hipModuleLoad(&module, "/no/such/file"), hipErrorFileNotFound);
  EXPECT_EQ(hipModuleLoad(&module, "/"), hipErrorFileNotFound);
  EXPECT_EQ(hipModuleUnload(nullptr), hipErrorInvalidHandle);
}

TEST(HipApi, FillsTakeTimeByTheClock) {
  const absl::StatusOr<int> device = TestDevice();
  ASSERT_TRUE(device.ok()) << device.status();
  ASSERT_EQ(hipSetDevice(*device), hipSuccess);
  constexpr size_t kBytes = size_t{16} << 20;
  void* memory = nullptr;
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipMalloc(&memory, kBytes), hipSuccess);
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  gridwiseSimTime(1);
  GridwiseSimTimes times;
  gridwiseSimTakeTimes(&times);
  ASSERT_EQ(hipMemsetAsync(memory, 1, kBytes, stream), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  ASSERT_EQ(gridwiseSimTakeTimes(&times), 0);
  EXPECT_EQ(times.launches, 1);
  // No machine stores 10 TB a second; a launch takes less than 5 us.
  EXPECT_GT(times.burst_ms, kBytes / 10e12 * 1e3);
  EXPECT_LT(times.burst_ms, kBytes / 0.4e12 * 1e3 + 0.005);
  EXPECT_EQ(times.given_up, 0);
  EXPECT_EQ(gridwiseSimTakeTimes(&times), 1) << "they are taken";
  gridwiseSimTime(0);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(hipFree(memory), hipSuccess);
}

}  // namespace
}  // namespace gridwise::sim
