// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/tensor_convolution.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/base/types.h"

namespace gridwise {
namespace {

using Numbers = std::vector<std::int64_t>;

std::optional<DataType> ParseType(std::string_view name) {
  // Traces of PyTorch, its programs, cuDNN, hipDNN.
  constexpr std::pair<std::string_view, DataType> kTypes[] = {
      {"float", DataType::kF32},       {"f32", DataType::kF32},
      {"FLOAT", DataType::kF32},       {"c10::Half", DataType::kF16},
      {"f16", DataType::kF16},         {"HALF", DataType::kF16},
      {"half", DataType::kF16},        {"c10::BFloat16", DataType::kBF16},
      {"bf16", DataType::kBF16},       {"BFLOAT16", DataType::kBF16},
      {"bfloat16", DataType::kBF16},   {"INT8", DataType::kI8},
      {"int8", DataType::kI8},         {"FP8_E4M3", DataType::kF8E4M3},
      {"fp8_e4m3", DataType::kF8E4M3}, {"FP8_E5M2", DataType::kF8E5M2},
      {"fp8_e5m2", DataType::kF8E5M2}};
  for (const auto& [known, type] : kTypes) {
    if (known == name) return type;
  }
  return std::nullopt;
}

/// Whether a tensor is packed with channels last. One that is packed both ways, since some sizes
/// are 1, is.
bool IsChannelsLast(const LogicalTensor& tensor) {
  const Numbers &sizes = tensor.sizes, &strides = tensor.strides;
  if (sizes.size() < 3 || strides.size() != sizes.size()) return false;
  std::vector<std::size_t> order = {1};  // innermost first
  for (std::size_t axis = sizes.size() - 1; axis >= 2; --axis) order.push_back(axis);
  order.push_back(0);
  double stride = 1;
  for (const std::size_t axis : order) {
    if (sizes[axis] != 1 && static_cast<double>(strides[axis]) != stride) return false;
    stride *= static_cast<double>(sizes[axis]);
  }
  return true;
}

absl::Status CheckSizes(const TensorConvolution& convolution) {
  const std::size_t dimensions = convolution.w.sizes.size();
  const std::size_t of_y = convolution.y.sizes.size();
  if (convolution.x.sizes.size() != dimensions || (of_y != 0 && of_y != dimensions) ||
      dimensions < 3 || dimensions > 5) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the tensors have %d and %d dimensions; must have 3, 4 or 5, as many each",
                        convolution.x.sizes.size(), dimensions));
  }
  for (const LogicalTensor* const tensor : {&convolution.x, &convolution.w, &convolution.y}) {
    for (const std::int64_t size : tensor->sizes) {
      if (size < 0 || size > kMaxImportedNumber) {
        return absl::InvalidArgumentError(
            absl::StrFormat("a size is %d; must be 0 to %d", size, kMaxImportedNumber));
      }
    }
  }
  return absl::OkStatus();
}

/// One number for each of `rank` axes.
absl::StatusOr<Numbers> PerAxis(std::string_view what, Numbers numbers, std::size_t rank) {
  if (numbers.size() == 1) numbers.resize(rank, numbers.front());
  const bool in_range = std::ranges::all_of(numbers, [](std::int64_t number) {
    return number >= -kMaxImportedNumber && number <= kMaxImportedNumber;
  });
  if (numbers.size() == rank && in_range) return numbers;
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is '%s'; must have %d numbers of at most %d", what,
                      absl::StrJoin(numbers, ", "), rank, kMaxImportedNumber));
}

/// Sets the axes but for their sizes of x.
absl::Status SetAxes(const TensorConvolution& convolution, const std::vector<Dim*>& axes) {
  const std::pair<std::string_view, std::pair<const Numbers*, std::int64_t Dim::*>> kNumbers[] = {
      {"the stride", {&convolution.stride, &Dim::stride}},
      {"the dilation", {&convolution.dilation, &Dim::dilation}},
      {"the padding", {&convolution.pad_begin, &Dim::pad_begin}},
      {"the padding at the end", {&convolution.pad_end, &Dim::pad_end}}};
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i]->filter = convolution.w.sizes[2 + i];
  for (const auto& [what, place] : kNumbers) {
    const absl::StatusOr<Numbers> numbers = PerAxis(what, *place.first, axes.size());
    if (!numbers.ok()) return numbers.status();
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i]->*place.second = (*numbers)[i];
  }
  return absl::OkStatus();
}

/// The axes' sizes of a tensor's sizes.
Numbers AxesOfSizes(const Numbers& sizes) {
  return sizes.empty() ? Numbers() : Numbers(sizes.begin() + 2, sizes.end());
}

/// The problem without its type, layout and direction.
absl::StatusOr<ConvProblem> ComputeGeometry(const TensorConvolution& convolution) {
  if (absl::Status status = CheckSizes(convolution); !status.ok()) return status;
  const Numbers &x = convolution.x.sizes, &w = convolution.w.sizes, &y = convolution.y.sizes;
  const std::size_t rank = w.size() - 2;
  ConvProblem problem = {
      .rank = static_cast<int>(rank), .groups = convolution.groups, .batch = x[0], .k = w[0]};
  const std::vector<Dim*> axes = AxesOf(problem);
  if (absl::Status status = SetAxes(convolution, axes); !status.ok()) return status;
  if (convolution.groups < 1 || convolution.groups > kMaxImportedNumber) {
    return absl::InvalidArgumentError(absl::StrFormat("the number of groups is %d; must be 1 to %d",
                                                      convolution.groups, kMaxImportedNumber));
  }
  const std::int64_t w1 = w[1] * convolution.groups;
  if ((convolution.transposed ? w[0] : w1) != x[1]) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the input has %d channels and the weights %s in %d groups", x[1],
                        absl::StrJoin(w, "x"), convolution.groups));
  }
  problem.c = w1;
  const std::int64_t channels = convolution.transposed ? w1 : w[0];
  if (!y.empty() && (y[0] != x[0] || y[1] != channels)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the output is %s; must be of %d images and %d channels",
                        absl::StrJoin(y, "x"), x[0], channels));
  }
  for (std::size_t i = 0; i < rank; ++i) axes[i]->in = x[2 + i];
  if (!convolution.transposed) {
    absl::Status status = y.empty() ? absl::OkStatus() : CheckOutput(problem, AxesOfSizes(y));
    if (status.ok()) return problem;
    return status;
  }
  const absl::StatusOr<Numbers> added =
      PerAxis("the output padding", convolution.output_padding, rank);
  if (!added.ok()) return added.status();
  for (std::size_t i = 0; i < rank; ++i) {
    Dim& dim = *axes[i];
    dim.in = (dim.in - 1) * dim.stride + dim.dilated_filter() - dim.pad_begin - dim.pad_end +
             (*added)[i];
    if (!y.empty() && dim.in != y[2 + i]) {
      return absl::InvalidArgumentError(absl::StrFormat("the output is %s; its axis %d would be %d",
                                                        absl::StrJoin(AxesOfSizes(y), "x"), i,
                                                        dim.in));
    }
  }
  if (absl::Status status = CheckOutput(problem, AxesOfSizes(x)); !status.ok()) return status;
  return problem;
}

Direction Transposed(Direction direction) {
  switch (direction) {
    case Direction::kForward:
      return Direction::kBackwardData;
    case Direction::kBackwardData:
      return Direction::kForward;
    default:
      return direction;
  }
}

}  // namespace

std::vector<Direction> DirectionsOfMask(const std::vector<std::string_view>& mask) {
  std::vector<Direction> directions;
  if (!mask.empty() && mask[0] == "True") directions.push_back(Direction::kBackwardData);
  if (mask.size() > 1 && mask[1] == "True") directions.push_back(Direction::kBackwardWeight);
  return directions;
}

std::int64_t GroupsOf(const LogicalTensor& x, const LogicalTensor& w) {
  if (x.sizes.size() < 2 || w.sizes.size() < 2) return 1;
  return w.sizes[1] > 0 && x.sizes[1] % w.sizes[1] == 0 ? x.sizes[1] / w.sizes[1] : 1;
}

absl::StatusOr<ImportedItem> ReadTensorConvolution(const TensorConvolution& convolution,
                                                   const char* kind) {
  absl::StatusOr<ConvProblem> problem = ComputeGeometry(convolution);
  if (!problem.ok()) return problem.status();
  const std::optional<DataType> type = ParseType(convolution.x.type);
  if (!type) {
    return absl::UnimplementedError(absl::StrFormat(
        "the type is '%s'; Gridwise has f32, f16, bf16, i8 and f8", convolution.x.type));
  }
  problem->type = *type;
  ImportedItem item = {.kind = kind};
  problem->layout = IsChannelsLast(convolution.x) ? Layout::kNHWGC : Layout::kNGCHW;
  if (convolution.x.strides.empty()) {
    item.note = "its strides are not given; taken as NCHW";
  } else if (!IsChannelsLast(convolution.w)) {
    item.note = kWeightsDiffer;
  }
  for (const Direction direction : convolution.directions) {
    problem->direction = convolution.transposed ? Transposed(direction) : direction;
    item.problems.push_back(*problem);
  }
  if (item.problems.empty()) item.skipped = "gradients of biases alone";
  return item;
}

}  // namespace gridwise
