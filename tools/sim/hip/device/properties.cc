// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstring>

#include "absl/strings/str_format.h"
#include "tools/sim/hip/device/runtime.h"

namespace gridwise::sim {
namespace {

/// What TargetTraits does not say of a product, as its driver reports it. Sources: the product's
/// data sheet and ROCm's "Accelerator and GPU hardware specifications".
struct Product {
  const char* name;
  const char* features;  // target features, after the target's name
  int memory_clock_khz;
  int memory_bus_bits;
  int l2_bytes;  // of one chiplet
  int threads_per_unit;
  int registers_per_block;  // 32-bit
  int timer_khz;            // of s_memrealtime
};

Product ProductOf(Gfx gfx) {
  switch (gfx) {
    case Gfx::k942:
      return {.name = "AMD Instinct MI300X",
              .features = ":sramecc+:xnack-",
              .memory_clock_khz = 1300000,
              .memory_bus_bits = 8192,
              .l2_bytes = 4 << 20,
              .threads_per_unit = 2048,
              .registers_per_block = 65536,
              .timer_khz = 100000};
    case Gfx::k950:
      return {.name = "AMD Instinct MI355X",
              .features = ":sramecc+:xnack-",
              .memory_clock_khz = 2000000,
              .memory_bus_bits = 8192,
              .l2_bytes = 4 << 20,
              .threads_per_unit = 2048,
              .registers_per_block = 65536,
              .timer_khz = 100000};
    case Gfx::k1100:
      return {.name = "AMD Radeon RX 7900 XTX",
              .features = "",
              .memory_clock_khz = 1249000,
              .memory_bus_bits = 384,
              .l2_bytes = 6 << 20,
              .threads_per_unit = 2048,
              .registers_per_block = 65536,
              .timer_khz = 100000};
    case Gfx::k1201:
      return {.name = "AMD Radeon RX 9070 XT",
              .features = "",
              .memory_clock_khz = 1258000,
              .memory_bus_bits = 256,
              .l2_bytes = 8 << 20,
              .threads_per_unit = 2048,
              .registers_per_block = 65536,
              .timer_khz = 100000};
    case Gfx::kSm90a:
      break;  // is not simulated
  }
  return {};
}

// "gfx942" is compute capability 9.4, "gfx1100" 11.0.
void SetCapability(hipDeviceProp_t& p, const char* gfx) {
  const size_t digits = std::strlen(gfx) - 3;
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

hipDeviceProp_t PropertiesOf(Gfx gfx) {
  const TargetTraits traits = TraitsOf(gfx);
  const Product product = ProductOf(gfx);
  hipDeviceProp_t p;
  std::memset(static_cast<void*>(&p), 0, sizeof(p));
  absl::SNPrintF(p.name, sizeof(p.name), "%s", product.name);
  absl::SNPrintF(p.gcnArchName, sizeof(p.gcnArchName), "%s%s", traits.name, product.features);
  p.totalGlobalMem = uint64_t{static_cast<unsigned>(traits.memory_gib)} << 30;
  p.sharedMemPerBlock = traits.lds_bytes;
  p.sharedMemPerBlockOptin = traits.lds_bytes;
  p.sharedMemPerMultiprocessor = traits.lds_bytes;
  p.maxSharedMemoryPerMultiProcessor = traits.lds_bytes;
  p.regsPerBlock = product.registers_per_block;
  p.regsPerMultiprocessor = traits.vgprs * traits.wave_size * traits.simds_per_unit;
  p.warpSize = traits.wave_size;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = 1024;
  for (int& extent : p.maxThreadsDim) extent = 1024;
  p.maxGridSize[0] = 2147483647;
  p.maxGridSize[1] = 65536;
  p.maxGridSize[2] = 65536;
  p.clockRate = static_cast<int>(traits.clock_ghz * 1e6 + 0.5);
  p.clockInstructionRate = product.timer_khz;
  p.memoryClockRate = product.memory_clock_khz;
  p.memoryBusWidth = product.memory_bus_bits;
  p.totalConstMem = 2147483647;
  SetCapability(p, traits.name);
  SetArchitectureFlags(p.arch);
  p.multiProcessorCount = traits.compute_units;
  p.maxThreadsPerMultiProcessor = product.threads_per_unit;
  p.maxBlocksPerMultiProcessor = 32;
  p.l2CacheSize = product.l2_bytes;
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
