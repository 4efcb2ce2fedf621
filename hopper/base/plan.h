// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "core/conv/problem.h"
#include "core/launch/epilogue_args.h"
#include "core/launch/launch.h"
#include "core/launch/part_kernel.h"
#include "hopper/base/args.h"

namespace gridwise::hopper {

/// How an instance computes a problem: everything that a launch needs except the tensors.
template <class Args>
struct Plan {
  LaunchShape shape;
  Args args = {};
  std::vector<KernelLaunch::Map> maps;
  std::vector<KernelLaunch::Address> addresses = {};  // without those of the epilogue
};

/// Why a launch can only compute a part of the problem. Returns nullopt if it can compute it at
/// once.
std::optional<Excess> TooLargeForLaunch(const ConvProblem& problem);

/// Whether the epilogue's tensors, if any, can be added to sums in registers, vectors of 4 columns
/// at a time (kernel/vectors.h): tensors of the output's 16-bit type in forward, with adjacent
/// columns. That they are aligned only their addresses tell.
bool AddsVectors(const ConvProblem& problem, const EpilogueArgs& epilogue);

/// How lanes store the output: by vectors if possible.
Stores LaneStoresOf(const ConvProblem& problem, const EpilogueArgs& epilogue);

}  // namespace gridwise::hopper
