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

/// out[i] = epilogue(sum over splits s of partial[s][i]), an element per lane, the splits in order,
/// so that the result does not depend on which workgroup was first.
template <DataType kType>
GRIDWISE_DEVICE void ReduceTile(const ReduceArgs& args) {
  using Out = Element<kType>;
  const EpilogueArgs& epilogue = args.epilogue;
  const int at = BlockIdX() * kReduceThreads + ThreadId();
  if (at >= args.elements) return;
  float sum = 0;
  for (int split = 0; split < args.splits; ++split) {
    sum += args.partial[split * args.split_elements + at];
  }
  float v = epilogue.alpha * sum;
  for (int i = 0; i < epilogue.tensors; ++i) {
    const EpilogueTensorArgs& tensor = epilogue.tensor[i];
    const char* const d = static_cast<const char*>(tensor.data) + OffsetInTensor(args, i, at);
    v = Combine(tensor, v,
                tensor.is_f32 ? *reinterpret_cast<const float*>(d)
                              : static_cast<float>(*reinterpret_cast<const Out*>(d)));
  }
  static_cast<Out*>(epilogue.out)[at] = static_cast<Out>(Clamp(epilogue, v));
}

}  // namespace gridwise
