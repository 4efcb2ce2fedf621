// SPDX-License-Identifier: MIT
#include "core/launch/plan_epilogue.h"

#include <cstddef>

#include "absl/strings/str_format.h"

namespace gridwise {

OutputStrides MakeStrides(Tensor tensor, const TensorAxes& axes, std::int64_t element_bytes) {
  OutputStrides strides = {};
  const auto bytes = [&](std::size_t axis) { return axes.stride[axis] * element_bytes; };
  const bool weights = tensor == Tensor::kW;
  for (std::size_t a = 0; a < 3; ++a) {
    strides.axis[a] = static_cast<int>(bytes(weights ? a + 2 : a + 1));
  }
  strides.column = static_cast<int>(bytes(5));
  strides.group = bytes(weights ? 0 : 4);
  if (!weights) {
    strides.image = bytes(0);
    return strides;
  }
  strides.row = static_cast<int>(bytes(1));
  strides.packed = axes.stride[4] == axes.size[5] * axes.stride[5] &&
                   axes.stride[3] == axes.size[4] * axes.stride[4] &&
                   axes.stride[2] == axes.size[3] * axes.stride[3];
  return strides;
}

EpilogueArgs MakeEpilogue(const ConvProblem& problem, const SplitK& split_k) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  const bool partial = split_k.partial_elements > 0;
  const auto by_element = [&](const OutputStrides& strides, std::int64_t bytes) {
    const bool adjacent = problem.out() != Tensor::kW || strides.packed != 0;
    return !adjacent || strides.column != bytes;
  };
  EpilogueArgs args = {};
  const DataType out_type = partial ? DataType::kF32 : problem.output_type();
  args.out_type = static_cast<int>(out_type);
  const std::int64_t out_bytes = SizeOf(out_type);
  args.strides = MakeStrides(problem.out(), axes, out_bytes);
  args.by_element = by_element(args.strides, out_bytes);
  args.alpha = 1;
  if (partial) {
    args.adds = split_k.adds;
    args.split_bytes =
        split_k.adds || split_k.has_fixup() ? 0 : split_k.partial_elements * out_bytes;
    return args;
  }
  const Epilogue& epilogue = problem.epilogue;
  args.alpha = static_cast<float>(epilogue.alpha);
  args.clamps = epilogue.clamps();
  args.low = static_cast<float>(epilogue.low);
  args.high = static_cast<float>(epilogue.high);
  args.tensors = epilogue.tensors;
  for (int i = 0; i < args.tensors; ++i) {
    const EpilogueTensor& d = epilogue.d[static_cast<std::size_t>(i)];
    EpilogueTensorArgs& tensor = args.tensor[i];
    tensor.strides =
        MakeStrides(problem.out(), {.size = axes.size, .stride = d.stride}, SizeOf(d.type));
    tensor.scale = static_cast<float>(d.scale);
    tensor.multiplies = d.op == EpilogueTensor::Op::kMultiply;
    tensor.is_f32 = d.type == DataType::kF32;
    tensor.by_element = by_element(tensor.strides, SizeOf(d.type));
  }
  return args;
}

std::vector<KernelLaunch::Address> EpilogueAddresses(std::size_t at, const EpilogueArgs& args,
                                                     const MemoryOffset& out,
                                                     const MemoryOffset (&d)[2]) {
  std::vector<KernelLaunch::Address> addresses = {{at + offsetof(EpilogueArgs, out), out}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(args.tensors); ++i) {
    addresses.push_back({at + offsetof(EpilogueArgs, tensor) + i * sizeof(EpilogueTensorArgs) +
                             offsetof(EpilogueTensorArgs, data),
                         d[i]});
  }
  return addresses;
}

std::vector<KernelLaunch::Address> EpilogueAddresses(std::size_t at, const EpilogueArgs& args) {
  return EpilogueAddresses(at, args, {Memory::kOut}, {{Memory::kD0}, {Memory::kD1}});
}

std::optional<Excess> TooLargeForEpilogue(const ConvProblem& problem, std::int64_t images,
                                          std::int64_t groups) {
  if (problem.epilogue.tensors == 0) return std::nullopt;
  const TensorAxes axes = problem.AxesOf(problem.out());
  const bool weights = problem.out() == Tensor::kW;
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    const EpilogueTensor& d = problem.epilogue.d[static_cast<std::size_t>(i)];
    const auto reach = [&](std::size_t axis, std::int64_t size) {
      return static_cast<double>(size - 1) * static_cast<double>(d.stride[axis]) * SizeOf(d.type);
    };
    // Offsets count over all but the groups of weights, and whole images.
    double positions = SizeOf(d.type) + (weights ? reach(4, axes.size[4]) + reach(5, axes.size[5])
                                                 : reach(0, images) + reach(1, axes.size[1]));
    for (const std::size_t axis : {2u, 3u}) positions += reach(axis, axes.size[axis]);
    const double channels = weights ? reach(1, axes.size[1]) : reach(5, groups * axes.size[5]);
    if (positions + channels < static_cast<double>(kOffsetLimit)) continue;
    const PartAxis channel = problem.out() == Tensor::kX ? PartAxis::kC : PartAxis::kK;
    return Excess{
        .reason = absl::StrFormat("a tile reaches over %.0f bytes of D%d; must be below %d",
                                  positions + channels, i, kOffsetLimit),
        .axis = weights || channels > positions ? channel
                : problem.batch > 1             ? PartAxis::kImages
                                                : PartAxis::kPixels};
  }
  return std::nullopt;
}

}  // namespace gridwise
