// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/xla_convolution.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "core/base/types.h"
#include "core/conv/problem.h"

namespace gridwise {
namespace {

constexpr char kMirrored[] = "its taps are mirrored";

std::optional<DataType> ParseType(std::string_view name) {
  constexpr std::pair<std::string_view, DataType> kTypes[] = {
      {"f16", DataType::kF16},
      {"bf16", DataType::kBF16},
      {"f32", DataType::kF32},
      {"s8", DataType::kI8},
      {"i8", DataType::kI8},
      {"s32", DataType::kI32},
      {"i32", DataType::kI32},
      {"f8e4m3fn", DataType::kF8E4M3},
      {"f8E4M3FN", DataType::kF8E4M3},
      {"f8e5m2", DataType::kF8E5M2},
      {"f8E5M2", DataType::kF8E5M2},
      {"f8e4m3fnuz", DataType::kF8E4M3Fnuz},
      {"f8E4M3FNUZ", DataType::kF8E4M3Fnuz},
      {"f8e5m2fnuz", DataType::kF8E5M2Fnuz},
      {"f8E5M2FNUZ", DataType::kF8E5M2Fnuz}};
  for (const auto& [known, type] : kTypes) {
    if (known == name) return type;
  }
  return std::nullopt;
}

/// Whether labels are the two letters and the digits of the axes, once each.
absl::Status CheckLabels(const XlaLabels& labels, std::string_view letters, const XlaShape& shape,
                         std::size_t rank) {
  std::string wanted(letters);
  for (std::size_t axis = 0; axis < rank; ++axis) wanted += static_cast<char>('0' + axis);
  if (std::ranges::is_permutation(labels, wanted) && shape.sizes.size() == labels.size()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("the labels of a tensor of %d dimensions are %s; must be a permutation of %s",
                      shape.sizes.size(), labels, wanted));
}

std::int64_t SizeOfLabel(const XlaShape& shape, const XlaLabels& labels, char label) {
  return shape.sizes[labels.find(label)];
}
std::int64_t SizeOfAxis(const XlaShape& shape, const XlaLabels& labels, std::size_t axis) {
  return SizeOfLabel(shape, labels, static_cast<char>('0' + axis));
}

/// Checks the sizes that must agree.
absl::Status CheckChannels(const XlaConvolution& xla) {
  const auto check = [](std::string_view what, std::int64_t size, std::int64_t wanted) {
    if (size == wanted) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrFormat("%s is %d; must be %d", what, size, wanted));
  };
  absl::Status status =
      check("the first operand's f dimension", SizeOfLabel(xla.lhs, xla.lhs_labels, 'f'),
            SizeOfLabel(xla.rhs, xla.rhs_labels, 'i') * xla.feature_group_count);
  status.Update(check("the result's f dimension", SizeOfLabel(xla.out, xla.out_labels, 'f'),
                      SizeOfLabel(xla.rhs, xla.rhs_labels, 'o')));
  status.Update(check("the first operand's b dimension", SizeOfLabel(xla.lhs, xla.lhs_labels, 'b'),
                      SizeOfLabel(xla.out, xla.out_labels, 'b') * xla.batch_group_count));
  return status;
}

absl::Status Check(const XlaConvolution& xla) {
  const std::size_t rank = xla.window.size();
  if (rank < 1 || rank > 3) {
    return absl::UnimplementedError(
        absl::StrFormat("the window has %d axes; Gridwise has 1 to 3", rank));
  }
  absl::Status status = CheckLabels(xla.lhs_labels, "bf", xla.lhs, rank);
  status.Update(CheckLabels(xla.rhs_labels, "io", xla.rhs, rank));
  status.Update(CheckLabels(xla.out_labels, "bf", xla.out, rank));
  if (xla.feature_group_count < 1 || xla.batch_group_count < 1) {
    status.Update(absl::InvalidArgumentError(
        absl::StrFormat("feature_group_count is %d and batch_group_count %d; must be >= 1",
                        xla.feature_group_count, xla.batch_group_count)));
  }
  for (std::size_t axis = 0; axis < rank && status.ok(); ++axis) {
    const std::int64_t size = SizeOfAxis(xla.rhs, xla.rhs_labels, axis);
    if (size == xla.window[axis].size) continue;
    status = absl::InvalidArgumentError(absl::StrFormat(
        "the window's size is %d where the filter's is %d", xla.window[axis].size, size));
  }
  return status.ok() ? CheckChannels(xla) : status;
}

/// The labels in the order of memory, outermost first.
XlaLabels InMemory(const XlaShape& shape, const XlaLabels& labels) {
  const std::vector<std::int64_t>& minor_to_major = shape.minor_to_major;
  XlaLabels order;
  for (auto dimension = minor_to_major.rbegin(); dimension != minor_to_major.rend(); ++dimension) {
    if (*dimension < 0 || *dimension >= static_cast<std::int64_t>(labels.size())) return labels;
    order += labels[static_cast<std::size_t>(*dimension)];
  }
  return order.size() == labels.size() ? order : labels;
}

/// Sets layouts from the orders of x and w in memory, in the labels of forward. What differs is
/// noted.
void SetLayouts(const XlaLabels& x, const XlaLabels& w, ImportedItem& item, ConvProblem& problem) {
  const std::string digits = std::string("012").substr(0, static_cast<std::size_t>(problem.rank));
  problem.layout = x.back() == 'f' ? Layout::kNHWGC : Layout::kNGCHW;
  const XlaLabels ours = problem.layout == Layout::kNHWGC ? absl::StrCat("b", digits, "f")
                                                          : absl::StrCat("bf", digits);
  std::vector<std::string> notes;
  if (!item.note.empty()) notes.push_back(item.note);
  if (x != ours) notes.push_back(absl::StrCat("its pixels are ", absl::AsciiStrToUpper(x)));
  if (w != absl::StrCat("o", digits, "i")) {
    notes.push_back(absl::StrCat("its weights are ", absl::AsciiStrToUpper(w)));
  }
  item.note = absl::StrJoin(notes, ", ");
}

/// The padding at the end with which an axis has `out` output pixels; none if no tap reaches the
/// last pixels.
std::int64_t ComputePadEnd(const Dim& dim, std::int64_t out) {
  const std::int64_t needed = (out - 1) * dim.stride + dim.dilated_filter();
  return std::max<std::int64_t>(needed - dim.in - dim.pad_begin, 0);
}

/// Adds the problem. `out` are the sizes of y.
absl::StatusOr<ImportedItem> Finish(ImportedItem item, const ConvProblem& problem,
                                    const std::vector<std::int64_t>& out) {
  if (absl::Status status = CheckOutput(problem, out); !status.ok()) return status;
  item.problems = {problem};
  return item;
}

bool HasBaseDilation(const XlaConvolution& xla) {
  return std::ranges::any_of(xla.window,
                             [](const XlaWindowAxis& axis) { return axis.base_dilation != 1; });
}

bool IsReversed(const XlaConvolution& xla) {
  return xla.rhs_is_reversed || std::ranges::any_of(xla.window, [](const XlaWindowAxis& axis) {
           return axis.reversed && axis.size > 1;
         });
}

bool HasStride(const XlaConvolution& xla) {
  return std::ranges::any_of(xla.window,
                             [](const XlaWindowAxis& axis) { return axis.stride != 1; });
}

bool IsBackwardWeight(const XlaConvolution& xla) {
  if (xla.batch_group_count > 1) return true;
  const bool exchanged = xla.lhs_labels.find('f') < xla.lhs_labels.find('b');
  if (!exchanged || xla.feature_group_count > 1) return false;
  for (std::size_t axis = 0; axis < xla.window.size(); ++axis) {
    if (xla.window[axis].size < SizeOfAxis(xla.out, xla.out_labels, axis)) return false;
  }
  return true;
}

/// Types of the operands and the output, in either direction.
absl::Status SetTypes(const XlaShape& a, const XlaShape& b, const XlaShape& out,
                      ConvProblem& problem) {
  const std::optional<DataType> type = ParseType(a.type), out_type = ParseType(out.type);
  if (a.type != b.type || !type || !out_type) {
    return absl::UnimplementedError(absl::StrFormat(
        "the types are %s, %s and %s; Gridwise has f16, bf16, f32, s8 and 8-bit floats, with "
        "operands of one type",
        a.type, b.type, out.type));
  }
  problem.type = *type;
  if (out_type != problem.output_type()) problem.out_type = out_type;
  return absl::OkStatus();
}

absl::Status StrideAndDilation(std::string_view what, std::int64_t value,
                               const XlaWindowAxis& window) {
  return absl::UnimplementedError(
      absl::StrFormat("the %s is %d and the base dilation %d; Gridwise has one of the two", what,
                      value, window.base_dilation));
}

absl::StatusOr<ImportedItem> BackwardData(const char* kind, const XlaConvolution& xla) {
  ImportedItem item = {.kind = kind};
  ConvProblem problem = {.direction = Direction::kBackwardData,
                         .rank = static_cast<int>(xla.window.size()),
                         .groups = xla.feature_group_count,
                         .batch = SizeOfLabel(xla.lhs, xla.lhs_labels, 'b'),
                         .c = SizeOfLabel(xla.out, xla.out_labels, 'f'),
                         .k = SizeOfLabel(xla.lhs, xla.lhs_labels, 'f')};
  if (absl::Status status = SetTypes(xla.lhs, xla.rhs, xla.out, problem); !status.ok())
    return status;
  std::vector<std::int64_t> out;
  const std::vector<Dim*> axes = AxesOf(problem);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const XlaWindowAxis& window = xla.window[i];
    if (window.stride != 1) return StrideAndDilation("stride", window.stride, window);
    Dim& dim = *axes[i];
    dim = {.in = SizeOfAxis(xla.out, xla.out_labels, i),
           .filter = window.size,
           .stride = window.base_dilation,
           .dilation = window.window_dilation};
    dim.pad_begin = dim.dilated_filter() - 1 - window.pad_low;
    out.push_back(SizeOfAxis(xla.lhs, xla.lhs_labels, i));
    dim.pad_end = ComputePadEnd(dim, out.back());
  }
  if (!IsReversed(xla) && problem.filter_taps() > 1) item.note = kMirrored;
  SetLayouts(InMemory(xla.out, xla.out_labels),
             absl::StrReplaceAll(InMemory(xla.rhs, xla.rhs_labels), {{"i", "o"}, {"o", "i"}}), item,
             problem);
  return Finish(std::move(item), problem, out);
}

/// The weights' gradient of a transposed convolution: its input is our dy, which is the first
/// operand here and has the base dilation, and the gradient of its output is our x. Of the pixel j
/// of dy and the output's tap t, x has the pixel s j - t d + pad_low. With y = f - 1 - t, that is
/// s j + y d - p where p = d(f - 1) - pad_low: the taps are mirrored.
absl::StatusOr<ImportedItem> TransposedBackwardWeight(const char* kind, const XlaConvolution& xla) {
  ImportedItem item = {.kind = kind, .note = kMirrored};
  ConvProblem problem = {.direction = Direction::kBackwardWeight,
                         .rank = static_cast<int>(xla.window.size()),
                         .groups = xla.batch_group_count,
                         .batch = SizeOfLabel(xla.lhs, xla.lhs_labels, 'f'),
                         .c = SizeOfLabel(xla.rhs, xla.rhs_labels, 'o'),
                         .k = SizeOfLabel(xla.lhs, xla.lhs_labels, 'b')};
  if (absl::Status status = SetTypes(xla.lhs, xla.rhs, xla.out, problem); !status.ok())
    return status;
  std::vector<std::int64_t> out;
  const std::vector<Dim*> axes = AxesOf(problem);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const XlaWindowAxis& window = xla.window[i];
    if (window.window_dilation != 1) {
      return StrideAndDilation("window dilation", window.window_dilation, window);
    }
    Dim& dim = *axes[i];
    dim = {.in = window.size,
           .filter = SizeOfAxis(xla.out, xla.out_labels, i),
           .stride = window.base_dilation,
           .dilation = window.stride};
    dim.pad_begin = dim.dilated_filter() - 1 - window.pad_low;
    out.push_back(SizeOfAxis(xla.lhs, xla.lhs_labels, i));
    dim.pad_end = ComputePadEnd(dim, out.back());
  }
  SetLayouts(absl::StrReplaceAll(InMemory(xla.rhs, xla.rhs_labels), {{"i", "b"}, {"o", "f"}}),
             absl::StrReplaceAll(InMemory(xla.out, xla.out_labels), {{"b", "o"}, {"f", "i"}}), item,
             problem);
  return Finish(std::move(item), problem, out);
}

absl::StatusOr<ImportedItem> BackwardWeight(const char* kind, const XlaConvolution& xla) {
  ImportedItem item = {.kind = kind};
  ConvProblem problem = {.direction = Direction::kBackwardWeight,
                         .rank = static_cast<int>(xla.window.size()),
                         .groups = xla.batch_group_count,
                         .batch = SizeOfLabel(xla.lhs, xla.lhs_labels, 'f'),
                         .c = SizeOfLabel(xla.lhs, xla.lhs_labels, 'b'),
                         .k = SizeOfLabel(xla.rhs, xla.rhs_labels, 'o')};
  if (absl::Status status = SetTypes(xla.lhs, xla.rhs, xla.out, problem); !status.ok())
    return status;
  std::vector<std::int64_t> out;
  const std::vector<Dim*> axes = AxesOf(problem);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const XlaWindowAxis& window = xla.window[i];
    Dim& dim = *axes[i];
    dim = {.in = SizeOfAxis(xla.lhs, xla.lhs_labels, i),
           .filter = SizeOfAxis(xla.out, xla.out_labels, i),
           .stride = window.window_dilation,
           .dilation = window.stride,
           .pad_begin = window.pad_low};
    out.push_back(window.size);
    dim.pad_end = ComputePadEnd(dim, out.back());
  }
  // The output's batch is the channels of the filter, and its features are the filters.
  SetLayouts(absl::StrReplaceAll(InMemory(xla.lhs, xla.lhs_labels), {{"b", "f"}, {"f", "b"}}),
             absl::StrReplaceAll(InMemory(xla.out, xla.out_labels), {{"b", "i"}, {"f", "o"}}), item,
             problem);
  return Finish(std::move(item), problem, out);
}

}  // namespace

absl::StatusOr<ImportedItem> FromForwardXla(const char* kind, const XlaConvolution& xla,
                                            Direction direction) {
  if (absl::Status status = Check(xla); !status.ok()) return status;
  ImportedItem item = {.kind = kind};
  ConvProblem problem = {.direction = direction,
                         .rank = static_cast<int>(xla.window.size()),
                         .groups = xla.feature_group_count,
                         .batch = SizeOfLabel(xla.lhs, xla.lhs_labels, 'b'),
                         .c = SizeOfLabel(xla.lhs, xla.lhs_labels, 'f'),
                         .k = SizeOfLabel(xla.rhs, xla.rhs_labels, 'o')};
  const XlaShape* const shapes[] = {&xla.lhs, &xla.rhs, &xla.out};  // as Tensor
  const auto shape = [&](Tensor tensor) { return *shapes[static_cast<std::size_t>(tensor)]; };
  absl::Status status =
      SetTypes(shape(problem.a()), shape(problem.b()), shape(problem.out()), problem);
  if (!status.ok()) return status;
  std::vector<std::int64_t> out;
  const std::vector<Dim*> axes = AxesOf(problem);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const XlaWindowAxis& window = xla.window[i];
    *axes[i] = {.in = SizeOfAxis(xla.lhs, xla.lhs_labels, i),
                .filter = window.size,
                .stride = window.stride,
                .dilation = window.window_dilation,
                .pad_begin = window.pad_low,
                .pad_end = window.pad_high};
    out.push_back(SizeOfAxis(xla.out, xla.out_labels, i));
  }
  if (IsReversed(xla)) item.note = kMirrored;
  SetLayouts(InMemory(xla.lhs, xla.lhs_labels), InMemory(xla.rhs, xla.rhs_labels), item, problem);
  return Finish(std::move(item), problem, out);
}

absl::StatusOr<ImportedItem> FromXla(const char* kind, const XlaConvolution& xla) {
  if (absl::Status status = Check(xla); !status.ok()) return status;
  const bool is_weight = IsBackwardWeight(xla);
  if (HasBaseDilation(xla)) {
    return is_weight ? TransposedBackwardWeight(kind, xla) : BackwardData(kind, xla);
  }
  // A reversed filter with a stride is the input's gradient of a transposed convolution.
  if (IsReversed(xla) && !HasStride(xla)) return BackwardData(kind, xla);
  return is_weight ? BackwardWeight(kind, xla) : FromForwardXla(kind, xla, Direction::kForward);
}

}  // namespace gridwise
