// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/hopper.h"
#include "core/launch/combine.h"
#include "core/launch/output_type.h"
#include "hopper/simt/config.h"
#include "hopper/simt/term.h"

/// The epilogue of SIMT kernels: where a sum goes, and what is done to it on the way.

namespace gridwise::hopper {

/// Bytes of a row's pixel (in backward-weight: k) and a column in a tensor of the output's shape.
template <SimtConfig kC>
GRIDWISE_DEVICE long OffsetOf(const OutputStrides& strides, int group, int row, const Index3& pixel,
                              int column, const Index3& tap, int channel) {
  constexpr bool kWeight = kC.direction == Direction::kBackwardWeight;
  const Index3& index = kWeight ? tap : pixel;
  long bytes =
      group * strides.group + static_cast<long>(kWeight ? channel : column) * strides.column;
  bytes += kWeight ? static_cast<long>(row) * strides.row : pixel.outer * strides.image;
#pragma unroll
  for (int i = 0; i < 3; ++i) bytes += static_cast<long>(index.at[i]) * strides.axis[i];
  return bytes;
}

template <DataType kType>
GRIDWISE_DEVICE float ReadFloat(const char* from, bool is_f32) {
  return is_f32 ? *reinterpret_cast<const float*>(from)
                : static_cast<float>(*reinterpret_cast<const Element<kType>*>(from));
}

/// Finishes a sum of products of kType and stores it; `at(strides)` is its offset in a tensor of
/// the output's shape.
template <DataType kType>
GRIDWISE_DEVICE void StoreSum(const EpilogueArgs& args, int split, Element<SumType(kType)> sum,
                              auto&& at) {
  char* const to = static_cast<char*>(args.out) + split * args.split_bytes + at(args.strides);
  if constexpr (SumType(kType) == DataType::kI32) {
    if (args.out_type == static_cast<int>(DataType::kI32)) {
      *reinterpret_cast<int*>(to) = sum;
      return;
    }
  }
  if (args.adds) {
    AddTo(reinterpret_cast<float*>(to), static_cast<float>(sum));
    return;
  }
  float v = args.alpha * static_cast<float>(sum);
  WithFloatOutput<kType>(args.out_type, [&]<DataType kOut>() {
    for (int i = 0; i < args.tensors; ++i) {
      const EpilogueTensorArgs& tensor = args.tensor[i];
      const char* const from = static_cast<const char*>(tensor.data) + at(tensor.strides);
      v = Combine(tensor, v, ReadFloat<kOut>(from, tensor.is_f32));
    }
    *reinterpret_cast<Element<kOut>*>(to) = static_cast<Element<kOut>>(Clamp(args, v));
  });
}

}  // namespace gridwise::hopper
