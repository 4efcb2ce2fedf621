#include "tools/gridwise/tensors.h"

#include <cmath>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

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

/// `before`, one extent per spatial axis, `after`.
std::vector<int64_t> Around(std::vector<int64_t> before, const ConvProblem& problem,
                            int64_t (*extent)(const Dim&), std::vector<int64_t> after) {
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

}  // namespace

TensorShape InputShape(const ConvProblem& p) {
  return {Around({p.batch}, p, In, {p.c}), Around({p.batch}, p, In, {p.groups, p.c_per_group()})};
}

TensorShape WeightsShape(const ConvProblem& p) {
  return {Around({p.k}, p, Filter, {p.c_per_group()}),
          Around({p.groups, p.k_per_group()}, p, Filter, {p.c_per_group()})};
}

TensorShape OutputShape(const ConvProblem& p) {
  return {Around({p.batch}, p, Out, {p.k}), Around({p.batch}, p, Out, {p.groups, p.k_per_group()})};
}

std::vector<Half> RandomTensor(int64_t elements, uint64_t seed) {
  const uint64_t stream = SplitMix64(seed + 1);
  std::vector<Half> tensor(static_cast<size_t>(elements));
  for (size_t i = 0; i < tensor.size(); ++i) {
    const auto bits = static_cast<int32_t>(SplitMix64(stream + i) >> 40);  // 24 of them
    tensor[i] = Half(static_cast<float>(bits - (1 << 23)) * 0x1p-23f);
  }
  return tensor;
}

absl::StatusOr<std::vector<Half>> TensorFromNpy(absl::string_view path, const NpyArray& array,
                                                const TensorShape& shape) {
  if (array.shape != shape.merged && array.shape != shape.split) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " has the shape ", ShapeToString(array.shape), "; the problem needs ",
                     ShapeToString(shape.merged), " or ", ShapeToString(shape.split)));
  }
  std::vector<Half> tensor(static_cast<size_t>(array.elements()));
  if (array.type == DataType::kF16) {
    if (!tensor.empty()) std::memcpy(tensor.data(), array.data.data(), array.data.size());
    return tensor;
  }
  for (size_t i = 0; i < tensor.size(); ++i) {
    float value;
    std::memcpy(&value, array.data.data() + i * sizeof(value), sizeof(value));
    tensor[i] = Half(value);
    if (std::isfinite(value) && !std::isfinite(tensor[i].ToFloat())) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": element ", i, " is ", value, ", which float16 cannot hold"));
    }
  }
  return tensor;
}

NpyArray TensorToNpy(absl::Span<const Half> elements, std::vector<int64_t> shape, DataType type) {
  NpyArray array{.type = type, .shape = std::move(shape), .data = {}};
  array.data.resize(elements.size() * static_cast<size_t>(SizeOf(type)));
  if (elements.empty()) return array;
  if (type == DataType::kF16) {
    std::memcpy(array.data.data(), elements.data(), array.data.size());
  } else {
    std::memcpy(array.data.data(), ToFloat(elements).data(), array.data.size());
  }
  return array;
}

std::vector<float> ToFloat(absl::Span<const Half> elements) {
  std::vector<float> values(elements.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = elements[i].ToFloat();
  return values;
}

}  // namespace gridwise
