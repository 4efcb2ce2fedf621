// SPDX-License-Identifier: MIT
#pragma once

namespace gridwise {

/// Distances in bytes between elements of a tensor that has the output's shape. Zero repeats the
/// tensor along that axis.
struct OutputStrides {
  long image, group;
  int row;      // in dw: from one output channel to the next
  int axis[3];  // d, h, w: from one pixel to the next; in dw, from one filter tap to the next
  int column;   // from one column to the next; in dw, from one channel to the next of a tap
  int packed;   // in dw: whether taps follow each other as channels do
};

/// A tensor that the epilogue combines with the sums.
struct EpilogueTensorArgs {
  const void* data;
  OutputStrides strides;
  float scale;
  int multiplies;  // otherwise it is added
  int is_f32;      // otherwise it has the output's type
  int by_element;  // columns are not adjacent in memory
};

/// The function of the sums:
///
///   out = clamp(combine(combine(alpha * sum, D0), D1), low, high)
///
/// rounded once to the output's type (for i8 operands, i32 sums are written unchanged), where
/// combine(v, D) = v + scale * D or v * scale * D.
struct EpilogueArgs {
  void* out;
  OutputStrides strides;
  int out_type;      // DataType of the output
  int by_element;    // columns of the output are not adjacent in memory
  int adds;          // the output is f32, and all splits add to it
  long split_bytes;  // in the output, from one split of K to the next
  float alpha;
  int clamps;
  float low, high;
  int tensors;
  EpilogueTensorArgs tensor[2];
};

}  // namespace gridwise
