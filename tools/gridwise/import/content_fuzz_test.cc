// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "tools/gridwise/import/content.h"

/// What was decoded is its own content, unless it was encoded twice.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise;
  const absl::StatusOr<std::string> content =
      DecodeContent(std::string(reinterpret_cast<const char*>(data), size));
  if (!content.ok()) {
    CHECK(!content.status().message().empty());
    return 0;
  }
  for (const char* const mark : {"\x1f\x8b", "\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"}) {
    if (content->starts_with(mark)) return 0;
  }
  CHECK(DecodeContent(*content).value() == *content);
  // For sanitizers: what Import asks next.
  CHECK(!(content->empty() && (IsBinary(*content) || LooksLikeJson(*content))));
  return 0;
}
