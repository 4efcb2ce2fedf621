// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "core/arch/device_facts.h"
#include "core/arch/target.h"
#include "core/launch/code.h"
#include "core/launch/launch.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/module.h"
#include "core/runtime/runtime_test_code.h"
#include "core/runtime/status.h"
#include "core/runtime/stream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"

namespace gridwise {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

std::string Target() {
  const char* target = std::getenv("GRIDWISE_TEST_TARGET");
  return target == nullptr ? "" : target;
}

/// The code object of the target under test.
absl::string_view Code() {
  const absl::StatusOr<DeviceInfo> device = CurrentDevice();
  const KernelCode code = {.object = {}, .symbol = "", .objects = RuntimeTestCode()};
  return device.ok() ? ObjectFor(code, device->target).value_or("") : "";
}

class RuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<DeviceInfo> device = FindDevice(Target());
    ASSERT_TRUE(device.ok()) << device.status();
    ASSERT_TRUE(UseDevice(*device).ok());
  }
};

TEST(StatusTest, SaysWhatWasAttemptedAndWhatHipSays) {
  EXPECT_TRUE(ToStatus(hipSuccess, "do it").ok());
  const absl::Status status = ToStatus(hipErrorOutOfMemory, "allocate 5 bytes");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("cannot allocate 5 bytes: "));
  EXPECT_THAT(status.message(), HasSubstr("hipErrorOutOfMemory"));
  EXPECT_EQ(ToStatus(hipErrorNoDevice, "x").code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ToStatus(hipErrorLaunchFailure, "x").code(), absl::StatusCode::kInternal);
}

TEST_F(RuntimeTest, FindsTheDeviceOfATarget) {
  const absl::StatusOr<DeviceInfo> device = CurrentDevice();
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device->target, Target());
  EXPECT_FALSE(device->name.empty());
  EXPECT_GT(device->compute_units, 0);
}

TEST_F(RuntimeTest, ATargetsProductIsCountedAsItsTargetIs) {
  const absl::StatusOr<DeviceInfo> device = CurrentDevice();
  ASSERT_TRUE(device.ok()) << device.status();
  const absl::StatusOr<DeviceFacts> facts = device->Facts();
  ASSERT_TRUE(facts.ok()) << facts.status();
  if (device->name != facts->product->full_name) {
    GTEST_SKIP() << device->name << " is a product that is not listed";
  }
  EXPECT_EQ(facts->compute_units, facts->product->compute_units);
  EXPECT_EQ(facts->xcds, facts->product->xcds);
  const absl::StatusOr<DeviceInfo> found = FindDevice(*facts);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->ordinal, device->ordinal);
}

TEST_F(RuntimeTest, AMissingTargetIsNamedWithWhatThereIs) {
  const absl::Status status = FindDevice("gfx000").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("no device is a gfx000; the HIP runtime offers "));
  EXPECT_THAT(status.message(), HasSubstr(Target()));
}

TEST_F(RuntimeTest, BuffersHoldData) {
  std::vector<int> data(100);
  std::iota(data.begin(), data.end(), 0);
  absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::CopyOf(std::as_bytes(std::span(data)));
  ASSERT_TRUE(buffer.ok()) << buffer.status();
  EXPECT_EQ(buffer->bytes(), 400);
  const DeviceBuffer moved = *std::move(buffer);
  std::vector<int> back(100);
  ASSERT_TRUE(moved.CopyToHost(std::as_writable_bytes(std::span(back))).ok());
  EXPECT_EQ(back, data);
}

TEST_F(RuntimeTest, FillSetsEveryByte) {
  absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(33);
  ASSERT_TRUE(buffer.ok()) << buffer.status();
  ASSERT_TRUE(buffer->Fill(0xa5).ok());
  std::vector<uint8_t> back(33);
  ASSERT_TRUE(buffer->CopyToHost(std::as_writable_bytes(std::span(back))).ok());
  EXPECT_THAT(back, Each(0xa5));
}

TEST_F(RuntimeTest, BuffersRefuseWhatDoesNotFit) {
  EXPECT_THAT(DeviceBuffer::Allocate(-1).status().message(), HasSubstr("bytes is -1"));
  absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(8);
  ASSERT_TRUE(buffer.ok()) << buffer.status();
  std::vector<std::byte> nine(9);
  EXPECT_EQ(buffer->CopyFromHost(nine).code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(buffer->CopyToHost(nine).message(),
              HasSubstr("9 bytes from a device buffer of 8 bytes"));
  absl::StatusOr<DeviceBuffer> empty = DeviceBuffer::Allocate(0);
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ(empty->data(), nullptr);
  EXPECT_TRUE(empty->Fill(0).ok());
}

TEST_F(RuntimeTest, LaunchesAKernelOfAModule) {
  const absl::StatusOr<Module> module = Module::Load(Code());
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::StatusOr<hipFunction_t> kernel = module->FindKernel("AddTo");
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  std::vector<int> data(192);
  std::iota(data.begin(), data.end(), 0);
  const absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::CopyOf(std::as_bytes(std::span(data)));
  ASSERT_TRUE(buffer.ok()) << buffer.status();
  const struct {
    void* data;
    int addend;
  } arguments = {buffer->data(), 1000};
  const absl::StatusOr<Stream> stream = Stream::Create();
  ASSERT_TRUE(stream.ok()) << stream.status();
  absl::StatusOr<Event> start = Event::Create(), stop = Event::Create();
  ASSERT_TRUE(start.ok() && stop.ok());
  ASSERT_TRUE(start->Record(*stream).ok());
  const absl::Status launched =
      Launch(*kernel, {.workgroups = {3}, .threads = {64}},  // y and z are 1
             std::as_bytes(std::span(&arguments, 1)), stream->get());
  ASSERT_TRUE(launched.ok()) << launched;
  ASSERT_TRUE(stop->Record(*stream).ok());
  ASSERT_TRUE(stream->Synchronize().ok());
  ASSERT_TRUE(SynchronizeDevice().ok());
  const absl::StatusOr<float> milliseconds = stop->MillisecondsSince(*start);
  ASSERT_TRUE(milliseconds.ok()) << milliseconds.status();
  EXPECT_GE(*milliseconds, 0);
  ASSERT_TRUE(buffer->CopyToHost(std::as_writable_bytes(std::span(data))).ok());
  for (int i = 0; i < 192; ++i) EXPECT_EQ(data[static_cast<size_t>(i)], i + 1000);
  const absl::Status empty = Launch(*kernel, {.workgroups = {3, 0}, .threads = {}},
                                    std::as_bytes(std::span(&arguments, 1)));
  EXPECT_EQ(empty.code(), absl::StatusCode::kInvalidArgument) << empty;
  EXPECT_THAT(empty.message(), HasSubstr("workgroups are 3 x 0 x 1; each must be at least 1"));
}

TEST_F(RuntimeTest, ModulesRefuseWhatIsNotThere) {
  EXPECT_FALSE(
      Module::Load("this is no code object, however long the text that stands here is").ok());
  const absl::StatusOr<Module> module = Module::Load(Code());
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::Status status = module->FindKernel("Missing").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("find the kernel Missing"));
}

}  // namespace
}  // namespace gridwise
