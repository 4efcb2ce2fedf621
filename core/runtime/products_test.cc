// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/arch/find_product.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/launch/launch.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/module.h"
#include "core/runtime/products_test_code.h"
#include "core/runtime/stream.h"
#include "core/text/parse_device.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/sim/hip/sim_extension.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

/// All products of the target, and a partition of each that can have one, as simulated devices.
std::vector<DeviceFacts> AddDevices() {
  const Gfx gfx = *ParseGfx(std::getenv("GRIDWISE_TEST_TARGET"));
  std::vector<DeviceFacts> devices;
  for (const Product& product : ProductsOf(gfx)) {
    devices.emplace_back(gfx, product);
    if (product.xcds % 2 == 0) devices.emplace_back(gfx, product, product.compute_units / 2);
  }
  for (const DeviceFacts& device : devices)
    EXPECT_EQ(gridwiseSimAddDevice(NameOf(device).c_str()), 0) << NameOf(device);
  return devices;
}

const std::vector<DeviceFacts>& Devices() {
  static const auto* const devices = new std::vector<DeviceFacts>(AddDevices());
  return *devices;
}

TEST(Products, AreWhatHipReports) {
  for (const DeviceFacts& facts : Devices()) {
    const absl::StatusOr<DeviceInfo> device = FindDevice(facts);
    ASSERT_TRUE(device.ok()) << device.status();
    EXPECT_EQ(device->name, facts.product->full_name);
    EXPECT_EQ(device->target, facts.product->processor);
    const absl::StatusOr<DeviceFacts> reported = device->Facts();
    ASSERT_TRUE(reported.ok()) << reported.status();
    EXPECT_EQ(NameOf(*reported), NameOf(facts));
    EXPECT_EQ(reported->machine, facts.machine) << device->name;
    EXPECT_EQ(reported->xcds, facts.xcds) << device->name;
    EXPECT_NEAR(reported->clock_ghz, facts.clock_ghz, 1e-5) << device->name;
    EXPECT_NEAR(reported->memory_gb_per_s, facts.memory_gb_per_s, 1e-3 * facts.memory_gb_per_s)
        << device->name;
  }
  EXPECT_EQ(gridwiseSimAddDevice("gfx942"), 1) << "it is too late";
}

// The code object for the processor itself, or else that for its family.
TEST(Products, RunTheirKernels) {
  for (const DeviceFacts& facts : Devices()) {
    const absl::StatusOr<DeviceInfo> device = FindDevice(facts);
    ASSERT_TRUE(device.ok() && UseDevice(*device).ok()) << device.status();
    const absl::StatusOr<hipFunction_t> kernel =
        LoadKernel({.object = {}, .symbol = "Reverse", .objects = ProductsTestCode()}, *device);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    std::vector<int> data(512);
    std::iota(data.begin(), data.end(), 0);
    const absl::StatusOr<DeviceBuffer> buffer =
        DeviceBuffer::CopyOf(std::as_bytes(std::span(data)));
    ASSERT_TRUE(buffer.ok()) << buffer.status();
    void* const arguments = buffer->data();
    ASSERT_TRUE(Launch(*kernel, {.workgroups = {2}, .threads = {256}},
                       std::as_bytes(std::span(&arguments, 1)))
                    .ok());
    ASSERT_TRUE(SynchronizeDevice().ok());
    ASSERT_TRUE(buffer->CopyToHost(std::as_writable_bytes(std::span(data))).ok());
    for (int i = 0; i < 512; ++i)
      ASSERT_EQ(data[static_cast<std::size_t>(i)], i < 256 ? 255 - i : 767 - i) << device->name;
  }
}

// HIP loads no code of another processor, even if it would run.
TEST(Products, DoNotRunCodeOfOtherProcessors) {
  for (const DeviceFacts& facts : Devices()) {
    const absl::StatusOr<DeviceInfo> device = FindDevice(facts);
    ASSERT_TRUE(device.ok() && UseDevice(*device).ok()) << device.status();
    ASSERT_FALSE(ProductsTestCode().empty());
    for (const CodeObject& object : ProductsTestCode()) {
      const bool runs = RunsCodeFor(*FindProcessor(facts.product->processor), object.gfx);
      const absl::StatusOr<Module> module = Module::Load(object.data);
      EXPECT_EQ(module.ok(), runs) << device->name << ", code for " << object.gfx;
      if (module.ok()) continue;
      EXPECT_THAT(module.status().message(), HasSubstr("hipErrorNoBinaryForGpu"));
    }
  }
}

}  // namespace
}  // namespace gridwise
