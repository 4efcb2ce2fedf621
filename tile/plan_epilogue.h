#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ck/conv/problem.h"
#include "tile/epilogue_args.h"

namespace gridwise::tile {

/// The output's strides where an element has `element_bytes` bytes.
OutputStrides MakeStrides(Tensor tensor, const TensorAxes& axes, std::int64_t element_bytes);

/// What a kernel does with its sums: the problem's epilogue, or where `partial_elements` is not 0,
/// nothing but to write them as f32, so many elements from one split of K to the next.
EpilogueArgs MakeEpilogue(const ConvProblem& problem, std::int64_t partial_elements);

/// Why the epilogue's tensors are not supported; nothing if they are. `images` is how many a tile
/// reaches over.
std::optional<std::string> RejectEpilogue(const ConvProblem& problem, std::int64_t images);

}  // namespace gridwise::tile
