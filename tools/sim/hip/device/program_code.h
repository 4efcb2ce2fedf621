// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

/// The device code in the program itself, which decides what devices there are.

namespace gridwise::sim {

/// Adds a fat binary that the program registers before main (module/registration.h), and takes it
/// out again. Null is nothing.
void AddProgramCode(const void* bundle);
void RemoveProgramCode(const void* bundle);

/// The target that alone can execute all device code in the program itself, if there is just one;
/// else a processor that can, if no target does.
std::optional<std::string> OnlyTargetOfProgram();

}  // namespace gridwise::sim
