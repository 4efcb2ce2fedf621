#include "core/launch/tile_cost.h"

#include <algorithm>
#include <cmath>

#include "core/arch/machine_facts.h"
#include "core/launch/tile_fit.h"
#include "core/passes/pass_cycles.h"

namespace gridwise {
namespace {

/// Bytes a clock that one of `busy` compute units gets of its die's L2 and what is behind it.
double BytesPerClock(const DeviceFacts& device, double busy) {
  const MachineFacts machine = MachineFactsOf(device.gfx);
  const double l2 = machine.l2_bytes_per_clk * device.dies / busy;
  const double behind = machine.mall_gb_per_s / EstimateGhz(device) / busy;
  return 1 / (1 / l2 + TileFitOf(device.gfx).missed / behind);
}

}  // namespace

Cost TileCost(const DeviceFacts& device, const TileSteps& s, const Work& work, int splits) {
  const MachineFacts machine = MachineFactsOf(device.gfx);
  const TileFit& fit = TileFitOf(device.gfx);
  const double tiles = work.tiles * splits;
  const double steps = work.steps / tiles;  // of a workgroup, on average
  const double rounds = std::ceil(tiles / device.compute_units);
  const double resident = std::min(s.resident, rounds);
  const double bytes_per_clock =
      BytesPerClock(device, std::min<double>(tiles, device.compute_units));
  const double lds = s.slab_bytes / machine.lds_write_bytes + s.conflict_cycles +
                     s.read_bytes / machine.lds_read_bytes;
  // What a wave does in a step besides to multiply, or another wave meanwhile.
  const double written =
      s.written_bytes > 0 ? s.written_bytes / machine.lds_write_bytes + s.conflict_cycles : 0;
  const double swapped = fit.swapped * s.swapped_elements;
  const double multiplies = s.matrix_cycles + fit.first_reads + swapped;
  const double loads = s.lane_cycles + written;
  const double busy = s.loads_apart ? std::max(multiplies, loads + swapped) : multiplies + loads;
  // A slab arrives behind those of the unit's other workgroups. Slabs in flight share the latency.
  const double latency =
      machine.l2_latency_clk + fit.missed * machine.mall_latency_ns * EstimateGhz(device);
  const double arrival = latency / s.slabs_in_flight + resident * s.slab_bytes / bytes_per_clock;
  // L2 gives whole lines; what is behind it, each of them once.
  const double beside = std::max(0.0, s.line_bytes - s.slab_bytes) *
                        std::min<double>(tiles, device.compute_units) /
                        (machine.l2_bytes_per_clk * device.dies);
  const double memory = std::max(s.slab_bytes / bytes_per_clock + beside, s.address_cycles);
  const double pass =
      splits == 1 ? 0 : PassCycles(device, work.out_elements * (4 * splits + s.element_bytes));
  return WithCycles(
      {.matrix_cycles = steps * s.matrix_cycles,
       .lds_cycles = steps * lds,
       .memory_cycles = steps * memory,
       .alone_cycles =
           steps * std::max({busy + fit.barrier * s.barriers, arrival, memory}) + s.ragged_cycles,
       .fixed_cycles = fit.launch + fit.output * s.output_factor * s.tile_elements,
       .rounds = rounds,
       .resident = resident,
       .pass_cycles = pass,
       .splits = static_cast<double>(splits)});
}

}  // namespace gridwise
