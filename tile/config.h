#pragma once

#include "ck/arch/mma_shape.h"
#include "ck/arch/target.h"
#include "ck/base/math.h"
#include "ck/base/mnk.h"
#include "ck/base/types.h"
#include "ck/layout/lds_tile.h"

namespace gridwise::tile {

/// A tile kernel, as a value: D[m][n] = sum over k of A[m][k] * B[k][n], a workgroup per tile of D.
struct TileConfig {
  struct Waves {
    int m = 0, n = 0;
    static constexpr void Fields(auto& self, auto&& visit) {
      auto& [m, n] = self;
      visit("", m);
      visit("", n);
    }
    bool operator==(const Waves&) const = default;
  };
  struct Patch {
    int k = 0, n = 0;
    static constexpr void Fields(auto& self, auto&& visit) {
      auto& [k, n] = self;
      visit("", k);
      visit("", n);
    }
    bool operator==(const Patch&) const = default;
  };

  DataType type = DataType::kF16;  // of all tensors; sums are f32
  Mnk tile;                        // elements per workgroup and K step
  Waves waves;                     // of a workgroup
  MmaShape mma;                    // matrix instruction
  Patch patch_b;      // elements of B that a lane loads, transposes and writes to LDS at a time
  int occupancy = 1;  // waves per SIMD that registers are allocated for

  /// What its name is made of, see ck/base/fields.h: f16_t256x128x32_w2x2_mma32x32x8_b8x2_o2.
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [type, tile, waves, mma, patch_b, occupancy] = self;
    visit("", type);
    visit("t", tile);
    visit("w", waves);
    visit("mma", mma);
    visit("b", patch_b);
    visit("o", occupancy);
  }
  bool operator==(const TileConfig&) const = default;

  constexpr int threads() const { return waves.m * waves.n * kMfmaWave; }
  constexpr int wave_m() const { return tile.m / waves.m; }
  constexpr int wave_n() const { return tile.n / waves.n; }
  constexpr int reps_m() const {
    return wave_m() / mma.m;
  }  // matrix instructions of a wave along m
  constexpr int reps_n() const { return wave_n() / mma.n; }
  constexpr LdsTile lds_a() const { return {.rows = tile.m, .k = tile.k}; }
  constexpr LdsTile lds_b() const { return {.rows = tile.n, .k = tile.k}; }

  // A lane loads A in vectors of one LDS cell.
  constexpr int loads_a() const { return tile.m * tile.k / LdsTile::kCell / threads(); }
  constexpr int rows_per_load_a() const { return threads() / lds_a().cells_per_row(); }
  constexpr int patches_b() const { return tile.k / patch_b.k * (tile.n / patch_b.n); }

  // k that one fragment read of a wave covers: one LDS cell per lane.
  constexpr int fragment_k() const { return LdsTile::kCell * LaneGroups(mma); }

  // The epilogue stages one row of matrix instructions of every wave at a time, as [row][n] with a
  // margin that keeps its 8-byte writes on different banks.
  static constexpr int kVecOut = 8;  // elements of a store
  constexpr int stage_rows() const { return waves.m * mma.m; }
  constexpr int stage_pitch() const { return tile.n + 4; }

  constexpr int lds_bytes() const {
    const int operands = lds_a().bytes() + lds_b().bytes();
    const int stage = stage_rows() * stage_pitch() * 2;
    return (operands > stage ? operands : stage) + tile.m * 4;  // and an output offset per row
  }
};

/// nullptr when kernels of `c` can be compiled for `gfx`, else the reason.
constexpr const char* Reject(const TileConfig& c, Gfx gfx) {
  const bool known_mma = c.mma == MmaShape{32, 32, 8} || c.mma == MmaShape{16, 16, 16};
  if (TraitsOf(gfx).wave_size != kMfmaWave) return "the target has no MFMA on waves of 64 lanes";
  if (c.type != DataType::kF16) return "only f16 has a kernel";
  if (!known_mma) return "mma is neither 32x32x8 nor 16x16x16";
  if (c.waves.m < 1 || c.waves.n < 1 || c.threads() > 1024) return "a workgroup has 1 to 16 waves";
  if (c.tile.k != 16 && c.tile.k != 32 && c.tile.k != 64) return "tile.k is none of 16, 32, 64";
  if (c.tile.m < 16 || c.tile.m % (c.waves.m * c.mma.m) != 0) return "waves do not divide tile.m";
  if (c.tile.n < 16 || c.tile.n % (c.waves.n * c.mma.n) != 0) return "waves do not divide tile.n";
  if (c.tile.k % c.fragment_k() != 0) return "tile.k holds no whole fragment";
  if (c.loads_a() < 1 || c.tile.m * c.tile.k != c.loads_a() * LdsTile::kCell * c.threads()) {
    return "lanes do not share A's tile in whole vectors";
  }
  if (c.patch_b.k != 4 && c.patch_b.k != 8) return "patch_b.k is neither 4 nor 8";
  if (c.patch_b.n != 2) return "patch_b.n is not 2";
  if (c.patches_b() > c.threads()) return "B's tile has more patches than there are lanes";
  if (c.lds_bytes() > TraitsOf(gfx).lds_bytes) return "the tiles do not fit in LDS";
  if (c.reps_m() * c.reps_n() * AccPerLane(c.mma) > 256)
    return "the accumulators do not fit in registers";
  return nullptr;
}

}  // namespace gridwise::tile
