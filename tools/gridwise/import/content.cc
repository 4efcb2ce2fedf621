// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/content.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/ConvertUTF.h"

namespace gridwise {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{4} << 30;

absl::StatusOr<std::string> Inflate(std::string bytes) {
  z_stream stream = {};
  constexpr int kGzip = 16 + MAX_WBITS;
  if (inflateInit2(&stream, kGzip) != Z_OK) return absl::ResourceExhaustedError("no memory");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(bytes.size(), kMaxBytes - 1));
  std::string text;
  std::array<char, 1 << 16> buffer;
  int result = Z_OK;
  while (result == Z_OK && text.size() < kMaxBytes) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = buffer.size();
    result = inflate(&stream, Z_NO_FLUSH);
    text.append(buffer.data(), buffer.size() - stream.avail_out);
    // A file may have several parts, as `cat a.gz b.gz` makes one.
    const bool has_next =
        stream.avail_in >= 2 && stream.next_in[0] == 0x1f && stream.next_in[1] == 0x8b;
    if (result == Z_STREAM_END && has_next) result = inflateReset(&stream);
  }
  if (result == Z_STREAM_END) return text;
  if (result == Z_OK) return absl::InvalidArgumentError("it is larger than 4 GiB");
  return absl::InvalidArgumentError("it is compressed by gzip, and damaged or incomplete");
}

}  // namespace

absl::StatusOr<std::string> DecodeContent(std::string bytes) {
  if (bytes.starts_with("\x1f\x8b")) {
    absl::StatusOr<std::string> text = Inflate(std::move(bytes));
    if (!text.ok()) return text.status();
    bytes = *std::move(text);
  }
  if (bytes.starts_with("\xef\xbb\xbf")) return bytes.substr(3);
  if (!bytes.starts_with("\xff\xfe") && !bytes.starts_with("\xfe\xff")) return bytes;
  std::string text;
  if (bytes.size() % 2 == 0 &&
      llvm::convertUTF16ToUTF8String(llvm::ArrayRef<char>(bytes.data(), bytes.size()), text)) {
    return text;
  }
  return absl::InvalidArgumentError("its byte-order mark is that of UTF-16, and the text is not");
}

bool IsBinary(const std::string& content) {
  return std::ranges::any_of(content, [](char c) {
    constexpr char kEscape = 27;  // colors of logs
    return absl::ascii_iscntrl(c) && !absl::ascii_isspace(c) && c != kEscape;
  });
}

bool LooksLikeJson(const std::string& content) {
  const std::string_view text = absl::StripLeadingAsciiWhitespace(content);
  return text.starts_with('{') || text.starts_with('[');
}

}  // namespace gridwise
