// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "tools/sim/hip/device/runtime.h"

namespace gridwise::sim {
namespace {

constexpr int kThreadsOfUnit = 2048, kRegistersOfBlock = 65536;
constexpr int kTimerKhz = 100000;  // rate of s_memrealtime

/// Features of the processor after its name, as the driver starts it by default.
const char* FeaturesOf(Gfx gfx) { return TraitsOf(gfx).wave_size == 64 ? ":sramecc+:xnack-" : ""; }

// "gfx942" is compute capability 9.4, "gfx1100" 11.0.
void SetCapability(hipDeviceProp_t& p, std::string_view gfx) {
  const size_t digits = gfx.size() - 3;
  p.major = digits == 4 ? 10 * (gfx[3] - '0') + (gfx[4] - '0') : gfx[3] - '0';
  p.minor = gfx[3 + digits - 2] - '0';
}

void SetArchitectureFlags(hipDeviceArch_t& arch) {
  arch = {};
  arch.hasGlobalInt32Atomics = 1;
  arch.hasGlobalFloatAtomicExch = 1;
  arch.hasSharedInt32Atomics = 1;
  arch.hasSharedFloatAtomicExch = 1;
  arch.hasFloatAtomicAdd = 1;
  arch.hasGlobalInt64Atomics = 1;
  arch.hasSharedInt64Atomics = 1;
  arch.hasDoubles = 1;
  arch.hasWarpVote = 1;
  arch.hasWarpBallot = 1;
  arch.hasWarpShuffle = 1;
  arch.hasThreadFenceSystem = 1;
  arch.has3dGrid = 1;
}

}  // namespace

hipDeviceProp_t PropertiesOf(const DeviceFacts& facts) {
  const TargetTraits traits = TraitsOf(facts.gfx);
  const Product& product = *facts.product;
  const std::string name(product.full_name), processor(product.processor);
  hipDeviceProp_t p;
  std::memset(static_cast<void*>(&p), 0, sizeof(p));
  absl::SNPrintF(p.name, sizeof(p.name), "%s", name);
  absl::SNPrintF(p.gcnArchName, sizeof(p.gcnArchName), "%s%s", processor, FeaturesOf(facts.gfx));
  p.totalGlobalMem = static_cast<uint64_t>(facts.memory_bytes);
  p.sharedMemPerBlock = traits.lds_bytes;
  p.sharedMemPerBlockOptin = traits.lds_bytes;
  p.sharedMemPerMultiprocessor = traits.lds_bytes;
  p.maxSharedMemoryPerMultiProcessor = traits.lds_bytes;
  p.regsPerBlock = kRegistersOfBlock;
  p.regsPerMultiprocessor = traits.vgprs * traits.wave_size * traits.simds_per_unit;
  p.warpSize = traits.wave_size;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = 1024;
  for (int& extent : p.maxThreadsDim) extent = 1024;
  p.maxGridSize[0] = 2147483647;
  p.maxGridSize[1] = 65536;
  p.maxGridSize[2] = 65536;
  p.clockRate = static_cast<int>(std::lround(facts.clock_ghz * 1e6));
  p.clockInstructionRate = kTimerKhz;
  p.memoryClockRate = static_cast<int>(std::lround(
      facts.memory_gb_per_s * 8e6 / product.memory_bus_bits / product.memory_transfers));
  p.memoryBusWidth = product.memory_bus_bits;
  p.totalConstMem = 2147483647;
  SetCapability(p, processor);
  SetArchitectureFlags(p.arch);
  p.multiProcessorCount = facts.compute_units;
  p.maxThreadsPerMultiProcessor = kThreadsOfUnit;
  p.maxBlocksPerMultiProcessor = 32;
  p.l2CacheSize = static_cast<int>(facts.machine.l2_bytes);  // one XCD's
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.cooperativeLaunch = 1;
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.streamPrioritiesSupported = 1;
  p.memoryPoolsSupported = 1;
  p.hostNativeAtomicSupported = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.textureAlignment = 256;
  p.texturePitchAlignment = 256;
  p.surfaceAlignment = 256;
  p.unifiedAddressing = 1;
  p.ECCEnabled = 1;
  p.isLargeBar = 1;
  p.hostRegisterSupported = 1;
  p.unifiedFunctionPointers = 1;
  return p;
}

}  // namespace gridwise::sim
