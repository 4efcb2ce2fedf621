#include "ck/ops/estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/launch/tile_cost.h"

namespace gridwise::ck {
namespace {

/// Vector-ALU instructions of a wave that loads, for the loads of a step: what its Walk takes for
/// each (see the README).
double AddressInstructions(const GemmConfig& c, Side side) {
  constexpr double kOfLoad[] = {0.5, 1, 3, 5, 8};  // by Walk
  const GemmConfig::Operand& o = c.operand(side);
  const double loads = c.units_of_lane(side) * c.loads_of_unit(side);
  return loads * kOfLoad[static_cast<int>(o.walk)];
}

/// Cycles that the address unit of a compute unit takes for an operand's slab: of each 16 lanes,
/// the lines of 128 bytes that they touch, and 64 bytes a cycle. The rule fits what was published
/// of gfx942; of RDNA none is known.
double AddressCycles(const GemmConfig& c, Side side) {
  constexpr double kLanes = 16, kLine = 128, kBytesPerCycle = 64;
  const GemmConfig::Operand& o = c.operand(side);
  const double load_bytes = o.vector() * SizeOf(c.type);
  // Lanes lie along K, a chunk apart, or along rows, where they are neighbours.
  const double along = std::min<double>(kLanes, o.along_k() ? c.units_k(side) : c.units_rows(side));
  const double apart = o.along_k() ? LdsTile::kChunkBytes : load_bytes;
  const double lines = kLanes / along * std::ceil(along * apart / kLine);
  const double groups = c.units(side) * c.loads_of_unit(side) / kLanes;
  return groups * std::max(lines, kLanes * load_bytes / kBytesPerCycle);
}

}  // namespace

double ResidentWorkgroups(const GemmConfig& c, const DeviceFacts& device) {
  const TargetTraits target = TraitsOf(device.gfx);
  const double waves = static_cast<double>(c.threads() / c.mma.lanes());
  const double by_registers =
      std::floor(c.occupancy * target.simds_per_unit / std::max(waves, 1.0));
  const double by_lds = std::floor(static_cast<double>(target.lds_bytes) / c.lds_bytes());
  return std::max(1.0, std::min(by_registers, by_lds));
}

Cost EstimateCost(const GemmConfig& c, const DeviceFacts& device, const Work& work, int splits) {
  constexpr double kTableRead = 64;  // LDS latency before the loads of a step
  const TargetTraits target = TraitsOf(device.gfx);
  const double math_waves =
      std::max(1.0, static_cast<double>(c.waves.m * c.waves.n) / target.simds_per_unit);
  const double cycles_of_instruction = target.wave_size == 64 ? 4 : 1;
  const bool has_table = c.a.has_table() || c.b.has_table();
  const auto swapped = [&](Side side, int rows) {
    return c.operand(side).along_k() ? 0.0 : 1.0 * rows * c.tile.k;
  };
  const double read_elements = 1.0 * c.waves.m * c.waves.n * (c.wave_m() + c.wave_n()) * c.tile.k;
  return TileCost(
      device,
      {.tile_elements = 1.0 * c.tile.m * c.tile.n,
       .element_bytes = SizeOf(c.type),
       .resident = ResidentWorkgroups(c, device),
       .matrix_cycles =
           c.reps_m() * c.reps_n() * (c.tile.k / c.mma.k) * MmaCycles(c.mma, c.type) * math_waves,
       .slab_bytes = 1.0 * c.buffer_bytes(),
       .read_bytes = read_elements * SizeOf(c.type),
       .written_bytes = c.is_wavelet() ? 0.0 : c.buffer_bytes(),
       // Of a wavelet row nothing but to read and to wait.
       .lane_cycles = c.is_wavelet()
                          ? 0
                          : (has_table ? kTableRead : 0) + cycles_of_instruction * math_waves *
                                                               (AddressInstructions(c, Side::kA) +
                                                                AddressInstructions(c, Side::kB)),
       .swapped_elements =
           c.is_wavelet() ? 0 : swapped(Side::kA, c.tile.m) + swapped(Side::kB, c.tile.n),
       .address_cycles = AddressCycles(c, Side::kA) + AddressCycles(c, Side::kB),
       .barriers = c.lds_buffers() == 1 ? 2 : 1,
       .slabs_in_flight = c.slabs_in_flight()},
      work, splits);
}

Sharing Complete(Sharing sharing, const GemmConfig& config, const DeviceFacts& device,
                 const Work& work) {
  return ShareK(sharing, config.type, device, work,
                [&](int splits) { return EstimateCost(config, device, work, splits).cycles; });
}

}  // namespace gridwise::ck
