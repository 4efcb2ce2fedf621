#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ck/conv/problem.h"
#include "tile/epilogue_args.h"

namespace gridwise::tile {

/// The output's strides where an element has `element_bytes` bytes.
OutputStrides MakeStrides(Tensor tensor, const TensorAxes& axes, std::int64_t element_bytes);

/// What the main kernel does with its sums: the problem's epilogue, or where K is split, nothing
/// but to write them as f32.
EpilogueArgs MakeEpilogue(const ConvProblem& problem, int splits);

/// Why the epilogue's tensors are not supported; nothing if they are. `images` is how many a tile
/// reaches over.
std::optional<std::string> RejectEpilogue(const ConvProblem& problem, std::int64_t images);

}  // namespace gridwise::tile
