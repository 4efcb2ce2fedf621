// SPDX-License-Identifier: MIT
#include "tools/sim/elf/kernel_info.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/BinaryFormat/MsgPackReader.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/Error.h"
#include "tools/sim/elf/kernel_name.h"

namespace gridwise::sim {
namespace {

namespace msgpack = llvm::msgpack;

std::string String(msgpack::MapDocNode map, const char* key) {
  const auto found = map.find(key);
  if (found == map.end() || !found->second.isString()) return "";
  return found->second.getString().str();
}

uint64_t Number(msgpack::MapDocNode map, const char* key, uint64_t otherwise) {
  const auto found = map.find(key);
  if (found == map.end()) return otherwise;
  if (found->second.getKind() == msgpack::Type::UInt) return found->second.getUInt();
  if (found->second.getKind() == msgpack::Type::Boolean) return found->second.getBool();
  return otherwise;
}

absl::StatusOr<KernelMetadata> ReadKernel(msgpack::MapDocNode map) {
  KernelMetadata kernel = {};
  KernelInfo& info = kernel.info;
  info.name = String(map, ".name");
  info.shown_name = ShownName(info.name);
  kernel.symbol = String(map, ".symbol");
  if (info.name.empty() || kernel.symbol.empty()) {
    return absl::InvalidArgumentError("the metadata has a kernel without .name or .symbol");
  }
  info.wave_size = static_cast<int>(Number(map, ".wavefront_size", 64));
  if (info.wave_size != 32 && info.wave_size != 64) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "kernel %s: .wavefront_size is %d; must be 32 or 64", info.name, info.wave_size));
  }
  info.vgprs = static_cast<int>(Number(map, ".vgpr_count", 0));
  info.agprs = static_cast<int>(Number(map, ".agpr_count", 0));
  info.sgprs = static_cast<int>(Number(map, ".sgpr_count", 0));
  info.vgpr_spills = static_cast<int>(Number(map, ".vgpr_spill_count", 0));
  info.sgpr_spills = static_cast<int>(Number(map, ".sgpr_spill_count", 0));
  info.max_workgroup = static_cast<uint32_t>(Number(map, ".max_flat_workgroup_size", 1024));
  info.kernarg_bytes = static_cast<uint32_t>(Number(map, ".kernarg_segment_size", 0));
  info.static_lds_bytes = static_cast<uint32_t>(Number(map, ".group_segment_fixed_size", 0));
  info.private_bytes = static_cast<uint32_t>(Number(map, ".private_segment_fixed_size", 0));
  info.uses_dynamic_stack = Number(map, ".uses_dynamic_stack", 0) != 0;
  const auto args = map.find(".args");
  if (args == map.end() || !args->second.isArray()) return kernel;
  for (msgpack::DocNode& node : args->second.getArray()) {
    if (!node.isMap())
      return absl::InvalidArgumentError("the metadata of kernel " + info.name + " has a bad .args");
    msgpack::MapDocNode& arg = node.getMap();
    info.args.push_back({.value_kind = String(arg, ".value_kind"),
                         .offset = static_cast<uint32_t>(Number(arg, ".offset", 0)),
                         .size = static_cast<uint32_t>(Number(arg, ".size", 0))});
  }
  return kernel;
}

/// Whether `text` begins with a value that has no array or map as the key of a map. LLVM's Document
/// keeps maps in the order of their keys, and orders scalars alone.
bool HasScalarKeys(llvm::StringRef text) {
  struct Container {
    bool is_map;
    uint64_t values_left;  // of a map: keys count, too
  };
  std::vector<Container> open;
  msgpack::Reader reader(text);
  do {
    msgpack::Object value;
    llvm::Expected<bool> read = reader.read(value);
    if (!read) {
      llvm::consumeError(read.takeError());
      return false;
    }
    if (!*read) return false;
    const bool is_map = value.Kind == msgpack::Type::Map;
    const bool is_container = is_map || value.Kind == msgpack::Type::Array;
    if (!open.empty()) {
      const bool is_key = open.back().is_map && open.back().values_left % 2 == 0;
      if (is_key && is_container) return false;
      --open.back().values_left;
    }
    if (is_container) open.push_back({is_map, uint64_t{value.Length} * (is_map ? 2 : 1)});
    while (!open.empty() && open.back().values_left == 0) open.pop_back();
  } while (!open.empty());
  return true;
}

}  // namespace

absl::StatusOr<std::vector<KernelMetadata>> ReadMetadata(std::string_view msgpack) {
  const llvm::StringRef text(msgpack.data(), msgpack.size());
  msgpack::Document document;
  if (!HasScalarKeys(text) || !document.readFromBlob(text, /*Multi=*/false) ||
      !document.getRoot().isMap()) {
    return absl::InvalidArgumentError(
        "the code object's metadata note is not a msgpack map with scalars as keys");
  }
  std::vector<KernelMetadata> kernels;
  msgpack::MapDocNode& root = document.getRoot().getMap();
  const auto list = root.find("amdhsa.kernels");
  if (list == root.end() || !list->second.isArray()) return kernels;
  for (msgpack::DocNode& node : list->second.getArray()) {
    if (!node.isMap())
      return absl::InvalidArgumentError(
          "the metadata's amdhsa.kernels holds something else than maps");
    absl::StatusOr<KernelMetadata> kernel = ReadKernel(node.getMap());
    if (!kernel.ok()) return kernel.status();
    kernels.push_back(*std::move(kernel));
  }
  return kernels;
}

void ReadDescriptor(KernelInfo& info) {
  llvm::amdhsa::kernel_descriptor_t descriptor;
  static_assert(sizeof(descriptor) == 64);
  std::memcpy(&descriptor, reinterpret_cast<const void*>(info.descriptor_address),
              sizeof(descriptor));
  info.entry_address = info.descriptor_address + descriptor.kernel_code_entry_byte_offset;
  // Assembly often has these in the metadata alone, which is where the HIP runtime takes them from.
  info.kernarg_bytes = std::max(info.kernarg_bytes, descriptor.kernarg_size);
  info.static_lds_bytes = std::max(info.static_lds_bytes, descriptor.group_segment_fixed_size);
  info.private_bytes = std::max(info.private_bytes, descriptor.private_segment_fixed_size);
  info.rsrc1 = descriptor.compute_pgm_rsrc1;
  info.rsrc2 = descriptor.compute_pgm_rsrc2;
  info.rsrc3 = descriptor.compute_pgm_rsrc3;
  info.properties = descriptor.kernel_code_properties;
  info.kernarg_preload = descriptor.kernarg_preload;
}

}  // namespace gridwise::sim
