// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/text_file.h"

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "tools/gridwise/problem/problem_sets.h"
#include "tools/text/read_file.h"

namespace gridwise {

absl::StatusOr<std::string> ReadTextFile(const std::string& path) {
  return ReadFile(UserPath(path));
}

absl::Status WriteTextFile(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::fputs(text.c_str(), stdout);
    return absl::OkStatus();
  }
  std::ofstream file(UserPath(path), std::ios::binary);
  file << text << std::flush;
  if (!file) return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
  return absl::OkStatus();
}

}  // namespace gridwise
