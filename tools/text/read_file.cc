// SPDX-License-Identifier: MIT
#include "tools/text/read_file.h"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gridwise {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  // An iterator of the stream's buffer would throw where reading fails; peek notes it in the state.
  const bool is_empty = file && file.peek() == std::ifstream::traits_type::eof();
  if (file && !is_empty) bytes << file.rdbuf();
  if (!file.is_open() || file.bad() || bytes.fail())
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
  return std::move(bytes).str();
}

}  // namespace gridwise
