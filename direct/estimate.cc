// SPDX-License-Identifier: MIT
#include "direct/estimate.h"

#include <algorithm>
#include <cmath>

#include "core/arch/target_traits.h"
#include "core/cost/roofline.h"

namespace gridwise::direct {
namespace {

/// Constants of estimates, in cycles. For targets of 64 lanes and of 32, they are fits to times of
/// the simulator's clock on training problems (tools/tune). For Hopper they are fits to times of 41
/// depthwise problems, each on all instances that take it, on an H100; along pixels, except for
/// `load`, of 24 problems on an H200. `begin` is less than the real time, because estimates of halo
/// and narrow instances are as well: that makes the choice between families right.
struct WaveFit {
  double bytes;           // of a vector cache's share of L2, per cycle
  double latency;         // per row of loads
  double scalar;          // per row, for scalar instructions
  double launch;          // per workgroup
  double vector = 1;      // per vector instruction
  double conversion = 1;  // vector instructions per conversion
  double load = 0;        // vector instructions per load
  double run = 0;         // per run of pixels of a wave, before its first load and after its last
  double begin = 0;       // per launch
  double dram = 0;        // fraction of device memory's peak, for the tensors; 0: not counted
  double waves_at_once = 8;  // per SIMD
};
constexpr WaveFit kHopperPixels = {.bytes = 22,
                                   .latency = 438,
                                   .scalar = 81,
                                   .launch = 912,
                                   .vector = 1.77,
                                   .conversion = 2.15,
                                   .load = 3,
                                   .begin = 11400,
                                   .waves_at_once = 1};
constexpr WaveFit kHopper = {.bytes = 43.7,
                             .latency = 38.5,
                             .scalar = 33,
                             .launch = 0,
                             .vector = 2.6,
                             .conversion = 0.77,
                             .run = 615,
                             .begin = 10000,
                             .dram = 0.55,
                             .waves_at_once = 1};
constexpr WaveFit kWave64Pixels = {
    .bytes = 29, .latency = 860, .scalar = 37, .launch = 3500, .vector = 4};
constexpr WaveFit kWave64 = {
    .bytes = 17, .latency = 720, .scalar = 24, .launch = 4500, .vector = 4};
constexpr WaveFit kWave32Pixels = {.bytes = 35, .latency = 510, .scalar = 78, .launch = 3600};
constexpr WaveFit kWave32 = {.bytes = 15.5, .latency = 420, .scalar = 67, .launch = 1700};

const WaveFit& FitOf(TargetKind target, bool along_pixels) {
  switch (target) {
    case TargetKind::kHopper:
      return along_pixels ? kHopperPixels : kHopper;
    case TargetKind::kWave64:
      return along_pixels ? kWave64Pixels : kWave64;
    case TargetKind::kWave32:
      break;
  }
  return along_pixels ? kWave32Pixels : kWave32;
}

/// Cycles of device memory for the tensors, per round; 0 if not counted. They hide behind the rest
/// as vector instructions do, and count like them. tensor_cycles are the plan's
/// (core/planning/plan_parts.cc), which has none on Hopper, because they do not change the order of
/// instances of one family. Instances of other families, however, move more bytes.
double DramCycles(const WaveFit& fit, const PartRequest& request, double rounds) {
  if (fit.dram == 0) return 0;
  const RooflineWork once = CountRooflineWork(request.problem);
  const double bytes_of_cycle =
      fit.dram * request.device.memory_gb_per_s / request.device.clock_ghz;
  return (once.bytes_read + once.bytes_written) / bytes_of_cycle / rounds;
}

}  // namespace

Cost EstimateWaves(const DirectConfig& config, const PartRequest& request, const WaveWork& work) {
  const DeviceFacts& device = request.device;
  const TargetTraits target = TraitsOf(device.gfx);
  const WaveFit fit = FitOf(KindOf(device.gfx), work.along_pixels);
  constexpr double kMinBytes = 64;  // a load of a wave takes at least a cycle's bytes
  const double l2_bytes = fit.bytes * target.vector_caches;  // per cycle
  const double row_valu = (work.products * config.channels + work.conversions * fit.conversion +
                           work.loads * fit.load) *
                          fit.vector;
  const double waves_per_simd = std::max(1.0, work.waves / target.simds_per_unit);
  const double load_bytes =
      std::max(kMinBytes, 1.0 * target.wave_size * config.channels * SizeOf(config.type));
  const double row_bytes = work.waves * work.loads * load_bytes;
  const double resident =
      request.needs.registers > 0
          ? ResidentWorkgroups(device, request.needs, static_cast<int>(work.waves))
          : std::max(1.0, std::floor(fit.waves_at_once / waves_per_simd));
  const double rounds = std::ceil(work.groups / device.compute_units);
  return WithCycles({.matrix_cycles = work.rows * (row_valu + fit.scalar) * waves_per_simd,
                     .memory_cycles = work.rows * row_bytes / l2_bytes,
                     .vector_cycles = DramCycles(fit, request, rounds),
                     .alone_cycles = work.rows * (row_valu + fit.scalar + fit.latency),
                     .fixed_cycles = fit.launch + fit.run * work.runs +
                                     work.waves * work.stores * load_bytes / l2_bytes,
                     .workgroups = work.groups,
                     .rounds = rounds,
                     .resident = std::min(resident, rounds),
                     .pass_cycles = work.pass_cycles + fit.begin,
                     .splits = static_cast<double>(work.splits)});
}

double Conversions(const DirectConfig& config, double loads) {
  return config.type == DataType::kF32 ? 0 : loads * config.channels;
}

}  // namespace gridwise::direct
