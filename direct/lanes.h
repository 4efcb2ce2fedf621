#pragma once

#include <cstdint>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "direct/args.h"
#include "direct/config.h"

namespace gridwise::direct {

/// What the plans of all directions share: lanes along channels, and tensors as the kernels see
/// them.

/// Images that lie beside each other in lanes, at most.
inline constexpr std::int64_t kMaxLaneImages = 64;

MagicDiv DivideBy(std::int64_t divisor);

/// x or y with elements of `size` bytes; see TensorAxes for the order of the axes.
DirectTensor MakeTensor(const ConvProblem& problem, Tensor which, std::int64_t size);
DirectWeights MakeWeights(const ConvProblem& problem, std::int64_t element_bytes);
/// Bytes from an image's first element, of the first group, to behind the last of all groups.
std::int64_t ImageReach(const ConvProblem& problem, Tensor which);
/// Bytes from an image to the next; of the output, sums may be f32.
std::int64_t ImageStep(const ConvProblem& problem, Tensor which);
/// What lanes lie along: channels of the output, or pairs (k, c).
std::int64_t LaneItems(const ConvProblem& problem);
std::int64_t LaneTiles(const DirectConfig& config, Gfx gfx, const ConvProblem& problem,
                       std::int64_t images = 1);

/// How many images lanes may have beside each other, so that no offset of a lane reaches 2^31: at
/// most the batch, at least 1.
std::int64_t RoomForImages(const ConvProblem& problem, Tensor one, Tensor other);

}  // namespace gridwise::direct
