// SPDX-License-Identifier: MIT
#pragma once

#include "absl/status/status.h"
#include "core/arch/tensor_map.h"
#include "core/arch/tensor_map_spec.h"

namespace gridwise {

/// Encodes a map of `spec` at an address that SetAddress replaces. Runs on the host. Returns
/// kUnimplemented if the linked HIP library has no tensor maps.
absl::Status Encode(const TensorMapSpec& spec, TensorMap& map);

/// Makes `map` point to `tensor`, device memory aligned to 16 bytes. Allocates nothing.
absl::Status SetAddress(TensorMap& map, const void* tensor);

}  // namespace gridwise
