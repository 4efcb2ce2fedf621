// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/npy.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace gridwise {
namespace {

/// NumPy's names of element types. There are none for bf16 and 8-bit floats.
struct NpyType {
  DataType type;
  absl::string_view descr;
};
constexpr NpyType kNpyTypes[] = {{DataType::kF16, "<f2"},
                                 {DataType::kF32, "<f4"},
                                 {DataType::kI8, "|i1"},
                                 {DataType::kI32, "<i4"}};

constexpr absl::string_view kMagic("\x93NUMPY", 6);
constexpr int kHeaderAlignment = 64;
constexpr size_t kMaxAxes = 32;  // largest number of axes in NumPy 1
constexpr int64_t kMaxElements = int64_t{1} << 40;

absl::Status Malformed(absl::string_view path, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(path, " is not a usable .npy file: ", what));
}

/// The header's text and where the data start.
struct Preamble {
  absl::string_view header;
  size_t data_offset = 0;
};

absl::StatusOr<Preamble> SplitPreamble(absl::string_view path, absl::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic || bytes.size() < 10) {
    return Malformed(path, "it does not begin with NumPy's signature");
  }
  const int major = static_cast<unsigned char>(bytes[6]);
  if (major < 1 || major > 3)
    return Malformed(path, absl::StrCat("format version ", major, " is unknown"));
  const size_t length_bytes = major == 1 ? 2 : 4;
  const size_t start = 8 + length_bytes;
  if (bytes.size() < start) return Malformed(path, "it ends within its header");
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) {
    length |= static_cast<size_t>(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
  }
  if (bytes.size() - start < length) return Malformed(path, "it ends within its header");
  return Preamble{bytes.substr(start, length), start + length};
}

/// Returns the text after `'key':` in the header's Python dictionary, up to the value's end; empty
/// if there is none.
absl::string_view FindValue(absl::string_view header, absl::string_view key) {
  size_t at = header.find(absl::StrCat("'", key, "'"));
  if (at == absl::string_view::npos) return {};
  at = header.find(':', at + key.size() + 2);
  if (at == absl::string_view::npos) return {};
  absl::string_view value = absl::StripLeadingAsciiWhitespace(header.substr(at + 1));
  const size_t end = value.empty()     ? value.npos
                     : value[0] == '(' ? value.find(')')
                                       : value.find_first_of(",}");
  if (end == absl::string_view::npos) return {};
  return value.substr(0, value[0] == '(' ? end + 1 : end);
}

absl::StatusOr<std::vector<int64_t>> ParseShape(absl::string_view path, absl::string_view text) {
  if (text.size() < 2 || text.front() != '(') return Malformed(path, "its header has no shape");
  std::vector<int64_t> shape;
  int64_t elements = 1;
  for (absl::string_view part : absl::StrSplit(text.substr(1, text.size() - 2), ',')) {
    part = absl::StripAsciiWhitespace(part);
    if (part.empty()) continue;
    int64_t extent = 0;
    if (!absl::SimpleAtoi(part, &extent) || extent < 0 ||
        __builtin_mul_overflow(elements, extent, &elements) || elements > kMaxElements ||
        extent > kMaxElements) {
      return Malformed(path, absl::StrCat("its shape ", text, " has the extent '", part, "'"));
    }
    shape.push_back(extent);
  }
  if (shape.size() > kMaxAxes)
    return Malformed(path, absl::StrCat("it has ", shape.size(), " axes"));
  return shape;
}

}  // namespace

int64_t NpyArray::elements() const {
  int64_t product = 1;
  for (int64_t extent : shape) product *= extent;
  return product;
}

std::string ShapeToString(absl::Span<const int64_t> shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

absl::StatusOr<NpyArray> ParseNpy(absl::string_view path, absl::string_view bytes) {
  absl::StatusOr<Preamble> preamble = SplitPreamble(path, bytes);
  if (!preamble.ok()) return preamble.status();
  NpyArray array;
  const absl::string_view descr = FindValue(preamble->header, "descr");
  const auto* const type = std::find_if(
      std::begin(kNpyTypes), std::end(kNpyTypes),
      [&](const NpyType& known) { return descr == absl::StrCat("'", known.descr, "'"); });
  if (type == std::end(kNpyTypes)) {
    return Malformed(path, absl::StrCat("its element type is ", descr.empty() ? "missing" : descr,
                                        "; '<f2' (float16), '<f4' (float32), '|i1' (int8) and "
                                        "'<i4' (int32) are read"));
  }
  array.type = type->type;
  const absl::string_view order = FindValue(preamble->header, "fortran_order");
  if (order != "False") {
    return Malformed(path, order == "True"
                               ? "it is in Fortran order; save numpy.ascontiguousarray(array)"
                               : "its header has no fortran_order");
  }
  absl::StatusOr<std::vector<int64_t>> shape =
      ParseShape(path, FindValue(preamble->header, "shape"));
  if (!shape.ok()) return shape.status();
  array.shape = *std::move(shape);
  const absl::string_view data = bytes.substr(preamble->data_offset);
  const int64_t expected = array.elements() * SizeOf(array.type);
  if (static_cast<int64_t>(data.size()) != expected) {
    return Malformed(
        path, absl::StrCat("its shape ", ShapeToString(array.shape), " of ", Name(array.type),
                           " needs ", expected, " bytes of data and it has ", data.size()));
  }
  const auto* begin = reinterpret_cast<const std::byte*>(data.data());
  array.data.assign(begin, begin + data.size());
  return array;
}

absl::StatusOr<NpyArray> ReadNpy(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  // A folder can be opened, and reports an absurd size.
  if (size < 0 || size == std::numeric_limits<std::streamoff>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot read ", path, ": ", std::strerror(errno ? errno : EISDIR)));
  }
  std::string bytes(static_cast<size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), size))
    return absl::InvalidArgumentError(absl::StrCat("cannot read all of ", path));
  return ParseNpy(path, bytes);
}

std::string NpyHeader(const NpyArray& array) {
  std::string shape = absl::StrJoin(array.shape, ", ");
  if (array.shape.size() == 1) shape += ",";
  const auto* const type =
      std::find_if(std::begin(kNpyTypes), std::end(kNpyTypes),
                   [&](const NpyType& known) { return array.type == known.type; });
  std::string header = absl::StrCat("{'descr': '", type->descr,
                                    "', 'fortran_order': False, 'shape': (", shape, "), }");
  const size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((kHeaderAlignment - unpadded % kHeaderAlignment) % kHeaderAlignment, ' ');
  header += '\n';
  const char version_and_length[] = {1, 0, static_cast<char>(header.size() & 0xff),
                                     static_cast<char>(header.size() >> 8)};
  return absl::StrCat(kMagic, absl::string_view(version_and_length, 4), header);
}

absl::Status CheckWritable(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  const bool exists = access(path.c_str(), F_OK) == 0;
  if (access(exists ? path.c_str() : folder.c_str(), W_OK) == 0) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) return absl::OkStatus();
    errno = EISDIR;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
}

absl::Status WriteNpy(const std::string& path, const NpyArray& array) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const std::string header = NpyHeader(array);
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  file.write(reinterpret_cast<const char*>(array.data.data()),
             static_cast<std::streamsize>(array.data.size()));
  file.close();
  if (!file)
    return absl::InvalidArgumentError(
        absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
  return absl::OkStatus();
}

}  // namespace gridwise
