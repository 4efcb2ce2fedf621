#include "core/launch/tile_cost.h"

#include <algorithm>
#include <cmath>

#include "core/arch/machine_facts.h"
#include "core/passes/pass_cycles.h"

namespace gridwise {
namespace {

// Fits to the simulator's clock, of rows of the tile family on layers of RetinaNet on gfx942.
constexpr double kMissed = 0.3;      // of operands, that L2 lacks and the Infinity Cache gives
constexpr double kBarrier = 600;     // of a step, for each of its barriers: waves are out of step
constexpr double kFirstReads = 160;  // of a step, which nothing hides
constexpr double kSwapped = 0.052;   // of an element that is transposed in registers
constexpr double kOutput = 0.77;     // of an element of the output: staged in LDS, and stored
constexpr double kLaunch = 1000;     // dispatch and index arithmetic of a workgroup

/// Bytes a clock that one of `busy` compute units gets of its die's L2 and what is behind it.
double BytesPerClock(const DeviceFacts& device, double busy) {
  const MachineFacts machine = MachineFactsOf(device.gfx);
  const double l2 = machine.l2_bytes_per_clk * device.dies / busy;
  const double behind = machine.mall_gb_per_s / EstimateGhz(device) / busy;
  return 1 / (1 / l2 + kMissed / behind);
}

}  // namespace

Cost TileCost(const DeviceFacts& device, const TileSteps& s, const Work& work, int splits) {
  const MachineFacts machine = MachineFactsOf(device.gfx);
  const double tiles = work.tiles * splits;
  const double steps = work.steps / tiles;  // of a workgroup, on average
  const double rounds = std::ceil(tiles / device.compute_units);
  const double resident = std::min(s.resident, rounds);
  const double bytes_per_clock =
      BytesPerClock(device, std::min<double>(tiles, device.compute_units));
  const double lds = s.slab_bytes / machine.lds_write_bytes + s.read_bytes / machine.lds_read_bytes;
  // What a wave that multiplies does in a step besides.
  const double besides = kFirstReads + kBarrier * s.barriers + s.lane_cycles +
                         s.written_bytes / machine.lds_write_bytes + kSwapped * s.swapped_elements;
  // A slab arrives behind those of the unit's other workgroups. Slabs in flight share the latency.
  const double latency =
      machine.l2_latency_clk + kMissed * machine.mall_latency_ns * EstimateGhz(device);
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
           steps * std::max({s.matrix_cycles + besides, arrival, memory}) + s.ragged_cycles,
       .fixed_cycles = kLaunch + kOutput * s.tile_elements,
       .rounds = rounds,
       .resident = resident,
       .pass_cycles = pass});
}

}  // namespace gridwise
