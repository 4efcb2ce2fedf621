// SPDX-License-Identifier: MIT
#include "tools/sim/isa/facts/facts.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tools/sim/isa/facts/polls.h"
#include "tools/sim/isa/target.h"

namespace gridwise::sim {
namespace {

int PassesOf(std::string_view text) {
  InstructionFacts facts;
  FillFacts(kGfx950, text, {}, facts);
  return facts.matrix.passes;
}

// The rates of the CDNA4 white paper: 4- and 6-bit factors have twice those of 8 bits, which have
// twice those of 16 bits. 16x16x32 of f16, 4 passes, is 16 x 16 x 32 multiply-adds.
TEST(Passes, OfF8F6F4DependOnFormats) {
  constexpr std::string_view k16 = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3]";
  constexpr std::string_view k32 =
      "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], v[0:15]";
  const auto with = [](std::string_view text, std::string_view modifiers) {
    return PassesOf(std::string(text) + std::string(modifiers));
  };
  EXPECT_EQ(with(k16, ""), 8);  // fp8 by fp8
  EXPECT_EQ(with(k32, ""), 16);
  EXPECT_EQ(with(k16, " cbsz:1 blgp:1"), 8);  // bf8 by bf8
  EXPECT_EQ(with(k16, " cbsz:4"), 8);         // fp4 by fp8
  EXPECT_EQ(with(k16, " blgp:2"), 8);         // fp8 by fp6
  EXPECT_EQ(with(k16, " cbsz:2 blgp:3"), 4);  // fp6 by bf6
  EXPECT_EQ(with(k16, " cbsz:4 blgp:4"), 4);
  EXPECT_EQ(with(k32, " cbsz:4 blgp:4"), 8);
  EXPECT_EQ(
      PassesOf("v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3], v20, v21 "
               "op_sel_hi:[0,0,0]"),
      8);
  EXPECT_EQ(PassesOf("v_mfma_f32_16x16x32_f16 v[0:3], v[4:7], v[8:11], v[0:3]"), 4);
}

// AMD's matrix instruction calculator: 16x16x16 of f16 takes 8 passes, 32x32x8 16; f64 8 and 4.
TEST(Passes, OfGfx90a) {
  const auto passes = [](std::string_view text) {
    InstructionFacts facts;
    FillFacts(kGfx90a, text, {}, facts);
    return facts.matrix.passes;
  };
  EXPECT_EQ(passes("v_mfma_f32_4x4x4f16 v[0:3], v[4:5], v[6:7], v[0:3]"), 2);
  EXPECT_EQ(passes("v_mfma_f32_16x16x16f16 v[0:3], v[4:5], v[6:7], v[0:3]"), 8);
  EXPECT_EQ(passes("v_mfma_f32_16x16x4f32 v[0:3], v4, v5, v[0:3]"), 8);
  EXPECT_EQ(passes("v_mfma_i32_16x16x16i8 v[0:3], v4, v5, v[0:3]"), 8);
  EXPECT_EQ(passes("v_mfma_f32_32x32x8bf16_1k v[0:15], v[16:17], v[18:19], v[0:15]"), 16);
  EXPECT_EQ(passes("v_mfma_f32_32x32x4bf16 v[0:15], v16, v17, v[0:15]"), 16);
  EXPECT_EQ(passes("v_mfma_f64_16x16x4f64 v[0:7], v[8:9], v[10:11], v[0:7]"), 8);
  EXPECT_EQ(passes("v_mfma_f64_4x4x4f64 v[0:1], v[8:9], v[10:11], v[0:1]"), 4);
}

// LLVM AMDGPUUsage, "Memory Model GFX90A": invalidations need no wait, write-backs of L2 do.
TEST(Waits, OfGfx90aForCaches) {
  for (const std::string_view text : {"buffer_wbinvl1_vol", "buffer_invl2", "buffer_wbl2"}) {
    InstructionFacts facts;
    FillFacts(kGfx90a, text, {}, facts);
    EXPECT_EQ(facts.counters != 0, text == "buffer_wbl2") << text;
    EXPECT_FALSE(facts.load) << text;
  }
}

TEST(Waits, OfOneCounterOnGfx11) {
  constexpr std::pair<std::string_view, WaitCounter> kWaits[] = {
      {"s_waitcnt_vmcnt null, 0x3", WaitCounter::kLoad},
      {"s_waitcnt_vscnt null, 0x3", WaitCounter::kStore},
      {"s_waitcnt_lgkmcnt null, 0x3", WaitCounter::kLds}};
  for (const auto& [text, counter] : kWaits) {
    InstructionFacts facts;
    FillFacts(kGfx1100, text, {}, facts);
    EXPECT_TRUE(facts.waits) << text;
    for (int i = 0; i < kWaitCounters; ++i)
      EXPECT_EQ(facts.limits[i], i == static_cast<int>(counter) ? 3 : kNoLimit) << text;
  }
}

/// Whether it also waits for everything else is not known (isa/README.md): what it does not say may
/// be missing.
TEST(Waits, OfGfx12AsInEarlierTargetsAreForWhatTheySay) {
  InstructionFacts facts;
  FillFacts(kGfx1201, "s_waitcnt vmcnt(1) lgkmcnt(3)", {}, facts);
  EXPECT_TRUE(facts.waits);
  for (int i = 0; i < kWaitCounters; ++i) {
    const auto counter = static_cast<WaitCounter>(i);
    EXPECT_EQ(facts.limits[i], counter == WaitCounter::kLoad  ? 1
                               : counter == WaitCounter::kLds ? 3
                                                              : kNoLimit);
  }
}

/// Facts of `texts`, 8 bytes each.
std::vector<bool> PollsOf(const std::vector<std::string_view>& texts) {
  std::vector<InstructionFacts> facts(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    facts[i].pc = 0x100 + 8 * i;
    RegisterUses uses;
    if (texts[i].starts_with("v_add")) uses.writes = {kFirstVector};
    if (texts[i].starts_with("ds_read")) uses.writes = {kFirstVector + 1};
    FillFacts(kGfx942, texts[i], uses, facts[i]);
  }
  MarkPolls(facts);
  std::vector<bool> polls;
  for (const InstructionFacts& one : facts) polls.push_back(one.polls);
  return polls;
}

TEST(Polls, AreLoadsOfTheSameAddressInALoopWithoutStores) {
  // The branch is 4 bytes of the 8: 6 dwords back from after it is the first instruction.
  EXPECT_EQ(PollsOf({"ds_read_b32 v1, v0", "s_waitcnt lgkmcnt(0)", "s_cbranch_vccnz 65531"}),
            (std::vector<bool>{true, false, false}));
  EXPECT_EQ(PollsOf({"ds_read_b32 v1, v0", "v_add_u32_e32 v0, 4, v0", "s_cbranch_vccnz 65531"}),
            (std::vector<bool>{false, false, false}));
  EXPECT_EQ(PollsOf({"ds_read_b32 v1, v0", "ds_write_b32 v2, v3", "s_cbranch_vccnz 65531"}),
            (std::vector<bool>{false, false, false}));
  EXPECT_EQ(PollsOf({"ds_read_b32 v1, v0", "ds_read_b32 v1, v0", "s_cbranch_vccnz 65533"}),
            (std::vector<bool>{true, true, false}));
}

}  // namespace
}  // namespace gridwise::sim
