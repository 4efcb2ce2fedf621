#include "tools/sim/elf/image.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "llvm/BinaryFormat/ELF.h"
#include "tools/sim/elf/code_object.h"

namespace gridwise::sim {
namespace {

constexpr std::string_view kElfMagic =
    "\x7f"
    "ELF";
// Layout of a bundle (clang's ClangOffloadBundler documentation): the magic, a u64 count, then for
// each entry u64 offset, u64 size, u64 length of its id, the id.
constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedMagic = "CCOB";
constexpr uint64_t kMaxEntries = 4096;  // a bundle with more is taken for garbage

struct BundleEntry {
  std::string
      id;  // "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", "host-x86_64-unknown-linux--"
  uint64_t offset;
  uint64_t bytes;
};

bool StartsWith(std::span<const std::byte> data, std::string_view magic) {
  return data.size() >= magic.size() && std::memcmp(data.data(), magic.data(), magic.size()) == 0;
}

absl::StatusOr<std::vector<BundleEntry>> ReadBundle(std::span<const std::byte> data) {
  uint64_t at = kBundleMagic.size();
  const auto read = [&](uint64_t* value) {
    if (data.size() < at + sizeof(*value)) return false;
    std::memcpy(value, data.data() + at, sizeof(*value));
    at += sizeof(*value);
    return true;
  };
  const auto truncated =
      absl::InvalidArgumentError("the offload bundle is truncated within its table of entries");
  uint64_t count;
  if (!read(&count)) return truncated;
  if (count > kMaxEntries) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the offload bundle claims %u entries", count));
  }
  std::vector<BundleEntry> entries(count);
  for (BundleEntry& entry : entries) {
    uint64_t id_bytes;
    if (!read(&entry.offset) || !read(&entry.bytes) || !read(&id_bytes) ||
        id_bytes > data.size() - at) {
      return truncated;
    }
    entry.id.assign(reinterpret_cast<const char*>(data.data()) + at, id_bytes);
    at += id_bytes;
  }
  return entries;
}

// Whether a bundle entry is device code for `gfx` (any when empty). Features after the ':' are not
// compared: of sramecc and xnack none changes how a program that runs on the simulator behaves.
bool Matches(std::string_view id, std::string_view gfx) {
  const size_t triple = id.find("amdgcn-amd-amdhsa-");
  if (triple == std::string_view::npos) return false;
  if (gfx.empty()) return true;
  const size_t name = id.find("gfx", triple);
  return name != std::string_view::npos && id.substr(name, id.find(':', name) - name) == gfx;
}

}  // namespace

absl::StatusOr<std::span<const std::byte>> SelectElf(std::span<const std::byte> image,
                                                     std::string_view gfx) {
  if (StartsWith(image, kElfMagic)) return image;
  if (StartsWith(image, kCompressedMagic)) {
    return absl::UnimplementedError(
        "the image is a compressed offload bundle; compile with -no-offload-compress to get one "
        "that can be read");
  }
  if (!StartsWith(image, kBundleMagic)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "the image of %u bytes is neither an ELF nor an offload bundle", image.size()));
  }
  const absl::StatusOr<std::vector<BundleEntry>> entries = ReadBundle(image);
  if (!entries.ok()) return entries.status();
  std::vector<std::string> ids;
  std::vector<const BundleEntry*> matches;
  for (const BundleEntry& entry : *entries) {
    ids.push_back(entry.id);
    if (Matches(entry.id, gfx)) matches.push_back(&entry);
  }
  const std::string wanted = gfx.empty() ? "an AMD GPU" : std::string(gfx);
  if (matches.size() != 1) {
    return absl::NotFoundError(absl::StrFormat(
        "the offload bundle holds %u code objects for %s, and needs one; it has: %s",
        matches.size(), wanted, absl::StrJoin(ids, ", ")));
  }
  const BundleEntry& entry = *matches.front();
  if (entry.offset > image.size() || entry.bytes > image.size() - entry.offset) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the offload bundle is truncated: its entry %s ends at byte %u of %u",
                        entry.id, entry.offset + entry.bytes, image.size()));
  }
  return image.subspan(entry.offset, entry.bytes);
}

absl::StatusOr<std::span<const std::byte>> ImageExtent(const void* image) {
  if (image == nullptr) return absl::InvalidArgumentError("the image is a null pointer");
  const auto* bytes = static_cast<const std::byte*>(image);
  const std::span<const std::byte> unbounded(bytes, std::numeric_limits<uint32_t>::max());
  uint64_t end = 0;
  if (std::memcmp(image, kElfMagic.data(), kElfMagic.size()) == 0) {
    llvm::ELF::Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof(header));
    end = std::max<uint64_t>(sizeof(header),
                             header.e_shoff + uint64_t{header.e_shnum} * header.e_shentsize);
    for (uint64_t i = 0; i < header.e_phnum; ++i) {
      llvm::ELF::Elf64_Phdr segment;
      std::memcpy(&segment, bytes + header.e_phoff + i * header.e_phentsize, sizeof(segment));
      end = std::max<uint64_t>(end, segment.p_offset + segment.p_filesz);
    }
    return std::span(bytes, end);
  }
  if (std::memcmp(image, kBundleMagic.data(), kBundleMagic.size()) != 0) {
    return absl::InvalidArgumentError(
        "the image is neither an ELF nor an uncompressed offload bundle");
  }
  const absl::StatusOr<std::vector<BundleEntry>> entries = ReadBundle(unbounded);
  if (!entries.ok()) return entries.status();
  for (const BundleEntry& entry : *entries) end = std::max(end, entry.offset + entry.bytes);
  return std::span(bytes, end);
}

}  // namespace gridwise::sim
