// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/types.h"

/// Halo instances (hopper/halo/config.h) of backward-weight.

namespace gridwise::hopper {

/// An instance of backward-weight: three warpgroups with three filter taps each.
struct HaloWeightConfig {
  DataType type = DataType::kF16;
  int stages = 3;
  bool merges_taps =
      false;  // a warpgroup's taps in one product: requires equal distances between taps

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [type, stages, merges_taps] = self;
    visit("bwd_weight_", type);
    visit("halo_s", stages);
    visit("j", merges_taps);
  }
  bool operator==(const HaloWeightConfig&) const = default;

  static constexpr int kGroups = 3, kTaps = 9;
  static constexpr int warpgroups() { return kGroups; }
  static constexpr int threads() { return 128 * (kGroups + 1); }
};

/// Returns nullptr if a kernel of `c` can be compiled, else the reason.
constexpr const char* Reject(const HaloWeightConfig& c) {
  if (c.type != DataType::kF16 && c.type != DataType::kBF16) return "operands are f16 or bf16";
  if (c.stages < 2) return "a stage is free when the products of the next have begun";
  return nullptr;
}

}  // namespace gridwise::hopper
