// SPDX-License-Identifier: MIT
/// Traits as JSON, ours and the tile engine's, and lists of instances: what is printed reads as the
/// same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "tools/tune/builder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  if (const auto instances = ParseInstances(json); instances.ok()) {
    const auto again = ParseInstances(PrintInstances(instances->second, instances->first));
    CHECK_OK(again.status());
    CHECK(*again == *instances);
  }
  const absl::StatusOr<Built> built = BuildInstances(json, Gfx::k950, "", 500);
  if (!built.ok()) return 0;
  const auto again = ParseInstances(PrintInstances(built->instances, Gfx::k950));
  CHECK_OK(again.status());
  CHECK(again->second == built->instances);
  return 0;
}
