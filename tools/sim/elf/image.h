#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"

namespace gridwise::sim {

/// `image` itself when it is an ELF; when it is an uncompressed offload bundle, the ELF in it for
/// `gfx`, or the only one there is when `gfx` is empty.
absl::StatusOr<std::span<const std::byte>> SelectElf(std::span<const std::byte> image,
                                                     std::string_view gfx);

}  // namespace gridwise::sim
