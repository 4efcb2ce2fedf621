// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "tile/block_sums.h"
#include "tile/bwd_weight_args.h"
#include "tile/config.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// The part of a tensor's pixels, with all channels of a tile, that lanes load: a wave loads some
/// pixels, and a lane a piece of one.
template <TileConfig kC>
struct PixelOfLane {
  using Piece = Vec<Element<kC.type>, kC.patch_a.n>;

  int pixel;           // of the wave's load
  unsigned in_memory;  // bytes from a pixel to the piece
  unsigned none;       // out of range, if there are no such channels
  int in_lds;          // bytes from the load's first pixel to the piece

  /// The tile's groups are those from `first_group` on, of `groups` in all.
  GRIDWISE_DEVICE PixelOfLane(const PixelTensor& tensor, int first_group, int groups)
      : pixel(ThreadId() % kC.mma.lanes() / kPiecesOfPixel),
        in_memory((Group() * tensor.channels + Channel()) * SizeOf(kC.type)),
        none(first_group + Group() < groups && Channel() < tensor.channels ? 0
                                                                           : Buffer::kOutOfRange),
        in_lds(Opaque(pixel * kPixelBytes + FirstChannel() * SizeOf(kC.type))) {}

  GRIDWISE_DEVICE void Write(const Piece& piece, char* first_pixel) const {
    *reinterpret_cast<Piece*>(first_pixel + in_lds) = piece;
  }

 private:
  static constexpr int kPixelBytes = BlockSums{kC}.pixel_bytes();
  static constexpr int kRoomOfGroup = BlockSums{kC}.room_of_group();
  static constexpr int kPiecesOfPixel = kC.tile.m / kC.patch_a.n;

  /// The piece's first channel in the tile; its group, and the channel in the group.
  GRIDWISE_DEVICE static int FirstChannel() { return ThreadId() % kPiecesOfPixel * kC.patch_a.n; }
  GRIDWISE_DEVICE static int Group() { return FirstChannel() / kRoomOfGroup; }
  GRIDWISE_DEVICE static int Channel() { return FirstChannel() % kRoomOfGroup; }
};

/// A tensor, from the channels of a tile's groups on.
template <TileConfig kC, Gfx kGfx>
GRIDWISE_DEVICE Buffer BufferOfGroups(const PixelTensor& tensor, int first_group) {
  return Buffer::From<kGfx>(static_cast<const char*>(tensor.data) +
                            static_cast<long>(first_group) * tensor.group);
}

}  // namespace gridwise::tile
