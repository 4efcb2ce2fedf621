// SPDX-License-Identifier: MIT
#pragma once

namespace gridwise::sim {

/// What an entry point that the simulator lacks returns: hipErrorNotSupported. Says on stderr, once
/// for each name, which it was.
int Unsupported(const char* name);

}  // namespace gridwise::sim
