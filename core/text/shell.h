// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace gridwise {

struct ShellResult {
  int status = -1;  // exit status of the command; -1: ended by a signal, or could not be started
  std::string out;  // its stdout
};

/// Runs a command as a user would, for tests of programs.
ShellResult Shell(const std::string& command);

}  // namespace gridwise
