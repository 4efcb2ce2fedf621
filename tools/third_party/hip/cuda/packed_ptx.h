// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace gridwise::cuda {

/// The text of packed PTX (tools/build/private/pack_ptx.sh), empty if it is damaged; nothing where
/// `image` is something else.
std::optional<std::string> ExpandPtx(const void* image);

}  // namespace gridwise::cuda
