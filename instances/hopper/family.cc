// SPDX-License-Identifier: MIT
#include "instances/hopper/family.h"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/arch/parse_gfx.h"
#include "core/launch/code.h"
#include "core/planning/parts_family.h"
#include "hopper/base/config.h"
#include "hopper/dense_halo/config.h"
#include "hopper/depthwise/config.h"
#include "hopper/halo/config.h"
#include "hopper/halo_weight/config.h"
#include "hopper/kernels.h"
#include "hopper/line/config.h"
#include "hopper/narrow/config.h"
#include "hopper/operands/forms.h"
#include "hopper/phases/config.h"
#include "hopper/simt/config.h"
#include "instances/hopper/instance_code.h"

namespace gridwise::hopper {
namespace {

using enum DataType;

/// A line of the list of instances.
struct Instance {
  std::variant<Config, PhasesConfig, HaloConfig, HaloDenseConfig, HaloWeightConfig,
               DepthwiseWeightConfig, LineConfig, NarrowWeightConfig, SimtConfig>
      config;
};

#define GRIDWISE_HOPPER_LINE(Type, ...) {Type{__VA_ARGS__}},
#define FORWARD(...) GRIDWISE_HOPPER_LINE(Config, .direction = Direction::kForward, __VA_ARGS__)
#define BACKWARD_DATA(...) \
  GRIDWISE_HOPPER_LINE(Config, .direction = Direction::kBackwardData, __VA_ARGS__)
#define WEIGHT(...) \
  GRIDWISE_HOPPER_LINE(Config, .direction = Direction::kBackwardWeight, __VA_ARGS__)
#define HALO_FORWARD(...) \
  GRIDWISE_HOPPER_LINE(HaloConfig, .direction = Direction::kForward, __VA_ARGS__)
#define HALO_BACKWARD_DATA(...) \
  GRIDWISE_HOPPER_LINE(HaloConfig, .direction = Direction::kBackwardData, __VA_ARGS__)
#define HALO_DENSE(...) GRIDWISE_HOPPER_LINE(HaloDenseConfig, __VA_ARGS__)
#define PHASES(...) GRIDWISE_HOPPER_LINE(PhasesConfig, __VA_ARGS__)
#define LINE(...) GRIDWISE_HOPPER_LINE(LineConfig, __VA_ARGS__)
#define HALO_WEIGHT(...) GRIDWISE_HOPPER_LINE(HaloWeightConfig, __VA_ARGS__)
#define DEPTHWISE_WEIGHT(...) GRIDWISE_HOPPER_LINE(DepthwiseWeightConfig, __VA_ARGS__)
#define NARROW_WEIGHT(...) GRIDWISE_HOPPER_LINE(NarrowWeightConfig, __VA_ARGS__)
#define SIMT(...) GRIDWISE_HOPPER_LINE(SimtConfig, __VA_ARGS__)

#include "instances/hopper/instance_tables.inc"

Direction DirectionOf(const PhasesConfig&) { return Direction::kBackwardData; }
Direction DirectionOf(const DepthwiseWeightConfig&) { return Direction::kBackwardWeight; }
Direction DirectionOf(const NarrowWeightConfig&) { return Direction::kBackwardWeight; }
Direction DirectionOf(const HaloWeightConfig&) { return Direction::kBackwardWeight; }
template <class Config>
Direction DirectionOf(const Config& config) {
  return config.direction;
}

void AddInstances(const InstanceTable& table, PartsFamily& family) {
  for (std::size_t i = 0; i < table.instances.size(); ++i) {
    const Instance& instance = table.instances[i];
    std::optional<KernelCode> code =
        CodeOfInstance(table.objects, table.gfx, "hopper", table.codes[i]);
    if (!code) continue;
    std::visit(
        [&](const auto& config) {
          if (!IsBuilt(DirectionOf(config))) return;
          family.Add(DirectionOf(config), table.gfx, MakeKernel(config, *std::move(code)));
        },
        instance.config);
  }
}

}  // namespace

const KernelFamily& Family() {
  static const PartsFamily* const family = [] {
    auto* const made = new PartsFamily("hopper", &Spaced());
    for (const InstanceTable& table : InstanceTables()) AddInstances(table, *made);
    return made;
  }();
  return *family;
}

}  // namespace gridwise::hopper
