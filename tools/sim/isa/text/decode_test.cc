// SPDX-License-Identifier: MIT
#include "tools/sim/isa/text/decode.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAreArray;

/// Registers `count` from `first` on.
struct Run {
  int first, count = 1;
};
constexpr Run V(int row, int count = 1) { return {kFirstVector + row, count}; }
constexpr Run A(int row, int count = 1) { return {kFirstVector + kAgprBase + row, count}; }
constexpr Run kVcc = {kVccLo, 2}, kExec = {kExecLo, 2};
constexpr Run kVccLow = {kVccLo, 1}, kExecLow = {kExecLo, 1};  // in a wave of 32 lanes

struct Case {
  std::string_view gfx;
  std::vector<uint32_t> code;
  std::string_view text;
  std::vector<Run> reads, writes;
};

std::vector<int> Numbers(const std::vector<Run>& runs) {
  std::vector<int> numbers;
  for (const Run& run : runs) {
    for (int i = 0; i < run.count; ++i) numbers.push_back(run.first + i);
  }
  return numbers;
}

/// What the ISA documents say of these instructions' operands, and of the registers that their
/// encoding implies.
std::vector<Case> Gfx9Cases() {
  return {
      {"gfx942", {0x32020702}, "v_add_co_u32_e32 v1, vcc, v2, v3", {V(2, 2), kExec}, {V(1), kVcc}},
      {"gfx942",
       {0x38020702},
       "v_addc_co_u32_e32 v1, vcc, v2, v3, vcc",
       {V(2, 2), kVcc, kExec},
       {V(1), kVcc}},
      {"gfx942", {0x76020702}, "v_fmac_f32_e32 v1, v2, v3", {V(1, 3), kExec}, {V(1)}},
      {"gfx942",
       {0xd0410006, 0x00020501},
       "v_cmp_lt_f32_e64 s[6:7], v1, v2",
       {V(1, 2), kExec},
       {{6, 2}}},
      {"gfx942", {0xc00a0100, 0x10}, "s_load_dwordx4 s[4:7], s[0:1], 0x10", {{0, 2}}, {{4, 4}}},
      {"gfx942",
       {0xdc7c8000, 0x007f0402},
       "global_store_dwordx4 v[2:3], v[4:7], off",
       {V(2, 6), kExec},
       {}},
      {"gfx942",
       {0xd8ee0100, 0x02000001},
       "ds_read2_b64 v[2:5], v1 offset1:1",
       {V(1), kExec, {kM0}},  // M0 by LLVM's tables, though only older targets look at it
       {V(2, 4)}},
      {"gfx942",
       {0xd3cd8000, 0x04120d04},
       "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[4:7]",
       {V(4, 4), A(4, 4), kExec},
       {A(0, 4)}},
      {"gfx942",
       {0xbe82206a},
       "s_and_saveexec_b64 s[2:3], vcc",
       {kVcc, kExec},
       {{2, 2}, kExec, {kScc}}},
      {"gfx942", {0x80007c01}, "s_add_u32 s0, s1, m0", {{1}, {kM0}}, {{0}, {kScc}}},
      {"gfx942",
       {0xe0501000, 0x08010102},
       "buffer_load_dword v1, v2, s[4:7], s8 offen",
       {V(2), {4, 5}, kExec},
       {V(1)}},
      {"gfx942", {0xd2890004, 0x0000f903}, "v_readlane_b32 s4, v3, m0", {V(3), {kM0}}, {{4}}},
      {"gfx942", {0xbf850004}, "s_cbranch_scc1 4", {{kScc}}, {}},
      {"gfx90a",
       {0xd3e68000, 0x04020500},
       "v_mfma_f32_32x32x8bf16_1k a[0:15], v[0:1], v[2:3], a[0:15]",
       {V(0, 4), A(0, 16), kExec},
       {A(0, 16)}},
      {"gfx90a",
       {0xde538000, 0x007f0000},
       "global_load_dword v0, v[0:1], off glc slc scc",
       {V(0, 2), kExec},
       {V(0)}},
      {"gfx942",
       {0xdc704010, 0x007f0100},
       "scratch_store_dword off, v1, off offset:16",
       {V(1), {kFlatScratchLo, 2}, kExec},
       {}},
  };
}
std::vector<Case> RdnaCases() {
  return {
      {"gfx1100", {0x7f023902}, "v_mov_b16_e32 v1.h, v2.l", {V(2), kExecLow}, {V(1)}},
      {"gfx1100", {0x7d220501}, "v_cmpx_lt_f32_e32 v1, v2", {V(1, 2), kExecLow}, {kExecLow}},
      {"gfx1100",
       {0xcc404000, 0x1c022108},
       "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]",
       {V(0, 24), kExecLow},
       {V(0, 8)}},
      // Its second half adds to an odd register, whose lowest bit is not in the encoding.
      {"gfx1100",
       {0xc8016d06, 0x1c155b59},
       "v_dual_fmac_f32 v28, v6, v182 :: v_dual_fmac_f32 v21, v89, v173",
       {V(28), V(6), V(182), V(21), V(89), V(173), kExecLow},
       {V(28), V(21)}},
      {"gfx1201", {0x80000175}, "s_add_co_u32 s0, ttmp9, s1", {{kTtmp0 + 9}, {1}}, {{0}, {kScc}}},
      // SCC is no operand, but LLVM has it as one.
      {"gfx1201", {0xbe804fc1}, "s_barrier_signal_isfirst -1", {{kScc}}, {{kScc}}},
      {"gfx1201",
       {0xee058002, 0x00000004, 0x00000001},
       "global_load_b96 v[4:6], v1, s[2:3]",
       {V(1), {2, 2}, kExecLow},
       {V(4, 3)}},
      // A wave of 32 lanes has neither VCC_HI nor EXEC_HI in its masks.
      {"gfx1100", {0x7c820501}, "v_cmp_lt_i32_e32 vcc_lo, v1, v2", {V(1, 2), kExecLow}, {kVccLow}},
      // FLAT_SCRATCH, which LLVM's tables have scratch read, is s[102:103] on gfx9 only.
      {"gfx1100",
       {0xdc690010, 0x007c0100},
       "scratch_store_b32 off, v1, off offset:16",
       {V(1), kExecLow},
       {}},
  };
}

TEST(Decode, RegisterUses) {
  std::vector<Case> cases = Gfx9Cases();
  std::ranges::move(RdnaCases(), std::back_inserter(cases));
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.gfx << ": " << c.text);
    absl::StatusOr<std::unique_ptr<Decoder>> decoder = Decoder::Create(c.gfx);
    ASSERT_TRUE(decoder.ok()) << decoder.status();
    const size_t bytes = c.code.size() * sizeof(uint32_t);
    std::vector<uint8_t> code(bytes);
    std::memcpy(code.data(), c.code.data(), bytes);
    RegisterUses uses;
    uses.reads = uses.writes = {1, 2, 3};  // as the instruction before left them
    const absl::StatusOr<Decoder::Decoded> decoded =
        (*decoder)->Decode(code.data(), bytes, /*pc=*/0, &uses);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(decoded->text, c.text);
    EXPECT_EQ(decoded->bytes, bytes);
    EXPECT_THAT(uses.reads, UnorderedElementsAreArray(Numbers(c.reads)));
    EXPECT_THAT(uses.writes, UnorderedElementsAreArray(Numbers(c.writes)));
  }
}

/// A register in a field that the instruction does not use changes nothing; in one that it does
/// use, it has to be one that there is.
TEST(Decode, IgnoresFieldsThatAreNotUsed) {
  const struct {
    std::string_view gfx;
    std::vector<uint32_t> code;
    std::string_view text;
  } cases[] = {
      {"gfx942", {0xd8000000, 0x0200010a}, "ds_add_u32 v10, v1"},
      {"gfx942", {0xd8000000, 0xff00010a}, "ds_add_u32 v10, v1"},
      {"gfx950", {0xd86c0000, 0x03070506}, "ds_read_b32 v3, v6"},
      {"gfx1100", {0xd8000000, 0x0200010a}, "ds_add_u32 v10, v1"},
      {"gfx1100", {0xd8400000, 0x0c02010a}, "ds_cmpstore_b32 v10, v1, v2"},
      {"gfx1201", {0xd8000000, 0x0203010a}, "ds_add_u32 v10, v1"},
      {"gfx1100",
       {0xca2004ff, 0x02000300, 0x64},
       "v_dual_mov_b32 v2, 0x64 :: v_dual_add_nc_u32 v1, v0, v1"},
      {"gfx1201",
       {0xca2004ff, 0x02000300, 0x64},
       "v_dual_mov_b32 v2, 0x64 :: v_dual_add_nc_u32 v1, v0, v1"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::Message() << c.gfx << ": " << c.text);
    absl::StatusOr<std::unique_ptr<Decoder>> decoder = Decoder::Create(c.gfx);
    ASSERT_TRUE(decoder.ok()) << decoder.status();
    const size_t bytes = c.code.size() * sizeof(uint32_t);
    std::vector<uint8_t> code(bytes);
    std::memcpy(code.data(), c.code.data(), bytes);
    const absl::StatusOr<Decoder::Decoded> decoded = (*decoder)->Decode(code.data(), bytes, 0);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(decoded->text, c.text);
    EXPECT_EQ(decoded->bytes, bytes);
  }
  // ds_write_b64 of v[255:256], and gfx942's of v[1:2], which is not aligned.
  for (const uint32_t data : {0xff00u, 0x0100u}) {
    absl::StatusOr<std::unique_ptr<Decoder>> decoder = Decoder::Create("gfx942");
    ASSERT_TRUE(decoder.ok()) << decoder.status();
    const uint32_t words[] = {0xd89a0000, data};
    uint8_t code[sizeof(words)];
    std::memcpy(code, words, sizeof(words));
    const absl::StatusOr<Decoder::Decoded> decoded = (*decoder)->Decode(code, sizeof(code), 0);
    EXPECT_TRUE(!decoded.ok() || absl::StrContains(decoded->text, "Invalid register"))
        << decoded->text;
  }
}

/// The first half of v_fma_f32, at the end of the code.
TEST(Decode, SaysThatCodeEndsInAnInstruction) {
  const std::pair<std::string_view, uint32_t> cases[] = {{"gfx942", 0xd1cb0000},
                                                         {"gfx950", 0xd1cb0000},
                                                         {"gfx90a", 0xd1cb0000},
                                                         {"gfx1100", 0xd6130000},
                                                         {"gfx1201", 0xd6130000}};
  for (const auto& [gfx, word] : cases) {
    absl::StatusOr<std::unique_ptr<Decoder>> decoder = Decoder::Create(gfx);
    ASSERT_TRUE(decoder.ok()) << decoder.status();
    const uint32_t code[] = {word, 0};
    const auto* bytes = reinterpret_cast<const uint8_t*>(code);
    EXPECT_TRUE((*decoder)->Decode(bytes, 8, 0).ok()) << gfx;
    EXPECT_THAT((*decoder)->Decode(bytes, 4, 0).status().message(),
                HasSubstr(absl::StrCat("0x", absl::Hex(word), " is not an instruction")))
        << gfx;
  }
}

/// The literal of an instruction that always has one, also where it is the code of an operand.
TEST(Decode, LiteralsThatAreCodesOfOperands) {
  struct Instruction {
    std::string_view gfx;
    uint32_t word;
    std::string_view text;  // up to the literal, or its beginning
  };
  const Instruction instructions[] = {
      {"gfx942", 0x48020702, "v_madmk_f16 v1, v2, "},
      {"gfx950", 0x4a020702, "v_madak_f16 v1, v2, v3, "},
      {"gfx90a", 0x480206f2, "v_madmk_f16 v1, 1.0, "},
      {"gfx1100", 0x6e020702, "v_fmamk_f16"},
      {"gfx1201", 0x70020702, "v_fmaak_f16"},
      {"gfx942", 0x2e020702, "v_"},
      {"gfx942", 0x30020702, "v_"},
      {"gfx1100", 0x58020702, "v_fmamk_f32"},
      {"gfx1201", 0x5a020702, "v_fmaak_f32"},
      {"gfx1201", 0xa2810302, "s_fmaak_f32"},
      {"gfx1201", 0xa3010302, "s_fmamk_f32"},
  };
  for (const Instruction& instruction : instructions) {
    absl::StatusOr<std::unique_ptr<Decoder>> decoder = Decoder::Create(instruction.gfx);
    ASSERT_TRUE(decoder.ok()) << decoder.status();
    for (const uint32_t literal : {0x5u, 0x80u, 0xf0u, 0xf2u, 0x1ffu, 0x3c01u, 0xffffu}) {
      const uint32_t code[] = {instruction.word, literal};
      const auto* bytes = reinterpret_cast<const uint8_t*>(code);
      const absl::StatusOr<Decoder::Decoded> decoded = (*decoder)->Decode(bytes, 8, 0);
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      EXPECT_EQ(decoded->bytes, 8u);
      EXPECT_THAT(decoded->text, StartsWith(std::string(instruction.text)));
      EXPECT_THAT(decoded->text, HasSubstr(absl::StrCat(", 0x", absl::Hex(literal))))
          << instruction.gfx;
      EXPECT_FALSE((*decoder)->Decode(bytes, 4, 0).ok());
    }
  }
}

/// Of SDWA, only gfx9 has the encoding. There are three ways to fill the rest of the destination.
TEST(Decode, FieldsOfSdwa) {
  absl::StatusOr<std::unique_ptr<Decoder>> decoder = Decoder::Create("gfx942");
  ASSERT_TRUE(decoder.ok()) << decoder.status();
  for (const uint32_t unused : {0, 1, 2}) {
    const uint32_t code[] = {0x5c9aa0f9, 0x06010625 | unused << 11};  // v_min_f16
    EXPECT_TRUE((*decoder)->Decode(reinterpret_cast<const uint8_t*>(code), sizeof(code), 0).ok())
        << unused;
  }
}

TEST(Decode, SaysWhatIsNoInstructionAndNoProcessor) {
  absl::StatusOr<std::unique_ptr<Decoder>> decoder = Decoder::Create("gfx942");
  ASSERT_TRUE(decoder.ok()) << decoder.status();
  const uint8_t code[4] = {0xff, 0xff, 0xff, 0xff};
  EXPECT_THAT((*decoder)->Decode(code, sizeof(code), 0).status().message(),
              HasSubstr("0xffffffff is not an instruction"));
  EXPECT_THAT(Decoder::Create("gfx9999").status().message(),
              HasSubstr("'gfx9999' is not a processor that LLVM knows"));
}

}  // namespace
}  // namespace gridwise::sim
