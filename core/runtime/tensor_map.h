#pragma once

#include "absl/status/status.h"
#include "core/arch/tensor_map.h"
#include "core/arch/tensor_map_spec.h"

namespace gridwise {

/// Makes a map of `spec` at an address that SetAddress replaces. Host work; kUnimplemented where
/// the linked HIP library has no tensor maps.
absl::Status Encode(const TensorMapSpec& spec, TensorMap& map);

/// Makes `map` one of `tensor`, device memory aligned to 16 bytes. Allocates nothing.
absl::Status SetAddress(TensorMap& map, const void* tensor);

}  // namespace gridwise
