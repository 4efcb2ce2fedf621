// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/arch/tensor_map_spec.h"
#include "core/cost/cost.h"
#include "core/launch/block_map.h"
#include "core/launch/kernel_needs.h"
#include "core/launch/launch_shape.h"
#include "tools/build/code_object.h"

/// The contents of a plan: kernel launches, as values.

namespace gridwise {

/// The kernel of a launch.
struct KernelCode {
  /// The code object with the kernel (bytes of an ELF), in static memory. Empty if the program was
  /// built without kernels for the target.
  std::string_view object;
  std::string symbol;
  KernelNeeds needs = {};  // as ReadKernelCode reads them; otherwise unknown
  /// Where the program may have the same kernel for several processors of the target: its table's
  /// code objects, and the shard. ObjectFor (code.h) chooses.
  CodeObjects objects = {};
  std::size_t shard = 0;
};

/// Device memory whose address a launch receives.
enum class Memory { kA, kB, kOut, kD0, kD1, kA1, kB1, kWorkspace, kTable };
inline constexpr std::size_t kMemories = 9;

/// Where a tensor is.
struct MemoryOffset {
  Memory memory;
  std::int64_t offset = 0;  // bytes from its start
};

/// Maximum bytes of a launch's arguments: the HIP API's own limit.
inline constexpr std::size_t kMaxArguments = 4096;

/// One launch, without addresses.
struct KernelLaunch {
  /// An address among the arguments: 8 bytes from byte `at` on.
  struct Address {
    std::size_t at;
    MemoryOffset points_to;
  };

  /// A tensor map among the arguments: 128 bytes from byte `at` on, a multiple of 64.
  struct Map {
    std::size_t at;
    MemoryOffset points_to;
    TensorMapSpec spec;
  };

  KernelCode code;
  LaunchShape shape;
  std::vector<std::byte> arguments;
  std::vector<Address> addresses;
  std::vector<Map> maps = {};
  // Byte offset of an 8-byte number that neither another launch has, nor the 255 numbers after it.
  std::optional<std::size_t> number_at = {};
  std::optional<BlockMap> map;  // for kernels that have one
};

/// The bytes of kernel arguments, for KernelLaunch.
template <class Args>
std::vector<std::byte> BytesOf(const Args& args) {
  static_assert(sizeof(Args) <= kMaxArguments, "HIP passes at most 4096 bytes of arguments");
  const auto bytes = std::as_bytes(std::span(&args, 1));
  return {bytes.begin(), bytes.end()};
}

/// The bytes of a table, for PartLaunch.
template <class Entry>
std::vector<std::byte> BytesOfTable(std::span<const Entry> table) {
  const auto bytes = std::as_bytes(table);
  return {bytes.begin(), bytes.end()};
}

/// D[m][n] = sum over k, for one group.
struct GemmShape {
  std::int64_t m, n, k;
  bool operator==(const GemmShape&) const = default;
};

/// How an instance computes a problem: launches in order, on memory of one stream.
struct LaunchPlan {
  std::vector<KernelLaunch> launches;
  std::vector<std::byte> table;  // Memory::kTable; on the device from Load on
  std::int64_t workspace_bytes = 0;
  std::int64_t tensor_bytes = 0;             // of the caller's tensors
  std::int64_t zero_at = 0, zero_bytes = 0;  // part of the workspace that must be zero at the start
  int splits = 1;                            // workgroups that share the K of a tile
  std::vector<GemmShape> gemms;              // for one group; those with k = 0 write zeros
  Cost cost;

  /// Appends `bytes` to the workspace and returns where they begin.
  std::int64_t Reserve(std::int64_t bytes);
};

}  // namespace gridwise
