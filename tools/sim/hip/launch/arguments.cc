// SPDX-License-Identifier: MIT
#include "tools/sim/hip/launch/arguments.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"

namespace gridwise::sim {
namespace {

bool IsHidden(const KernelArg& arg) { return absl::StartsWith(arg.value_kind, "hidden_"); }

// The axis that a value kind's last letter names.
int Axis(std::string_view kind) { return kind.back() - 'x'; }

uint32_t GridDimensions(const Grid& grid) {
  for (int axis = 2; axis > 0; --axis) {
    if (grid.workgroups[axis] > 1 || grid.block[axis] > 1) return axis + 1;
  }
  return 1;
}

// Only full workgroups count (LLVM AMDGPUUsage, "hidden_block_count_x"). Global offsets are 0, and
// so are arguments for features that the simulator lacks.
uint64_t HiddenValue(std::string_view kind, const Grid& grid, const HiddenAddresses& addresses) {
  if (absl::StartsWith(kind, "hidden_block_count_"))
    return grid.workgroups[Axis(kind)] - (grid.remainder[Axis(kind)] != 0 ? 1 : 0);
  if (absl::StartsWith(kind, "hidden_remainder_")) return grid.remainder[Axis(kind)];
  if (absl::StartsWith(kind, "hidden_group_size_")) return grid.block[Axis(kind)];
  if (kind == "hidden_grid_dims") return GridDimensions(grid);
  if (kind == "hidden_dynamic_lds_size") return grid.dynamic_lds_bytes;
  if (kind == "hidden_multigrid_sync_arg") return addresses.grid_barrier;
  if (kind == "hidden_hostcall_buffer") return addresses.hostcall;
  if (kind == "hidden_heap_v1") return addresses.heap;
  if (kind == "hidden_printf_buffer") return addresses.printf_buffer;
  return 0;
}

}  // namespace

absl::StatusOr<std::vector<std::byte>> CopyExplicitArguments(const KernelInfo& kernel,
                                                             void** parameters,
                                                             std::span<const std::byte> packed) {
  std::vector<std::byte> kernarg(kernel.kernarg_bytes);
  size_t explicit_end = 0;
  for (size_t i = 0; i < kernel.args.size(); ++i) {
    const KernelArg& arg = kernel.args[i];
    if (uint64_t{arg.offset} + arg.size > kernarg.size()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("kernel %s: argument %u ends at byte %u of a segment of %u",
                          kernel.shown_name, i, arg.offset + arg.size, kernarg.size()));
    }
    if (IsHidden(arg)) continue;
    explicit_end = arg.offset + arg.size;
    if (parameters == nullptr) {
      if (arg.offset < packed.size() && packed.size() < explicit_end) {
        return absl::InvalidArgumentError(
            absl::StrFormat("kernel %s: argument %u ends at byte %u, and %u bytes were given",
                            kernel.shown_name, i, explicit_end, packed.size()));
      }
      continue;
    }
    if (parameters[i] == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrFormat("kernel %s: kernelParams[%u] is null", kernel.shown_name, i));
    }
    std::memcpy(kernarg.data() + arg.offset, parameters[i], arg.size);
  }
  if (parameters != nullptr) return kernarg;
  if (packed.empty() && explicit_end > 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("kernel %s: its explicit arguments take %u bytes, and none were given",
                        kernel.shown_name, explicit_end));
  }
  if (packed.size() < explicit_end) {
    // So do libraries launch kernels that do not look at their last arguments.
    static std::atomic_flag said;
    if (!said.test_and_set()) {
      std::fprintf(stderr,
                   "gridwise sim: note: kernel %s: its explicit arguments take %zu bytes, and %zu "
                   "were given; the others are 0\n",
                   kernel.shown_name.c_str(), explicit_end, packed.size());
    }
  }
  std::memcpy(kernarg.data(), packed.data(), std::min(explicit_end, packed.size()));
  return kernarg;
}

void FillHiddenArguments(const KernelInfo& kernel, const Grid& grid,
                         const HiddenAddresses& addresses, std::span<std::byte> kernarg) {
  for (const KernelArg& arg : kernel.args) {
    if (!IsHidden(arg)) continue;
    const uint64_t value = HiddenValue(arg.value_kind, grid, addresses);
    if (arg.size <= sizeof(value)) std::memcpy(kernarg.data() + arg.offset, &value, arg.size);
  }
}

std::vector<void*> PointersToArguments(const KernelInfo& kernel, std::span<std::byte> kernarg) {
  std::vector<void*> pointers;
  for (const KernelArg& arg : kernel.args) {
    if (!IsHidden(arg)) pointers.push_back(kernarg.data() + arg.offset);
  }
  return pointers;
}

}  // namespace gridwise::sim
