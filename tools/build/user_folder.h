// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <string>

namespace gridwise {

/// The folder that the user typed `bazel run` or `bazelw run` in, which paths on the command line
/// are relative to; empty if the program was started otherwise. bazelw says it itself where it was
/// called outside of any Bazel workspace: what Bazel then says is the folder of bazelw.
inline std::string UserFolder() {
  for (const char* name : {"BAZELW_WORKING_DIRECTORY", "BUILD_WORKING_DIRECTORY"}) {
    const char* folder = std::getenv(name);
    if (folder != nullptr && *folder != 0) return folder;
  }
  return "";
}

}  // namespace gridwise
