// SPDX-License-Identifier: MIT
#include "tools/sim/machine/lds_banks.h"

#include <cstdint>
#include <functional>

#include "core/arch/device_facts.h"
#include "core/arch/target.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

constexpr uint64_t kLds = 1 << 20;
constexpr uint64_t kWave32 = 0xffffffff;

int Conflicts(TargetBit target, uint32_t bytes, bool writes, uint64_t lanes,
              const std::function<uint32_t(int lane)>& offset_of) {
  uint32_t offsets[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) offsets[lane] = offset_of(lane);
  return BankConflicts(target,
                       {.space = AddressSpace::kLds,
                        .bytes = bytes,
                        .reads = !writes,
                        .writes = writes,
                        .base = kLds,
                        .offset = offsets,
                        .lanes = lanes},
                       kLds);
}

TEST(BankConflicts, ConsecutiveLanesHaveNone) {
  for (const TargetBit target : {kGfx942, kGfx950, kGfx1100, kGfx1201}) {
    const uint64_t lanes = (target & kRdna) != 0 ? kWave32 : ~uint64_t{0};
    for (const uint32_t bytes : {1u, 2u, 4u, 8u, 16u}) {
      for (const bool writes : {false, true}) {
        EXPECT_EQ(Conflicts(target, bytes, writes, lanes, [&](int lane) { return lane * bytes; }),
                  0)
            << int{target} << ", " << bytes << " bytes, writes " << writes;
      }
    }
  }
}

TEST(BankConflicts, OneAddressIsSharedByAllLanes) {
  EXPECT_EQ(Conflicts(kGfx942, 4, false, ~uint64_t{0}, [](int) { return 64; }), 0);
  EXPECT_EQ(Conflicts(kGfx950, 16, false, ~uint64_t{0}, [](int) { return 64; }), 0);
}

// All dwords on one bank: a phase of n lanes takes n cycles. The study's counters say 62, 60 and 56
// on gfx942.
TEST(BankConflicts, OneBankServesOneDwordACycle) {
  const auto stride = [](uint32_t dwords) {
    return [dwords](int lane) { return static_cast<uint32_t>(lane) * dwords * 4; };
  };
  EXPECT_EQ(Conflicts(kGfx942, 4, false, ~uint64_t{0}, stride(32)), 62);
  EXPECT_EQ(Conflicts(kGfx942, 8, false, ~uint64_t{0}, stride(32)), 60);
  EXPECT_EQ(Conflicts(kGfx942, 16, false, ~uint64_t{0}, stride(32)), 56);
  EXPECT_EQ(Conflicts(kGfx950, 4, false, ~uint64_t{0}, stride(64)), 63);
  EXPECT_EQ(Conflicts(kGfx950, 4, false, ~uint64_t{0}, stride(32)), 31);
  EXPECT_EQ(Conflicts(kGfx1100, 4, false, kWave32, stride(32)), 31);
}

// Two lanes of the same 32 dwords' bank, in one phase of gfx942's reads of 16 bytes or in two.
TEST(BankConflicts, PhasesOfWideAccessesDiffer) {
  const auto clash = [](TargetBit target, bool writes, int first, int second) {
    return Conflicts(target, 16, writes, uint64_t{1} << first | uint64_t{1} << second,
                     [&](int lane) { return lane == first ? 0u : 1024u; });
  };
  EXPECT_EQ(clash(kGfx942, false, 0, 20), 1);  // lanes 0 to 3 and 20 to 23
  EXPECT_EQ(clash(kGfx942, false, 0, 4), 0);
  EXPECT_EQ(clash(kGfx942, true, 0, 4), 1);  // 8 consecutive lanes
  EXPECT_EQ(clash(kGfx942, true, 0, 20), 0);
  EXPECT_EQ(clash(kGfx942, false, 0, 52), 0);  // the other half
  EXPECT_EQ(clash(kGfx942, false, 32, 52), 1);
  EXPECT_EQ(clash(kGfx950, false, 0, 12), 1);
  EXPECT_EQ(clash(kGfx950, false, 0, 4), 0);
  EXPECT_EQ(clash(kGfx1100, false, 0, 20), 1);
  EXPECT_EQ(clash(kGfx1201, false, 0, 20), 0);
  EXPECT_EQ(clash(kGfx1201, false, 0, 7), 1);
}

TEST(LdsBlocks, AreThePlannersAsWell) {
  EXPECT_EQ(LdsBlockBytes(kGfx90a), 512u);
  EXPECT_EQ(LdsBlockBytes(kGfx942), 512u);
  EXPECT_EQ(LdsBlockBytes(kGfx950), 1280u);
  EXPECT_EQ(LdsBlockBytes(kGfx1100), 1024u);
  EXPECT_EQ(LdsBlockBytes(kGfx1201), 1024u);
  for (const Gfx gfx : kAmdGfx) {
    EXPECT_EQ(LdsBlockBytes(FindTarget(Name(gfx))->bit), DeviceFacts(gfx).machine.lds_granule)
        << Name(gfx);
  }
}

TEST(BankConflicts, LanesThatAreOffDoNotCount) {
  EXPECT_EQ(Conflicts(kGfx942, 4, false, 0x3, [](int lane) { return lane * 128u; }), 1);
  EXPECT_EQ(Conflicts(kGfx942, 4, false, 0x1, [](int lane) { return lane * 128u; }), 0);
  EXPECT_EQ(Conflicts(kGfx942, 4, false, 0, [](int lane) { return lane * 128u; }), 0);
}

}  // namespace
}  // namespace gridwise::sim
