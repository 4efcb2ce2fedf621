// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "tools/sim/isa/bind/buffer_format.h"

namespace gridwise::sim {

/// The format of a tbuffer instruction from the text after "format:", as LLVM prints it:
/// [BUF_FMT_...] or a number on RDNA, [BUF_DATA_FORMAT_...,BUF_NUM_FORMAT_...] or one of both on
/// CDNA. Without text: 8-bit unsigned normalised. Nothing if it names no format.
std::optional<BufferFormat> ParseBufferFormat(std::optional<std::string_view> text);

}  // namespace gridwise::sim
