// SPDX-License-Identifier: MIT
#include "instances/tile/family.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/arch/parse_gfx.h"
#include "core/launch/code.h"
#include "core/planning/parts_family.h"
#include "core/text/fields_text.h"
#include "instances/tile/instance_code.h"
#include "tile/plan/kernels.h"

namespace gridwise::tile {
namespace {

using enum DataType;
using enum MmaUnit;
using enum Schedule;

/// A line of a list of instances.
struct Instance {
  Direction direction;
  TileConfig config;
  InstanceUse use;
};

#define FORWARD(...) {Direction::kForward, {__VA_ARGS__}, InstanceUse::kRanked},
#define BACKWARD_DATA(...) {Direction::kBackwardData, {__VA_ARGS__}, InstanceUse::kRanked},
#define BACKWARD_WEIGHT(...) {Direction::kBackwardWeight, {__VA_ARGS__}, InstanceUse::kRanked},
#define REQUESTED_FORWARD(...) {Direction::kForward, {__VA_ARGS__}, InstanceUse::kOnRequest},
#define REQUESTED_BACKWARD_DATA(...) \
  {Direction::kBackwardData, {__VA_ARGS__}, InstanceUse::kOnRequest},
#define REQUESTED_BACKWARD_WEIGHT(...) \
  {Direction::kBackwardWeight, {__VA_ARGS__}, InstanceUse::kOnRequest},

#include "instances/tile/instance_tables.inc"

void AddInstances(const InstanceTable& table, PartsFamily& family) {
  for (std::size_t i = 0; i < table.instances.size(); ++i) {
    const Instance& instance = table.instances[i];
    std::optional<KernelCode> code =
        CodeOfInstance(table.objects, table.gfx, "tile", table.codes[i]);
    if (!code) continue;
    code->needs = NeedsOfInstance(table.needs, PrintFields(instance.config), *code);
    family.Add(instance.direction, table.gfx,
               instance.direction == Direction::kBackwardWeight
                   ? MakeBwdWeightKernel(instance.config, *std::move(code))
                   : MakeGatherKernel(instance.config, *std::move(code)),
               instance.use);
  }
}

}  // namespace

const KernelFamily& Family() {
  static const PartsFamily* const family = [] {
    auto* const made = new PartsFamily("tile");
    for (const InstanceTable& table : InstanceTables()) AddInstances(table, *made);
    return made;
  }();
  return *family;
}

}  // namespace gridwise::tile
