// SPDX-License-Identifier: MIT
#include "core/text/shell.h"

#include <sys/wait.h>

#include <array>
#include <cstddef>
#include <cstdio>

namespace gridwise {

ShellResult Shell(const std::string& command) {
  ShellResult result;
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    result.out.append(buffer.data(), n);
  }
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

}  // namespace gridwise
