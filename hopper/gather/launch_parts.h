// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/arch/device_facts.h"
#include "core/arch/tensor_map_spec.h"
#include "core/base/math.h"
#include "core/conv/problem.h"
#include "core/launch/launch.h"
#include "core/launch/part_kernel.h"
#include "hopper/base/args.h"
#include "hopper/base/config.h"
#include "hopper/base/maps.h"
#include "hopper/base/plan.h"
#include "hopper/operands/tma_operands.h"

/// Parts of launches that gather and weight instances have in common.

namespace gridwise::hopper {

inline int Int(std::int64_t value) { return static_cast<int>(value); }

/// `of_columns`: consecutive tiles with separate columns or splits. If B stays, all tiles of a
/// workgroup have the same columns.
inline LaunchShape ShapeOf(const Config& config, const DeviceFacts& device, std::int64_t tiles,
                           std::int64_t of_columns, int cluster) {
  std::int64_t workgroups = std::min<std::int64_t>(tiles, device.compute_units);
  if (config.resident > 0)
    workgroups = std::max<std::int64_t>(workgroups / of_columns, 1) * of_columns;
  if (cluster > 1) workgroups = tiles;
  return {.workgroups = {static_cast<unsigned>(workgroups), 1, 1},
          .threads = {static_cast<unsigned>(config.threads()), 1, 1},
          .dynamic_lds_bytes = static_cast<unsigned>(config.shared_bytes()),
          .cluster = static_cast<unsigned>(cluster)};
}

template <class Args>
void SetStrides(const ConvProblem& problem, Args& args) {
  for (std::size_t i = 0; i < 3; ++i) {
    args.strides[i] = MakeAxisStrides(problem.direction, problem.dims[i]);
  }
}

/// The maps of B, one for each part.
template <class Args>
void AddMapsOfB(const Config& config, const PartRequest& request, std::size_t at,
                const TensorMapSpec& spec, Plan<Args>& plan) {
  const std::int64_t part_bytes = request.part_elements * SizeOf(TypeOfB(config.type));
  for (int part = 0; part < config.parts(); ++part) {
    plan.maps.push_back({.at = at + static_cast<std::size_t>(part) * sizeof(TensorMap),
                         .points_to = {Memory::kB, part * part_bytes},
                         .spec = spec});
  }
}

/// Addresses of the f32 operands.
template <class Args>
void SetExact(const Config& config, const PartRequest& request, Plan<Args>& plan) {
  if (!config.has_parts()) return;
  const ConvProblem& problem = request.problem;
  const bool weight = problem.direction == Direction::kBackwardWeight;
  const bool forward = problem.direction == Direction::kForward;
  const TensorAxes source = problem.AxesOf(GatheredTensor(problem));
  const TensorAxes other = problem.AxesOf(weight ? Tensor::kY : Tensor::kW);
  ExactArgs& exact = plan.args.exact;
  exact.source_image = source.stride[0];
  for (std::size_t i = 0; i < 3; ++i) {
    exact.source_pixel[i] = source.stride[i + 1];
    exact.source_size[i] = Int(source.size[i + 1]);
  }
  exact.source_group = Int(source.stride[4]);
  // w before its groups are merged: for each channel k, all c of its own group.
  const std::int64_t merged = request.merged_groups;
  const std::int64_t of_k = other.stride[1] / merged;
  exact.of_group = Int(problem.AxesOf(problem.out()).size[5] / merged);
  exact.of_source_group = Int(source.size[5] / merged);
  exact.by_of_group = MakeMagicDiv(static_cast<unsigned>(exact.of_group));
  exact.other_group = Int(weight ? other.stride[4] : other.stride[0] / (merged * merged));
  exact.other_tap = weight ? 0 : Int(other.stride[4] / merged);
  exact.other_out = Int(weight ? other.stride[5] : forward ? of_k : other.stride[5]);
  exact.other_source = Int(weight ? other.stride[3] : forward ? other.stride[5] : of_k);
  const std::size_t at = offsetof(Args, exact);
  plan.addresses.push_back({at + offsetof(ExactArgs, source), {weight ? Memory::kB1 : Memory::kA}});
  plan.addresses.push_back({at + offsetof(ExactArgs, other), {weight ? Memory::kA : Memory::kB1}});
}

}  // namespace gridwise::hopper
