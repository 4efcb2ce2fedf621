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
  // Elements of A and B that a lane loads at a time: a cell along k, or a patch of k by 2 rows that
  // it transposes.
  Patch patch_a, patch_b;
  int occupancy = 1;  // waves per SIMD that registers are allocated for

  /// What its name is made of, see ck/base/fields.h: f16_t256x128x32_w2x2_mfma32x32x8_a8x1_b8x2_o2.
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [type, tile, waves, mma, patch_a, patch_b, occupancy] = self;
    visit("", type);
    visit("t", tile);
    visit("w", waves);
    visit("", mma);
    visit("a", patch_a);
    visit("b", patch_b);
    visit("o", occupancy);
  }
  bool operator==(const TileConfig&) const = default;

  constexpr int cell() const { return LdsTile::kCellBytes / SizeOf(type); }  // elements
  constexpr int threads() const { return waves.m * waves.n * mma.lanes(); }
  constexpr int wave_m() const { return tile.m / waves.m; }
  constexpr int wave_n() const { return tile.n / waves.n; }
  constexpr int reps_m() const {
    return wave_m() / mma.m;
  }  // matrix instructions of a wave along m
  constexpr int reps_n() const { return wave_n() / mma.n; }
  constexpr LdsTile lds_a() const { return {.rows = tile.m, .cells_per_row = tile.k / cell()}; }
  constexpr LdsTile lds_b() const { return {.rows = tile.n, .cells_per_row = tile.k / cell()}; }

  // A lane reads whole cells from LDS: so many for a matrix instruction, or for several of them.
  constexpr int fragment_cells() const {
    return mma.k_per_lane() > cell() ? mma.k_per_lane() / cell() : 1;
  }
  // k that one such read of a wave covers.
  constexpr int fragment_k() const { return fragment_cells() * cell() * mma.lane_groups(); }

  // The epilogue stages, of every wave, some matrix instructions of one row of them at a time: as
  // many along n as fit where the operands were. They are f32 [row][n], with a margin that keeps
  // the writes of its runs aligned and, of neighbouring rows, on different banks.
  constexpr int vec_out() const { return 16 / SizeOf(type); }  // elements of a store
  constexpr int stage_rows() const { return waves.m * mma.m; }
  constexpr int stage_pitch_for(int reps) const { return waves.n * reps * mma.n + 4; }
  constexpr int stage_reps_n() const {
    int reps = reps_n();
    while (reps % 2 == 0 && stage_rows() * stage_pitch_for(reps) * 4 > operand_bytes()) reps /= 2;
    return reps;
  }
  constexpr int stage_columns() const { return waves.n * stage_reps_n() * mma.n; }
  constexpr int stage_pitch() const { return stage_pitch_for(stage_reps_n()); }

  // LDS: the operands or a stage, then offsets of the rows in the output and the tensors that the
  // epilogue combines with it.
  static constexpr int kOutputs = 3;
  constexpr int operand_bytes() const { return lds_a().bytes() + lds_b().bytes(); }
  constexpr int row_offsets_at() const {
    const int stage = stage_rows() * stage_pitch() * 4;
    return operand_bytes() > stage ? operand_bytes() : stage;
  }
  constexpr int lds_bytes() const { return row_offsets_at() + kOutputs * tile.m * 4; }
};

/// Why the lanes cannot share an operand tile of `rows` rows in such patches; nullptr if they can.
constexpr const char* RejectPatch(const TileConfig& c, int rows, TileConfig::Patch patch) {
  if (patch.n != 1 && patch.n != 2) return "a patch is neither 1 nor 2 rows wide";
  if (patch.k != c.cell() && (patch.n == 1 || patch.k != 4)) {
    return "a patch is neither a cell long nor, where it is transposed, 4";
  }
  const int per_k = patch.n == 1 ? 1 : rows / patch.n;
  const int patches = c.tile.k / patch.k * (rows / patch.n);
  if (patches > c.threads() && patches % c.threads() != 0) {
    return "lanes do not share an operand's tile in whole patches";
  }
  if (c.threads() % per_k != 0) return "lanes do not share an operand's rows";
  return nullptr;
}

/// nullptr when kernels of `c` can be compiled for `gfx`, else the reason.
constexpr const char* Reject(const TileConfig& c, Gfx gfx) {
  const TargetTraits target = TraitsOf(gfx);
  if (c.mma.unit != target.mma_unit) return "the target's matrix unit is another one";
  if (!HasMma(c.mma, c.type, target.mma_double_k)) return "the target has no such mma for the type";
  if (c.waves.m < 1 || c.waves.n < 1 || c.threads() > 1024) {
    return "waves make no workgroup of 1 to 1024 threads";
  }
  const int cells = c.tile.k / c.cell();
  if (c.tile.k % c.cell() != 0 || (cells != 2 && cells != 4 && cells != 8)) {
    return "tile.k is none of 2, 4, 8 cells of 16 bytes";
  }
  if (c.tile.m < 16 || c.tile.m % (c.waves.m * c.mma.m) != 0) return "waves do not divide tile.m";
  if (c.tile.n < 16 || c.tile.n % (c.waves.n * c.mma.n) != 0) return "waves do not divide tile.n";
  if (c.tile.k % c.fragment_k() != 0) return "tile.k holds no whole fragment";
  if (const char* reason = RejectPatch(c, c.tile.m, c.patch_a)) return reason;
  if (const char* reason = RejectPatch(c, c.tile.n, c.patch_b)) return reason;
  if (c.lds_bytes() > target.lds_bytes) return "the tiles do not fit in LDS";
  if (c.reps_m() * c.reps_n() * c.mma.acc_per_lane() > target.vgprs / 2) {
    return "the accumulators do not fit in registers";
  }
  return nullptr;
}

}  // namespace gridwise::tile
