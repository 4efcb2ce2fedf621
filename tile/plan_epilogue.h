#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/conv/problem.h"
#include "tile/epilogue_args.h"
#include "tile/launch_plan.h"

namespace gridwise::tile {

/// The output's strides where an element has `element_bytes` bytes.
OutputStrides MakeStrides(Tensor tensor, const TensorAxes& axes, std::int64_t element_bytes);

/// What a kernel does with its sums: the problem's epilogue, or where `sharing` has partial
/// elements, nothing but to write them as f32, or to add them.
EpilogueArgs MakeEpilogue(const ConvProblem& problem, const Sharing& sharing);

/// Why the epilogue's tensors are too large for offsets; nothing if they are not. A tile reaches
/// over `images` images and the channels of `groups` groups.
std::optional<Excess> TooLargeForEpilogue(const ConvProblem& problem, std::int64_t images,
                                          std::int64_t groups = 1);

}  // namespace gridwise::tile
