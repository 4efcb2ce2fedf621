// SPDX-License-Identifier: MIT
#include <cstdlib>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/tests/hip7_test.h"

// Launches with attributes, and what else HIP 7 asks of modules.

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;

class LaunchAttributes : public Hip7Test {
 protected:
  // With one host thread, workgroups that are not cooperative run one after the other.
  LaunchAttributes() { setenv("GRIDWISE_SIM_THREADS", "1", 1); }
  ~LaunchAttributes() override { unsetenv("GRIDWISE_SIM_THREADS"); }

  hipError_t LaunchMeet(std::vector<hipLaunchAttribute> attributes, hipStream_t stream = nullptr) {
    const hipLaunchConfig_t config = {dim3(kWorkgroups),
                                      dim3(1),
                                      0,
                                      stream,
                                      attributes.data(),
                                      static_cast<unsigned>(attributes.size())};
    return hipLaunchKernelExC(&config, meet_, arguments_);
  }

  static hipLaunchAttribute Attribute(int id, int value) {
    hipLaunchAttribute attribute = {};
    attribute.id = static_cast<hipLaunchAttributeID>(id);
    attribute.value.priority = value;
    return attribute;
  }

  static constexpr unsigned kWorkgroups = 4;
  unsigned workgroups_ = kWorkgroups;
  unsigned patience_ = 1 << 23;
  void* arguments_[3] = {&words_, &workgroups_, &patience_};
};

TEST_F(LaunchAttributes, CooperativeWorkgroupsMeet) {
  ASSERT_EQ(LaunchMeet({Attribute(hipLaunchAttributeCooperative, 1),
                        Attribute(hipLaunchAttributePriority, -1)}),
            hipSuccess);
  EXPECT_EQ(WordAt(0), kWorkgroups);
  EXPECT_EQ(WordAt(1), kWorkgroups);
}

TEST_F(LaunchAttributes, OthersDoNot) {
  patience_ = 1 << 10;
  for (const std::vector<hipLaunchAttribute>& attributes :
       {std::vector<hipLaunchAttribute>{}, {Attribute(hipLaunchAttributeCooperative, 0)}}) {
    ASSERT_EQ(hipMemset(words_, 0, 8), hipSuccess);
    ASSERT_EQ(LaunchMeet(attributes), hipSuccess);
    EXPECT_EQ(WordAt(0), kWorkgroups);
    EXPECT_EQ(WordAt(1), 1u) << "the last workgroup comes after all others";
  }
}

TEST_F(LaunchAttributes, HandlesAreLaunchedWithTheDriverApi) {
  hipLaunchAttribute attribute = Attribute(hipLaunchAttributeCooperative, 1);
  HIP_LAUNCH_CONFIG config = {kWorkgroups, 1, 1, 1, 1, 1, 0, nullptr, &attribute, 1};
  ASSERT_EQ(hipDrvLaunchKernelEx(&config, meet_, arguments_, nullptr), hipSuccess);
  EXPECT_EQ(WordAt(1), kWorkgroups);
  EXPECT_EQ(hipDrvLaunchKernelEx(&config, nullptr, arguments_, nullptr),
            hipErrorInvalidResourceHandle);
  EXPECT_EQ(hipDrvLaunchKernelEx(nullptr, meet_, arguments_, nullptr), hipErrorInvalidValue);
  config.gridDimX = 1 << 20;
  EXPECT_EQ(hipDrvLaunchKernelEx(&config, meet_, arguments_, nullptr),
            hipErrorCooperativeLaunchTooLarge);
}

TEST_F(LaunchAttributes, ACaptureKeepsThem) {
  hipStream_t stream = nullptr;
  hipGraph_t graph = nullptr;
  hipGraphExec_t executable = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  ASSERT_EQ(LaunchMeet({Attribute(hipLaunchAttributeCooperative, 1)}, stream), hipSuccess);
  ASSERT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  ASSERT_EQ(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), hipSuccess);
  EXPECT_EQ(WordAt(0), 0u);
  ASSERT_EQ(hipGraphLaunch(executable, stream), hipSuccess);
  EXPECT_EQ(WordAt(1), kWorkgroups);
  EXPECT_EQ(hipGraphExecDestroy(executable), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST_F(LaunchAttributes, WhatCannotBeHonouredIsRefused) {
  constexpr int kClusterDimension = 4;
  EXPECT_EQ(LaunchMeet({Attribute(kClusterDimension, 2)}), hipErrorNotSupported);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("attribute 4"));
  EXPECT_EQ(LaunchMeet({Attribute(hipLaunchAttributeSynchronizationPolicy, 1)}),
            hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("an attribute of streams"));
  const hipLaunchConfig_t config = {dim3(1), dim3(1), 0, nullptr, nullptr, 2};
  EXPECT_EQ(hipLaunchKernelExC(&config, meet_, arguments_), hipErrorInvalidValue);
  EXPECT_THAT(gridwiseSimLastFault(), HasSubstr("2 attributes and no list"));
  EXPECT_EQ(hipLaunchKernelExC(nullptr, meet_, arguments_), hipErrorInvalidValue);
  EXPECT_EQ(WordAt(0), 0u);
}

TEST_F(LaunchAttributes, ModulesCountTheirKernels) {
  unsigned count = 0;
  hipModule_t module = nullptr;
  ASSERT_EQ(hipModuleLoadFatBinary(&module, Image()), hipSuccess);
  ASSERT_EQ(hipModuleGetFunctionCount(&count, module), hipSuccess);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(hipModuleGetFunctionCount(nullptr, module), hipErrorInvalidValue);
  EXPECT_EQ(hipModuleUnload(module), hipSuccess);
  EXPECT_EQ(hipModuleGetFunctionCount(&count, module), hipErrorInvalidHandle);
  EXPECT_EQ(hipModuleLoadFatBinary(&module, nullptr), hipErrorInvalidValue);
}

}  // namespace
}  // namespace gridwise::sim
