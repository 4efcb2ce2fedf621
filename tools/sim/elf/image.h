// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gridwise::sim {

/// Where SelectElf keeps what it had to decompress.
using ImageStorage = std::vector<std::byte>;

/// `image` itself when it is an ELF; when it is an offload bundle, compressed or not, the ELF in it
/// for `gfx` (its own rather than its family's), or the only one there is when `gfx` is empty. The
/// result points into `image` or `storage`.
absl::StatusOr<std::span<const std::byte>> SelectElf(std::span<const std::byte> image,
                                                     std::string_view gfx, ImageStorage& storage);

}  // namespace gridwise::sim
