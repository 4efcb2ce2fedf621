// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/fault_kernels_o0.h"
#include "tools/sim/tests/fault_kernels_o3.h"
#include "tools/sim/tests/gpu.h"

// What a kernel does wrong is reported with kernel, pc, instruction, lane, address and allocation,
// at -O0 and -O3, and stays until the device is reset.

namespace gridwise::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const absl::StatusOr<Gpu>& Kernels() {
  static const auto* const gpu =
      new absl::StatusOr<Gpu>(Gpu::Load({{"O0", FaultKernelsO0()}, {"O3", FaultKernelsO3()}}));
  return *gpu;
}

/// The same, loaded for check mode.
const absl::StatusOr<Gpu>& CheckedKernels() {
  static const auto* const gpu = [] {
    EXPECT_EQ(gridwiseSimCheck("check:bounds"), 0);
    return new absl::StatusOr<Gpu>(Gpu::Load({{"O0", FaultKernelsO0()}, {"O3", FaultKernelsO3()}}));
  }();
  return *gpu;
}

bool IsRdna() { return TestTarget().starts_with("gfx1"); }

class Faults : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(loaded_) << Kernels().status(); }
  void TearDown() override { ASSERT_EQ(hipDeviceReset(), hipSuccess); }

  /// The message of a launch of 64 work-items, or "no fault".
  std::string Fault(const std::string& kernel, const uint32_t* in, uint32_t* out, int at,
                    const absl::StatusOr<Gpu>& kernels = Kernels()) const {
    const LaunchShape shape = {.block = {64, 1, 1}};
    const absl::Status status = kernels->Run(GetParam(), kernel, shape, in, out, at);
    return status.ok() ? "no fault" : std::string(status.message());
  }

  // The device is chosen before memory is allocated on it.
  const bool loaded_ = Kernels().ok();
  const std::vector<uint32_t> words_ = std::vector<uint32_t>(64, 1);
  const Words in_{words_}, out_{words_};
  const std::string in_block_ =
      absl::StrFormat("the 256-byte allocation at %#x", reinterpret_cast<uint64_t>(in_.device()));
  const std::string out_block_ =
      absl::StrFormat("the 256-byte allocation at %#x", reinterpret_cast<uint64_t>(out_.device()));
};

TEST_P(Faults, NoneForAccessesUpToTheLastByte) {
  EXPECT_EQ(Fault("ReadByte", in_.device(), out_.device(), 255), "no fault");
  EXPECT_EQ(Fault("WriteWord", in_.device(), out_.device(), 63), "no fault");
  EXPECT_EQ(Fault("AtomicAdd", in_.device(), out_.device(), 63), "no fault");
  EXPECT_EQ(Fault("ReadUniform", in_.device(), out_.device(), 63), "no fault");
  EXPECT_EQ(Fault("ReadLds", in_.device(), out_.device(), 63), "no fault");
  EXPECT_EQ(Fault("WriteLds", in_.device(), out_.device(), 63), "no fault");
}

TEST_P(Faults, ReadOneBytePastTheEnd) {
  EXPECT_THAT(Fault("ReadByte", in_.device(), out_.device(), 256),
              AllOf(HasSubstr("hipErrorIllegalAddress"), HasSubstr("ReadByte"),
                    HasSubstr(IsRdna() ? "_load_u8" : "_load_ubyte"), HasSubstr("lane 5"),
                    HasSubstr("is the end of " + in_block_)));
}

TEST_P(Faults, WritePastTheEnd) {
  EXPECT_THAT(Fault("WriteWord", in_.device(), out_.device(), 67),
              AllOf(HasSubstr("hipErrorIllegalAddress"), HasSubstr("WriteWord"),
                    HasSubstr(IsRdna() ? "_store_b32" : "_store_dword"),
                    HasSubstr(IsRdna() ? "wave 1, lane 31" : "lane 63"),
                    HasSubstr("is 12 bytes past the end of " + out_block_)));
}

TEST_P(Faults, AtomicBeforeTheStart) {
  EXPECT_THAT(Fault("AtomicAdd", in_.device(), out_.device(), -1),
              AllOf(HasSubstr("AtomicAdd"), HasSubstr("_atomic_add"),
                    HasSubstr("is 4 bytes before " + out_block_)));
}

TEST_P(Faults, UniformReadPastTheEnd) {
  EXPECT_THAT(Fault("ReadUniform", in_.device(), out_.device(), 64),
              AllOf(HasSubstr("ReadUniform"), HasSubstr("is the end of " + in_block_)));
}

TEST_P(Faults, EndWorkgroupsThatWaitForTheOneThatFaults) {
  setenv("GRIDWISE_SIM_THREADS", "2", 1);
  const LaunchShape shape = {.workgroups = {2, 1, 1}, .block = {64, 1, 1}};
  const auto run = [&](int at) {
    return Kernels()->Run(GetParam(), "WriteWhileAwaited", shape, in_.device(), out_.device(), at);
  };
  EXPECT_THAT(run(64).message(), HasSubstr("is the end of " + out_block_));
  ASSERT_EQ(hipDeviceReset(), hipSuccess);
  EXPECT_TRUE(run(0).ok());
  EXPECT_EQ(out_.Read()[0], 2u);
  unsetenv("GRIDWISE_SIM_THREADS");
}

TEST_P(Faults, NullPointer) {
  EXPECT_THAT(Fault("ReadByte", nullptr, out_.device(), 0), HasSubstr("is a null pointer"));
  ASSERT_EQ(hipDeviceReset(), hipSuccess);
  EXPECT_THAT(Fault("WriteWord", in_.device(), nullptr, 0), HasSubstr("is a null pointer"));
}

TEST_P(Faults, FreedMemory) {
  uint32_t* freed = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&freed), 512), hipSuccess);
  ASSERT_EQ(hipFree(freed), hipSuccess);
  EXPECT_THAT(Fault("ReadByte", freed, out_.device(), 0),
              AllOf(HasSubstr("into the 512-byte allocation at"), HasSubstr("which was freed")));
}

TEST_P(Faults, HostMemory) {
  std::vector<uint32_t> host(64);
  EXPECT_THAT(Fault("ReadByte", host.data(), out_.device(), 0),
              HasSubstr("reads outside every allocation"));
}

TEST_P(Faults, LdsBeyondItsSizeReadsZeroAndDropsWrites) {
  constexpr int kFarOutside = 5000;  // words: after the block of LDS that hardware rounds up to
  EXPECT_EQ(Fault("ReadLds", in_.device(), out_.device(), kFarOutside), "no fault");
  std::vector<uint32_t> expected(64, 1);
  expected[7] = 0;
  EXPECT_EQ(out_.Read(), expected);
  EXPECT_EQ(Fault("WriteLds", in_.device(), out_.device(), kFarOutside), "no fault");
  EXPECT_EQ(out_.Read()[0], 1u);
}

// It is a finding, and the kernel goes on.
TEST_P(Faults, LdsBeyondItsSizeInCheckMode) {
  ASSERT_TRUE(CheckedKernels().ok()) << CheckedKernels().status();
  ASSERT_EQ(gridwiseSimCheck("check:bounds"), 0);
  const auto findings = [&](const char* kernel, int word) {
    gridwiseSimClearFindings();
    EXPECT_EQ(Fault(kernel, in_.device(), out_.device(), word, CheckedKernels()), "no fault");
    std::string sentences;
    GridwiseSimFinding finding;
    for (int i = 0; gridwiseSimFindingAt(i, &finding) == 0; ++i) sentences += finding.sentence;
    return sentences;
  };
  EXPECT_EQ(findings("ReadLds", 63), "");
  EXPECT_THAT(findings("ReadLds", 64), AllOf(HasSubstr("ReadLds"), HasSubstr("reads LDS outside"),
                                             HasSubstr("lane 7"), HasSubstr("256")));
  EXPECT_EQ(out_.Read()[7], 0u);
  EXPECT_EQ(out_.Read()[8], 1u);
  EXPECT_THAT(findings("WriteLds", 100),
              AllOf(HasSubstr("WriteLds"), HasSubstr("writes LDS outside"), HasSubstr("lane 7")));
  gridwiseSimClearFindings();
  ASSERT_EQ(gridwiseSimCheck("run"), 0);
}

TEST_P(Faults, StayUntilReset) {
  EXPECT_THAT(Fault("ReadByte", nullptr, out_.device(), 0), HasSubstr("hipErrorIllegalAddress"));
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
  EXPECT_EQ(hipStreamSynchronize(nullptr), hipErrorIllegalAddress);
  EXPECT_NE(Fault("ReadByte", in_.device(), out_.device(), 0), "no fault");
  EXPECT_EQ(hipDeviceReset(), hipSuccess);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(Fault("ReadByte", in_.device(), out_.device(), 0), "no fault");
}

// They are the device's: work on streams of others goes on, whichever is the current one.
TEST_P(Faults, AreOfOneDevice) {
  int device = 0, count = 0;
  ASSERT_EQ(hipGetDevice(&device), hipSuccess);
  ASSERT_EQ(hipGetDeviceCount(&count), hipSuccess);
  if (count < 2) GTEST_SKIP() << "there is one device";
  const int other = (device + 1) % count;
  hipStream_t faulty = nullptr, sound = nullptr;
  hipEvent_t after = nullptr;
  uint32_t* memory = nullptr;
  ASSERT_EQ(hipStreamCreate(&faulty), hipSuccess);
  ASSERT_EQ(hipEventCreate(&after), hipSuccess);
  ASSERT_EQ(hipSetDevice(other), hipSuccess);
  ASSERT_EQ(hipStreamCreate(&sound), hipSuccess);
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&memory), 256), hipSuccess);
  ASSERT_EQ(hipSetDevice(device), hipSuccess);
  EXPECT_NE(Fault("ReadByte", nullptr, out_.device(), 0), "no fault");

  EXPECT_EQ(hipMemcpyAsync(memory, words_.data(), 256, hipMemcpyHostToDevice, sound), hipSuccess);
  EXPECT_EQ(hipMemsetAsync(memory, 0, 256, sound), hipSuccess);
  EXPECT_EQ(hipEventRecord(after, faulty), hipSuccess);
  ASSERT_EQ(hipSetDevice(other), hipSuccess);
  EXPECT_EQ(hipMemcpyAsync(in_.device(), words_.data(), 256, hipMemcpyHostToDevice, faulty),
            hipErrorIllegalAddress);
  EXPECT_EQ(hipMemsetAsync(in_.device(), 0, 256, faulty), hipErrorIllegalAddress);
  EXPECT_EQ(hipEventSynchronize(after), hipErrorIllegalAddress);
  EXPECT_EQ(hipStreamSynchronize(sound), hipSuccess);
  EXPECT_EQ(hipFree(memory), hipSuccess);
  ASSERT_EQ(hipSetDevice(device), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(sound), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(faulty), hipSuccess);
  EXPECT_EQ(hipEventDestroy(after), hipSuccess);
}

// hipFree waits for the device: a kernel that another thread has launched keeps its memory.
TEST_P(Faults, NoneOfMemoryThatIsFreedWhileAKernelRuns) {
  setenv("GRIDWISE_SIM_THREADS", "1", 1);
  const unsigned workgroups = GetParam() == "O0" ? 3 : 5;  // tells the launch from others
  uint32_t* memory = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&memory), 256), hipSuccess);
  int device = 0;
  ASSERT_EQ(hipGetDevice(&device), hipSuccess);
  std::thread launching([&] {
    EXPECT_EQ(hipSetDevice(device), hipSuccess);
    const absl::Status status = Kernels()->Run(
        GetParam(), "ReadForLong", {.workgroups = {workgroups, 1, 1}, .block = {64, 1, 1}}, memory,
        out_.device(), 300'000);
    EXPECT_TRUE(status.ok()) << status;
  });
  uint64_t done = 0, total = 0;
  while (total != workgroups) gridwiseSimProgress(&done, &total);
  EXPECT_EQ(hipFree(memory), hipSuccess);
  gridwiseSimProgress(&done, &total);
  EXPECT_EQ(done, workgroups);
  launching.join();
  unsetenv("GRIDWISE_SIM_THREADS");
}

/// The same on the host.
uint32_t Descend(uint32_t salt, uint32_t depth, uint32_t x) {
  const auto word = [&](uint32_t i) { return x + i * salt; };
  const uint32_t below =
      depth == 0 ? x : Descend((x + depth) % 2 == 0 ? 3 : 5, depth - 1, word(x % 32));
  return below + word(depth % 32);
}

// The stack of what the compiler cannot see the end of is as large as the program says.
TEST_P(Faults, StackBeyondTheLimit) {
  EXPECT_EQ(Fault("DescendByTable", in_.device(), out_.device(), 2), "no fault");
  EXPECT_THAT(Fault("DescendByTable", in_.device(), out_.device(), 200),
              AllOf(HasSubstr("outside the lane's scratch"),
                    HasSubstr("and more by hipDeviceSetLimit(hipLimitStackSize)")));
  ASSERT_EQ(hipDeviceReset(), hipSuccess);
  ASSERT_EQ(hipDeviceSetLimit(hipLimitStackSize, 100'000), hipSuccess);
  EXPECT_EQ(Fault("DescendByTable", in_.device(), out_.device(), 200), "no fault");
  EXPECT_EQ(out_.Read()[7], Descend(words_[7] % 2 == 0 ? 3 : 5, 200, words_[7]));
  EXPECT_EQ(hipDeviceSetLimit(hipLimitStackSize, 1024), hipSuccess);
}

TEST(Limits, AreReadBackAndHaveBounds) {
  ASSERT_EQ(hipSetDevice(TestDevice().value()), hipSuccess);
  size_t value = 0;
  EXPECT_EQ(hipDeviceGetLimit(&value, hipLimitStackSize), hipSuccess);
  EXPECT_EQ(value, 1024u);
  EXPECT_EQ(hipDeviceGetLimit(&value, hipLimitMallocHeapSize), hipSuccess);
  EXPECT_EQ(value, 8u << 20);
  EXPECT_EQ(hipDeviceSetLimit(hipLimitMallocHeapSize, 64 << 20), hipSuccess);
  EXPECT_EQ(hipDeviceGetLimit(&value, hipLimitMallocHeapSize), hipSuccess);
  EXPECT_EQ(value, 64u << 20);
  EXPECT_EQ(hipDeviceSetLimit(hipLimitMallocHeapSize, 8 << 20), hipSuccess);
  EXPECT_EQ(hipDeviceSetLimit(hipLimitStackSize, (128 << 10) - 16), hipSuccess);
  EXPECT_EQ(hipDeviceSetLimit(hipLimitStackSize, 128 << 10), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceSetLimit(hipLimitMallocHeapSize, size_t{1} << 50), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceSetLimit(hipLimitPrintfFifoSize, 4096), hipErrorUnsupportedLimit);
  EXPECT_EQ(hipDeviceGetLimit(&value, hipLimitPrintfFifoSize), hipErrorUnsupportedLimit);
  EXPECT_EQ(hipDeviceSetLimit(hipLimitRange, 1), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceSetLimit(hipLimitStackSize, 1024), hipSuccess);
}

TEST_P(Faults, NameTheProgramCounter) {
  EXPECT_THAT(Fault("WriteWord", nullptr, nullptr, 0),
              AllOf(HasSubstr("pc"), HasSubstr("0x"), HasSubstr("workgroup")));
}

INSTANTIATE_TEST_SUITE_P(Levels, Faults, testing::Values("O0", "O3"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace gridwise::sim
