// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/hopper.h"
#include "hopper/depthwise/tile.h"

namespace gridwise::hopper {

/// A unit on its way from memory to a stage: what a lane loads, of two adjacent channels.
template <DepthwiseWeightConfig kC>
class DepthwiseLoads {
  static constexpr int kLanePairs = 4, kWarps = kC.kChannels;
  static constexpr int kGroupsX = CeilDiv(kC.kPairs + kC.shifts() - 1, kLanePairs);
  static constexpr int kGroupsDy = kC.kPairs / kLanePairs;
  static constexpr int kOfWarpX = CeilDiv(kC.kColumnsX, kWarps), kOfWarpDy = kC.kColumns / kWarps;

 public:
  /// Starts the loads.
  GRIDWISE_DEVICE void Begin(const DepthwiseWeightArgs& args, const DepthwiseWork& work,
                             const DepthwiseUnit& unit) {
    const int channel = work.channel + ThreadId() % 8 * 2, pair = ThreadId() % 32 / 8;
    const int columns = Columns(args, unit);
    const DepthwiseImage x(args.x, unit.image, channel), dy(args.dy, unit.image, channel);
    const bool exists = channel < args.channels;
    const auto load = [&](const DepthwiseImage& from, int h, int w) {
      return LoadIf(exists && from.Has(h, w), from.At(h, w));
    };
    ForEach(x_, columns + kC.kOfProduct, [&](int column, int pairs, unsigned (&rows)[2]) {
      const int h = unit.h - args.pad_h + (pairs + pair) * 2;
#pragma unroll
      for (int i = 0; i < 2; ++i) rows[i] = load(x, h + i, unit.w - args.pad_w + column);
    });
    ForEach(dy_, columns, [&](int column, int pairs, unsigned (&rows)[3]) {
      const int h = unit.h + (pairs + pair) * 2 - 1;
#pragma unroll
      for (int i = 0; i < 3; ++i) rows[i] = load(dy, h + i, unit.w + column);
    });
  }

  /// Columns of dy that a unit multiplies: whole products.
  GRIDWISE_DEVICE static int Columns(const DepthwiseWeightArgs& args, const DepthwiseUnit& unit) {
    const int rest = args.dy.width - unit.w;
    return rest < kC.kColumns ? AlignUp(rest, kC.kOfProduct) : kC.kColumns;
  }

  /// Puts what was loaded into a stage.
  GRIDWISE_DEVICE void Store(unsigned* stage, int columns) const {
    const int channel = ThreadId() % 8 * 2, pair = ThreadId() % 32 / 8;
    unsigned* const x = stage + channel * kC.kChannelX + pair;
    unsigned* const dy = stage + kC.kChannels * kC.kChannelX + channel * kC.kChannelDy + pair;
    ForEach(x_, columns + kC.kOfProduct, [&](int column, int pairs, const unsigned (&rows)[2]) {
      StorePair(x + column * kC.kPitchX + pairs, kC.kChannelX, rows[0], rows[1]);
    });
    ForEach(dy_, columns, [&](int column, int pairs, const unsigned (&rows)[3]) {
      unsigned* const to = dy + column * kC.kPitchDy + pairs;
      StorePair(to, kC.kChannelDy, rows[1], rows[2]);
      StorePair(to + kC.kPairs, kC.kChannelDy, rows[0], rows[1]);
    });
  }

 private:
  /// Calls visit(column, pairs of rows before these lanes', rows) for what a lane loads of the
  /// first `columns` columns.
  template <int kColumns, int kGroups, class Rows>
  GRIDWISE_DEVICE static void ForEach(Rows (&loaded)[kColumns][kGroups], int columns,
                                      auto&& visit) {
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const int column = ThreadId() / 32 + c * kWarps;
      if (column >= columns) break;
#pragma unroll
      for (int g = 0; g < kGroups; ++g) visit(column, g * kLanePairs, loaded[c][g]);
    }
  }
  /// Stores two rows of two channels, whose words are `channel` apart.
  GRIDWISE_DEVICE static void StorePair(unsigned* to, int channel, unsigned row, unsigned next) {
    to[0] = (row & 0xffff) | next << 16;
    to[channel] = row >> 16 | (next & 0xffff0000);
  }

  unsigned x_[kOfWarpX][kGroupsX][2], dy_[kOfWarpDy][kGroupsDy][3];
};

}  // namespace gridwise::hopper
