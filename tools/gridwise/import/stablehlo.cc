// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/stablehlo.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "tools/gridwise/import/xla_convolution.h"

namespace gridwise {
namespace {

constexpr char kKind[] = "operations of StableHLO";

/// "[b, 0, 1, f]" without all but letters and digits.
XlaLabels ParseLabels(std::string_view text) {
  XlaLabels labels;
  for (const char c : text) {
    if (absl::ascii_isalnum(c)) labels += c;
  }
  return labels;
}

/// The numbers of "[[0, 1], [0, 1]]".
absl::StatusOr<std::vector<std::int64_t>> ParseNumbers(std::string_view what,
                                                       std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view word :
       absl::StrSplit(text, absl::ByAnyChar("[], "), absl::SkipEmpty())) {
    const absl::StatusOr<std::int64_t> number = ReadImportedNumber(what, word);
    if (!number.ok()) return number.status();
    numbers.push_back(*number);
  }
  return numbers;
}

/// "8x56x56x64xbf16", without an encoding that may follow.
absl::StatusOr<XlaShape> ParseShape(std::string_view text) {
  text = text.substr(0, text.find(','));
  std::vector<std::string_view> parts = absl::StrSplit(text, 'x');
  XlaShape shape = {.type = std::string(parts.back()), .sizes = {}};
  parts.pop_back();
  for (const std::string_view part : parts) {
    const absl::StatusOr<std::int64_t> size = ReadImportedNumber("a size", part);
    if (!size.ok()) return size.status();
    shape.sizes.push_back(*size);
  }
  return shape;
}

/// Sets the shapes of "(tensor<...>, tensor<...>) -> tensor<...>", which end the line.
absl::Status SetShapes(std::string_view line, XlaConvolution& xla) {
  for (XlaShape* shape : {&xla.lhs, &xla.rhs, &xla.out}) {
    const std::size_t start = line.find("tensor<");
    if (start == line.npos) {
      return absl::InvalidArgumentError("the operation has no types of two operands and a result");
    }
    line.remove_prefix(start);
    absl::StatusOr<XlaShape> read = ParseShape(Between(line, "tensor<", ">"));
    if (!read.ok()) return read.status();
    *shape = *std::move(read);
    line.remove_prefix(1);
  }
  return absl::OkStatus();
}

/// Sets one field of the window, where the text has it.
absl::Status SetField(std::string_view window, std::string_view name, std::size_t per_axis,
                      const std::array<std::int64_t XlaWindowAxis::*, 2>& members,
                      XlaConvolution& xla) {
  const std::string_view text =
      Between(window, absl::StrCat(name, " = ["), per_axis == 2 ? "]]" : "]");
  const absl::StatusOr<std::vector<std::int64_t>> numbers = ParseNumbers(name, text);
  if (!numbers.ok() || numbers->empty()) return numbers.status();
  if (numbers->size() != per_axis * xla.window.size()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the window's %s has %d numbers; must have %d", name, numbers->size(),
                        per_axis * xla.window.size()));
  }
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    xla.window[i / per_axis].*members[i % per_axis] = (*numbers)[i];
  }
  return absl::OkStatus();
}

absl::Status SetWindow(std::string_view window, XlaConvolution& xla) {
  using Axis = XlaWindowAxis;
  for (std::size_t axis = 0; axis < xla.window.size(); ++axis) {
    const std::size_t dimension = xla.rhs_labels.find(static_cast<char>('0' + axis));
    if (dimension >= xla.rhs.sizes.size()) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "the filter's dimensions are '%s', of %d sizes", xla.rhs_labels, xla.rhs.sizes.size()));
    }
    xla.window[axis].size = xla.rhs.sizes[dimension];
  }
  absl::Status status = SetField(window, "stride", 1, {&Axis::stride}, xla);
  status.Update(SetField(window, "pad", 2, {&Axis::pad_low, &Axis::pad_high}, xla));
  status.Update(SetField(window, "lhs_dilate", 1, {&Axis::base_dilation}, xla));
  status.Update(SetField(window, "rhs_dilate", 1, {&Axis::window_dilation}, xla));
  const std::vector<std::string_view> reverse =
      absl::StrSplit(Between(window, "reverse = [", "]"), ", ");
  for (std::size_t i = 0; i < std::min(reverse.size(), xla.window.size()); ++i) {
    xla.window[i].reversed = reverse[i] == "true";
  }
  return status;
}

absl::Status SetCount(std::string_view line, std::string_view name, std::int64_t& count) {
  std::string_view text = Between(line, absl::StrCat(name, " = "), ":");
  if (text.empty()) return absl::OkStatus();
  const absl::StatusOr<std::int64_t> number =
      ReadImportedNumber(name, absl::StripAsciiWhitespace(text));
  if (number.ok()) count = *number;
  return number.status();
}

absl::StatusOr<XlaConvolution> ReadConvolution(std::string_view line) {
  XlaConvolution xla;
  const std::string_view labels = Between(line, "dim_numbers = ", ", window");
  const std::vector<std::string_view> lists = absl::StrSplit(labels, ']', absl::SkipEmpty());
  if (lists.size() != 3) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "dim_numbers is '%s'; must be as [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", labels));
  }
  xla.lhs_labels = ParseLabels(lists[0]);
  xla.rhs_labels = ParseLabels(Between(absl::StrCat(lists[1], "]"), "[", "]"));
  xla.out_labels = ParseLabels(Between(absl::StrCat(lists[2], "]"), "[", "]"));
  const std::size_t types = line.rfind(" : (");
  absl::Status status = SetShapes(types == line.npos ? "" : line.substr(types), xla);
  status.Update(SetCount(line, "feature_group_count", xla.feature_group_count));
  status.Update(SetCount(line, "batch_group_count", xla.batch_group_count));
  if (status.ok() && xla.rhs_labels.size() > 2) {
    xla.window.resize(xla.rhs_labels.size() - 2);
    status = SetWindow(Between(line, "window = {", "}"), xla);
  }
  if (!status.ok()) return status;
  return xla;
}

class Reader {
 public:
  ImportedLine Read(std::string_view line) {
    if (absl::StrContains(line, "func.func ")) reversed_.clear();  // names are of one function
    for (const std::string_view dialect : {"stablehlo.", "mhlo."}) {
      const std::size_t start = line.find(dialect);
      const std::size_t equals = line.find('=');
      if (start == line.npos || equals > start) continue;
      const std::string name(absl::StripAsciiWhitespace(line.substr(0, equals)));
      std::string_view operation = line.substr(start + dialect.size());
      operation = operation.substr(0, operation.find_first_of("\" (<"));
      if (operation == "reverse") reversed_.insert(name);
      if (operation != "convolution") return ImportedItem::Skip(kKind, operation);
      return Convolution(name, line);
    }
    return std::nullopt;
  }

 private:
  ImportedLine Convolution(const std::string& name, std::string_view line) const {
    absl::StatusOr<XlaConvolution> xla = ReadConvolution(line);
    if (!xla.ok()) return xla.status();
    const std::string_view operands = Between(line, "convolution(", ")");
    const std::string_view filter = operands.substr(operands.find(',') + 1);  // npos + 1 is 0
    xla->rhs_is_reversed = reversed_.contains(std::string(absl::StripAsciiWhitespace(filter)));
    absl::StatusOr<ImportedItem> item = FromXla(kKind, *xla);
    if (!item.ok()) return item.status();
    item->name = name;
    return *std::move(item);
  }

  std::set<std::string> reversed_;
};

}  // namespace

LineReader StableHloReader() {
  return
      [reader = std::make_shared<Reader>()](std::string_view line) { return reader->Read(line); };
}

}  // namespace gridwise
