// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// The registers of a wave: how many there are, where each is kept, and the bits of MODE.

namespace gridwise::sim {

/// Lanes in a row of the vector register file. A wave32 uses the first half of every row, whose
/// other half holds nothing of meaning, and Exec() is 0 above lane 31, so that handlers need no
/// second version. Lane masks in scalar registers (VCC, carries, results of comparisons) have one
/// register in a wave32 and two in a wave64: ReadMask and WriteMask of uop.h know. VCC_HI is then
/// an ordinary register, and so is EXEC_HI, which therefore lives at kFreeExecHi: s[kExecLo + 1]
/// stays 0.
inline constexpr int kLanes = 64;
inline constexpr uint64_t kRowBytes = kLanes * sizeof(uint32_t);

/// VGPRs and AGPRs are one file. On hardware AGPR 0 is register accum_offset of the kernel;
/// instructions cannot tell, so here it is always register kAgprBase.
inline constexpr int kVectorRegisters = 512;
inline constexpr int kAgprBase = 256;

/// Rows after the registers that micro-ops use between themselves: operands fetched from SGPRs,
/// with modifiers, through DPP or SDWA, and results before clamp and output selection. Nothing
/// lives there across two instructions.
inline constexpr int kTempRows = 12;

/// Scalar registers are numbered as in the instruction encoding up to 127; after that follow the
/// read-only sources. All 64-bit ones start at an even index.
enum ScalarRegister : uint16_t {
  kFlatScratchLo = 102,
  kXnackMaskLo = 104,
  kVccLo = 106,
  kTtmp0 = 108,
  kM0 = 124,
  kNull = 125,  // reads as 0, of any width: bound to a constant
  kExecLo = 126,
  kSharedBase = 128,  // {0, high half of the LDS aperture}
  kSharedLimit = 130,
  kPrivateBase = 132,  // {0, high half of the scratch aperture}
  kPrivateLimit = 134,
  kScc = 136,         // 0 or 1
  kFreeExecHi = 137,  // EXEC_HI of a wave32
  kSink = 138,        // what is written to `null` goes here, up to four dwords, and is never read
  kScalarTemp = 142,  // for scalar operands what the temp rows are for vector ones; four of them
  kScalarRegisters = 148,
};

/// MODE as clang sets it up: round to nearest even, keep denormals, DX10_CLAMP, IEEE. The last two
/// are bits of gfx9 and gfx11 only. FP16_OVFL makes finite values that are too large for a half the
/// largest half, not infinity.
inline constexpr uint32_t kUsualMode = 0x3f0;
inline constexpr uint32_t kModeDx10Clamp = 0x100;
inline constexpr uint32_t kModeIeee = 0x200;
inline constexpr uint32_t kModeFp16Overflow = 1u << 23;
inline constexpr uint32_t kModeBits = 0x3ff | kModeFp16Overflow;
inline constexpr uint32_t kModeBitsGfx12 = 0xff | kModeFp16Overflow;

}  // namespace gridwise::sim
