// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "core/arch/target.h"
#include "tile/config.h"
#include "tile/halo_layout.h"
#include "tile/lds_pixels.h"
#include "tile/load/strip_block.h"
#include "tile/load/vectors_of_lane.h"

namespace gridwise::tile {

/// Loads the pixels of the source that a tile's rows meet through any filter tap, and writes them
/// to LDS: for each position, one pixel of each plane. Pixels outside of the source are zeros.
template <TileConfig kC, Gfx kGfx>
class LoadStrip {
  static constexpr LdsPixels kLds = HaloLayout{kC}.pixels(TraitsOf(kGfx).lds_banks);
  static constexpr int kStride = kC.stride;
  static constexpr int kPixelsOfPosition = kStride * kStride;
  // A lane loads a whole vector, the part of a vector after which channels may end, or a pixel.
  static constexpr int kPiece = kC.packs_pixels() ? +kC.pixel : kC.patch_a.k;
  static constexpr int kPieceBytes = kPiece * SizeOf(kC.type);
  static constexpr int kPiecesOfPixel = kC.packs_pixels() ? 1 : kC.tile.k / kPiece;
  static constexpr int kPixelsAtOnce = kC.threads() / kPiecesOfPixel;
  static constexpr int kCount = CeilDiv<int>(kC.halo, kPixelsAtOnce);  // per plane

 public:
  /// Starts the loads of the strip's next tile, from a channel on; past the last tile they read
  /// zeros.
  GRIDWISE_DEVICE void Load(const GatherArgs& args, const StripBlock& strip, int channel = 0) {
    const Block& block = strip.block;
    const AxisPhase &h = block.gemm.axis[1], &w = block.gemm.axis[2];
    const Buffer tensor =
        Buffer::From<kGfx>(static_cast<const char*>(args.source) +
                           block.first_image * args.source_image + block.group * args.source_group);
    const int pixels = strip.tiles > 0 ? kC.tile.m + strip.Reach<kC>() - 1 : 0;
    const auto size_h = static_cast<unsigned>(args.source_size[1]);
    const auto size_w = static_cast<unsigned>(args.source_size[2]);
    // Bytes from the pixel of the tile's first position to a pixel of the source; further bytes for
    // each row that begins between them.
    const unsigned pixel_h = args.source_pixel[1], pixel_w = args.source_pixel[2];
    const unsigned first = h.first_source * pixel_h +
                           (w.first_source + kStride * (strip.first_w + strip.position)) * pixel_w;
    const unsigned row = kStride * (pixel_h - strip.strips.pitch * pixel_w);
    const unsigned of_lane = Pixel(0) * kStride * pixel_w + OffsetOfPiece(args);
    const bool has_piece = HasPiece(args, block.group, channel);
    for (int i = 0; i < kCount; ++i) {
      const StripBlock::Pixel pixel = strip.PixelAt(Pixel(i));
      const int at_h = h.first_source + kStride * pixel.h,
                at_w = w.first_source + kStride * pixel.w;
      const unsigned offset =
          pixel.h * row + of_lane + (first + i * kPixelsAtOnce * kStride * pixel_w);
      bool exists = Pixel(i) < pixels;
      exists &= has_piece;
      for (int at = 0; at < kPixelsOfPosition; ++at) {
        const int to_h = at / kStride, to_w = at % kStride;  // from the first, in the source
        bool inside = exists;
        inside &= static_cast<unsigned>(at_h + to_h) < size_h;
        inside &= static_cast<unsigned>(at_w + to_w) < size_w;
        const unsigned from =
            inside ? offset + to_h * pixel_h + to_w * pixel_w : Buffer::kOutOfRange;
        if constexpr (kC.patch_a.k < kPiece) {
          pieces_[at][i] = LoadPixel(tensor, from, args.k);
        } else {
          pieces_[at][i] = tensor.Load<PieceVec>(from, channel * SizeOf(kC.type));
        }
      }
    }
  }

  /// Waits for the loads and writes them to LDS.
  GRIDWISE_DEVICE void Store(char* lds) const {
    for (int i = 0; i < kCount; ++i) {
      if ((i + 1) * kPixelsAtOnce > kC.halo && Pixel(i) >= kC.halo) continue;
      char* const to = lds + kLds.Offset(Pixel(i), 0) + Piece() * kPieceBytes;
      for (int at = 0; at < kPixelsOfPosition; ++at) {
        *reinterpret_cast<Parts*>(to + OffsetOf(at)) = __builtin_bit_cast(Parts, pieces_[at][i]);
      }
    }
  }

 private:
  using PieceVec = Vec<Element<kC.type>, kPiece>;
  static constexpr int kAligned = kLds.alignment() / SizeOf(kC.type);
  static constexpr int kPart = kAligned < kPiece ? kAligned : kPiece;
  struct Parts {  // of a piece, as they are aligned in LDS
    Vec<Element<kC.type>, kPart> part[kPiece / kPart];
  };

  /// The pixel's channels, followed by zeros.
  GRIDWISE_DEVICE static PieceVec LoadPixel(const Buffer& tensor, unsigned offset, int channels) {
    using Bits = unsigned short;  // for bf16, which compilers convert when it is put into a vector
    Vec<Bits, kPiece> pixel = {};
    for (int e = 0; e < kC.patch_a.k; ++e) {
      pixel[e] = tensor.Load<Bits>((offset | NoneOf(channels - e)) + e * sizeof(Bits), 0);
    }
    return __builtin_bit_cast(PieceVec, pixel);
  }
  /// Distance from a position's pixels to the at-th of them.
  GRIDWISE_DEVICE static constexpr int OffsetOf(int at) {
    const int to_h = at / kStride, to_w = at % kStride;
    return kC.packs_pixels() ? kLds.Offset(to_h * kC.halo, 0) + to_w * kPieceBytes
                             : kLds.Offset(at * kC.halo, 0);
  }
  GRIDWISE_DEVICE static int Piece() { return ThreadId() % kPiecesOfPixel; }
  /// The tile's group to which the piece belongs, and its number there.
  static constexpr int kPiecesOfGroup = kC.fills_groups() ? kPiecesOfPixel / kC.merge : 1;
  GRIDWISE_DEVICE static int Group() { return Piece() / kPiecesOfGroup; }
  GRIDWISE_DEVICE static int PieceOfGroup() { return Piece() % kPiecesOfGroup; }
  /// The piece's offset in memory, where groups may have fewer pieces than in LDS.
  GRIDWISE_DEVICE static unsigned OffsetOfPiece(const GatherArgs& args) {
    if constexpr (!kC.fills_groups()) return Piece() * kPieceBytes;
    return Group() * static_cast<int>(args.source_group) + PieceOfGroup() * kPieceBytes;
  }
  GRIDWISE_DEVICE static bool HasPiece(const GatherArgs& args, int first_group, int channel) {
    if constexpr (kC.packs_pixels() || (kC.merge > 1 && !kC.fills_groups())) return true;
    if constexpr (kC.merge == 1) return channel + Piece() * kPiece < args.k;
    return PieceOfGroup() * kPiece < args.k && first_group + Group() < args.groups;
  }
  GRIDWISE_DEVICE static int Pixel(int i) {
    return i * kPixelsAtOnce + ThreadId() / kPiecesOfPixel;
  }

  PieceVec pieces_[kPixelsOfPosition][kCount];
};

}  // namespace gridwise::tile
