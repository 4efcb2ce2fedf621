// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gridwise/conv.h"

/// The engine that the plugin has, and its knobs.

namespace gridwise::hipdnn {

inline constexpr char kEngineName[] = "GRIDWISE_ENGINE";

/// hipDNN's number of the engine called `name`: its 64-bit FNV-1a hash.
constexpr std::int64_t EngineId(const char* name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (; *name != '\0'; ++name) {
    hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100000001b3;
  }
  return static_cast<std::int64_t>(hash);
}
inline constexpr std::int64_t kEngineId = EngineId(kEngineName);

/// The engine's knobs.
///
///   global.deterministic         0 or 1. 0: splits of K add their sums atomically
///   global.workspace_size_limit  bytes of workspace
///   gridwise.instance            the instance that computes the convolution; "": the planner's
///   gridwise.splits              workgroups that share the K of a tile; 0: the planner's number
inline constexpr char kDeterministicKnob[] = "global.deterministic";
inline constexpr char kWorkspaceKnob[] = "global.workspace_size_limit";
inline constexpr char kInstanceKnob[] = "gridwise.instance";
inline constexpr char kSplitsKnob[] = "gridwise.splits";

/// What a caller wants of the engine.
struct EngineConfig {
  std::int64_t engine = 0;
  PlanOptions options = {};
  std::vector<std::string> ignored = {};  ///< knobs of other engines that the caller has set
};

/// Reads a serialised EngineConfig. `bytes` may have any alignment and any content. Knobs that are
/// not the engine's are ignored, as hipDNN does, unless they begin with "gridwise.".
///
/// Errors: kInvalidArgument if `bytes` is no configuration, or if a knob has a type or value that
/// it cannot have.
absl::StatusOr<EngineConfig> ParseEngineConfig(std::span<const std::byte> bytes);

/// Writes the serialised EngineDetails: id, name, knobs with their bounds, and that launches can be
/// captured by graphs. `instances` are those that compute the graph's convolution, fastest first.
std::vector<std::byte> SerializeEngineDetails(std::span<const std::string> instances);

}  // namespace gridwise::hipdnn
