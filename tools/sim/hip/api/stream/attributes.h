// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace gridwise::sim {

/// Ends the attributes of the stream with that number.
void ForgetAttributes(uint64_t stream);

}  // namespace gridwise::sim
