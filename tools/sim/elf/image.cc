// SPDX-License-Identifier: MIT
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
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/OffloadBundle.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/isa/target.h"

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

// The target of an entry with its features, "gfx942:sramecc+:xnack-"; "" if it is the host's.
std::string_view TargetId(std::string_view id) {
  const size_t triple = id.find("amdgcn-amd-amdhsa-");
  const size_t name = triple == std::string_view::npos ? triple : id.find("gfx", triple);
  return name == std::string_view::npos ? std::string_view() : id.substr(name);
}

std::string_view Target(std::string_view id) {
  const std::string_view target = TargetId(id);
  return target.substr(0, target.find(':'));
}

// How well an entry's features suit the devices, which have sramecc and not xnack; any would do: of
// the two none changes how a program that runs on the simulator behaves.
// The device's own code is better than its family's.
int Fitness(std::string_view id, std::string_view gfx) {
  const std::string_view target = TargetId(id);
  const auto has = [&](std::string_view feature) {
    return target.find(feature) != std::string_view::npos;
  };
  return (Target(id) == gfx ? 4 : 0) + (has(":xnack+") ? 0 : 2) + (has(":sramecc-") ? 0 : 1);
}

llvm::StringRef ToLlvm(std::span<const std::byte> data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

// Unpacks a compressed bundle (clang's "CCOB": zlib or zstd).
absl::Status Decompress(std::span<const std::byte> image, ImageStorage& storage) {
  const auto buffer = llvm::MemoryBuffer::getMemBuffer(ToLlvm(image), "bundle",
                                                       /*RequiresNullTerminator=*/false);
  auto bundle = llvm::object::CompressedOffloadBundle::decompress(*buffer);
  if (!bundle) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the compressed offload bundle of %u bytes cannot be unpacked: %s",
                        image.size(), llvm::toString(bundle.takeError())));
  }
  const llvm::StringRef bytes = (*bundle)->getBuffer();
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  storage.assign(begin, begin + bytes.size());
  return absl::OkStatus();
}

// Only the header: callers need not know how long the bundle is.
absl::StatusOr<std::span<const std::byte>> CompressedExtent(const std::byte* image) {
  constexpr size_t kHeaderBytes = 32;
  auto header = llvm::object::CompressedOffloadBundle::CompressedBundleHeader::tryParse(
      ToLlvm({image, kHeaderBytes}));
  if (!header) {
    return absl::InvalidArgumentError("the compressed offload bundle's header is not valid: " +
                                      llvm::toString(header.takeError()));
  }
  if (!header->FileSize) {
    return absl::UnimplementedError(absl::StrFormat(
        "the compressed offload bundle is of version %u, which does not tell its length",
        header->Version));
  }
  return std::span(image, *header->FileSize);
}

}  // namespace

absl::StatusOr<std::span<const std::byte>> SelectElf(std::span<const std::byte> image,
                                                     std::string_view gfx, ImageStorage& storage) {
  if (StartsWith(image, kElfMagic)) return image;
  if (StartsWith(image, kCompressedMagic)) {
    if (absl::Status status = Decompress(image, storage); !status.ok()) return status;
    image = storage;
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
    const std::string_view target = Target(entry.id);
    if (!target.empty() && (gfx.empty() || RunsCodeFor(gfx, target))) matches.push_back(&entry);
  }
  if (matches.empty() || (gfx.empty() && matches.size() != 1)) {
    const std::string wanted = gfx.empty() ? "an AMD GPU" : std::string(gfx);
    return absl::NotFoundError(absl::StrFormat(
        "the offload bundle holds %u code objects for %s, and needs one; it has: %s",
        matches.size(), wanted, absl::StrJoin(ids, ", ")));
  }
  const BundleEntry& entry = **std::max_element(
      matches.begin(), matches.end(),
      [&](const auto* a, const auto* b) { return Fitness(a->id, gfx) < Fitness(b->id, gfx); });
  if (entry.offset > image.size() || entry.bytes > image.size() - entry.offset) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the offload bundle is truncated: its entry %s ends at byte %u of %u",
                        entry.id, entry.offset + entry.bytes, image.size()));
  }
  return image.subspan(entry.offset, entry.bytes);
}

absl::StatusOr<std::vector<std::string>> ImageTargets(std::span<const std::byte> image) {
  ImageStorage storage;
  if (StartsWith(image, kCompressedMagic)) {
    absl::StatusOr<std::span<const std::byte>> extent = CompressedExtent(image.data());
    if (!extent.ok()) return extent.status();
    if (absl::Status status = Decompress(*extent, storage); !status.ok()) return status;
    image = storage;
  }
  std::vector<std::string> targets;
  if (!StartsWith(image, kBundleMagic)) return targets;
  const absl::StatusOr<std::vector<BundleEntry>> entries = ReadBundle(image);
  if (!entries.ok()) return entries.status();
  for (const BundleEntry& entry : *entries) {
    const std::string_view target = Target(entry.id);
    if (!target.empty() && std::find(targets.begin(), targets.end(), target) == targets.end())
      targets.emplace_back(target);
  }
  return targets;
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
  if (std::memcmp(image, kCompressedMagic.data(), kCompressedMagic.size()) == 0)
    return CompressedExtent(bytes);
  if (std::memcmp(image, kBundleMagic.data(), kBundleMagic.size()) != 0)
    return absl::InvalidArgumentError("the image is neither an ELF nor an offload bundle");
  const absl::StatusOr<std::vector<BundleEntry>> entries = ReadBundle(unbounded);
  if (!entries.ok()) return entries.status();
  for (const BundleEntry& entry : *entries) end = std::max(end, entry.offset + entry.bytes);
  return std::span(bytes, end);
}

}  // namespace gridwise::sim
