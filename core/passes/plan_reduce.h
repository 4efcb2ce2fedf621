// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/arch/device_facts.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/launch/launch.h"
#include "core/passes/layout_passes.h"
#include "core/passes/reduce_args.h"

namespace gridwise {

/// One launch of the sum over splits of K.
struct ReducePlan {
  ReduceArgs args;  // pointers null
  // Elements of the output, and bytes of the epilogue's tensors, that precede the launch's.
  std::int64_t first = 0;
  std::int64_t tensor_first[2] = {0, 0};
};

/// The launches that add up `splits` splits of K, or terms, of a problem: one launch if the output
/// has fewer than 2^31 elements.
std::vector<ReducePlan> PlanReduce(const ConvProblem& problem, int splits);

/// Estimated cycles of such a launch for `elements` outputs: its memory traffic, and its rounds of
/// loads, each of which waits for the one before.
double ReduceCycles(const DeviceFacts& device, double elements, int splits, int out_bytes);

/// Workgroups of the launch, if `slices` groups of lanes share the splits of an element.
unsigned ReduceWorkgroups(const ReduceArgs& args, int slices);

/// A launch that makes the output described by `offsets` from sums at byte `sums_at` of the
/// workspace, by a pass whose `arguments` have `reduce` at byte `reduce_at`.
KernelLaunch MakeSumsLaunch(KernelCode code, unsigned workgroups, unsigned threads, Gfx gfx,
                            std::vector<std::byte> arguments, std::size_t reduce_at,
                            const ReduceArgs& reduce, std::int64_t sums_at,
                            const TensorOffsets& offsets);

/// Appends the launches that add up `splits` sums, which are at byte `partial_at` of the workspace,
/// into the problem's output in `offsets`.
void AddReduceLaunches(const ConvProblem& problem, const DeviceFacts& device, int splits,
                       std::int64_t partial_at, const TensorOffsets& offsets, LaunchPlan& plan);

}  // namespace gridwise
