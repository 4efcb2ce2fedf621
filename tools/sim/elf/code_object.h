// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/sim/memory/memory.h"

namespace gridwise::sim {

/// One argument of a kernel, from the code object's metadata (LLVM AMDGPUUsage, "Code Object V5
/// Metadata").
struct KernelArg {
  std::string value_kind;  // "by_value", "global_buffer", "hidden_block_count_x", ...
  uint32_t offset;         // bytes from the start of the kernarg segment
  uint32_t size;           // bytes
};

/// What the kernel descriptor (LLVM AMDGPUUsage, "Kernel Descriptor") and the metadata say of a
/// kernel.
struct KernelInfo {
  std::string name;
  std::string shown_name;       // for people: ShownName(name)
  uint64_t descriptor_address;  // device addresses are host addresses
  uint64_t entry_address;
  uint64_t code_bytes;  // size of the kernel's own function, without those it calls
  uint32_t kernarg_bytes;
  uint32_t static_lds_bytes;
  uint32_t private_bytes;  // scratch of one work-item
  bool uses_dynamic_stack;
  uint32_t rsrc1, rsrc2, rsrc3;
  uint16_t properties;
  uint16_t kernarg_preload;
  std::vector<KernelArg> args;
  int wave_size;
  int vgprs;  // VGPRs and AGPRs of one work-item
  int agprs;  // AGPRs among them
  int sgprs;
  int vgpr_spills, sgpr_spills;  // registers that the compiler put into memory, or SGPRs into VGPRs
  uint32_t max_workgroup;        // work-items
};

/// A function or a variable of a code object.
struct Symbol {
  std::string name;
  uint64_t address;
  uint64_t bytes;
};

/// Executable code as it lies in memory.
struct CodeSection {
  uint64_t address;
  std::span<const std::byte> bytes;
};

/// An AMD GPU code object in memory: loaded, relocated and registered with a device's memory until
/// destroyed.
class CodeObject {
 public:
  /// Loads `image`: an ELF for `gfx` or the generic target of its family (any amdgcn-amd-amdhsa one
  /// when empty), or an offload bundle, compressed or not, that holds one. `memory` must outlive
  /// the result; `image` need not.
  static absl::StatusOr<std::unique_ptr<CodeObject>> Load(std::span<const std::byte> image,
                                                          Memory& memory,
                                                          std::string_view gfx = "");
  ~CodeObject();
  CodeObject(const CodeObject&) = delete;
  CodeObject& operator=(const CodeObject&) = delete;

  /// The device that it was loaded for, "gfx942".
  std::string_view gfx() const { return gfx_; }
  std::span<const KernelInfo> kernels() const { return kernels_; }
  std::span<const CodeSection> code() const { return code_; }

  /// The kernel called `name`; the error lists some of those there are.
  absl::StatusOr<const KernelInfo*> FindKernel(std::string_view name) const;
  /// The variable called `name`.
  absl::StatusOr<Symbol> FindGlobal(std::string_view name) const;
  /// The function that holds `pc`, or nullptr.
  const Symbol* FindFunction(uint64_t pc) const;

 private:
  CodeObject() = default;

  Memory* memory_ = nullptr;
  std::string gfx_;
  void* mapping_ = nullptr;  // the whole image, page aligned
  uint64_t mapping_bytes_ = 0;
  std::vector<void*> registered_;
  std::vector<CodeSection> code_;
  std::vector<KernelInfo> kernels_;
  absl::flat_hash_map<std::string_view, const KernelInfo*> kernel_by_name_;
  std::vector<Symbol> functions_;  // by address
  std::vector<Symbol> globals_;
};

/// The length of the ELF or offload bundle at `image`, which its own headers tell, for callers that
/// are given an address alone (hipModuleLoadData).
absl::StatusOr<std::span<const std::byte>> ImageExtent(const void* image);

/// The targets ("gfx942") that the offload bundle `image`, compressed or not, has code for.
absl::StatusOr<std::vector<std::string>> ImageTargets(std::span<const std::byte> image);

}  // namespace gridwise::sim
