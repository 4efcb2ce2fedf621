// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/arch/tensor_map_spec.h"
#include "core/conv/gemm_map.h"
#include "core/conv/problem.h"
#include "core/launch/refusal.h"
#include "hopper/base/args.h"
#include "hopper/base/config.h"

namespace gridwise::hopper {

/// The gathered tensor: x, or dy in backward-data.
Tensor GatheredTensor(const ConvProblem& problem);

/// Channels of a group in a tensor, which are its last axis.
std::int64_t ChannelsOf(const ConvProblem& problem, Tensor tensor);

/// Whether pixels must be counted along d.
bool Is3d(const ConvProblem& problem);

/// The pixels of a sub-GEMM in the gathered tensor, `pixels` of 64 channels at a time: of all
/// groups, of one group, or with an axis of groups.
TensorMapSpec SourceMap(const ConvProblem& problem, const SubGemm& gemm, int channels, int pixels,
                        SourceGroups groups = SourceGroups::kWindows);
/// w as [group][k][tap][c], or, for tf32 in backward-data, [group][c][tap][k]: boxes of `of_inner`
/// times `of_outer` at one tap.
TensorMapSpec WeightMap(const ConvProblem& problem, int of_outer, int of_inner);
/// w of backward-data as [k][group, tap and c]: boxes of 64 columns times `k`. The last channel of
/// a tap is followed by channels of another tap, which is faster than filling in zeros; nothing
/// stores the results of these.
TensorMapSpec WeightLinesMap(const ConvProblem& problem, int k);
/// y of backward-weight as [group][pixel][k]: boxes of 128 bytes of `pixels` pixels. The groups of
/// a pixel are one axis: boxes that reach into another group load it, which is faster than filling
/// in zeros.
TensorMapSpec PixelMap(const ConvProblem& problem, int pixels);
/// Whether a pixel's groups follow each other, adjacent or with gaps, before the next pixel.
bool PixelsHaveGroups(const TensorAxes& axes);
/// Channels of a pixel, from the first of its first group to the last of its last one.
std::int64_t ChannelsOfPixel(const TensorAxes& axes);
/// The output as [pixel][group][channel], boxes of what TMA stores at once.
TensorMapSpec OutputMap(const Config& config, const ConvProblem& problem);

/// All elements of a tensor that is not loaded through the map. The map only tells the launch that
/// the tensor must begin at a multiple of 16 bytes.
TensorMapSpec ElementsMap(const ConvProblem& problem, Tensor tensor);

/// Sets size and stride, in elements, of a map's axis.
void SetAxis(TensorMapSpec& map, std::size_t axis, std::int64_t size, std::int64_t stride);

/// Why a tensor's strides cannot be a map's. Without `of_groups`, groups are windows of an axis of
/// all channels.
std::optional<Refusal> RejectStrides(const char* name, const TensorAxes& axes, std::int64_t bytes,
                                     bool of_groups = true);

/// Why lanes cannot load pixels of a tensor.
std::optional<Refusal> RejectLanePixels(const TensorAxes& axes, std::int64_t bytes);

/// Whether all pixels of a tensor, images included, are equally far apart.
bool PixelsAreEvenlySpaced(const TensorAxes& axes);

/// Why tensor maps cannot describe the problem's operands. Returns nullopt if they can. With
/// `lanes`, lanes load dy of backward-weight. Boxes begin at every `groups_of_tile`th group.
std::optional<Refusal> RejectMaps(const ConvProblem& problem, bool lanes = false,
                                  std::int64_t groups_of_tile = 1);

}  // namespace gridwise::hopper
