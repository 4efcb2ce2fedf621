// SPDX-License-Identifier: MIT
#include "ck/ops/estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gridwise::ck {
namespace {

/// Vector-ALU instructions of a wave for the loads of a step: the instructions of its Walk per load
/// (see the README).
double AddressInstructions(const GemmConfig& c, Side side) {
  constexpr double kOfLoad[] = {0.5, 1, 3, 5, 8};  // by Walk
  const GemmConfig::Operand& o = c.operand(side);
  const double loads = c.units_of_lane(side) * c.loads_of_unit(side);
  return loads * kOfLoad[static_cast<int>(o.walk)];
}

/// Additional cycles of writes of an operand's k tile to LDS, because lanes share banks. Adjacent
/// lanes write the same row of adjacent patches. LdsTile spreads rows that are 2 apart over all
/// banks, rows that are 4 apart over every other bank, and rows that are 8 apart over one of four.
double ConflictCycles(const GemmConfig& c, Side side) {
  constexpr double kBanksBytes = 128;  // per cycle
  const GemmConfig::Operand& o = c.operand(side);
  if (!o.swaps()) return 0;
  // Lanes that write in one cycle, and the number of different places that they write to, in
  // packs.
  const int lanes = static_cast<int>(kBanksBytes) / (o.k * SizeOf(c.type));
  const int places = std::max(16 / o.rows, 2);
  const double cycles = 1.0 * c.rows(side) * c.tile.k * SizeOf(c.type) / kBanksBytes;
  return cycles * (std::max(1, lanes / std::min(places, 8)) - 1);
}

constexpr double kLine = 128;  // bytes

/// Elements that are adjacent in memory, along K and along rows of an operand's k tile.
const Demands::Runs& RunsOf(const Demands& demands, Side side) {
  return side == Side::kA ? demands.runs_a : demands.runs_b;
}

/// Bytes of the memory lines that contain an operand's k tile: runs shorter than a line, along K
/// and along rows, leave the rest of it to others.
double LineBytes(const GemmConfig& c, const Demands& demands, Side side) {
  const Demands::Runs& runs = RunsOf(demands, side);
  const auto run = static_cast<double>(
      std::max(runs.k, std::min<std::int64_t>(runs.rows, c.rows(side))) * SizeOf(c.type));
  return c.lds(side).bytes() * std::max(1.0, kLine / run);
}

/// Cycles of one address unit for an operand's k tile: for each 16 lanes, the lines that they
/// touch, and 64 bytes per cycle. The rule fits the published facts of gfx942; for RDNA none are
/// known.
double AddressCycles(const GemmConfig& c, const Demands& demands, Side side) {
  constexpr double kLanes = 16, kBytesPerCycle = 64;
  const GemmConfig::Operand& o = c.operand(side);
  const double load_bytes = o.vector() * SizeOf(c.type);
  // Lanes lie along K, a pack apart, or along rows, where they are adjacent as far as runs go.
  const double of_run =
      static_cast<double>(RunsOf(demands, side).rows * SizeOf(c.type)) / load_bytes;
  const double along = std::min<double>(
      kLanes,
      o.along_k() ? c.units_k(side) : std::min(1.0 * c.units_rows(side), std::max(1.0, of_run)));
  const double apart = o.along_k() ? LdsTile::kVectorBytes : load_bytes;
  const double lines = kLanes / along * std::ceil(along * apart / kLine);
  const double groups = c.units(side) * c.loads_of_unit(side) / kLanes;
  return groups * std::max(lines, kLanes * load_bytes / kBytesPerCycle);
}

}  // namespace

double ResidentWorkgroups(const GemmConfig& c, const DeviceFacts& device,
                          const KernelNeeds& needs) {
  const int waves = c.threads() / c.mma.lanes();
  if (needs.registers > 0) return gridwise::ResidentWorkgroups(device, needs, waves);
  const TargetTraits target = TraitsOf(device.gfx);
  const double by_registers =
      std::floor(1.0 * c.occupancy * target.simds_per_unit / std::max(waves, 1));
  const double by_lds = std::floor(static_cast<double>(target.unit_lds_bytes) / c.lds_bytes());
  return std::max(1.0, std::min(by_registers, by_lds));
}

TileSteps MakeTileSteps(const GemmConfig& c, const Demands& demands, const DeviceFacts& device,
                        const KernelNeeds& needs) {
  constexpr double kTableRead = 64;  // LDS latency before the loads of a step
  // Per step: 28 scalar instructions of 4 cycles, and 5 branches of 8 (tests/isa).
  constexpr double kControl = 28 * 4 + 5 * 8;
  // Fits to the simulator's clock, for layers of RetinaNet and regressions on gfx942 and gfx1100;
  // they rank instances of both families together. Stores look up where rows and columns are, and
  // MFMA instances of tile are faster than estimated. RDNA3 multiplies in the vector ALU, and has
  // no time for what finds, checks and transposes elements beside that (training problems, f16).
  constexpr double kOutput = 1.6, kAgainstTileOfMfma = 1.1, kAgainstTileOfWmma11 = 1.25;
  const TargetTraits target = TraitsOf(device.gfx);
  const double simds = static_cast<double>(c.waves.m * c.waves.n) / target.simds_per_unit;
  const double math_waves = std::max(1.0, simds);
  const double load_waves =
      std::max(1.0, static_cast<double>(c.load_threads() / c.mma.lanes()) / target.simds_per_unit);
  const double cycles_of_instruction = target.wave_size == 64 ? 4 : 1;
  const bool has_table = c.a.has_table() || c.b.has_table();
  const auto swapped = [&](Side side, int rows) {
    return c.operand(side).swaps() ? 1.0 * rows * c.tile.k : 0.0;
  };
  const double waves = c.threads() / c.mma.lanes();
  const double lane_elements = 1.0 * c.tile.m * c.tile.n / c.mma.lanes();
  const double address = AddressInstructions(c, Side::kA) + AddressInstructions(c, Side::kB);
  const double read_elements =
      c.waves.m * c.waves.n * ReadElements(c.mma, c.wave_m() * c.tile.k, c.wave_n() * c.tile.k);
  return {
      .tile_elements = 1.0 * c.tile.m * c.tile.n,
      .output_factor = kOutput,
      .element_bytes = SizeOf(c.type),
      .resident = ResidentWorkgroups(c, device, needs),
      .matrix_cycles = c.reps_m() * c.reps_n() * (c.tile.k / c.mma.k) *
                       MmaCycles(c.mma, c.type, TraitsOf(device.gfx).mfma_generation) * math_waves,
      .matrix_simds = c.mma.unit == MmaUnit::kFma ? 0 : std::min(1.0, simds),
      .k_tile_bytes = 1.0 * c.buffer_bytes(),
      .line_bytes = LineBytes(c, demands, Side::kA) + LineBytes(c, demands, Side::kB),
      .read_bytes = read_elements * SizeOf(c.type),
      .written_bytes = 1.0 * c.buffer_bytes(),
      .conflict_cycles = ConflictCycles(c, Side::kA) + ConflictCycles(c, Side::kB),
      .lane_cycles =
          kControl + (has_table ? kTableRead : 0) + cycles_of_instruction * load_waves * address,
      .swapped_elements = swapped(Side::kA, c.tile.m) + swapped(Side::kB, c.tile.n),
      .loads_apart = c.is_wavelet(),
      .address_cycles = AddressCycles(c, demands, Side::kA) + AddressCycles(c, demands, Side::kB),
      .barriers = c.lds_buffers() == 1 ? 2 : 1,
      .k_tiles_in_flight = c.k_tiles_in_flight(),
      // As run mode of the simulator counts them (`gridwise sweep` on gfx942, 1x1 and 3x3
      // convolutions); vector instructions in units of an addition.
      .of_workgroup = {.vector = 190 * waves + 16 * lane_elements,
                       .scalar = 55 * waves + 10 * lane_elements},
      .of_step = {.vector = (5 + address) * c.load_threads() / c.mma.lanes(),
                  .scalar = 24.0 * c.load_threads() / c.mma.lanes()},
      .of_tap = {},
      .factor = target.mma_unit == MmaUnit::kMfma ? kAgainstTileOfMfma
                : c.mma.unit == MmaUnit::kWmma11  ? kAgainstTileOfWmma11
                                                  : 1};
}

}  // namespace gridwise::ck
