// SPDX-License-Identifier: MIT
#include "core/estimate/tile_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/cost/pass_cycles.h"
#include "core/passes/plan_reduce.h"

namespace gridwise {
namespace {

/// Bytes per clock that one of `busy` compute units gets from its XCD's L2 and the levels below it,
/// which workgroups share evenly: as if `split_k` units were busy.
double BytesPerClock(const DeviceFacts& device, const MachineFacts& machine, double missed,
                     double busy, double split_k) {
  const double l2 = machine.l2_bytes_per_clk * device.xcds / busy;
  const double behind = machine.mall_gb_per_s / device.clock_ghz / split_k;
  return 1 / (1 / l2 + missed / behind);
}

double EighthPower(double x) {
  const double square = x * x, fourth = square * square;
  return fourth * fourth;
}

}  // namespace

double ReadElements(const MmaShape& mma, double a, double b) {
  const double of_lanes = mma.lanes() * mma.k_per_lane();
  const double lanes_of_a = of_lanes * mma.a_rows_of_lane() / (mma.blocks() * mma.m * mma.k);
  const double lanes_of_b = of_lanes * mma.b_cols_of_lane() / (mma.blocks() * mma.n * mma.k);
  return lanes_of_a * a + lanes_of_b * b;
}

TileCost::TileCost(const DeviceFacts& device, const TileFit& fit, const TileSteps& s,
                   const Work& work)
    : device_(device),
      fit_(fit),
      steps_(s),
      work_(work),
      machine_(device.machine),
      power_(PowerFactor(device)) {
  lds_ = s.k_tile_bytes / machine_.lds_write_bytes + s.conflict_cycles +
         s.read_bytes / machine_.lds_read_bytes;
  // Work of a wave in a step in addition to multiplying, by it or by another wave at the same time.
  const double written =
      s.written_bytes > 0 ? s.written_bytes / machine_.lds_write_bytes + s.conflict_cycles : 0;
  const double swapped = fit.swapped * s.swapped_elements;
  const double multiplies = s.matrix_cycles + fit.first_reads + swapped;
  const double loads = s.lane_cycles + written;
  busy_ = s.loads_apart ? std::max(multiplies, loads + swapped) : multiplies + loads;
  busy_ += fit.barrier * s.barriers;
  // K tiles in flight share the latency.
  latency_ = (machine_.l2_latency_clk + fit.missed * machine_.mall_latency_ns * device.clock_ghz) /
             s.k_tiles_in_flight;
  const TargetTraits target = TraitsOf(device.gfx);
  address_ = s.address_cycles / target.vector_caches;
  instruction_ = (target.wave_size == 64 ? 4.0 : 1.0) / target.simds_per_unit;
  fixed_ = fit.launch + (s.loads_ahead ? fit.ahead : 0) + s.prologue_cycles +
           fit.output * s.output_factor * s.tile_elements;
  const double units = device.compute_units;
  transfer_ = s.k_tile_bytes / BytesPerClock(device, machine_, fit.missed, units, units);
  if (s.fixup_bytes > 0) {
    // The last workgroup of a tile stores its sums, counts them, and waits for the first ones.
    constexpr double kWaits = 3;
    constexpr double kBytesPerClock = 24;  // per workgroup, which has 48 kB in flight
    pass_ = kWaits * (machine_.l2_latency_clk + machine_.mall_latency_ns * device.clock_ghz);
    pass_of_split_ = s.fixup_bytes / kBytesPerClock;
  } else {
    pass_ = PassCycles(device, 0);
    pass_of_split_ = 4 * work.out_elements * device.clock_ghz / machine_.mall_gb_per_s;
  }
}

double TileCost::PassCyclesOf(int splits) const {
  if (splits == 1) return 0;
  if (steps_.fixup_bytes > 0) return pass_ + splits * pass_of_split_;
  return ReduceCycles(device_, work_.out_elements, splits, steps_.element_bytes);
}

Cost TileCost::TermsOf(int splits) const {
  const TileSteps& s = steps_;
  const double tiles = work_.tiles * splits;
  // Per workgroup; splits of a tile have whole steps.
  const auto of_split = [&](double all) { return splits == 1 ? all : std::ceil(all); };
  const double mean = of_split(work_.steps / tiles), most = of_split(work_.max_steps / splits);
  const double rounds = std::ceil(tiles / device_.compute_units);
  const double resident = std::min(s.resident, rounds);
  // Long tiles start first, so a unit has one of them in all its rounds, next to shorter ones. It
  // takes at least as long as that one alone.
  const double steps = std::max(mean, most / rounds);
  const double alone_steps = std::max(mean, most * resident / rounds);
  const double units = std::min<double>(tiles, device_.compute_units);
  // L2 has lost a tap's pixels at the next tap if it cannot hold those of all workgroups. Splits of
  // a tile run next to each other and have the same pixels. The more a step's lines crowd into some
  // sets, the sooner all pixels are lost.
  const double window =
      s.window_bytes / splits * std::min(tiles, resident * device_.compute_units) / device_.xcds;
  const double lost =
      s.window_part * std::clamp((window / machine_.l2_bytes - 1) * s.window_spread, 0.0, 1.0);
  const double missed = lost + (1 - lost) * fit_.missed;
  const double bytes_per_clock = BytesPerClock(device_, machine_, missed, units, tiles / rounds);
  // A k tile arrives after those of the unit's other workgroups.
  const double arrival = latency_ + resident * s.k_tile_bytes / bytes_per_clock;
  // L2 delivers whole lines; the levels below it deliver each of them once.
  const double beside = std::max(0.0, s.line_bytes - s.k_tile_bytes) * units /
                        (machine_.l2_bytes_per_clk * device_.xcds);
  const double memory = std::max(s.k_tile_bytes / bytes_per_clock + beside, address_);
  const double ragged = work_.ragged_steps / tiles * s.ragged_cycles;
  // A SIMD issues one instruction of a kind at a time.
  const double taps = std::max(0.0, work_.tap_steps / tiles - 1);
  const auto issue = [&](double Instructions::* kind) {
    return s.factor * instruction_ * fit_.issue *
           (s.of_workgroup.*kind + steps * s.of_step.*kind + taps * s.of_tap.*kind);
  };
  return {.matrix_cycles = s.factor * steps * s.matrix_cycles,
          .lds_cycles = s.factor * steps * lds_,
          .memory_cycles = s.factor * steps * memory,
          .vector_cycles = issue(&Instructions::vector),
          .scalar_cycles = issue(&Instructions::scalar),
          .alone_cycles = s.factor * (alone_steps * std::max({busy_, arrival, memory}) + ragged),
          .fixed_cycles = s.factor * fixed_,
          .workgroups = tiles,
          .rounds = rounds,
          .resident = resident,
          .pass_cycles = PassCyclesOf(splits),
          .power_cycles =
              power_ * s.matrix_simds * s.matrix_cycles * mean * tiles / device_.compute_units,
          .splits = static_cast<double>(splits)};
}

bool TileCost::Exceeds(int splits, double eighth_power) const {
  const double tiles = work_.tiles * splits;
  const double rounds = std::ceil(tiles / device_.compute_units);
  const double resident = std::min(steps_.resident, rounds);
  const bool shares = splits > 1;
  const double mean = work_.steps / tiles, steps = shares ? std::ceil(mean) : mean;
  const double step =
      std::max({steps_.matrix_cycles, lds_, address_, busy_ / resident, latency_ / resident});
  const double apart = rounds * (steps * step + fixed_ / resident);
  const double together = steps * tiles / device_.compute_units * transfer_;
  const double pass = shares ? pass_ + pass_of_split_ * splits : 0;  // the minimum of PassCyclesOf
  const double burst = steps_.factor * std::max(apart, together) + pass;
  const double power =
      power_ * steps_.matrix_simds * steps_.matrix_cycles * steps * tiles / device_.compute_units;
  return EighthPower(burst) + EighthPower(power) > eighth_power;
}

// All steps, however they are divided, at the best rate of all units.
bool TileCost::AlwaysExceeds(double eighth_power) const {
  const TileSteps& s = steps_;
  const double steps = work_.steps / device_.compute_units;
  const double step = std::max(
      {s.matrix_cycles, lds_, address_, busy_ / s.resident, latency_ / s.resident, transfer_});
  const double burst = s.factor * (steps * step + fixed_ / s.resident);
  const double power = power_ * s.matrix_simds * s.matrix_cycles * steps;
  return EighthPower(burst) + EighthPower(power) > eighth_power;
}

TileEstimate EstimateTiles(const PartRequest& request, DataType type, const TileSteps& steps,
                           const Work& work) {
  const auto* set = request.FindFit<TileFits>();
  const TileFits& fits = set != nullptr ? *set : FindTileFits(request.device.gfx);
  const TileCost cost(request.device, fits.Of(request.problem.direction), steps, work);
  // Cycles to the eighth power.
  Cost best = {.splits = 0};
  double least = std::numeric_limits<double>::infinity();
  const auto time_of = [&](int splits) {
    const Cost terms = cost.TermsOf(splits);
    const double time = EighthPowerOfCycles(terms);
    if (time < least) best = terms;
    least = std::min(least, time);
    return time;
  };
  const auto exceeds = [&](int splits, double time) { return cost.Exceeds(splits, time); };
  const double enough = EighthPower(request.enough_cycles);
  SplitK split_k = request.split_k;
  if (split_k.splits == 0 && cost.AlwaysExceeds(enough)) split_k.splits = 1;
  split_k = ChooseSplitK(split_k, type, request.device, work, time_of, exceeds, enough);
  if (best.splits != split_k.splits) best = cost.TermsOf(split_k.splits);
  return {.split_k = split_k, .cost = best};
}

}  // namespace gridwise
