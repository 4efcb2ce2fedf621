// SPDX-License-Identifier: MIT
#include "direct/plan.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "core/base/math.h"
#include "core/conv/sub_gemms.h"
#include "direct/lanes.h"

namespace gridwise::direct {
namespace {

constexpr std::int64_t kMaxWaveSize = 64;

/// An upper bound of the workgroups that take runs, not counting one for each sub-GEMM.
std::int64_t MaxTiles(const DirectConfig& config, const ConvProblem& problem) {
  const PerAxis size = problem.AxesOf(problem.out()).size;
  const bool forward = problem.direction == Direction::kForward;
  const std::int64_t phases = forward ? 1 : std::min(problem.dims[2].stride, size[3]);
  const std::int64_t runs = size[0] * size[1] * size[2] * (size[3] / config.pixels + phases);
  return runs / kDirectGatherWaves;
}

/// Whether adjacent channels of all groups are adjacent in memory.
bool IsCoalesced(const ConvProblem& problem) {
  return problem.groups == 1 || (problem.AxesOf(Tensor::kX).stride[4] == problem.c_per_group() &&
                                 problem.AxesOf(Tensor::kY).stride[4] == problem.k_per_group());
}

/// Why several taps, or rows, at a time do not fit the problem's axes.
std::optional<Refusal> RejectTaps(const DirectConfig& config, const ConvProblem& problem) {
  if (config.taps == 1) return std::nullopt;
  const bool is_weight = problem.direction == Direction::kBackwardWeight;
  for (const std::size_t axis : {2u, 1u}) {
    if (axis == 1 && config.rows_of_lane() == 1) continue;
    const AxisStrides strides = MakeAxisStrides(problem.direction, problem.dims[axis]);
    const int pixels = strides.source_stride, taps = strides.tap_source_stride;
    const bool walks = axis == 1 && is_weight;  // with the rows of dy that the taps meet at hand
    if (walks ? pixels == taps : pixels == config.stride && taps == 1) continue;
    return Refuse<
        "along %s, pixels of the output are %d and taps %d apart in the source; the "
        "instance is for %s">(
        RefusalCode::kFilter, kAxisNames[axis], pixels, taps,
        walks ? "the same distance" : absl::StrFormat("%d and 1", config.stride));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> RejectDirect(const DirectConfig& config, const ConvProblem& problem,
                                    int splits) {
  if (problem.type != config.type) {
    return Refuse<"type is %s; the instance is for %s">(
        RefusalCode::kType, gridwise::Name(problem.type), gridwise::Name(config.type));
  }
  if (problem.output_type() == DataType::kI32 && SumType(config.type) != DataType::kI32) {
    return Refuse<"the output is i32; the instance's sums are f32">(RefusalCode::kType);
  }
  constexpr std::int64_t kMaxPairs = 64;  // tile instances compute larger groups
  const std::int64_t pairs = problem.c_per_group() * problem.k_per_group();
  if (pairs > kMaxPairs) {
    return Refuse<
        "a group has c %d and k %d, which are %d pairs (c, k); the instance is for groups of at "
        "most %d pairs">(RefusalCode::kChannels, problem.c_per_group(), problem.k_per_group(),
                         pairs, kMaxPairs);
  }
  if (config.channels > 1 && (problem.c_per_group() != 1 || problem.k_per_group() != 1 ||
                              problem.groups % config.channels != 0)) {
    return Refuse<
        "there are %d groups of c %d and k %d; the instance is for multiples "
        "of %d groups of 1 and 1">(RefusalCode::kGroups, problem.groups, problem.c_per_group(),
                                   problem.k_per_group(), config.channels);
  }
  if (config.channels > 1 && !IsCoalesced(problem)) {
    return Refuse<"layout is %s; the instance is for channels of all groups side by side">(
        RefusalCode::kLayout, Name(problem.layout));
  }
  if (problem.layout == Layout::kNGCHW) {
    return Refuse<"layout is ngchw; the instance is for nhwgc and gnhwc">(RefusalCode::kLayout);
  }
  if ((splits > 1 || problem.epilogue != Epilogue{}) && problem.out_elements() >= kOffsetLimit) {
    return Refuse<
        "the output has %d elements; with an epilogue or several splits, they must be fewer than "
        "2^31">(RefusalCode::kSize, problem.out_elements());
  }
  if (auto reason = RejectTaps(config, problem)) return reason;
  constexpr std::int64_t kMaxLaneTiles = 65535;
  const std::int64_t lane_tiles = CeilDiv<std::int64_t>(LaneItems(problem), 32 * config.channels);
  if (lane_tiles > kMaxLaneTiles || LaneItems(problem) >= kOffsetLimit / 2) {
    return Refuse<"there are %d channels, or pairs of them; must be at most %d">(
        RefusalCode::kSize, LaneItems(problem), kMaxLaneTiles * 32 * config.channels);
  }
  return std::nullopt;
}

bool HasOnlyBias(const ConvProblem& problem) {
  const EpilogueTensor& bias = problem.epilogue.d[0];
  const PerAxis sizes = problem.AxesOf(problem.out()).size;
  Epilogue rest = problem.epilogue;
  rest.tensors = 0;
  rest.d = {};
  const auto lies = [&](std::size_t axis, std::int64_t stride) {
    return sizes[axis] == 1 || bias.stride[axis] == stride;
  };
  return problem.epilogue.tensors == 1 && rest == Epilogue{} &&
         bias.op == EpilogueTensor::Op::kAdd && bias.scale == 1 && bias.type == problem.type &&
         problem.output_type() == problem.type && lies(0, 0) && lies(1, 0) && lies(2, 0) &&
         lies(3, 0) && lies(4, sizes[5]) && lies(5, 1);
}

std::optional<Refusal> RejectOnTarget(const DirectConfig& config, Gfx gfx,
                                      const ConvProblem& problem) {
  if (KindOf(gfx) == TargetKind::kHopper && problem.groups == 1 && config.type != DataType::kF32) {
    return Refuse<"there is one group; the instance is for several">(RefusalCode::kGroups);
  }
  if (config.channels == 1 || !TraitsOf(gfx).aligned_vectors) return std::nullopt;
  for (const Tensor which : {Tensor::kX, Tensor::kY}) {
    const TensorAxes axes = problem.AxesOf(which);
    for (std::size_t i = 0; i < 4; ++i) {
      if (axes.size[i] == 1 || axes.stride[i] % config.channels == 0) continue;
      return Refuse<
          "pixels of %s are %d elements apart; the instance is for multiples "
          "of %d">(RefusalCode::kLayout, which == Tensor::kX ? "x" : "y", axes.stride[i],
                   config.channels);
    }
  }
  return std::nullopt;
}

std::optional<Excess> TooLargeForDirect(const DirectConfig& config, const ConvProblem& problem,
                                        std::int64_t limit) {
  const PartAxis of_positions = problem.batch > 1 ? PartAxis::kImages : PartAxis::kPixels;
  const std::int64_t pixels = problem.batch * std::max(problem.in_pixels(), problem.out_pixels());
  if (pixels >= kOffsetLimit / 2 || problem.filter_taps() >= kOffsetLimit) {
    return Excess{absl::StrFormat("there are %d pixels and %d filter taps; must be fewer than 2^30",
                                  pixels, problem.filter_taps()),
                  of_positions};
  }
  const std::int64_t sub_gemms = SubGemmCount(problem);
  if (sub_gemms > kMaxSubGemms) {
    return Excess{
        absl::StrFormat("there are %d sub-GEMMs; must be at most %d", sub_gemms, kMaxSubGemms),
        PartAxis::kPixels};
  }
  if (problem.direction == Direction::kBackwardWeight) {
    constexpr std::int64_t kMax = kMaxWorkItems / (kDirectWeightWaves * kMaxWaveSize);
    const std::int64_t steps = problem.batch * problem.dims[0].out() *
                               (problem.dims[1].out() + config.rows_of_lane() - 1) *
                               CeilDiv<std::int64_t>(problem.dims[2].out(), config.pixels);
    if (steps >= kOffsetLimit / 2) {
      return Excess{
          absl::StrFormat("waves walk over y in %d steps; must be fewer than 2^30", steps),
          of_positions};
    }
    const std::int64_t workgroups =
        problem.filter_taps() * CeilDiv<std::int64_t>(LaneItems(problem), 32 * config.channels);
    if (workgroups > kMax) {
      return Excess{absl::StrFormat("there are %d filter taps of %d channels, or pairs of them, "
                                    "which are %d workgroups; a launch takes at most %d",
                                    problem.filter_taps(), LaneItems(problem), workgroups, kMax),
                    PartAxis::kTaps};
    }
  } else {
    constexpr std::int64_t kMax = kMaxWorkItems / (kDirectGatherWaves * kMaxWaveSize);
    const std::int64_t tiles = MaxTiles(config, problem) + sub_gemms;
    const std::int64_t lane_tiles = CeilDiv<std::int64_t>(
        LaneItems(problem) * std::min(kMaxLaneImages, problem.batch), 32 * config.channels);
    if (tiles > kMax || tiles * lane_tiles >= kOffsetLimit) {
      return Excess{
          absl::StrFormat(
              "there are up to %d tiles of pixels and %d of lanes; a launch takes at most "
              "%d of pixels, and fewer than 2^31 together",
              tiles, lane_tiles, kMax),
          of_positions};
    }
  }
  const std::int64_t x_bytes = ImageReach(problem, Tensor::kX);
  const std::int64_t y_bytes = ImageReach(problem, Tensor::kY);
  const std::int64_t w_bytes = problem.w_elements() * 4;  // of dw, if K is split
  if (std::max({x_bytes, y_bytes, w_bytes}) >= limit) {
    return Excess{
        absl::StrFormat(
            "an image of x reaches over %d bytes, one of y over %d and w over %d; each must be "
            "below %d",
            x_bytes, y_bytes, w_bytes, limit),
        w_bytes >= limit ? PartAxis::kGroups : PartAxis::kPixels};
  }
  return std::nullopt;
}

}  // namespace gridwise::direct
