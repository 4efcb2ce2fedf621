// SPDX-License-Identifier: MIT
#include "tools/sim/hip/device/unsupported.h"

#include <mutex>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"

namespace gridwise::sim {

int Unsupported(const char* name) {
  static auto* const mutex = new std::mutex;
  static auto* const said = new std::set<std::string>;
  {
    std::lock_guard lock(*mutex);
    if (!said->insert(name).second) return Report(hipErrorNotSupported);
  }
  return Report(hipErrorNotSupported,
                absl::StrCat(name, " is not supported; it returns hipErrorNotSupported"));
}

}  // namespace gridwise::sim
