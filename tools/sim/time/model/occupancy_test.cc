// SPDX-License-Identifier: MIT
#include "tools/sim/time/model/occupancy.h"

#include "gtest/gtest.h"
#include "tools/sim/time/machine/machine.h"

namespace gridwise::sim::time {
namespace {

TEST(Occupancy, IsThatOfTheDocuments) {
  const Machine& cdna = *FindMachine("gfx942");
  const auto waves = [](const Machine& machine, int registers) {
    return ComputeOccupancy(
               machine,
               {.waves = 4, .wave_size = static_cast<int>(machine.lanes), .registers = registers})
        .workgroups;
  };
  EXPECT_EQ(waves(cdna, 64), 8);
  EXPECT_EQ(waves(cdna, 72), 7);
  EXPECT_EQ(waves(cdna, 128), 4);
  EXPECT_EQ(waves(cdna, 512), 1);
  const Machine& rdna = *FindMachine("gfx1100");
  EXPECT_EQ(waves(rdna, 96), 16);
  EXPECT_EQ(waves(rdna, 120), 12);
  EXPECT_EQ(waves(rdna, 256), 5);
  const Occupancy lds = ComputeOccupancy(cdna, {.waves = 4, .registers = 32, .lds_bytes = 40'000});
  EXPECT_EQ(lds.workgroups, 1);
  EXPECT_EQ(lds.bound, "LDS");
  // In CU mode two compute units with 64 KB each, not a workgroup processor with 128.
  GroupNeeds needs = {.waves = 4, .wave_size = 32, .registers = 96, .lds_bytes = 40'000};
  EXPECT_EQ(ComputeOccupancy(rdna, needs).workgroups, 3);
  needs.half_unit = true;
  EXPECT_EQ(ComputeOccupancy(rdna, needs).workgroups, 2);
  needs.waves = 10;
  EXPECT_EQ(ComputeOccupancy(rdna, needs).workgroups, 2);
}

}  // namespace
}  // namespace gridwise::sim::time
