/// Storage types of tensors. Device-usable.
#pragma once

namespace gridwise {

/// Type of a tensor's elements in memory. Accumulation is a property of a kernel, not of a tensor.
enum class DataType : unsigned char { kF16, kBF16, kF32 };

inline constexpr DataType kAllDataTypes[] = {DataType::kF16, DataType::kBF16, DataType::kF32};

/// Bytes of one element.
constexpr int SizeOf(DataType type) { return type == DataType::kF32 ? 4 : 2; }

/// "f16", "bf16" or "f32".
constexpr const char* Name(DataType type) {
  switch (type) {
    case DataType::kF16:
      return "f16";
    case DataType::kBF16:
      return "bf16";
    case DataType::kF32:
      return "f32";
  }
  return "?";
}

}  // namespace gridwise
