// SPDX-License-Identifier: MIT
#include "gridwise/planner/features.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/base/no_destructor.h"
#include "core/arch/device_facts.h"
#include "core/conv/gemm_map.h"

namespace gridwise::model {
namespace {

double Log2(double value) { return std::log2(std::max(value, 1e-3)); }

/// Returns log2 of the largest power of two, up to 16, that divides a number of channels. It limits
/// the width of loads.
int Alignment(std::int64_t channels) {
  int log2 = 0;
  while (log2 < 4 && channels % (std::int64_t{2} << log2) == 0) ++log2;
  return log2;
}

/// Returns the bytes of all tensors.
double BytesOf(const ConvProblem& p) {
  return SizeOf(p.type) * static_cast<double>(p.a_elements() + p.b_elements()) +
         SizeOf(p.output_type()) * static_cast<double>(p.out_elements());
}

/// Returns the GB/s of the Infinity Cache, or of device memory if there is none.
double BehindL2(const MachineFacts& machine) {
  return machine.mall_gb_per_s > 0 ? machine.mall_gb_per_s : machine.dram_read_gb_per_s;
}

/// Returns the items that the lanes of a kernel without tiles cover: output channels, or pairs of
/// channels.
double LaneItems(const ConvProblem& p) {
  return static_cast<double>(p.direction == Direction::kForward        ? p.k
                             : p.direction == Direction::kBackwardData ? p.c
                                                                       : p.k * p.c_per_group());
}

/// The GEMMs of one group.
struct Gemms {
  double m = 1, n = 1, k = 1;  // sizes of the largest
  double count = 1;
  double taps = 1;                       // taps of the largest
  double pixels_w = 1, taps_w = 1;       // along w, in the largest
  std::int64_t source = 1, columns = 1;  // channels of a group

  explicit Gemms(PlanContext& context) {
    const ConvProblem& p = context.canonical_problem();
    source = p.direction == Direction::kBackwardData ? p.k_per_group() : p.c_per_group();
    columns = p.direction == Direction::kForward ? p.k_per_group() : p.c_per_group();
    if (p.direction == Direction::kBackwardWeight) {
      taps = static_cast<double>(p.filter_taps());
      m = static_cast<double>(p.k_per_group());
      n = taps * static_cast<double>(columns);
      k = static_cast<double>(p.batch * p.out_pixels());
      pixels_w = static_cast<double>(p.dims[2].out());
      taps_w = static_cast<double>(p.dims[2].filter);
      return;
    }
    const std::span<const SubGemm> gemms = context.FindSubGemms(p);
    count = static_cast<double>(gemms.size());
    m = gemms.front().m;  // those with most taps come first
    taps = Taps(gemms.front());
    pixels_w = gemms.front().axis[2].count;
    taps_w = gemms.front().axis[2].taps;
    n = static_cast<double>(columns);
    k = taps * static_cast<double>(source);
  }
};

void VisitProblem(PlanContext& context, const Gemms& gemms, auto visit) {
  const ConvProblem& p = context.canonical_problem();
  std::int64_t stride = 1, dilation = 1;
  for (const Dim& dim : p.dims) {
    stride = std::max(stride, dim.stride);
    dilation = std::max(dilation, dim.dilation);
  }
  const double bytes = BytesOf(p);
  visit("backward_data", p.direction == Direction::kBackwardData);
  visit("backward_weight", p.direction == Direction::kBackwardWeight);
  visit("type_bytes", SizeOf(p.type));
  visit("log2_m", Log2(gemms.m));
  visit("log2_n", Log2(gemms.n));
  visit("log2_k", Log2(gemms.k));
  visit("log2_sub_gemms", Log2(gemms.count));
  visit("log2_groups", Log2(static_cast<double>(p.groups)));
  visit("log2_batch", Log2(static_cast<double>(p.batch)));
  visit("log2_taps", Log2(gemms.taps));
  visit("log2_source_channels", Log2(static_cast<double>(gemms.source)));
  visit("align_source", Alignment(gemms.source));
  visit("align_columns", Alignment(gemms.columns));
  visit("stride", std::min<std::int64_t>(stride, 4));
  visit("dilated", dilation > 1);
  visit("log2_flops", Log2(p.Flops()));
  visit("log2_intensity", Log2(p.Flops() / bytes));
  visit("log2_bytes", Log2(bytes));
  visit("output_of_bytes", SizeOf(p.output_type()) * static_cast<double>(p.out_elements()) / bytes);
  visit("transposed_layout", context.problem().layout == Layout::kNGCHW);
}

void VisitTarget(const DeviceFacts& device, auto visit) {
  const MachineFacts& machine = device.machine;
  const TargetTraits target = TraitsOf(device.gfx);
  const double units = device.compute_units;
  visit("log2_units", Log2(units));
  visit("wave_size", target.wave_size);
  visit("lds_kilobytes", target.lds_bytes / 1024);
  visit("lds_read_bytes", machine.lds_read_bytes);
  visit("l2_bytes_of_unit", machine.l2_bytes_per_clk * device.xcds / units);
  visit("mall_bytes_of_unit", machine.mall_gb_per_s / device.clock_ghz / units);
  visit("dram_bytes_of_unit", machine.dram_read_gb_per_s / device.clock_ghz / units);
  visit("l2_latency", machine.l2_latency_clk);
}

void VisitShape(const InstanceShape& s, auto visit) {
  visit("tile_m", s.tile_m);
  visit("tile_n", s.tile_n);
  visit("tile_k", s.tile_k);
  visit("waves", s.waves);
  visit("load_waves", s.load_waves);
  visit("occupancy", s.occupancy);
  visit("mma_m", s.mma_m);
  visit("mma_n", s.mma_n);
  visit("mma_k", s.mma_k);
  visit("vector_a", s.vector_a);
  visit("vector_b", s.vector_b);
  visit("transposes_a", s.transposes_a);
  visit("transposes_b", s.transposes_b);
  visit("instance_lds_kilobytes", s.lds_bytes / 1024.0);
  visit("k_tiles", s.k_tiles);
  visit("merged_groups", s.merged_groups);
  visit("halo_pixels", s.halo_pixels);
  visit("walk_a", s.walk_a);
  visit("walk_b", s.walk_b);
  visit("lane_channels", s.lane_channels);
  visit("lane_pixels", s.lane_pixels);
  visit("lane_taps", s.lane_taps);
}

/// Returns the fraction of whole pieces of `size` that `extent` fills.
double Filled(double extent, double size) {
  return size > 0 ? extent / (std::ceil(extent / size) * size) : 0;
}

/// How the problem fills an instance's tiles, or lanes.
void VisitFit(const InstanceShape& s, const Extents& e, auto visit) {
  const double merged = std::max(1, s.merged_groups);
  const bool tiled = s.tile_m > 0;
  visit("filled_m", tiled ? Filled(e.m, s.tile_m) : Filled(e.pixels, s.lane_pixels));
  visit("filled_n", tiled ? Filled(e.n * merged, s.tile_n)
                          : Filled(e.lane_items, e.wave_size * s.lane_channels));
  visit("filled_k", tiled ? Filled(e.source * merged, s.tile_k) : Filled(e.taps, s.lane_taps));
  // Bytes that a workgroup writes next to each other. They matter because memory has lines.
  visit("output_run_bytes",
        tiled ? std::min(256.0, std::min<double>(e.n * merged, s.tile_n) * e.out_bytes) : 0);
  visit("log2_columns", tiled ? Log2(std::ceil(e.n * merged / s.tile_n)) : 0);
  visit("log2_steps", tiled ? Log2(e.k / s.tile_k) : 0);
}

void VisitCost(const Cost& c, auto visit) {
  const double loop =
      std::max({c.matrix_cycles, c.lds_cycles, c.memory_cycles, c.alone_cycles / c.resident, 1.0});
  visit("log2_cycles", Log2(c.cycles));
  visit("matrix_of_loop", c.matrix_cycles / loop);
  visit("lds_of_loop", c.lds_cycles / loop);
  visit("memory_of_loop", c.memory_cycles / loop);
  visit("alone_of_loop", c.alone_cycles / c.resident / loop);
  visit("log2_loop", Log2(loop));
  visit("vector_of_loop", c.vector_cycles / loop);
  visit("scalar_of_loop", c.scalar_cycles / loop);
  visit("memory_of_all", c.tensor_cycles / c.cycles);
  visit("launch_of_all", c.launch_cycles / c.cycles);
  visit("power_of_all", c.power_cycles / c.cycles);
  visit("burst_of_all", BurstCycles(c) / c.cycles);
  visit("fixed_of_round", c.fixed_cycles / c.resident / (loop + c.fixed_cycles / c.resident));
  visit("passes_of_all", c.pass_cycles / c.cycles);
  visit("log2_rounds", Log2(c.rounds));
  visit("resident", c.resident);
  visit("log2_splits", Log2(c.splits));
}

void VisitStanding(const Cost& c, const Standing& s, auto visit) {
  visit("log2_of_least", Log2(c.cycles / s.min_cycles));
  visit("rank", s.rank);
  visit("log2_second_of_least", Log2(s.second_cycles / s.min_cycles));
}

/// How the workgroups fill the device in space and in time.
void VisitGrid(const Cost& c, double units, double memory_cycles, auto visit) {
  visit("log2_workgroups", Log2(c.workgroups));
  visit("filled_rounds", c.workgroups / (units * c.rounds));
  visit("filled_turns", c.rounds / (std::ceil(c.rounds / c.resident) * c.resident));
  visit("tensors_of_all", memory_cycles / c.cycles);
}

}  // namespace

std::span<const std::string_view> FeatureNames() {
  static const absl::NoDestructor<std::vector<std::string_view>> names([] {
    std::vector<std::string_view> list;
    const auto add = [&list](std::string_view name, double) { list.push_back(name); };
    PlanContext context(ConvProblem{}, Gfx::k942, {});
    VisitProblem(context, Gemms(context), add);
    VisitTarget(Gfx::k942, add);
    VisitShape({}, add);
    VisitFit({}, {}, add);
    VisitCost({}, add);
    VisitStanding({}, {}, add);
    VisitGrid({}, 1, 1, add);
    return list;
  }());
  return *names;
}

FeatureMaker::FeatureMaker(PlanContext& context) {
  const Gemms gemms(context);
  const ConvProblem& p = context.canonical_problem();
  const DeviceFacts& device = context.device();
  extents_ = {.m = gemms.m,
              .n = gemms.n,
              .k = gemms.k,
              .source = static_cast<double>(gemms.source),
              .lane_items = LaneItems(p),
              .pixels = gemms.pixels_w,
              .taps = gemms.taps_w,
              .wave_size = 1.0 * TraitsOf(device.gfx).wave_size,
              .out_bytes = 1.0 * SizeOf(p.output_type())};
  units_ = device.compute_units;
  tensors_cycles_ = BytesOf(p) / (BehindL2(device.machine) / device.clock_ghz);
  const auto put = [&](std::string_view, double value) {
    problem_[of_problem_++] = static_cast<float>(value);
  };
  VisitProblem(context, gemms, put);
  VisitTarget(context.device(), put);
}

Features FeatureMaker::Of(const InstanceShape& shape, const Cost& cost,
                          const Standing& standing) const {
  Features features = problem_;
  std::size_t i = of_problem_;
  const auto put = [&](std::string_view, double value) {
    features[i++] = static_cast<float>(value);
  };
  VisitShape(shape, put);
  VisitFit(shape, extents_, put);
  VisitCost(cost, put);
  VisitStanding(cost, standing, put);
  VisitGrid(cost, units_, tensors_cycles_, put);
  return features;
}

}  // namespace gridwise::model
