// SPDX-License-Identifier: MIT
#include "instances/direct/family.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/arch/parse_gfx.h"
#include "core/launch/code.h"
#include "core/planning/parts_family.h"
#include "direct/kernels.h"
#include "instances/direct/instance_code.h"

namespace gridwise::direct {
namespace {

using enum DataType;

/// A line of a list of instances.
struct Instance {
  bool is_weight;
  DirectConfig config;
};

#define GATHER(...) {false, {__VA_ARGS__}},
#define WEIGHT(...) {true, {__VA_ARGS__}},

#include "instances/direct/instance_tables.inc"

void AddInstances(const InstanceTable& table, PartsFamily& family) {
  for (std::size_t i = 0; i < table.instances.size(); ++i) {
    const Instance& instance = table.instances[i];
    std::optional<KernelCode> code =
        CodeOfInstance(table.objects, table.gfx, "direct", table.codes[i]);
    if (!code) continue;
    if (instance.is_weight) {
      family.Add(Direction::kBackwardWeight, table.gfx,
                 MakeWeightKernel(instance.config, table.gfx, *std::move(code)));
      continue;
    }
    const auto kernel = MakeGatherKernel(instance.config, table.gfx, *std::move(code));
    if (IsBuilt(Direction::kForward)) family.Add(Direction::kForward, table.gfx, kernel);
    // In backward-data, adjacent pixels of a sub-GEMM have adjacent pixels of dy.
    if (IsBuilt(Direction::kBackwardData) &&
        TakesType(Direction::kBackwardData, instance.config.type) && instance.config.stride <= 1) {
      family.Add(Direction::kBackwardData, table.gfx, kernel);
    }
  }
}

}  // namespace

const KernelFamily& Family() {
  static const PartsFamily* const family = [] {
    auto* const made = new PartsFamily("direct");
    for (const InstanceTable& table : InstanceTables()) AddInstances(table, *made);
    return made;
  }();
  return *family;
}

}  // namespace gridwise::direct
