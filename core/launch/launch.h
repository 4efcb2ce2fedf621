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

/// What a plan consists of: launches of kernels, as values.

namespace gridwise {

/// Where a kernel is.
struct KernelCode {
  /// The code object that holds it (bytes of an ELF) in static memory; empty if the program was
  /// built without kernels for the target.
  std::string_view object;
  std::string symbol;
  KernelNeeds needs = {};  // as CodeOf reads them; else not known
};

/// Device memory that a launch is given the address of.
enum class Memory { kA, kB, kOut, kD0, kD1, kA1, kB1, kWorkspace, kTable };
inline constexpr std::size_t kMemories = 9;

/// Where a tensor is.
struct Place {
  Memory memory;
  std::int64_t offset = 0;  // bytes from its start
};

/// Bytes of a launch's arguments: the HIP API's own limit.
inline constexpr std::size_t kMaxArguments = 4096;

/// One launch, but for the addresses.
struct KernelLaunch {
  /// An address among the arguments: 8 bytes from byte `at` on.
  struct Address {
    std::size_t at;
    Place place;
  };

  /// A tensor map among the arguments: 128 bytes from byte `at` on, a multiple of 64.
  struct Map {
    std::size_t at;
    Place place;
    TensorMapSpec spec;
  };

  KernelCode code;
  LaunchShape shape;
  std::vector<std::byte> arguments;
  std::vector<Address> addresses;
  std::vector<Map> maps = {};
  // 8 bytes: a number; no other launch has it, or one of the 255 behind it.
  std::optional<std::size_t> number_at = {};
  std::optional<BlockMap> map;  // of kernels that have one
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

/// D[m][n] = sum over k, of one group.
struct GemmShape {
  std::int64_t m, n, k;
  bool operator==(const GemmShape&) const = default;
};

/// How an instance computes a problem: launches in their order, on memory that one stream gives
/// them.
struct LaunchPlan {
  std::vector<KernelLaunch> launches;
  std::vector<std::byte> table;  // Memory::kTable, which is on the device from the load on
  std::int64_t workspace_bytes = 0;
  std::int64_t tensor_bytes = 0;             // of the caller's tensors
  std::int64_t zero_at = 0, zero_bytes = 0;  // part of the workspace that must be zero at the start
  int splits = 1;                            // workgroups that share the K of a tile
  std::vector<GemmShape> gemms;              // of one group; those with k = 0 write zeros
  Cost cost;

  /// Appends `bytes` to the workspace and returns where they begin.
  std::int64_t Reserve(std::int64_t bytes);
};

}  // namespace gridwise
