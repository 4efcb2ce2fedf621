// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/arch/sync.h"
#include "core/arch/this_target.h"
#include "core/launch/apply_unary.h"
#include "core/launch/combine.h"
#include "core/passes/reduce_args.h"

namespace gridwise {

inline constexpr bool kAlignedVectors = TraitsOf(kThisTarget).aligned_vectors;

/// Bytes from the first element of the epilogue's tensor to the one at element `at` of the output.
GRIDWISE_DEVICE long OffsetInTensor(const ReduceArgs& args, int tensor, int at) {
  long offset = 0;
  for (int axis = 5; axis >= 0; --axis) {
    const int outer = static_cast<int>(Divide(at, args.by_size[axis]));
    offset += (at - outer * args.size[axis]) * args.tensor_stride[tensor][axis];
    at = outer;
  }
  return offset;
}

/// The value of element `at` of the output, given the sum of its splits.
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
  WithUnary(args.unary, args.unary_parameter, [&](auto unary) { v = unary(v); });
  return Clamp(epilogue, v);
}

/// kCount adjacent elements, loaded 16 bytes at a time on targets whose loads must be aligned.
template <class T, int kCount>
struct alignas(kAlignedVectors ? kCount * sizeof(T) : alignof(T)) Run {
  T of[kCount] = {};
};

/// The sums of `kCount` adjacent elements from `at` on over splits first, first + step, ... The
/// loads of several splits are in flight at a time.
template <int kCount>
GRIDWISE_DEVICE Run<float, kCount> SumSplits(const ReduceArgs& args, int at, int first, int step) {
  using Sums = Run<float, kCount>;
  Sums sums;
  for (; first < args.splits; first += kReduceAtATime * step) {
    Sums splits[kReduceAtATime];
    for (int i = 0; i < kReduceAtATime; ++i) {
      const int split = first + i * step;
      if (split < args.splits) {
        splits[i] = *reinterpret_cast<const Sums*>(args.partial + split * args.split_elements + at);
      }
    }
    for (int i = 0; i < kReduceAtATime; ++i) {
      for (int e = 0; e < kCount; ++e) sums.of[e] += splits[i].of[e];
    }
  }
  return sums;
}

/// Stores the final values of sums. A short launch waits for its code to arrive, so code that most
/// outputs do not need is out of line.
template <DataType kType, int kCount>
GRIDWISE_DEVICE void FinishRun(const ReduceArgs& args, int at, Run<float, kCount> sums) {
  const EpilogueArgs& epilogue = args.epilogue;
  if (epilogue.tensors != 0 || epilogue.clamps != 0 || epilogue.alpha != 1 ||
      args.unary != Unary::kNone) [[unlikely]] {
#pragma clang loop unroll(disable)
    for (int e = 0; e < kCount; ++e) sums.of[e] = FinishSum<kType>(args, at + e, sums.of[e]);
  }
  Run<Element<kType>, kCount> values;
  for (int e = 0; e < kCount; ++e) values.of[e] = static_cast<Element<kType>>(sums.of[e]);
  *reinterpret_cast<decltype(values)*>(static_cast<Element<kType>*>(epilogue.out) + at) = values;
}

/// Whether runs of elements are aligned to their size, if they must be.
GRIDWISE_DEVICE bool RunsAreAligned(const ReduceArgs& args) {
  if constexpr (!kAlignedVectors) return true;
  return args.split_elements % kReduceElements == 0 &&
         reinterpret_cast<unsigned long>(args.partial) % 16 == 0 &&
         reinterpret_cast<unsigned long>(args.epilogue.out) % 16 == 0;
}

/// The sums of a lane's elements from `at` on: a run of kReduceElements, or one by one those that
/// exist.
GRIDWISE_DEVICE Run<float, kReduceElements> SumLane(const ReduceArgs& args, int at, bool is_run,
                                                    int first, int step) {
  if (is_run) [[likely]] {
    return SumSplits<kReduceElements>(args, at, first, step);
  }
  Run<float, kReduceElements> sums;
  for (int e = 0; e < kReduceElements && at + e < args.elements; ++e) {
    sums.of[e] = SumSplits<1>(args, at + e, first, step).of[0];
  }
  return sums;
}

/// Stores the final values of a lane's sums.
template <DataType kType>
GRIDWISE_DEVICE void FinishLane(const ReduceArgs& args, int at, bool is_run,
                                Run<float, kReduceElements> sums) {
  if (is_run) [[likely]] {
    FinishRun<kType>(args, at, sums);
    return;
  }
  for (int e = 0; e < kReduceElements && at + e < args.elements; ++e) {
    FinishRun<kType, 1>(args, at + e, {{sums.of[e]}});
  }
}

/// out[i] = epilogue(sum over splits s of partial[s][i]). Splits are added in order, so the result
/// does not depend on which workgroup was first.
template <DataType kType>
GRIDWISE_DEVICE void ReduceTile(const ReduceArgs& args) {
  const int at = (BlockIdX() * kReduceThreads + ThreadId()) * kReduceElements;
  const bool is_run = at + kReduceElements <= args.elements && RunsAreAligned(args);
  FinishLane<kType>(args, at, is_run, SumLane(args, at, is_run, 0, 1));
}

/// The same for few elements with many splits: kSlices groups of lanes share the splits of an
/// element, each taking every kSlices-th one. The first group adds up their sums in order.
template <DataType kType, int kSlices = kReduceSlices>
GRIDWISE_DEVICE void SharedReduceTile(const ReduceArgs& args) {
  constexpr int kLanes = kReduceThreads / kSlices;
  using Sums = Run<float, kReduceElements>;
  GRIDWISE_LDS Vec<float, kReduceElements> of_slices[kSlices][kLanes];
  const int slice = ThreadId() / kLanes, lane = ThreadId() % kLanes;
  const int at = (BlockIdX() * kLanes + lane) * kReduceElements;
  const bool is_run = at + kReduceElements <= args.elements && RunsAreAligned(args);
  const Sums mine = SumLane(args, at, is_run, slice, kSlices);
  for (int e = 0; e < kReduceElements; ++e) of_slices[slice][lane][e] = mine.of[e];
  BarrierLds();
  if (slice > 0) return;
  Sums sums;
  for (int s = 0; s < kSlices; ++s) {
    for (int e = 0; e < kReduceElements; ++e) sums.of[e] += of_slices[s][lane][e];
  }
  FinishLane<kType>(args, at, is_run, sums);
}

}  // namespace gridwise
