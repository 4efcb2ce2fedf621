#include "direct/estimate.h"

#include <algorithm>
#include <cmath>

#include "core/arch/target_traits.h"
#include "core/cost/roofline.h"

namespace gridwise::direct {
namespace {

/// Constants of estimates, in cycles: fits to times of the simulator's clock on training problems
/// (tools/tune), of targets of 64 lanes and of 32; of Hopper to times of 41 depthwise problems,
/// each on all rows that take it, on an H100, and along pixels, but for `load`, of 24 on an H200.
/// `begin` is less than it takes, since estimates of halo and narrow instances are as well: so is
/// the faster one chosen.
struct WaveFit {
  double bytes;              // of a vector cache's share of L2, a cycle
  double latency;            // of a row's loads
  double scalar;             // of a row's scalar instructions
  double launch;             // of a workgroup
  double vector = 1;         // of a vector instruction
  double conversion = 1;     // vector instructions of a conversion
  double load = 0;           // and of a load
  double run = 0;            // of a run of pixels of a wave, before its first load and after
  double begin = 0;          // of the launch
  double dram = 0;           // of device memory's peak, for the tensors; 0: not counted
  double waves_at_once = 8;  // of a SIMD
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

/// Of device memory for the tensors, a round's part; 0 where it is not counted. It hides behind the
/// rest as vector instructions do, and is told apart from them by nothing else: tensor_cycles are
/// the plan's (core/planning/plan_parts.cc), which has none on Hopper, since they order no rows of
/// one family. But instances of other families move more.
double DramCycles(const WaveFit& fit, const PartRequest& request, double rounds) {
  if (fit.dram == 0) return 0;
  const RooflineWork once = RooflineWorkOf(request.problem);
  const double bytes_of_cycle =
      fit.dram * request.device.memory_gb_per_s / request.device.clock_ghz;
  return (once.bytes_read + once.bytes_written) / bytes_of_cycle / rounds;
}

}  // namespace

Cost EstimateWaves(const DirectConfig& config, const PartRequest& request, const WaveWork& work) {
  const DeviceFacts& device = request.device;
  const TargetTraits target = TraitsOf(device.gfx);
  const WaveFit fit = FitOf(KindOf(device.gfx), work.along_pixels);
  constexpr double kMinBytes = 64;  // a load of a wave takes a cycle's bytes at least
  const double l2_bytes = fit.bytes * target.vector_caches;  // a cycle
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
