// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>

#include "tools/gridwise/import/cudnn_log.h"
#include "tools/gridwise/import/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gridwise::FuzzLines(gridwise::CudnnLogReader(), data, size);
  return gridwise::FuzzLines(gridwise::CudnnFrontendReader(), data, size);
}
