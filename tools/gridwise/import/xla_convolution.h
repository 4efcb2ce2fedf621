// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/gridwise/import/line.h"

namespace gridwise {

/// A tensor of a program of XLA.
struct XlaShape {
  std::string type = {};                          // "f16"
  std::vector<std::int64_t> sizes = {};           // in the order of the text
  std::vector<std::int64_t> minor_to_major = {};  // dimensions, innermost first; empty: row-major
};

/// The dimensions of a tensor, a letter or a digit each: b, f and the spatial axes "0", "1", "2" of
/// x and y, o, i and the axes of w.
using XlaLabels = std::string;

/// One spatial axis, in XLA's words (xla/xla_data.proto).
struct XlaWindowAxis {
  std::int64_t size = 1, stride = 1, pad_low = 0, pad_high = 0;
  std::int64_t base_dilation = 1, window_dilation = 1;
  bool reversed = false;
};

/// A convolution as XLA and StableHLO describe it.
struct XlaConvolution {
  XlaShape lhs, rhs, out;
  XlaLabels lhs_labels, rhs_labels, out_labels;
  std::vector<XlaWindowAxis> window;
  std::int64_t feature_group_count = 1, batch_group_count = 1;
  bool rhs_is_reversed = false;  // by an operation before this one
};

/// The convolution that `xla` computes:
///
///   forward           no axis has a base dilation, and the filter is not reversed or has a stride
///   backward-data     a base dilation, which is the stride, or a reversed filter. Without a
///                     reversal the taps are mirrored, which a note says: it takes the same time
///   backward-weight   batch and features of x are exchanged, and the window is dy. The window's
///                     dilation is then the stride, and its stride the dilation. With a base
///                     dilation it is that of a transposed convolution
///
/// The labels of backward-weight do not always tell it from forward. Then it is backward-weight if
/// there are batch groups, or if its window is at least as large as its output.
absl::StatusOr<ImportedItem> FromXla(const char* kind, const XlaConvolution& xla);

/// The convolutions of cuDNN that XLA calls. Their window and labels are those of the forward
/// convolution, whatever the direction: `xla` has x, w and y.
absl::StatusOr<ImportedItem> FromForwardXla(const char* kind, const XlaConvolution& xla,
                                            Direction direction);

}  // namespace gridwise
