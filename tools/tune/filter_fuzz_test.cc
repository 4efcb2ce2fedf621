// SPDX-License-Identifier: MIT
/// Filter expressions: what is read can be applied.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "tools/tune/config_space.h"
#include "tools/tune/filter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const ConfigSpace* const space : ConfigSpaces()) {
    const absl::StatusOr<Filter> filter = ParseFilter(text, space->traits());
    if (!filter.ok()) continue;
    ConfigSpace::Values values;
    for (const Trait& trait : space->traits()) values.push_back(trait.least);
    const bool first = (*filter)(values);
    CHECK((*filter)(values) == first);
  }
  return 0;
}
