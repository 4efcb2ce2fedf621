// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/exec/handlers.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/decode.h"
#include "tools/sim/isa/text/operand.h"

/// All scalar and vector opcodes of RDNA, by walking the opcode fields of the encodings (RDNA3 and
/// RDNA4 ISA, "Microcode Formats"): what LLVM decodes is either bound or in the list of what the
/// simulator refuses.

namespace gridwise::sim {
namespace {

using Words = std::vector<uint32_t>;

/// Calls `f` for one instruction of every opcode, with operands that most of them accept.
void ForEveryOpcode(const std::function<void(const Words&)>& f) {
  constexpr uint32_t kLiteral = 0x12345678, kVgpr = 256;
  for (uint32_t op = 0; op < 256; ++op) {
    f({0x7e000000 | 4 << 17 | op << 9 | (kVgpr + 2)});     // VOP1
    f({0x7c000000 | op << 17 | 2 << 9 | (kVgpr + 6)});     // VOPC
    f({0xbe800000 | 4 << 16 | op << 8 | 8, kLiteral});     // SOP1
    f({0xbe800000 | 4 << 16 | op << 8 | 0xc1, kLiteral});  // SOP1 of -1: s_barrier_signal
  }
  for (uint32_t op = 0; op < 62; ++op)
    f({op << 25 | 4 << 17 | 2 << 9 | (kVgpr + 6), kLiteral});  // VOP2
  for (uint32_t op = 0; op < 1024; ++op) {
    const uint32_t word = 0xd4000000 | op << 16 | 4;
    f({word, (kVgpr + 2) | (kVgpr + 4) << 9 | (kVgpr + 6) << 18});             // VOP3
    f({word, (kVgpr + 2) | 4 << 9 | 6 << 18});                                 // with scalars
    f({word, 2});                                                              // with one operand
    f({word | 124 << 8, (kVgpr + 2) | (kVgpr + 4) << 9 | (kVgpr + 6) << 18});  // VOP3SD
  }
  for (uint32_t op = 0; op < 128; ++op) {
    f({0xcc000000 | op << 16 | 4 | 0x4000,
       (kVgpr + 2) | (kVgpr + 10) << 9 | (kVgpr + 18) << 18 | 3u << 27});  // VOP3P
    f({0xbf000000 | op << 16 | 8 << 8 | 12});                              // SOPC
    f({0xbf800000 | op << 16});                                            // SOPP
    f({0xbf800000 | op << 16 | 0xffff});
  }
  for (uint32_t op = 0; op < 96; ++op)
    f({0x80000000 | op << 23 | 4 << 16 | 8 << 8 | 12, kLiteral});                 // SOP2
  for (uint32_t op = 0; op < 24; ++op) f({0xb0000000 | op << 23 | 4 << 16 | 1});  // SOPK
  for (uint32_t x = 0; x < 16; ++x) {
    for (uint32_t y = 0; y < 32; ++y) {  // VOPD
      f({0xc8000000 | x << 22 | y << 17 | 1 << 9 | (kVgpr + 2),
         4u << 24 | 3 << 17 | 2 << 9 | (kVgpr + 3), kLiteral});
    }
  }
}

struct Found {
  bool bound = false;
  std::string example;
};

/// Every mnemonic of `gfx`, and whether some form of it has a handler.
std::map<std::string, Found> Mnemonics(const char* gfx) {
  const auto decoder = Decoder::Create(gfx);
  EXPECT_TRUE(decoder.ok()) << decoder.status();
  ConstantPool pool;
  std::map<std::string, Found> found;
  ForEveryOpcode([&](const Words& words) {
    std::vector<uint8_t> code(4 * words.size() + 16);
    std::memcpy(code.data(), words.data(), 4 * words.size());
    const auto decoded = (*decoder)->Decode(code.data(), code.size(), 0);
    if (!decoded.ok()) return;
    Instruction instruction;
    const absl::Status parsed = ParseInstruction(decoded->text, instruction);
    const std::string mnemonic(instruction.mnemonic);
    Binder binder(*FindTarget(gfx), BestHandlers(), pool);
    const bool bound = parsed.ok() && binder.Bind(instruction, 0, 0x1000, 4).ok();
    Found& entry = found[mnemonic];
    entry.bound = entry.bound || bound;
    if (entry.example.empty() || !bound) entry.example = decoded->text;
  });
  return found;
}

/// What the simulator refuses by name: graphics, traps and debugging, and little else.
bool Refused(const std::string& mnemonic) {
  static constexpr const char* kPrefixes[] = {"v_interp",
                                              "v_cube",
                                              "v_wmma",
                                              "v_swmmac",
                                              "v_dot",
                                              "v_dual_dot2acc_f32_bf16",
                                              "s_cbranch_cdbg",
                                              "v_cvt_f32_fp8",
                                              "v_cvt_f32_bf8",
                                              "v_cvt_pk_f32_fp8",
                                              "v_cvt_pk_f32_bf8",
                                              "v_cvt_pk_fp8_f32",
                                              "v_cvt_pk_bf8_f32",
                                              "v_cvt_sr_fp8_f32",
                                              "v_cvt_sr_bf8_f32",
                                              "s_barrier_init",
                                              "s_barrier_join",
                                              "s_barrier_leave",
                                              "s_sendmsg"};
  static constexpr const char* kNames[] = {"s_code_end",
                                           "s_alloc_vgpr",
                                           "s_endpgm_ordered_ps_done",
                                           "s_endpgm_saved",
                                           "s_movrelsd_2_b32",
                                           "s_rfe_b64",
                                           "s_sethalt",
                                           "s_setkill",
                                           "s_subvector_loop_begin",
                                           "s_subvector_loop_end",
                                           "s_wait_event",
                                           "s_call_b64",
                                           "s_setreg_b32",
                                           "s_setreg_imm32_b32",
                                           "s_getreg_b32",
                                           "v_dual_dot2acc_f32_f16"};
  for (const char* prefix : kPrefixes) {
    if (absl::StartsWith(mnemonic, prefix)) return true;
  }
  for (const char* name : kNames) {
    if (mnemonic == name) return true;
  }
  return false;
}

class Encodings : public testing::TestWithParam<const char*> {};

TEST_P(Encodings, EveryOpcodeIsBoundOrRefusedByName) {
  const std::map<std::string, Found> found = Mnemonics(GetParam());
  EXPECT_GT(found.size(), 600u);
  for (const auto& [mnemonic, entry] : found) {
    EXPECT_TRUE(entry.bound || Refused(mnemonic)) << entry.example;
  }
}

INSTANTIATE_TEST_SUITE_P(Rdna, Encodings, testing::Values("gfx1100", "gfx1201"));

}  // namespace
}  // namespace gridwise::sim
