// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>

#include "tools/gridwise/import/fuzz_reader.h"
#include "tools/gridwise/import/hlo.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return gridwise::FuzzLines(gridwise::HloReader(), data, size);
}
