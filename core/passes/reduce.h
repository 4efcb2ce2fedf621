#pragma once

#include "core/arch/gpu.h"
#include "core/launch/combine.h"
#include "core/passes/reduce_args.h"

namespace gridwise {

/// Bytes of the epilogue's tensor from its first element to the one at element `at` of the output.
GRIDWISE_DEVICE long OffsetInTensor(const ReduceArgs& args, int tensor, int at) {
  long offset = 0;
  for (int axis = 5; axis >= 0; --axis) {
    const int outer = static_cast<int>(Divide(at, args.by_size[axis]));
    offset += (at - outer * args.size[axis]) * args.tensor_stride[tensor][axis];
    at = outer;
  }
  return offset;
}

/// The value of element `at` of the output, of whose splits `sum` is the sum.
template <DataType kType>
GRIDWISE_DEVICE float FinishSum(const ReduceArgs& args, int at, float sum) {
  const EpilogueArgs& epilogue = args.epilogue;
  float v = epilogue.alpha * sum;
  for (int i = 0; i < epilogue.tensors; ++i) {
    const EpilogueTensorArgs& tensor = epilogue.tensor[i];
    const char* const d = static_cast<const char*>(tensor.data) + OffsetInTensor(args, i, at);
    v = Combine(tensor, v,
                tensor.is_f32 ? *reinterpret_cast<const float*>(d)
                              : static_cast<float>(*reinterpret_cast<const Element<kType>*>(d)));
  }
  return Clamp(epilogue, v);
}

/// The same of `kCount` neighbouring elements from `at` on, whose splits it adds up. Some splits'
/// loads are under way at a time. A short launch waits for its code to arrive, so what most outputs
/// don't need is out of the way.
template <DataType kType, int kCount>
GRIDWISE_DEVICE void ReduceRun(const ReduceArgs& args, int at) {
  constexpr int kAtATime = 8;
  struct Sums {
    float of[kCount] = {};
  };
  Sums sums;
  for (int first = 0; first < args.splits; first += kAtATime) {
    Sums splits[kAtATime];
    for (int i = 0; i < kAtATime; ++i) {
      if (first + i < args.splits) {
        splits[i] =
            *reinterpret_cast<const Sums*>(args.partial + (first + i) * args.split_elements + at);
      }
    }
    for (int i = 0; i < kAtATime; ++i) {
      for (int e = 0; e < kCount; ++e) sums.of[e] += splits[i].of[e];
    }
  }
  const EpilogueArgs& epilogue = args.epilogue;
  if (epilogue.tensors != 0 || epilogue.clamps != 0 || epilogue.alpha != 1) [[unlikely]] {
#pragma clang loop unroll(disable)
    for (int e = 0; e < kCount; ++e) sums.of[e] = FinishSum<kType>(args, at + e, sums.of[e]);
  }
  struct Values {
    Element<kType> of[kCount];
  };
  Values values;
  for (int e = 0; e < kCount; ++e) values.of[e] = static_cast<Element<kType>>(sums.of[e]);
  *reinterpret_cast<Values*>(static_cast<Element<kType>*>(epilogue.out) + at) = values;
}

/// out[i] = epilogue(sum over splits s of partial[s][i]), the splits in order, so that the result
/// does not depend on which workgroup was first.
template <DataType kType>
GRIDWISE_DEVICE void ReduceTile(const ReduceArgs& args) {
  const int at = (BlockIdX() * kReduceThreads + ThreadId()) * kReduceElements;
  if (at + kReduceElements <= args.elements) [[likely]] {
    ReduceRun<kType, kReduceElements>(args, at);
  } else {
    for (int i = at; i < args.elements; ++i) ReduceRun<kType, 1>(args, i);
  }
}

}  // namespace gridwise
