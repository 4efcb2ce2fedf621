#pragma once

#include "core/arch/sync.h"
#include "core/arch/target.h"
#include "core/arch/this_target.h"
#include "tile/config.h"
#include "tile/pipeline/multiply_slab.h"
#include "tile/roles.h"

namespace gridwise::tile {

/// Reads A's fragments from cells in LDS (LdsCells), where the rows of a tile meet neighbouring
/// ones through any filter tap. All of a lane's reads lie at distances from its first that are the
/// same for all lanes.
template <TileConfig kC>
class ReadCells {
  using Part = Vec<Element<kC.type>, kC.read_elements()>;
  static_assert(kC.mma.b_cols_of_lane() == 1);

 public:
  static constexpr LdsCells kCells = kC.lds_cells(TraitsOf(kThisTarget).lds_banks);
  using OfA = MultiplySlab<kC>::OfA;

  /// Cells lie in `lds` from the one on that the tile's first row meets through the first tap.
  GRIDWISE_DEVICE explicit ReadCells(const char* lds) : first_(lds + Opaque(Place())) {}

  /// The f-th fragments of the cells that rows meet `distance` behind those of the first tap.
  GRIDWISE_DEVICE void operator()(int distance, int f, OfA& a) const {
    const char* const of_tap = first_ + distance * kCells.cell_bytes();
    for (int rep = 0; rep < kC.reps_m(); ++rep) {
      struct {
        Part part[kC.fragment_reads()];
      } read;
      for (int i = 0; i < kC.fragment_reads(); ++i) {
        const int k = FirstK(f) + i * kC.read_elements();
        read.part[i] = *reinterpret_cast<const Part*>(
            of_tap + rep * kC.mma_m() * kCells.cell_bytes() + k * SizeOf(kC.type));
      }
      a.rep[rep] = __builtin_bit_cast(FragmentOfA<kC>, read);
    }
  }

 private:
  /// The k of the cell that a wave's f-th fragment begins at: groups are multiplied in turn.
  static constexpr int FirstK(int f) {
    constexpr int kOfGroup = kC.k_of_group() / kC.fragment_k();
    return f / kOfGroup * kC.groups_at_once() * kC.k_of_group() + f % kOfGroup * kC.fragment_k();
  }
  /// Of the lane's first read: its row's cell, and its place in that.
  GRIDWISE_DEVICE static int Place() {
    const int block = kC.mma.BlockOf(Lane<kC>());
    const int row =
        WaveM<kC>() + block / kC.groups_at_once() * kC.mma.n + ColOfB(kC.mma, Lane<kC>(), /*i=*/0);
    const int lane_group = kC.mma.lane_groups() == 1 ? 0 : Lane<kC>() / kC.mma.m;
    const int k = block % kC.groups_at_once() * kC.k_of_group() +
                  lane_group * kC.fragment_reads() * kC.read_elements();
    return row * kCells.cell_bytes() + k * SizeOf(kC.type);
  }

  const char* const first_;
};

}  // namespace gridwise::tile
