// SPDX-License-Identifier: MIT
#include "tools/third_party/hip/cuda/packed_ptx.h"

#include <lzma.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gridwise::cuda {

std::optional<std::string> ExpandPtx(const void* image) {
  constexpr char kBegin[] = "packed PTX, ";
  const char* const text = static_cast<const char*>(image);
  if (std::strncmp(text, kBegin, sizeof(kBegin) - 1) != 0) return std::nullopt;
  unsigned packed_bytes = 0, bytes = 0;
  // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): numbers of our own build
  if (std::sscanf(text, "packed PTX, %u bytes of %u:", &packed_bytes, &bytes) != 2) return "";
  std::string expanded(bytes, '\0');
  const char* const packed = text + std::strlen(text) + 1;
  std::uint64_t max_memory = std::uint64_t{64} << 20;
  std::size_t read = 0, written = 0;
  const lzma_ret result =
      lzma_stream_buffer_decode(&max_memory, /*flags=*/0, /*allocator=*/nullptr,
                                reinterpret_cast<const std::uint8_t*>(packed), &read, packed_bytes,
                                reinterpret_cast<std::uint8_t*>(expanded.data()), &written, bytes);
  if (result != LZMA_OK || written != bytes) return "";
  return expanded;
}

}  // namespace gridwise::cuda
