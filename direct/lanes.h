// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "direct/args.h"
#include "direct/config.h"

namespace gridwise::direct {

/// Shared by the plans of all directions: lanes along channels, and tensors as kernels see them.

/// Maximum number of images side by side in lanes.
inline constexpr std::int64_t kMaxLaneImages = 64;

MagicDiv DivideBy(std::int64_t divisor);

/// x or y with elements of `size` bytes; see TensorAxes for the order of the axes.
DirectTensor MakeTensor(const ConvProblem& problem, Tensor which, std::int64_t size);
DirectWeights MakeWeights(const ConvProblem& problem, std::int64_t element_bytes);
/// Bytes from an image's first element, in the first group, to the end of its last one, in any
/// group.
std::int64_t ImageReach(const ConvProblem& problem, Tensor which);
/// Bytes from one image to the next; sums of the output may be f32.
std::int64_t ImageStep(const ConvProblem& problem, Tensor which);
/// Number of items that lanes lie along: channels of the output, or pairs (k, c).
std::int64_t LaneItems(const ConvProblem& problem);
std::int64_t LaneTiles(const DirectConfig& config, Gfx gfx, const ConvProblem& problem,
                       std::int64_t images = 1);

/// Number of images that lanes may have side by side without any offset of a lane reaching 2^31: at
/// most the batch, at least 1.
std::int64_t RoomForImages(const ConvProblem& problem, Tensor one, Tensor other);

}  // namespace gridwise::direct
