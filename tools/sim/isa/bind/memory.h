// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "tools/sim/isa/bind/binding.h"

/// Bind functions of memory instructions, named by the shape of their operands.
/// exec/memory/memory.h says where each operand goes in the micro-op. Cache policy (sc0, sc1, nt)
/// changes nothing that a simulator with one flat memory can show.

namespace gridwise::sim {

/// Uop::data of buffer instructions.
inline constexpr uint64_t kBufferOffen = 1;
inline constexpr uint64_t kBufferIdxen = 2;
inline constexpr uint64_t kBufferRdna = 4;    // the resource is one of RDNA3 or RDNA4
inline constexpr uint64_t kBufferFormat = 8;  // converts: buffer_load_format, tbuffer_

/// OpTraits::flags of memory instructions. OpTraits::dwords is the size of the data.
inline constexpr uint32_t kMemoryLoad = 1;
inline constexpr uint32_t kMemoryStore = 2;
inline constexpr uint32_t kMemoryAtomic = 4;     // dwords: operands; the result's are in bits 8..11
inline constexpr uint32_t kLdsStride64 = 8;      // ds_read2st64: offsets count 64 elements
inline constexpr uint32_t kLdsTwoOperands = 16;  // ds_cmpst, ds_mskor
inline constexpr uint32_t kLdsReturns = 32;      // ds_..._rtn_...
inline constexpr uint32_t kLdsNewValueFirst = 64;  // ds_cmpstore
inline constexpr uint32_t kFormatted = 128;        // a buffer access that converts
inline constexpr uint32_t kTyped = 256 << 8;       // ... with the format in the instruction
/// Loads a matrix for all lanes of a wave: in a wave64, half as many registers as OpTraits::dwords.
inline constexpr uint32_t kLoadsMatrix = 512 << 8;
inline constexpr int kResultDwordsShift = 8;

absl::Status BindGlobal(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindGlobalAddTid(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindFlat(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindScratch(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindBuffer(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindGlobalToLds(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindScratchToLds(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindCacheControl(Binder& binder, const Binding& binding, Instruction& instruction);

/// Prefetches and cache control with operands: no micro-op.
absl::Status BindHint(Binder& binder, const Binding& binding, Instruction& instruction);

absl::Status BindScalarMemory(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindScalarBuffer(Binder& binder, const Binding& binding, Instruction& instruction);

absl::Status BindLds(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindLdsTwo(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindLdsAddTid(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindLdsDirect(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindLdsAtomic(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindLdsPermute(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindWaveSync(Binder& binder, const Binding& binding, Instruction& instruction);
absl::Status BindLdsSwizzle(Binder& binder, const Binding& binding, Instruction& instruction);

}  // namespace gridwise::sim
