// SPDX-License-Identifier: MIT
// No kernel of ours has a hazard that software must avoid (tools/sim/check/README.md), on any path
// of its code, run or not: compilers are not the only ones who write it, and know not all of them.

#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/planning/family.h"
#include "gridwise/instances.h"
#include "gtest/gtest.h"
#include "tools/sim/tests/mutants.h"

namespace gridwise {
namespace {

TEST(Hazards, AreInNoKernel) {
  const char* const gfx = std::getenv("GRIDWISE_TEST_TARGET");
  ASSERT_NE(gfx, nullptr);
  std::vector<InstanceInfo> instances = ListInstances();
  for (const InstanceInfo& instance : ListGemmInstances()) instances.push_back(instance);
  std::set<std::string_view> seen;
  size_t kernels = 0, instructions = 0;
  for (const InstanceInfo& instance : instances) {
    if (Name(instance.gfx) != std::string_view(gfx) || !seen.insert(instance.code.object).second)
      continue;
    for (const std::string& kernel : sim::ListKernels(instance.code.object)) {
      const absl::StatusOr<sim::KernelCode> code =
          sim::KernelCode::Find(gfx, instance.code.object, kernel);
      ASSERT_TRUE(code.ok()) << code.status();
      ++kernels;
      instructions += code->instructions().size();
      for (const std::string& hazard : sim::FindHazards(*code))
        ADD_FAILURE() << instance.name << " (" << kernel << "): " << hazard;
    }
  }
  RecordProperty("kernels", static_cast<int>(kernels));
  RecordProperty("instructions", static_cast<int>(instructions));
  EXPECT_GE(kernels, 20u);
}

}  // namespace
}  // namespace gridwise
