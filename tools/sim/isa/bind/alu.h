// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "tools/sim/isa/bind/binding.h"

namespace gridwise::sim {

/// Flags of VALU bindings.
enum ValuFlags : uint32_t {
  kAccumulates =
      1,  // the last argument is the destination's old value and is not written in the text
  kImplicitVcc = 2,          // the last argument is VCC and is not written in the text
  kMixed = 4,                // v_fma_mix: op_sel_hi says which operands are halves
  kKeepsOther = 8,           // writes one half of the destination and keeps the other
  kHighHalf = 16,            // that half is the high one
  kPairMove = 32,            // v_pk_mov_b32: op_sel picks the register of a pair for either operand
  kTruthTable = 64,          // v_bitop3: Uop::imm is the table
  kBf16Constants = 128,      // packed halves are bf16: the constant 1.0 is 0x3f80
  kPairConstants = 0x20000,  // the constant 1.0 of packed halves is in both of them
  kByteSource = 256,         // byte_sel picks a byte of source 0
  kByteResult = 512,  // writes the byte that byte_sel or op_sel[3:2] says, and keeps the others
  // How MODE applies (exec/scalar/mode.cc):
  kRoundsItself = 0x1000,  // as its definition says, or to nearest even, whatever MODE says
  kOwnDenormals = 0x2000,  // reads and writes denormals as its definition says, whatever MODE says
  kFixedMode = kRoundsItself | kOwnDenormals,
  kSelects = 0x4000,       // gfx12: the result is a source, neither rounded nor flushed again
  kKeepsSources = 0x8000,  // reads denormals whatever MODE says
  kKeepsFirst = 0x10000,   // the same of source 0 alone
};

/// VOP1, VOP2, VOP3, VOPC, VOP3P with their modifiers, SDWA and DPP forms: operands become rows, by
/// micro-ops of exec/vector/prepare.cc where they are not rows already; then the operation; then
/// clamp, omod and partial writes.
absl::Status BindValu(Binder&, const Binding&, Instruction&);
absl::Status BindReadLane(Binder&, const Binding&, Instruction&);   // v_readlane, v_readfirstlane
absl::Status BindWriteLane(Binder&, const Binding&, Instruction&);  // v_writelane
absl::Status BindSwap(Binder&, const Binding&, Instruction&);       // v_swap_b32, v_swap_b16
absl::Status BindPermlane(Binder&, const Binding&, Instruction&);   // v_permlane16, x16, 64, _var
absl::Status BindRelative(Binder&, const Binding&, Instruction&);   // v_movrel*, s_movrel*
absl::Status BindSwapRows(Binder&, const Binding&, Instruction&);   // v_permlane*_swap_b32
absl::Status BindFourSums(Binder&, const Binding&, Instruction&);   // v_mqsad_u32_u8

/// OpTraits::flags of matrix instructions: registers of A, of B, of C and D.
constexpr uint32_t MatrixRegisters(int a, int b, int accumulator) {
  return static_cast<uint32_t>(a | b << 8 | accumulator << 16);
}
/// Uop::data of matrix instructions; Uop::imm is the stride of C in registers, 0 for a constant.
struct MatrixControls {
  uint8_t a_mask = 0, a_first = 0;  // CBSZ, ABID: block b uses A of block (b & ~a_mask) + a_first
  uint8_t permute_b = 0;            // BLGP
  uint8_t negate = 0;               // bits 0, 1, 2: A, B, C
  uint8_t format_a : 4 = 0, format_b : 4 = 0;  // f8f6f4: 0 fp8, 1 bf8, 2 fp6, 3 bf6, 4 fp4
  uint8_t scale_a = 0, scale_b = 0;            // bytes of the scale operands
  uint8_t cdna3 = 0;                           // gfx942, whose arithmetic is known
};
static_assert(sizeof(MatrixControls) == sizeof(uint64_t));
/// OpTraits::dwords is the number of blocks.
absl::Status BindMfma(Binder&, const Binding&, Instruction&);
/// f8f6f4: A and B have the registers that their formats need. OpTraits::dwords is 1 with scales,
/// which are Uop::src[3] and Uop::dst2.
absl::Status BindF8f6f4(Binder&, const Binding&, Instruction&);
/// The same for WMMA.
struct WmmaControls {
  uint8_t a = 0, b = 0;  // integers: signed; floats: bits 0 and 1 change the signs at even, odd k
  uint8_t negate_c = 0, absolute_c = 0;
  uint8_t clamp = 0;
  uint8_t high_half = 0;  // gfx11, 16-bit results: C and D are in the high halves of registers
  uint8_t wave64 = 0;
  uint8_t reserved = 0;
};
static_assert(sizeof(WmmaControls) == sizeof(uint64_t));
/// SMFMAC and SWMMAC, which add to D and have the indices of A's elements in a register of their
/// own: Uop::src[2], from bit Uop::imm on; Uop::data is WmmaControls. OpTraits::dwords is the
/// number of elements of A in a lane, of a wave32 on gfx12.
absl::Status BindSparse(Binder&, const Binding&, Instruction&);
/// v_dot4_i32_iu8 and the like: NEG_LO says which operands are signed.
absl::Status BindDotInteger(Binder&, const Binding&, Instruction&);

/// Uop::data of v_cvt_scalef32_*. Sources are src[0] and, with two_sources, src[1]; src[2] is the
/// random number, src[3] the scale.
struct ScaledConversion {
  uint8_t from = 0, to = 0;  // Format of exec/formats.h
  uint8_t count = 0;         // values
  uint8_t stochastic = 0;
  uint8_t two_sources = 0;   // values come from either in turn
  uint8_t source_shift = 0;  // bit of the first value in its register
  uint8_t result_shift = 0;  // the same for results of less than a register
  uint8_t reserved = 0;
};
static_assert(sizeof(ScaledConversion) == sizeof(uint64_t));
/// OpTraits::flags of the same; OpTraits::dwords is the number of values.
inline constexpr uint32_t kScaledRandom = 1;
inline constexpr uint32_t kScaledTwoSources = 2;
constexpr uint32_t ScaledFormats(int from, int from_bits, int to, int to_bits) {
  return static_cast<uint32_t>(from << 4 | to << 8 | from_bits << 12 | to_bits << 20);
}
absl::Status BindScaledConversion(Binder&, const Binding&, Instruction&);

/// OpTraits::dwords is the number of bits of an element of A; registers are counted for a wave32.
absl::Status BindWmma(Binder&, const Binding&, Instruction&);

/// Flags of SALU bindings.
enum SaluFlags : uint32_t {
  kReadsDestination =
      1,  // the first argument is the destination's old value (s_cmov, s_addk, s_bitset)
  kZeroExtends16 = 2,       // the 16-bit immediate is unsigned (s_cmpk_*_u32)
  kScalarRoundsItself = 8,  // as ValuFlags::kRoundsItself
  kScalarSelects = 16,      // as ValuFlags::kSelects
};
absl::Status BindSalu(Binder&, const Binding&, Instruction&);           // SOP1, SOP2, SOPC
absl::Status BindSaluImmediate(Binder&, const Binding&, Instruction&);  // SOPK
absl::Status BindBranch(Binder&, const Binding&, Instruction&);
absl::Status BindGetPc(Binder&, const Binding&, Instruction&);
absl::Status BindIndirectJump(Binder&, const Binding&, Instruction&);  // s_setpc, s_swappc
absl::Status BindModeField(Binder&, const Binding&, Instruction&);  // s_round_mode, s_denorm_mode
absl::Status BindSendMessage(Binder&, const Binding&, Instruction&);
absl::Status BindHardwareRegister(Binder&, const Binding&, Instruction&);
absl::Status BindGprIndexOn(Binder&, const Binding&, Instruction&);
absl::Status BindGprIndexOff(Binder&, const Binding&, Instruction&);
/// gfx12's split barriers, of the workgroup only: its number is -1.
absl::Status BindBarrier(Binder&, const Binding&, Instruction&);
/// s_setvskip: two scalar sources; Uop::data2 is the address after the instruction.
absl::Status BindVskip(Binder&, const Binding&, Instruction&);
/// No operands: s_endpgm, s_barrier.
absl::Status BindPlain(Binder&, const Binding&, Instruction&);
/// No effect on the result in this simulator: waits, nops, priorities, cache controls.
absl::Status BindNothing(Binder&, const Binding&, Instruction&);

}  // namespace gridwise::sim
