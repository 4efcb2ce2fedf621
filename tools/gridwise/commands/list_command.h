// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/gridwise/cli/exit_code.h"

namespace gridwise {

/// The instances to list. Empty fields do not restrict the list.
struct InstanceFilter {
  std::string device;     // accepted by ParseTarget
  std::string direction;  // accepted by ParseDirectionWord, or "gemm"
  std::string family;
};

/// Prints "targets", "instances" or "problems", as `what` says; "" prints all three in short form.
/// "support" prints the table of supported problems, which is not available as JSON.
/// `program` is argv[0]. `json` selects machine-readable output.
ExitCode ListCommand(const std::string& what, const InstanceFilter& filter,
                     const std::string& problem_sets, const std::string& program, bool json);

}  // namespace gridwise
