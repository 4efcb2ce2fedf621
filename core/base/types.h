// SPDX-License-Identifier: MIT
/// Storage types of tensors. Device-usable.
#pragma once

namespace gridwise {

/// Type of a tensor's elements in memory. Accumulation is a property of a kernel, not of a tensor.
///
/// The 8-bit floating-point types come in two variants, which are different types: those of the
/// Open Compute Project (OCP, "8-bit floating point specification", 2023), and FNUZ ("finite, NaN
/// is the code of negative zero"), whose exponent bias is larger by one.
enum class DataType : unsigned char {
  kF16,
  kBF16,
  kF32,
  kI8,
  kF8E4M3,      ///< OCP: 4 bits of exponent, 3 of mantissa, no infinities
  kF8E4M3Fnuz,  ///< FNUZ: 4 and 3, no infinities
  kI32,         ///< only for outputs
  kF8E5M2,      ///< OCP: 5 and 2, with infinities
  kF8E5M2Fnuz,  ///< FNUZ: 5 and 2, no infinities
  kTF32,        ///< only for operands: f32 that are rounded to 10 bits of mantissa as they are
                ///< multiplied
};

inline constexpr DataType kAllDataTypes[] = {
    DataType::kF16,    DataType::kBF16,       DataType::kF32,    DataType::kI8,
    DataType::kF8E4M3, DataType::kF8E4M3Fnuz, DataType::kF8E5M2, DataType::kF8E5M2Fnuz,
    DataType::kI32,    DataType::kTF32};

/// Bytes of one element.
constexpr int SizeOf(DataType type) {
  switch (type) {
    case DataType::kF32:
    case DataType::kI32:
    case DataType::kTF32:
      return 4;
    case DataType::kF16:
    case DataType::kBF16:
      return 2;
    case DataType::kI8:
    case DataType::kF8E4M3:
    case DataType::kF8E4M3Fnuz:
    case DataType::kF8E5M2:
    case DataType::kF8E5M2Fnuz:
      break;
  }
  return 1;
}

/// Whether it is one of the 8-bit floating-point types.
constexpr bool IsFloat8(DataType type) { return SizeOf(type) == 1 && type != DataType::kI8; }

/// The type's name; that of an 8-bit float is the one that ML compilers use.
constexpr const char* Name(DataType type) {
  switch (type) {
    case DataType::kF16:
      return "f16";
    case DataType::kBF16:
      return "bf16";
    case DataType::kF32:
      return "f32";
    case DataType::kI8:
      return "i8";
    case DataType::kF8E4M3:
      return "f8e4m3fn";
    case DataType::kF8E4M3Fnuz:
      return "f8e4m3fnuz";
    case DataType::kF8E5M2:
      return "f8e5m2";
    case DataType::kF8E5M2Fnuz:
      return "f8e5m2fnuz";
    case DataType::kI32:
      return "i32";
    case DataType::kTF32:
      return "tf32";
  }
  return "?";
}

/// The type of the elements in memory, which differs for tf32.
constexpr DataType StoredType(DataType type) {
  return type == DataType::kTF32 ? DataType::kF32 : type;
}

/// Type of the sums of products of two elements of `type`.
constexpr DataType SumType(DataType type) {
  return type == DataType::kI8 ? DataType::kI32 : DataType::kF32;
}

/// Whether sums of products of two elements of `type` can be written as `out`: as the type itself
/// if it is a floating-point type of more than 8 bits, and as f32; for i8 also as i32, and for
/// 8-bit floats also as f16 and bf16. tf32 is no output.
constexpr bool CanOutput(DataType type, DataType out) {
  if (out == DataType::kF32) return true;
  if (type == DataType::kI8) return out == DataType::kI32;
  return SizeOf(type) == 1 ? out == DataType::kF16 || out == DataType::kBF16
                           : out == StoredType(type);
}

}  // namespace gridwise
