// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/sync.h"
#include "core/arch/target.h"
#include "core/arch/this_target.h"
#include "tile/config.h"
#include "tile/halo_layout.h"
#include "tile/lds_pixels.h"
#include "tile/pipeline/multiply_k_tile.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// Reads A's fragments from pixels in LDS (LdsPixels), where the rows of a tile meet adjacent
/// pixels through any filter tap. All of a lane's reads are at the same distances from its first
/// read in all lanes.
template <TileConfig kC>
class ReadPixels {
  static_assert(kC.mma.b_cols_of_lane() == 1);
  static constexpr LdsPixels kPixels = HaloLayout{kC}.pixels(TraitsOf(kThisTarget).lds_banks);
  // Elements of a fragment per lane, and per read, as pixels are aligned.
  static constexpr int kOfLane = kC.fragment_reads() * kC.read_elements();
  static constexpr int kAligned = kPixels.alignment() / SizeOf(kC.type);
  static constexpr int kPart = kAligned < kC.read_elements() ? kAligned : kC.read_elements();
  static constexpr int kParts = kOfLane / kPart;
  using Part = Vec<Element<kC.type>, kPart>;
  static constexpr int kLast = MultiplyKTile<kC>::kFragments - 1;
  static constexpr int kPackedPixels = kC.packs_pixels() ? kOfLane / kC.pixel : 1;

 public:
  using OfA = MultiplyKTile<kC>::OfA;

  /// `lds` is the pixel that the tile's first row meets through the first tap. With packed pixels,
  /// a row of the filter has `taps_w` taps, which end within the last fragment of a k tile.
  GRIDWISE_DEVICE explicit ReadPixels(const char* lds, int taps_w = 0)
      : first_(lds + Opaque(FirstRead())) {
    if constexpr (kC.packs_pixels()) {
      for (int i = 0; i < kPackedPixels; ++i) {
        const int tap = (FirstK(kLast) + KOfLane()) / kC.pixel + i;
        exists_[i] = tap < taps_w ? ~0u : 0;
      }
    }
  }

  /// Reads the f-th fragments of the pixels that rows meet at `distance` from those of the first
  /// tap.
  GRIDWISE_DEVICE void operator()(int distance, int f, OfA& a) const {
    const char* const of_tap = first_ + distance * kPixels.pixel_bytes();
    for (int rep = 0; rep < kC.reps_m(); ++rep) {
      struct {
        Part part[kParts];
      } read;
      for (int i = 0; i < kParts; ++i) {
        const int k = FirstK(f) + i * kPart;
        read.part[i] = *reinterpret_cast<const Part*>(
            of_tap + rep * kC.mma_m() * kPixels.pixel_bytes() + k * SizeOf(kC.type));
      }
      a.rep[rep] = __builtin_bit_cast(FragmentOfA<kC>, read);
      if constexpr (kC.packs_pixels()) {
        if (f == kLast) ClearMissing(a.rep[rep]);
      }
    }
  }

 private:
  /// The k of the pixel at which a wave's f-th fragment begins: groups are multiplied in turn.
  static constexpr int FirstK(int f) {
    constexpr int kOfGroup = kC.k_of_group() / kC.fragment_k();
    return f / kOfGroup * kC.groups_at_once() * kC.k_of_group() + f % kOfGroup * kC.fragment_k();
  }
  /// The offset of the lane's first read: of its row's pixel, and in that pixel.
  GRIDWISE_DEVICE static int FirstRead() {
    const int block = kC.mma.BlockOf(Lane<kC>());
    const int row =
        WaveM<kC>() + block / kC.groups_at_once() * kC.mma.n + ColOfB(kC.mma, Lane<kC>(), /*i=*/0);
    return row * kPixels.pixel_bytes() + KOfLane() * SizeOf(kC.type);
  }
  GRIDWISE_DEVICE static int KOfLane() {
    const int block = kC.mma.BlockOf(Lane<kC>());
    const int lane_group = kC.mma.lane_groups() == 1 ? 0 : Lane<kC>() / kC.mma.m;
    const int group = WaveGroup<kC>() + block % kC.groups_at_once();
    return group * kC.k_of_group() + lane_group * kOfLane;
  }
  /// Zeros pixels past the filter's last tap, which may be infinite.
  GRIDWISE_DEVICE void ClearMissing(FragmentOfA<kC>& fragment) const {
    struct {
      Vec<unsigned, 2> pixel[kPackedPixels];
    } words = __builtin_bit_cast(decltype(words), fragment);
    for (int i = 0; i < kPackedPixels; ++i) words.pixel[i] &= exists_[i];
    fragment = __builtin_bit_cast(FragmentOfA<kC>, words);
  }

  const char* const first_;
  unsigned exists_[kPackedPixels];  // a bit for each pixel of the last fragment
};

}  // namespace gridwise::tile
