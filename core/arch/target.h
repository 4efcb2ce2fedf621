#pragma once

#include <optional>
#include <string_view>

#include "core/arch/mma_shape.h"

namespace gridwise {

/// The GPU targets. Everything that differs between them is in TraitsOf, and code asks for traits,
/// not for names.
enum class Gfx : int { k942, k950, k1100, k1201, kSm90a };

inline constexpr Gfx kAllGfx[] = {Gfx::k942, Gfx::k950, Gfx::k1100, Gfx::k1201, Gfx::kSm90a};

/// Those that the simulator executes, and that every valid problem has a plan on.
inline constexpr Gfx kAmdGfx[] = {Gfx::k942, Gfx::k950, Gfx::k1100, Gfx::k1201};

/// Facts of a target.
struct TargetTraits {
  const char* name;        // as the compiler spells it
  const char* product;     // a GPU that has it
  int wave_size;           // lanes
  int lds_bytes;           // per workgroup
  int lds_banks;           // 4 bytes each
  int vgprs;               // 32-bit registers that a lane can have, accumulation registers included
  int compute_units;       // of `product`
  int dies;                // of `product` that have compute units, and an L2 each
  int simds_per_unit;      //
  double clock_ghz;        // peak engine clock of `product`
  double memory_gb_per_s;  // peak, of `product`
  int memory_transfers;    // bits of a line of the memory's bus per clock, as HIP gives the clock
  unsigned buffer_format;  // word 3 of an untyped buffer resource
  int atomic_policy;       // cache policy of atomics that all of the device sees
  MmaUnit mma_unit;        // its matrix unit
  bool mma_double_k;       // f16 and bf16 MFMA with twice the k
  bool loads_chunks_to_lds;  // buffer loads of 16 bytes a lane, straight to LDS
  bool reads_transposed;     // of LDS: 4 x 16 elements of 2 bytes

  /// Vector FMAs every target has; their layout is made for waves of 32 lanes. Hopper's kernels do
  /// without.
  constexpr bool Has(MmaUnit unit) const {
    return unit == mma_unit ||
           (unit == MmaUnit::kFma && wave_size == 32 && mma_unit != MmaUnit::kWgmma);
  }
};

/// Sources: AMD CDNA3, CDNA4, RDNA3 and RDNA4 ISA documents (chapters on the kernel state, LDS and
/// buffer resources), NVIDIA's CUDA C++ Programming Guide (compute capability 9.0), and the
/// products' data sheets. RDNA's unit is a compute unit, half of a WGP.
///
/// Atomic policies: the "Memory Model" sections of LLVM's User Guide for AMDGPU Backend. On gfx942
/// and gfx950 a device-scope (agent) read-modify-write that returns nothing has sc1 = 0, and sc0
/// would ask for the old value; on gfx11 they are done in L2, whatever the bits; on gfx12 the scope
/// is a field of the instruction at bit 3 of the policy, of which 0 means the compute unit and 2
/// (SCOPE_DEV) the device.
constexpr TargetTraits TraitsOf(Gfx gfx) {
  switch (gfx) {
    case Gfx::k942:
      return {.name = "gfx942",
              .product = "MI300X",
              .wave_size = 64,
              .lds_bytes = 64 << 10,
              .lds_banks = 32,
              .vgprs = 512,
              .compute_units = 304,
              .dies = 8,
              .simds_per_unit = 4,
              .clock_ghz = 2.1,
              .memory_gb_per_s = 5300,
              .memory_transfers = 4,
              .buffer_format = 0x00027000,
              .atomic_policy = 0,
              .mma_unit = MmaUnit::kMfma,
              .mma_double_k = false,
              .loads_chunks_to_lds = false,
              .reads_transposed = false};
    case Gfx::k950:
      return {.name = "gfx950",
              .product = "MI355X",
              .wave_size = 64,
              .lds_bytes = 160 << 10,
              .lds_banks = 64,
              .vgprs = 512,
              .compute_units = 256,
              .dies = 8,
              .simds_per_unit = 4,
              .clock_ghz = 2.4,
              .memory_gb_per_s = 8000,
              .memory_transfers = 4,
              .buffer_format = 0x00027000,
              .atomic_policy = 0,
              .mma_unit = MmaUnit::kMfma,
              .mma_double_k = true,
              .loads_chunks_to_lds = true,
              .reads_transposed = true};
    case Gfx::k1100:
      return {.name = "gfx1100",
              .product = "RX 7900 XTX",
              .wave_size = 32,
              .lds_bytes = 64 << 10,
              .lds_banks = 32,
              .vgprs = 256,
              .compute_units = 96,
              .dies = 1,
              .simds_per_unit = 2,
              .clock_ghz = 2.5,
              .memory_gb_per_s = 960,
              .memory_transfers = 16,
              .buffer_format = 0x31004000,
              .atomic_policy = 0,
              .mma_unit = MmaUnit::kWmma11,
              .mma_double_k = false,
              .loads_chunks_to_lds = false,
              .reads_transposed = false};
    case Gfx::k1201:
      return {.name = "gfx1201",
              .product = "RX 9070 XT",
              .wave_size = 32,
              .lds_bytes = 64 << 10,
              .lds_banks = 32,
              .vgprs = 256,
              .compute_units = 64,
              .dies = 1,
              .simds_per_unit = 2,
              .clock_ghz = 2.97,
              .memory_gb_per_s = 640,
              .memory_transfers = 16,
              .buffer_format = 0x31004000,
              .atomic_policy = 2 << 3,
              .mma_unit = MmaUnit::kWmma12,
              .mma_double_k = false,
              .loads_chunks_to_lds = false,
              .reads_transposed = false};
    case Gfx::kSm90a:
      return {.name = "sm_90a",
              .product = "H100 SXM",
              .wave_size = 32,
              .lds_bytes = 227 << 10,
              .lds_banks = 32,
              .vgprs = 255,
              .compute_units = 132,
              .dies = 1,
              .simds_per_unit = 4,
              .clock_ghz = 1.98,
              .memory_gb_per_s = 3350,
              .memory_transfers = 2,
              .buffer_format = 0,
              .atomic_policy = 0,
              .mma_unit = MmaUnit::kWgmma,
              .mma_double_k = false,
              .loads_chunks_to_lds = false,
              .reads_transposed = false};
  }
  return {};
}

/// Whether the target has instructions that multiply matrices of `type`.
constexpr bool HasType(Gfx gfx, DataType type) {
  const TargetTraits target = TraitsOf(gfx);
  const int m = target.mma_unit == MmaUnit::kWgmma ? 64 : 16;
  return MmaK(target.mma_unit, m, type, target.mma_double_k) != 0 ||
         (target.Has(MmaUnit::kFma) && MmaK(MmaUnit::kFma, 16, type, false) != 0);
}

constexpr const char* Name(Gfx gfx) { return TraitsOf(gfx).name; }

/// The target that is called `name`, e.g. "gfx942"; nothing if there is none.
constexpr std::optional<Gfx> ParseGfx(std::string_view name) {
  for (Gfx gfx : kAllGfx) {
    if (name == Name(gfx)) return gfx;
  }
  return std::nullopt;
}

}  // namespace gridwise
