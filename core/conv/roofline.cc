#include "core/conv/roofline.h"

#include <algorithm>

#include "core/arch/machine_facts.h"

namespace gridwise {

double PeakFlopsPerClock(Gfx gfx, DataType type) {
  const TargetTraits target = TraitsOf(gfx);
  double most = 0;
  for (const MmaUnit unit : {target.mma_unit, MmaUnit::kFma}) {
    if (!target.Has(unit)) continue;
    for (const int m : {16, 32, 64}) {
      const int k = MmaK(unit, m, type, target.mma_double_k);
      if (k == 0) continue;
      // Hopper's instruction is 64 x 128, and all units of a multiprocessor work on it.
      const bool wgmma = unit == MmaUnit::kWgmma;
      const int n = wgmma ? 128 : m;
      const double flops = 2.0 * m * n * k * (wgmma ? 1 : target.simds_per_unit);
      most = std::max(most, flops / MmaCycles({unit, m, n, k}, type));
    }
  }
  return most;
}

Roofline RooflineOf(const RooflineWork& work, const DeviceFacts& device, double clock_ghz) {
  const MachineFacts machine = MachineFactsOf(device.gfx);
  const double peak = PeakFlopsPerClock(device.gfx, work.type) * device.compute_units * clock_ghz;
  const double in = work.bytes_read, out = work.bytes_written;
  const bool fits = in + out <= machine.mall_bytes;
  const double seconds_e9 =
      fits ? (in + out) / machine.mall_gb_per_s
           : in / machine.dram_read_gb_per_s + out / machine.dram_write_gb_per_s;
  return {.matrix_ms = peak > 0 ? work.flops / peak * 1e-6 : 0, .memory_ms = seconds_e9 * 1e-6};
}

}  // namespace gridwise
