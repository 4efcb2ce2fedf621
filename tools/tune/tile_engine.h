// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "llvm/Support/JSON.h"

namespace gridwise {

/// The traits of Gridwise that a file of CK Tile's tile engine stands for.
struct TileEngineTraits {
  std::vector<llvm::json::Object> products;  // as BuildInstances reads them
  std::vector<std::string> unknown;          // pipelines that have no counterpart
};

/// Whether it is such a file: it has the key variant.
bool IsTileEngineFile(const llvm::json::Object& file);

/// {"variant": "forward", "trait_config": {"data_type": {"values": ["bf16"]}, "pipeline":
/// {"values":
/// ["compv3", "compv5"]}, ...}}: of the tile family, in the tile engine's own tiles and waves (of
/// CK's dispatcher, 2026) by the target's matrix instructions, with the traits that the file
/// allows; traits that it does not name are allowed. For traits that no config here has
/// (axes, two_stage, split_image, ...), only the form is checked. Errors: kInvalidArgument, naming
/// the key and the value.
absl::StatusOr<TileEngineTraits> ReadTileEngineFile(const llvm::json::Object& file, Gfx gfx);

}  // namespace gridwise
