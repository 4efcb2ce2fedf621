// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "core/conv/problem.h"
#include "tools/gridwise/import/cudnn_log.h"
#include "tools/gridwise/import/tensor_convolution.h"

namespace gridwise {
namespace {

constexpr char kKind[] = "graphs of cuDNN's front end";

using Numbers = std::vector<std::int64_t>;

/// Reads "Dim [ 4,64,28,28 ]" of a line. Lists after the first of a line begin with a comma.
absl::StatusOr<Numbers> ReadList(std::string_view line, const std::string& name,
                                 std::int64_t most = kMaxImportedNumber) {
  std::string_view text = absl::StripAsciiWhitespace(Between(line, name + " [", "]"));
  absl::ConsumePrefix(&text, ",");
  return ReadImportedNumbers(name, text, ',', most);
}

/// Puts the lines of a graph together.
class Graphs {
 public:
  ImportedLine Read(std::string_view line) {
    if (line.starts_with("[cudnn_frontend] INFO: Building ")) is_version_1_ = true;
    if (absl::StrContains(line, "CUDNN_BACKEND_TENSOR_DESCRIPTOR :")) {
      tensor_ = LogicalTensor();
    } else if (absl::StrContains(line, "CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR :")) {
      convolution_ = line;
    } else if (std::string_view tag = line; absl::ConsumePrefix(&tag, "Tag: ")) {
      ImportedLine read = is_version_1_ ? ImportedLine(std::nullopt) : ReadGraph(tag);
      *this = Graphs();
      return read;
    } else if (tensor_) {
      return ReadTensorLine(absl::StripAsciiWhitespace(line));
    }
    return std::nullopt;
  }

 private:
  ImportedLine ReadTensorLine(std::string_view line) {
    const std::tuple<const char*, std::int64_t, Numbers*> kLists[] = {
        {"Dim", kMaxImportedNumber, &tensor_->sizes},
        {"Str", kMaxImportedStride, &tensor_->strides}};
    for (const auto& [name, most, numbers] : kLists) {
      if (!line.starts_with(absl::StrFormat("%s [", name))) continue;
      absl::StatusOr<Numbers> read = ReadList(line, name, most);
      if (!read.ok()) return read.status();
      *numbers = *std::move(read);
    }
    if (line.starts_with("Datatype: ")) tensor_->type = Between(line, "[\"", "\"]");
    if (absl::ConsumePrefix(&line, "Id: ")) number_ = line;
    // The last line but one that versions have in common.
    if (line.starts_with("isVirtual: ")) {
      tensors_.insert_or_assign(number_, *std::move(tensor_));
      tensor_.reset();
    }
    return std::nullopt;
  }

  ImportedLine ReadGraph(std::string_view tag) const {
    constexpr std::pair<const char*, Direction> kTags[] = {
        {"ConvFwd_", Direction::kForward},
        {"ConvBwdData_", Direction::kBackwardData},
        {"ConvBwdFilter_", Direction::kBackwardWeight}};
    for (const auto& [name, direction] : kTags) {
      if (absl::ConsumePrefix(&tag, name)) {
        return ReadConvolution(direction, absl::StripSuffix(tag, "_"));
      }
    }
    return ImportedItem::Skip(kKind, tag);
  }

  ImportedLine ReadConvolution(Direction direction, std::string_view fused) const {
    TensorConvolution convolution = {.directions = {direction}};
    const std::pair<char, LogicalTensor*> kTensors[] = {
        {'x', &convolution.x}, {'w', &convolution.w}, {'y', &convolution.y}};
    for (const auto& [name, tensor] : kTensors) {
      const auto found = tensors_.find(absl::StrFormat("%d", name));
      if (found == tensors_.end()) {
        return absl::InvalidArgumentError(absl::StrFormat(
            "none of the convolution's tensors has the number %d, which stands for '%c'; write "
            "cuDNN's own log instead (CUDNN_LOGLEVEL_DBG=3)",
            name, name));
      }
      *tensor = found->second;
    }
    if (const std::string_view mode = Between(convolution_, "Mode: [\"", "\"]");
        mode != "CROSS_CORRELATION") {
      return absl::UnimplementedError(
          absl::StrFormat("Mode is '%s'; Gridwise has CROSS_CORRELATION", mode));
    }
    const std::pair<const char*, Numbers*> kNumbers[] = {{"PadLower", &convolution.pad_begin},
                                                         {"PadUpper", &convolution.pad_end},
                                                         {"Dilation", &convolution.dilation},
                                                         {"Stride", &convolution.stride}};
    for (const auto& [name, numbers] : kNumbers) {
      absl::StatusOr<Numbers> read = ReadList(convolution_, name);
      if (!read.ok()) return read.status();
      *numbers = *std::move(read);
    }
    convolution.groups = GroupsOf(convolution.x, convolution.w);
    absl::StatusOr<ImportedItem> item = ReadTensorConvolution(convolution, kKind);
    if (!item.ok()) return item.status();
    if (!fused.empty()) {
      item->note =
          absl::StrFormat("%s%sleaves out %s", item->note, item->note.empty() ? "" : "; ", fused);
    }
    return *std::move(item);
  }

  bool is_version_1_ = false;
  std::optional<LogicalTensor> tensor_;           // the one whose lines are read
  std::string number_;                            // its own
  std::map<std::string, LogicalTensor> tensors_;  // by their numbers
  std::string convolution_;                       // the line of its descriptor
};

}  // namespace

LineReader CudnnFrontendReader() {
  return [graphs = Graphs()](std::string_view line) mutable { return graphs.Read(line); };
}

}  // namespace gridwise
