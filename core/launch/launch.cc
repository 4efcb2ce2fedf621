// SPDX-License-Identifier: MIT
#include "core/launch/launch.h"

#include "core/base/math.h"

namespace gridwise {

std::int64_t LaunchPlan::Reserve(std::int64_t bytes) {
  constexpr std::int64_t kAlignment = 256;  // of the workspace's parts
  const std::int64_t at = AlignUp(workspace_bytes, kAlignment);
  workspace_bytes = at + bytes;
  return at;
}

}  // namespace gridwise
