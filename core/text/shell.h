#pragma once

#include <string>

namespace gridwise {

struct ShellResult {
  int status = -1;  // that the command ended with; -1: by a signal, or it could not be started
  std::string out;  // its stdout
};

/// Runs a command as a user does, for tests of programs.
ShellResult Shell(const std::string& command);

}  // namespace gridwise
