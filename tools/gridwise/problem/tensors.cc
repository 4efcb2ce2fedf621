// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/tensors.h"

#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/reference/elements.h"

namespace gridwise {
namespace {

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): a counter in,
// random bits out.
uint64_t SplitMix64(uint64_t counter) {
  uint64_t z = counter * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Sizes of axes outermost first: `before`, one extent per spatial axis, `after`.
std::vector<int64_t> Around(std::vector<int64_t> before, const ConvProblem& problem,
                            int64_t (*extent)(const Dim&), const std::vector<int64_t>& after) {
  for (size_t axis = problem.dims.size() - static_cast<size_t>(problem.rank);
       axis < problem.dims.size(); ++axis) {
    before.push_back(extent(problem.dims[axis]));
  }
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

int64_t In(const Dim& dim) { return dim.in; }
int64_t Filter(const Dim& dim) { return dim.filter; }
int64_t Out(const Dim& dim) { return dim.out(); }

/// Returns the shape of a tensor with a batch, pixels, and `channels` per group.
TensorShape ActivationShape(const ConvProblem& p, int64_t channels, int64_t (*pixels)(const Dim&)) {
  switch (p.layout) {
    case Layout::kNHWGC:
      return {Around({p.batch}, p, pixels, {p.groups * channels}),
              Around({p.batch}, p, pixels, {p.groups, channels})};
    case Layout::kGNHWC:
      return {Around({p.groups, p.batch}, p, pixels, {channels}),
              Around({p.groups, p.batch}, p, pixels, {channels})};
    case Layout::kNGCHW:
      return {Around({p.batch, p.groups * channels}, p, pixels, {}),
              Around({p.batch, p.groups, channels}, p, pixels, {})};
  }
  return {};
}

}  // namespace

TensorShape InputShape(const ConvProblem& p) { return ActivationShape(p, p.c_per_group(), In); }
TensorShape OutputShape(const ConvProblem& p) { return ActivationShape(p, p.k_per_group(), Out); }

TensorShape WeightsShape(const ConvProblem& p) {
  if (p.weight_layout == WeightLayout::kKYXGC) {
    return {Around({p.k_per_group()}, p, Filter, {p.c}),
            Around({p.k_per_group()}, p, Filter, {p.groups, p.c_per_group()})};
  }
  return {Around({p.k}, p, Filter, {p.c_per_group()}),
          Around({p.groups, p.k_per_group()}, p, Filter, {p.c_per_group()})};
}

std::vector<float> RandomTensor(DataType type, int64_t elements, uint64_t seed) {
  const uint64_t stream = SplitMix64(seed + 1);
  const float range = OperandRange(type);
  std::vector<float> tensor(static_cast<size_t>(elements));
  for (size_t i = 0; i < tensor.size(); ++i) {
    const auto bits = static_cast<int32_t>(SplitMix64(stream + i) >> 40);  // 24 of them
    tensor[i] = RoundTo(type, static_cast<float>(bits - (1 << 23)) * 0x1p-23f * range);
  }
  return tensor;
}

absl::StatusOr<std::vector<float>> TensorFromNpy(absl::string_view path, const NpyArray& array,
                                                 const TensorShape& shape, DataType type) {
  if (array.shape != shape.merged && array.shape != shape.split) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " has the shape ", ShapeToString(array.shape), "; the problem needs ",
                     ShapeToString(shape.merged), " or ", ShapeToString(shape.split)));
  }
  std::vector<float> tensor = Decode(array.type, array.data);
  for (size_t i = 0; i < tensor.size(); ++i) {
    const float value = tensor[i];
    tensor[i] = RoundTo(type, value);
    const bool integers = type == DataType::kI8;
    if (integers ? tensor[i] != value : std::isfinite(value) && !std::isfinite(tensor[i])) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": element ", i, " is ", value,
                                                     ", which ", Name(type), " cannot hold"));
    }
  }
  return tensor;
}

NpyArray TensorToNpy(DataType type, absl::Span<const std::byte> elements,
                     std::vector<int64_t> shape, DataType file_type) {
  NpyArray array = {.type = file_type, .shape = std::move(shape), .data = {}};
  if (file_type == type) {
    array.data.assign(elements.begin(), elements.end());
  } else {
    array.data = Encode(file_type, Decode(type, elements));
  }
  return array;
}

}  // namespace gridwise
