// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "tools/sim/elf/code_object.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/machine/launch.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/wave/wave.h"

/// The initial state of a kernel's waves: LLVM's AMDGPUUsage, "Initial Kernel Execution State".

namespace gridwise::sim {

/// Registers and LDS start with this byte, so that reads of unwritten values show: it makes NaNs,
/// as halves and as floats.
inline constexpr int kPoisonByte = 0xff;

/// MODE of the waves of `kernel` as they begin.
uint32_t InitialMode(const SimTarget& target, const KernelInfo& kernel);

/// The view of the code with which waves of `kernel` begin, by its descriptor.
CodeView InitialView(const Program& program, const KernelInfo& kernel);

/// How many scalar registers the waves of `kernel` begin with: arguments and ids.
int InitialScalars(const KernelInfo& kernel);

/// Bytes of scratch per lane: the compiler's count or, if it does not know the depth of calls, at
/// least the device's limit.
uint32_t ScratchBytes(const KernelInfo& kernel, uint32_t stack_limit);

/// Waves of a workgroup of `block` work-items per axis.
int WavesOf(const std::array<uint32_t, 3>& block, const KernelInfo& kernel);

/// Makes `wave` the wave `index` of workgroup `id`, at the kernel's first instruction: sets
/// registers, MODE and EXEC, and everything else to 0. The caller provides LDS and scratch; on
/// gfx9, SetScratch puts the address of scratch into registers.
void Prepare(const Launch& launch, int index, const std::array<uint32_t, 3>& id, Wave& wave);

/// Gives the prepared `wave` of `launch` its scratch, of Launch::scratch_bytes a lane.
void SetScratch(const Launch& launch, std::byte* scratch, Wave& wave);

}  // namespace gridwise::sim
