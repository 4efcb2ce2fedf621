// SPDX-License-Identifier: MIT
#include "tools/third_party/hip/cuda/packed_ptx.h"

#include <cstddef>
#include <cstdio>
#include <cstring>

#include "zlib.h"

namespace gridwise::cuda {

std::optional<std::string> ExpandPtx(const void* image) {
  constexpr char kBegin[] = "packed PTX, ";
  const char* const text = static_cast<const char*>(image);
  if (std::strncmp(text, kBegin, sizeof(kBegin) - 1) != 0) return std::nullopt;
  unsigned packed_bytes = 0, bytes = 0;
  // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): numbers of our own build
  if (std::sscanf(text, "packed PTX, %u bytes of %u:", &packed_bytes, &bytes) != 2) return "";
  std::string expanded(bytes, '\0');
  z_stream stream = {};
  constexpr int kGzip = 16 + MAX_WBITS;  // zlib.h, inflateInit2
  if (inflateInit2(&stream, kGzip) != Z_OK) return "";
  const char* const packed = text + std::strlen(text) + 1;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed));
  stream.avail_in = packed_bytes;
  stream.next_out = reinterpret_cast<Bytef*>(expanded.data());
  stream.avail_out = bytes;
  const int result = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (result != Z_STREAM_END || stream.total_out != bytes) return "";
  return expanded;
}

}  // namespace gridwise::cuda
