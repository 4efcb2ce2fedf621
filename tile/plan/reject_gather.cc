// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/conv/sub_gemms.h"
#include "tile/halo_layout.h"
#include "tile/plan/gather.h"
#include "tile/plan/strips.h"

namespace gridwise::tile {
namespace {

/// Why the instance cannot merge the problem's groups. Returns nullopt if it can, or merges none.
std::optional<Refusal> RejectMerged(const TileConfig& config, const ConvProblem& problem) {
  const int groups = config.merge;
  const bool fills = config.fills_groups();
  if (groups == 1) return std::nullopt;
  const TensorAxes source = problem.AxesOf(problem.a()), output = problem.AxesOf(problem.out());
  const int max_k = config.k_of_group(), max_n = config.n_of_group();
  if (fills && (source.size[5] > max_k || output.size[5] > max_n)) {
    return Refuse<
        "a group has c %d and k %d; the instance has room for groups of %d "
        "source channels and %d of the output">(RefusalCode::kChannels, problem.c / problem.groups,
                                                problem.k / problem.groups, max_k, max_n);
  }
  if (!fills && (source.size[5] != max_k || output.size[5] != max_n)) {
    return Refuse<
        "a group has c %d and k %d; the instance merges groups of %d source channels "
        "and %d of the output">(RefusalCode::kChannels, problem.c / problem.groups,
                                problem.k / problem.groups, max_k, max_n);
  }
  if (!fills && problem.groups % groups != 0) {
    return Refuse<"there are %d groups; the instance merges %d">(RefusalCode::kGroups,
                                                                 problem.groups, groups);
  }
  bool runs = source.stride[4] == source.size[5] && output.stride[4] == output.size[5];
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    const auto& stride = problem.epilogue.d[static_cast<std::size_t>(i)].stride;
    runs &= stride[4] == output.size[5] * stride[5];
  }
  if (!runs) {
    return Refuse<"the channels of adjacent groups are not adjacent in all tensors">(
        RefusalCode::kLayout);
  }
  return std::nullopt;
}

/// Why K cannot run over pixels with that many channels and taps. Returns nullopt if it can.
std::optional<Refusal> RejectPixels(const TileConfig& config, std::int64_t channels,
                                    std::int64_t taps_w) {
  const int most = config.patch_a.k, least = most == config.pixel ? most : 1;
  if (channels < least || channels > most) {
    return Refuse<"a group has %d source channels; the instance takes %d to %d">(
        RefusalCode::kChannels, channels, least, most);
  }
  // Taps end within the last fragment. With one tap there is nothing to gain.
  const int max_taps = HaloLayout{config}.pixels_of_k_tile();
  const int min_taps = std::max(max_taps - config.fragment_k() / config.pixel + 1, 2);
  if (taps_w < min_taps || taps_w > max_taps) {
    return Refuse<"the filter has %d taps along w; the instance takes %d to %d">(
        RefusalCode::kFilter, taps_w, min_taps, max_taps);
  }
  return std::nullopt;
}

/// Taps along an axis, of the phase that has most of them.
std::int64_t TapsAlong(const ConvProblem& problem, std::size_t axis) {
  const Dim& dim = problem.dims[axis];
  return problem.direction == Direction::kForward ? dim.filter : dim.max_taps_of_phase();
}

/// The reasons of RejectHalo that are numbers of channels.
std::optional<Refusal> RejectChannels(const TileConfig& config, const ConvProblem& problem) {
  const std::int64_t channels = problem.AxesOf(problem.a()).size[5] * config.merge;
  const int at_a_time = std::max(config.patch_a.k, config.patch_b.k);
  if (config.packs_pixels()) {
    auto reason = RejectPixels(config, channels, problem.dims[2].filter);  // forward
    if (reason) return reason;
  } else if (channels % at_a_time != 0) {
    return Refuse<
        "a tile's groups have %d source channels; the instance loads %d at "
        "a time">(RefusalCode::kChannels, channels, at_a_time);
  } else if (!config.has_taps_in_lds() && config.merge == 1 && channels > config.tile.k) {
    return Refuse<"a group has %d source channels; the instance has room for %d">(
        RefusalCode::kChannels, channels, config.tile.k);
  }
  const std::int64_t columns = problem.AxesOf(problem.out()).size[5];
  if (columns % config.patch_b.n != 0) {
    return Refuse<"a group has %d output channels; the instance loads %d at a time">(
        RefusalCode::kChannels, columns, config.patch_b.n);
  }
  return std::nullopt;
}

/// Those that are distances of the source pixels that taps and output pixels meet.
std::optional<Refusal> RejectDistances(const TileConfig& config, const ConvProblem& problem) {
  for (std::size_t i = 0; i < 3; ++i) {
    const Dim& dim = problem.dims[i];
    const AxisStrides strides = MakeAxisStrides(problem.direction, dim);
    const int stride = i == 0 ? 1 : config.stride;
    if (strides.source_stride != stride ||
        (TapsAlong(problem, i) > 1 && strides.tap_source_stride != 1)) {
      return Refuse<
          "along %s, the filter has stride %d and dilation %d; the "
          "instance needs adjacent source pixels at stride %d">(RefusalCode::kFilter, kAxisNames[i],
                                                                dim.stride, dim.dilation, stride);
    }
  }
  return std::nullopt;
}

/// Those of instances that have taps of a row in LDS.
std::optional<Refusal> RejectTapsInLds(const TileConfig& config, const ConvProblem& problem) {
  if (!config.has_taps_in_lds()) return std::nullopt;
  // Tiles of more columns take less time where there are more, which estimates don't tell.
  constexpr int kMaxKTiles = 16;
  const std::int64_t channels = problem.AxesOf(problem.a()).size[5] * config.merge;
  if (channels > kMaxKTiles * config.tile.k) {
    return Refuse<"a group has %d source channels; the instance is for at most %d">(
        RefusalCode::kChannels, channels, kMaxKTiles * config.tile.k);
  }
  const std::int64_t taps = TapsAlong(problem, 2);
  const int taps_of_row = config.taps_in_lds;
  if (taps != taps_of_row || problem.dims[1].stride * problem.dims[2].stride != 1) {
    return Refuse<
        "the filter has %d taps along w and the strides are %d and %d; "
        "the instance takes %d taps along w, of stride 1">(
        RefusalCode::kFilter, taps, problem.dims[1].stride, problem.dims[2].stride, taps_of_row);
  }
  return std::nullopt;
}

/// Why the instance cannot load the problem's pixels once for all taps. Returns nullopt if it can,
/// or has no halo.
std::optional<Refusal> RejectHalo(const TileConfig& config, const ConvProblem& problem) {
  if (!config.has_halo()) return std::nullopt;
  if (auto reason = RejectChannels(config, problem)) return reason;
  if (auto reason = RejectDistances(config, problem)) return reason;
  if (auto reason = RejectTapsInLds(config, problem)) return reason;
  // Products with a row must fit a 24-bit multiplication.
  constexpr std::int64_t kMaxRows = 1 << 24;
  if (problem.dims[1].in >= kMaxRows || problem.dims[1].out() >= kMaxRows) {
    return Refuse<"the problem has %d and %d rows; the instance takes fewer than %d">(
        problem.dims[1].in, problem.dims[1].out(), kMaxRows);
  }
  if (problem.dims[0].in != 1 || problem.dims[0].out() != 1 || problem.dims[0].filter != 1) {
    return Refuse<"the problem has three axes; the instance takes one or two">();
  }
  const std::int64_t taps[] = {1, TapsAlong(problem, 1), TapsAlong(problem, 2)};
  const std::int64_t resident = taps[1] * (config.packs_pixels() ? 1 : taps[2]);
  if (resident > HaloLayout{config}.max_taps() || SubGemmCount(problem) > kInlineSubGemms) {
    return Refuse<"%d x %d taps and %d sub-GEMMs; the instance has at most %d%s and %d">(
        RefusalCode::kFilter, taps[1], taps[2], SubGemmCount(problem),
        HaloLayout{config}.max_taps(), config.packs_pixels() ? " rows of taps" : "",
        kInlineSubGemms);
  }
  const Strips least =
      DivideIntoStrips(config, /*rows=*/1, /*columns=*/1, static_cast<int>(taps[1]),
                       static_cast<int>(taps[2]), /*images=*/1, /*run=*/1);
  if (least.pitch == 0) {
    return Refuse<"%d x %d taps reach over more pixels than the row's %d">(
        RefusalCode::kFilter, taps[1], taps[2], config.halo.value);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> RejectGather(const TileConfig& config, const ConvProblem& problem) {
  const bool forward = problem.direction == Direction::kForward;
  if (!forward && problem.direction != Direction::kBackwardData) {
    return Refuse<"direction is %s; the instance is for fwd and bwd_data">(
        RefusalCode::kDirection, gridwise::Name(problem.direction));
  }
  if (forward != (config.patch_b.n == 1)) {
    return Refuse<"w is contiguous along %s; the instance loads it along %s">(
        RefusalCode::kDirection, forward ? "k" : "n", forward ? "n" : "k");
  }
  if (problem.type != config.type) {
    return Refuse<"type is %s; the instance is for %s">(
        RefusalCode::kType, gridwise::Name(problem.type), gridwise::Name(config.type));
  }
  const std::int64_t channels = problem.AxesOf(problem.a()).size[5];
  for (const TileConfig::Patch patch : {config.patch_a, config.patch_b}) {
    if (patch.n == 1 && !config.packs_pixels() && channels % config.ragged(patch) != 0) {
      return Refuse<"a group has %d source channels; the instance loads %d at a time">(
          RefusalCode::kChannels, channels, config.ragged(patch));
    }
  }
  if (config.k_tiles_of_step() > 1 && channels % config.step_k() != 0) {
    return Refuse<"a group has %d source channels; the instance loads %d together">(
        RefusalCode::kChannels, channels, config.step_k());
  }
  const std::int64_t columns = problem.AxesOf(problem.out()).size[5];
  const bool transposes = config.reads_transposed(config.patch_b);
  // Only instances that load ragged k tiles have loads for a single column (LoadWeightsPatches).
  const bool needs_pair =
      config.patch_b.n == 2 && config.merge == 1 && !config.has_ragged_k_tiles();
  if ((transposes && columns % config.patch_b.n != 0) || (needs_pair && columns == 1)) {
    return Refuse<"a group has %d output channels; the instance loads %d at a time">(
        RefusalCode::kChannels, columns, config.patch_b.n);
  }
  if (auto reason = RejectMerged(config, problem)) return reason;
  if (auto reason = RejectHalo(config, problem)) return reason;
  if (problem.layout == Layout::kNGCHW) {
    return Refuse<"layout is %s; the instance loads adjacent channels">(
        RefusalCode::kLayout, gridwise::Name(problem.layout));
  }
  return std::nullopt;
}

}  // namespace gridwise::tile
