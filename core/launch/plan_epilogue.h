// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conv/problem.h"
#include "core/launch/epilogue_args.h"
#include "core/launch/launch.h"
#include "core/launch/part_kernel.h"

namespace gridwise {

/// The output's strides if an element has `element_bytes` bytes.
OutputStrides MakeStrides(Tensor tensor, const TensorAxes& axes, std::int64_t element_bytes);

/// The kernel's function of its sums: the problem's epilogue. If `split_k` has partial elements,
/// the sums are only written as f32, or added.
EpilogueArgs MakeEpilogue(const ConvProblem& problem, const SplitK& split_k);

/// Addresses of the output and of the tensors combined by the epilogue at byte `at` of the
/// arguments.
std::vector<KernelLaunch::Address> EpilogueAddresses(std::size_t at, const EpilogueArgs& args,
                                                     const MemoryOffset& out,
                                                     const MemoryOffset (&d)[2]);
/// The same for a part's own tensors.
std::vector<KernelLaunch::Address> EpilogueAddresses(std::size_t at, const EpilogueArgs& args);

/// Why the epilogue's tensors are too large for offsets. Returns nullopt if they are not. A tile
/// reaches over `images` images and the channels of `groups` groups.
std::optional<Excess> TooLargeForEpilogue(const ConvProblem& problem, std::int64_t images,
                                          std::int64_t groups = 1);

}  // namespace gridwise
