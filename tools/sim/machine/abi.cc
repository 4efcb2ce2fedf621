// SPDX-License-Identifier: MIT
#include "tools/sim/machine/abi.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "core/base/math.h"
#include "tools/sim/isa/target.h"

namespace gridwise::sim {
namespace {

/// High halves of the apertures that flat addresses reach LDS and scratch through. No host address
/// has them.
constexpr uint32_t kSharedAperture = 0x40020000;
constexpr uint32_t kPrivateAperture = kSharedAperture + 1;

/// FP_ROUND, FP_DENORM, FP16_OVFL and, where there are such bits, DX10_CLAMP and IEEE (LLVM
/// AMDGPUUsage, "compute_pgm_rsrc1"; bits 21 and 23 mean something else on gfx12).
uint32_t ModeBits(const SimTarget& target) {
  return target.bit == kGfx1201 ? kModeBitsGfx12 : kModeBits;
}

/// Vector registers of a lane, accumulation registers included (LLVM AMDGPUUsage,
/// "GRANULATED_WORKITEM_VGPR_COUNT").
int VectorRegisters(const SimTarget& target, const KernelInfo& kernel) {
  const int granule = (target.bit & kRdna) != 0 && kernel.wave_size == 64 ? 4 : 8;
  return (static_cast<int>(kernel.rsrc1 & 0x3f) + 1) * granule;
}

/// User registers, each there only if the descriptor asks for it by the bit of this number; they
/// are in this order (LLVM, AMDGPUUsage, "Initial Kernel Execution State").
enum UserRegister {
  kPrivateSegmentBuffer,
  kDispatchPacket,
  kQueue,
  kKernarg,
  kDispatchId,
  kFlatScratchInit,
  kPrivateSegmentSize,
};
constexpr int kUserRegisters[] = {4, 2, 2, 2, 2, 2, 1};

bool Has(const KernelInfo& kernel, UserRegister user) {
  return (kernel.properties >> user & 1) != 0;
}

/// The first SGPR of `user`, or of what follows where the kernel does not ask for it.
int FirstOf(const KernelInfo& kernel, UserRegister user) {
  int first = 0;
  for (int before = 0; before < user; ++before)
    first += Has(kernel, static_cast<UserRegister>(before)) ? kUserRegisters[before] : 0;
  return first;
}

void SetUserRegisters(const Launch& launch, Wave& wave) {
  const KernelInfo& kernel = *launch.kernel;
  // SetScratch has those of scratch, where targets need any.
  const uint64_t values[] = {0, launch.dispatch_packet, launch.queue, launch.kernarg, 0,
                             0, launch.scratch_bytes};
  int next = 0;
  for (size_t user = 0; user < std::size(values); ++user) {
    if (!Has(kernel, static_cast<UserRegister>(user))) continue;
    const uint32_t halves[4] = {static_cast<uint32_t>(values[user]),
                                static_cast<uint32_t>(values[user] >> 32), 0, 0};
    for (int i = 0; i < kUserRegisters[user]; ++i) wave.s[next++] = halves[i];
  }
  const int preloaded = kernel.kernarg_preload & 0x7f, offset = kernel.kernarg_preload >> 7;
  if (preloaded != 0) {
    const auto* kernarg = reinterpret_cast<const std::byte*>(launch.kernarg);
    std::memcpy(&wave.s[next], kernarg + size_t{4} * static_cast<size_t>(offset),
                size_t{4} * static_cast<size_t>(preloaded));
  }
  if (launch.program->target().bit == kGfx1201) {  // "Architected SGPRs"
    wave.s[kTtmp0 + 7] = wave.workgroup_id[1] | wave.workgroup_id[2] << 16;
    wave.s[kTtmp0 + 8] = static_cast<uint32_t>(wave.index_in_group) << 25;
    wave.s[kTtmp0 + 9] = wave.workgroup_id[0];
    return;
  }
  next = static_cast<int>(kernel.rsrc2 >> 1 & 0x1f);
  for (int axis = 0; axis < 3; ++axis) {
    if ((kernel.rsrc2 >> (7 + axis) & 1) != 0) wave.s[next++] = wave.workgroup_id[axis];
  }
  if ((kernel.rsrc2 >> 10 & 1) != 0) {  // workgroup information, on gfx9 with the first wave marked
    const auto waves = static_cast<uint32_t>(WavesOf(launch.grid.block, kernel));
    const auto index = static_cast<uint32_t>(wave.index_in_group);
    const bool marked = index == 0 && (launch.program->target().bit & kGfx9) != 0;
    wave.s[next] = waves | index << 20 | (marked ? 1u << 31 : 0);
  }
}

void SetWorkItems(const Launch& launch, int index, const std::array<uint32_t, 3>& id, Wave& wave) {
  const auto [x_size, y_size, z_size] = launch.grid.BlockOf(id);
  const auto lanes = static_cast<uint32_t>(launch.kernel->wave_size);
  uint64_t exec = 0;
  for (uint32_t l = 0; l < lanes; ++l) {
    const uint32_t item = static_cast<uint32_t>(index) * lanes + l;
    const uint32_t x = item % x_size, y = item / x_size % y_size, z = item / x_size / y_size;
    wave.v[0][l] = x | y << 10 | z << 20;
    if (z < z_size) exec |= uint64_t{1} << l;
  }
  SetScalar64(wave, kExecLo, exec);
}

/// gfx90a: a buffer resource and FLAT_SCRATCH's initial value, both of the workgroup's scratch, and
/// the wave's offset in it, which the kernel adds to either (LLVM AMDGPUUsage, "Private Segment
/// Buffer", "Flat Scratch"). The resource is swizzled by dwords over the 64 lanes by their numbers,
/// as ROCm's runtime makes it (rocr-runtime, amd_aql_queue.cpp).
void SetScratchRegisters(const Launch& launch, Wave& wave) {
  const KernelInfo& kernel = *launch.kernel;
  const uint64_t of_wave = uint64_t{launch.scratch_bytes} * kLanes;
  const uint64_t offset = of_wave * static_cast<uint64_t>(wave.index_in_group);
  const uint64_t base = reinterpret_cast<uint64_t>(wave.scratch) - offset;
  if (Has(kernel, kPrivateSegmentBuffer)) {
    constexpr uint32_t kSwizzled = 1u << 31, kOf64Lanes = 3 << 21, kAddThreadId = 1 << 23;
    uint32_t* const resource = &wave.s[FirstOf(kernel, kPrivateSegmentBuffer)];
    resource[0] = static_cast<uint32_t>(base);
    resource[1] = static_cast<uint32_t>(base >> 32) | kSwizzled;
    resource[2] = static_cast<uint32_t>(of_wave);
    resource[3] = kOf64Lanes | kAddThreadId;
  }
  if (Has(kernel, kFlatScratchInit)) SetScalar64(wave, FirstOf(kernel, kFlatScratchInit), base);
  if ((kernel.rsrc2 & 1) != 0) wave.s[InitialScalars(kernel) - 1] = static_cast<uint32_t>(offset);
}

}  // namespace

uint32_t InitialMode(const SimTarget& target, const KernelInfo& kernel) {
  const uint32_t r = kernel.rsrc1;
  const uint32_t mode =
      (r >> 12 & 0xff) | (r >> 21 & 1) << 8 | (r >> 23 & 1) << 9 | (r >> 26 & 1) << 23;
  return mode & ModeBits(target);
}

CodeView InitialView(const Program& program, const KernelInfo& kernel) {
  const SimTarget& target = program.target();
  return {.wave32 = kernel.wave_size == 32,
          .careful = ((InitialMode(target, kernel) ^ kUsualMode) & ModeBits(target)) != 0};
}

int InitialScalars(const KernelInfo& kernel) {
  // User registers; workgroup ids, workgroup information and scratch offset where they are asked
  // for (LLVM AMDGPUUsage, "compute_pgm_rsrc2").
  const uint32_t r = kernel.rsrc2;
  return static_cast<int>(r >> 1 & 0x1f) + std::popcount(r >> 7 & 0xf) + static_cast<int>(r & 1);
}

uint32_t ScratchBytes(const KernelInfo& kernel, uint32_t stack_limit) {
  const uint32_t bytes =
      std::max(kernel.private_bytes, kernel.uses_dynamic_stack ? stack_limit : 0);
  return (bytes + 3) / 4 * 4;
}

int WavesOf(const std::array<uint32_t, 3>& block, const KernelInfo& kernel) {
  return static_cast<int>(
      CeilDiv(block[0] * block[1] * block[2], static_cast<uint32_t>(kernel.wave_size)));
}

void Prepare(const Launch& launch, int index, const std::array<uint32_t, 3>& id, Wave& wave) {
  const KernelInfo& kernel = *launch.kernel;
  const SimTarget& target = launch.program->target();
  const int registers = VectorRegisters(target, kernel);
  const int accum_offset =
      (target.bit & kRdna) != 0 ? kAgprBase : static_cast<int>((kernel.rsrc3 & 0x3f) + 1) * 4;
  const int vector = std::min(registers, accum_offset);
  std::memset(wave.v, kPoisonByte, static_cast<size_t>(vector) * kRowBytes);
  const int accumulators = std::clamp(registers - accum_offset, 0, kVectorRegisters - kAgprBase);
  std::memset(wave.v[kAgprBase], kPoisonByte, static_cast<size_t>(accumulators) * kRowBytes);
  std::memset(static_cast<void*>(&wave.s), kPoisonByte, sizeof(wave.s));

  // The rest of the state, which lies after the registers.
  std::memset(static_cast<void*>(&wave.base), 0, sizeof(Wave) - offsetof(Wave, base));
  wave.base[0] = reinterpret_cast<std::byte*>(&wave);
  wave.base[1] = launch.program->constants().base();
  wave.all_lanes = kernel.wave_size == 64 ? ~uint64_t{0} : 0xffffffff;
  wave.mode = InitialMode(target, kernel);
  wave.mode_bits = ModeBits(target);
  wave.careful = ((wave.mode ^ kUsualMode) & wave.mode_bits) != 0;
  wave.state = WaveState::kReady;
  wave.index_in_group = index;
  wave.pc = launch.entry;
  wave.run_start = launch.entry->instruction;
  wave.program = launch.program;
  wave.memory = launch.memory;
  wave.lds_bytes = launch.lds_bytes;
  std::copy(id.begin(), id.end(), wave.workgroup_id);

  SetScalar64(wave, kVccLo, 0);
  wave.s[kExecLo + 1] = 0;
  SetScalar64(wave, kSharedBase, uint64_t{kSharedAperture} << 32);
  SetScalar64(wave, kSharedLimit, uint64_t{kSharedAperture} << 32 | 0xffffffff);
  SetScalar64(wave, kPrivateBase, uint64_t{kPrivateAperture} << 32);
  SetScalar64(wave, kPrivateLimit, uint64_t{kPrivateAperture} << 32 | 0xffffffff);
  wave.s[kScc] = 0;
  SetUserRegisters(launch, wave);
  SetWorkItems(launch, index, id, wave);
}

void SetScratch(const Launch& launch, std::byte* scratch, Wave& wave) {
  wave.scratch_bytes = launch.scratch_bytes;
  wave.scratch = scratch;
  const TargetBit target = launch.program->target().bit;
  if ((target & kGfx94) != 0)
    SetScalar64(wave, kFlatScratchLo, reinterpret_cast<uint64_t>(scratch));
  if (target == kGfx90a) SetScratchRegisters(launch, wave);
}

}  // namespace gridwise::sim
