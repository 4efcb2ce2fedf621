// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/types.h"
#include "core/conv/direction.h"
#include "core/conv/gemm_map.h"
#include "core/launch/epilogue_args.h"

/// SIMT instances: any problem that other instances refuse because of its channels or strides.
/// Tiles of 64 rows and columns are computed by FMAs in f32, or in integers for i8; operands are
/// gathered element by element.

namespace gridwise::hopper {

struct SimtConfig {
  Direction direction = Direction::kForward;
  DataType type = DataType::kF16;

  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [direction, type] = self;
    visit("", direction);
    visit("simt_", type);
  }
  bool operator==(const SimtConfig&) const = default;

  static constexpr int kTile = 64;  // rows and columns
  static constexpr int kStep = 16;  // terms of K
  static constexpr int threads() { return 256; }
};

constexpr const char* Reject(const SimtConfig& c) {
  if (!TakesType(c.direction, c.type)) return "no kernels of the direction take the type";
  return c.type == DataType::kF8E4M3Fnuz || c.type == DataType::kF8E5M2Fnuz
             ? "8-bit floats are the OCP's"
             : nullptr;
}

/// Elements from one index to the next along a tensor's own axes.
struct ElementStrides {
  long axis[6];
};

/// A pixel of the output (of y in backward-weight) and a tap of an axis meet the source pixel
///
///   (pixel * pixel_step + tap * tap_step + first) / divisor
///
/// if that is an integer within the source.
struct SimtAxis {
  int pixels, taps, source;
  int pixel_step, tap_step, first, divisor;
};

/// Forward and backward-data: rows are pixels, columns output channels, K taps times source
/// channels. Backward-weight: rows are k, columns taps times c, K pixels.
struct SimtArgs {
  const void* source;  // x, or dy in backward-data
  const void* other;   // w, or dy in backward-weight
  ElementStrides source_strides, other_strides;
  SimtAxis axis[3];
  int rows, columns;
  long terms;  // K
  int column_tiles, splits, groups;
  long tiles;           // tiles of all groups and splits
  int source_channels;  // per group
  EpilogueArgs epilogue;
};

}  // namespace gridwise::hopper
