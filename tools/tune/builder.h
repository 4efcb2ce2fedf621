// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"

namespace gridwise {

/// An instance that can be compiled for a target.
struct BuiltInstance {
  std::string family;
  Direction direction;
  std::string name;
  bool operator==(const BuiltInstance&) const = default;
};

/// The instances that the traits of a file make.
struct Built {
  std::vector<BuiltInstance> instances;  // in the order of the file, each once
  std::int64_t configs = 0;              // in the cross products
  std::int64_t filtered = 0;             // those that the filter keeps
  /// How many of the filtered ones cannot be compiled, by reason, most first.
  std::vector<std::pair<std::string, std::int64_t>> refused;
};

/// Largest cross product, if no other is given.
inline constexpr std::int64_t kMaxConfigs = 50'000'000;

/// The cross product of traits, without configs that the filter (filter.h) leaves out or that
/// cannot be compiled for the target. `json` is an object, or an array of objects, each of which
/// makes a product:
///
///   {"family": "tile", "direction": ["fwd", "bwd_data"],
///    "traits": {"type": ["f16", "bf16"], "tile": [[128, 128, 32], [64, 64, 32]],
///               "mma": [["mfma", 32, 32, 8]], "waves_m": [1, 2], "waves_n": [2], ...}}
///
/// A key is the name of a trait, or of a group of traits, whose values are lists. Traits that are
/// not given have the family's defaults, if it has any. An object may also be a file of CK Tile's
/// tile engine (tile_engine.h). If the filter has a condition on a trait that the
/// family of an object lacks, it leaves out all configs of that object. Errors: kInvalidArgument,
/// naming the key and the value.
absl::StatusOr<Built> BuildInstances(std::string_view json, Gfx gfx, std::string_view filter,
                                     std::int64_t max_configs = kMaxConfigs);

/// Converts instances to JSON and back: {"version": "0.2.0", "target": "gfx950", "instances":
/// [{"family": "tile", "direction": "fwd", "name": "f16_..."}, ...]}.
std::string PrintInstances(const std::vector<BuiltInstance>& instances, Gfx gfx);
absl::StatusOr<std::pair<Gfx, std::vector<BuiltInstance>>> ParseInstances(std::string_view json);

}  // namespace gridwise
