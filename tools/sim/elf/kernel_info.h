// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/sim/elf/code_object.h"

namespace gridwise::sim {

/// The kernels that the msgpack metadata of a code object (its NT_AMDGPU_METADATA note) describes.
/// Only what the metadata holds is filled in. `symbol` ("<name>.kd") leads to the kernel
/// descriptor.
struct KernelMetadata {
  KernelInfo info;
  std::string symbol;
};
absl::StatusOr<std::vector<KernelMetadata>> ReadMetadata(std::string_view msgpack);

/// Fills in what the 64-byte kernel descriptor at info.descriptor_address says.
void ReadDescriptor(KernelInfo& info);

}  // namespace gridwise::sim
