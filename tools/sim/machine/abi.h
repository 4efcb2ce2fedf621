// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "tools/sim/elf/code_object.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/machine/launch.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/wave/wave.h"

/// What a kernel's waves begin with: LLVM's AMDGPUUsage, "Initial Kernel Execution State".

namespace gridwise::sim {

/// Registers and LDS start with this, two NaNs as halves and one as a float, so that reading what
/// was never written shows.
inline constexpr int kPoisonByte = 0xff;

/// MODE of the waves of `kernel` as they begin.
uint32_t InitialMode(const SimTarget& target, const KernelInfo& kernel);

/// How waves of `kernel` begin to see the code, which its descriptor says.
CodeView InitialView(const Program& program, const KernelInfo& kernel);

/// How many scalar registers the waves of `kernel` begin with: arguments and ids.
int InitialScalars(const KernelInfo& kernel);

/// Bytes of scratch of a lane: what the compiler has counted, and where it could not see the end of
/// all calls at least the device's limit.
uint32_t ScratchBytes(const KernelInfo& kernel, uint32_t stack_limit);

/// Waves of a workgroup of `block` work-items per axis.
int WavesOf(const std::array<uint32_t, 3>& block, const KernelInfo& kernel);

/// Makes `wave` the wave `index` of workgroup `id`, in front of the kernel's first instruction:
/// registers, MODE, EXEC. Everything else is 0; where LDS and scratch are is the caller's to say,
/// and on gfx9 SetScratch puts that into registers.
void Prepare(const Launch& launch, int index, const std::array<uint32_t, 3>& id, Wave& wave);

/// Gives the prepared `wave` of `launch` its scratch, of Launch::scratch_bytes a lane.
void SetScratch(const Launch& launch, std::byte* scratch, Wave& wave);

}  // namespace gridwise::sim
