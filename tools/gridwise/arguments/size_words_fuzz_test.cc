// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/log/check.h"
#include "tools/gridwise/arguments/size_words.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto layer = gridwise::ReadLayer(text);
  if (!layer.ok()) {
    CHECK(!layer.status().message().empty());
    return 0;
  }
  if (!*layer) return 0;
  for (const std::string& flag : (*layer)->flags) {
    CHECK(flag.starts_with("--") && flag.find('=') != flag.npos);
  }
  return 0;
}
