// SPDX-License-Identifier: MIT
/// The host's arguments to a GEMM kernel. The layout is the same on both sides.
#pragma once

#include "core/base/math.h"
#include "core/launch/block_map.h"

namespace gridwise::ck {

/// A TensorCoordinate (normal_form.h) in kernels. The first two checked indices are 16 bits each,
/// in one register; a single one, and a third, have 32 bits.
struct TensorCoordinateArgs {
  int offset = 0;  // bytes
  unsigned short pair[2] = {0, 0};
  int single = 0;
};

/// A digit of an axis.
struct DigitArgs {
  int length = 1;
  MagicDiv by;
  TensorCoordinateArgs unit;
};

/// An axis. The last digit is the fastest; missing leading digits have length 1.
struct AxisArgs {
  static constexpr int kDigits = 4;
  int length = 0;  // indices from here on have no elements
  DigitArgs digit[kDigits];
};

/// An operand, the output, or a tensor of the epilogue: the normal form of its descriptor.
struct ViewArgs {
  long batch = 0;               // bytes from one matrix to the next
  TensorCoordinateArgs origin;  // of row 0, term 0
  int first_term = 0;  // bytes added to every coordinate along the second axis and subtracted from
                       // the origin, so that neither is negative where nothing is checked
  TensorCoordinateArgs last;  // the highest valid checked indices; the offset is unused
  AxisArgs axis[2];           // rows, and terms of K or columns
};

inline constexpr int kMaxTensors = 2;  // maximum number of tensors that the epilogue reads

/// One of the matrix multiplications of a launch.
struct ProblemArgs {
  int first_tile = 0;  // index of its first workgroup tile in the launch
  int tiles_m = 1;     // rows of tiles
  int steps = 0;       // of K per split
  ViewArgs a, b, c;
  ViewArgs d[kMaxTensors];
};

/// A tensor that the epilogue reads.
struct TensorArgs {
  const void* data = nullptr;
  int is_f32 = 0;      // otherwise it has the output's type
  int by_element = 0;  // its columns are not adjacent in memory
};

/// How the output is written.
struct OutputArgs {
  void* data = nullptr;
  long split_bytes = 0;  // from one split of K to the next
  int type = 0;          // DataType
  int adds = 0;          // it is f32, and all splits add to it
  int by_element = 0;    // columns are not adjacent in memory
  int tensors = 0;
  TensorArgs d[kMaxTensors];
};

/// The tensors of an operand, which have the same layout; the second one is for functions of two.
struct OperandArgs {
  const void* data = nullptr;
  const void* added = nullptr;
};

/// Arguments of a kernel whose functions are `Functions` (functions.h).
template <class Functions>
struct GemmArgs {
  OperandArgs a, b;
  OutputArgs out;
  Functions functions;
  BlockMap map;
  int tiles_n = 1;  // tiles per row, in all problems
  int problems = 1;
  const ProblemArgs* table = nullptr;  // if there is more than one
  ProblemArgs only;
};

}  // namespace gridwise::ck
