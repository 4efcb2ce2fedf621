// SPDX-License-Identifier: MIT
#pragma once

#include "ck/gemm/operand.h"
#include "core/arch/mma_shape.h"
#include "core/arch/target.h"
#include "core/base/math.h"
#include "core/base/mnk.h"
#include "core/base/types.h"
#include "core/layout/lds_tile.h"
#include "core/text/instance_fields.h"

namespace gridwise::ck {

/// A GEMM kernel, as a value: C[m][n] = sum over k of A[m][k] * B[n][k], a workgroup per tile of C.
struct GemmConfig {
  /// How an operand is loaded: `k` elements along k at a time (rows = 1), which must be adjacent in
  /// memory; or `rows` elements along the rows, for `k` adjacent k. The lane transposes the latter,
  /// except for 8 rows of one k, which LDS reads transpose.
  struct Operand {
    Walk walk = Walk::kEven;
    int k = 0, rows = 1;
    static constexpr void Fields(auto& self, auto&& visit) {
      auto& [walk, k, rows] = self;
      visit("", walk);
      visit("", k);
      visit("", rows);
    }
    bool operator==(const Operand&) const = default;

    constexpr bool along_k() const { return rows == 1; }
    constexpr bool reads_transposed() const { return k == 1 && rows == LdsLines::kPieceRows; }
    /// Whether lanes transpose it.
    constexpr bool swaps() const { return !along_k() && !reads_transposed(); }
    /// Elements of a load.
    constexpr int vector() const { return along_k() ? k : rows; }
    /// Number of adjacent k that one entry of the table covers.
    constexpr int k_of_entry() const { return along_k() ? k : 1; }
    constexpr bool has_table() const { return walk != Walk::kEven; }
    /// Bytes of an entry: offset, pair of indices, single index.
    constexpr int entry_bytes() const {
      return walk == Walk::kEven ? 0 : walk == Walk::kTable ? 4 : walk == Walk::kCheck3 ? 16 : 8;
    }
  };

  DataType type = DataType::kF16;  // of operands; sums are SumType(type)
  Mnk tile;                        // elements per workgroup and step of K
  Waves waves;                     // of a workgroup; only those that multiply
  MmaShape mma;                    // matrix instruction
  Operand a, b;
  int occupancy = 1;  // waves per SIMD for which registers are allocated
  Pipeline pipeline = {};
  // Number of matrices that are multiplied as one, a power of two. Their rows take turns, and their
  // columns follow each other. Products of rows of one and columns of another are computed but not
  // written.
  Omittable<1> merge = {};
  Omittable<Function::kPassThrough> operands = {};

  /// f16_t128x128x32_w2x2_mfma32x32x8_acheck2-8x1_beven8x1_o2
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [type, tile, waves, mma, a, b, occupancy, pipeline, merge, operands] = self;
    visit("", type);
    visit("t", tile);
    visit("w", waves);
    visit("", mma);
    visit("a", a);
    visit("b", b);
    visit("o", occupancy);
    visit("", pipeline);
    visit("g", merge);
    visit("", operands);
  }
  bool operator==(const GemmConfig&) const = default;

  // Threads. Those that multiply come first.
  constexpr int math_threads() const { return waves.m * waves.n * mma.lanes(); }
  constexpr bool is_wavelet() const { return pipeline.schedule == Schedule::kWavelet; }
  constexpr int threads() const {
    return math_threads() + (is_wavelet() ? pipeline.count * mma.lanes() : 0);
  }
  constexpr int load_threads() const {
    return is_wavelet() ? pipeline.count * mma.lanes() : math_threads();
  }

  // A wave's part of the tile, in matrix instructions. The instruction's A is the tile's B, so a
  // lane's sums lie along n.
  constexpr int wave_m() const { return tile.m / waves.m; }
  constexpr int wave_n() const { return tile.n / waves.n; }
  constexpr int reps_m() const { return wave_m() / mma.n; }
  constexpr int reps_n() const { return wave_n() / mma.m; }
  /// Along either operand: matrix instructions of a wave, and rows that a lane passes to one.
  constexpr int reps(Side side) const { return side == Side::kA ? reps_m() : reps_n(); }
  constexpr int rows_of_lane(Side side) const {
    return side == Side::kA ? mma.b_cols_of_lane() : mma.a_rows_of_lane();
  }

  // A lane reads packs of 16 bytes along k (KPack in Composable Kernel). A matrix product takes
  // several packs, or several products share one.
  constexpr int k_pack() const { return LdsTile::kVectorBytes / SizeOf(type); }
  constexpr int k_packs() const { return tile.k / k_pack(); }  // per row
  constexpr int packs_per_product() const { return CeilDiv(mma.k_per_lane(), k_pack()); }
  constexpr int products_per_pack() const { return CeilDiv(k_pack(), mma.k_per_lane()); }
  /// Blocks of K in a k tile: a wave reads the fragments of one and multiplies them, then the next.
  constexpr int k_blocks() const { return k_packs() / (packs_per_product() * mma.lane_groups()); }

  // An operand in LDS.
  constexpr const Operand& operand(Side side) const { return side == Side::kA ? a : b; }
  constexpr int rows(Side side) const { return side == Side::kA ? tile.m : tile.n; }
  constexpr LdsTile lds(Side side) const {
    return {.rows = rows(side), .vectors_per_row = k_packs()};
  }
  constexpr LdsLines lds_lines(Side side) const { return {.rows = rows(side), .k = tile.k}; }
  /// Elements that a lane writes at a time: of one row along k, or a whole load of one k.
  constexpr int run(Side side) const {
    const Operand& o = operand(side);
    return o.along_k() ? k_pack() : o.reads_transposed() ? o.rows : o.k;
  }
  /// Byte offset of a run.
  constexpr int OffsetOfRun(Side side, int row, int k) const {
    if (operand(side).reads_transposed()) return lds_lines(side).Offset(k, row);
    return lds(side).Offset(row, k / k_pack()) + k % k_pack() * SizeOf(type);
  }

  // Work shared among the loading lanes: units of a pack, or of a patch that is transposed.
  constexpr int units_k(Side side) const {
    return operand(side).along_k() ? k_packs() : tile.k / operand(side).k;
  }
  constexpr int units_rows(Side side) const { return rows(side) / operand(side).rows; }
  constexpr int units(Side side) const { return units_k(side) * units_rows(side); }
  constexpr int units_of_lane(Side side) const { return CeilDiv(units(side), load_threads()); }
  constexpr int loads_of_unit(Side side) const {
    return operand(side).along_k() ? k_pack() / operand(side).k : operand(side).k;
  }
  /// Number of different rows, and of different k, among a lane's units.
  constexpr int row_slots(Side side) const {
    if (operand(side).along_k()) return units_of_lane(side);
    return CeilDiv(units_rows(side), load_threads());
  }
  constexpr int k_slots(Side side) const { return units_of_lane(side) / row_slots(side); }

  // The table of an operand: two halves used in turn, each for several steps.
  constexpr int entries_of_step(Side side) const { return tile.k / operand(side).k_of_entry(); }
  constexpr int entries_of_half(Side side) const {
    const int least = 2 * entries_of_step(side);
    return least > load_threads() ? least : load_threads();
  }
  constexpr int steps_of_half(Side side) const {
    return entries_of_half(side) / entries_of_step(side);
  }
  constexpr int table_bytes(Side side) const {
    return 2 * entries_of_half(side) * operand(side).entry_bytes();
  }

  // LDS holds operands and tables. After the main loop it holds the stage of the epilogue, and
  // offsets of rows and columns in the output and in the tensors that the epilogue reads.
  constexpr int lds_buffers() const { return pipeline.schedule == Schedule::kSingle ? 1 : 2; }
  constexpr int buffer_bytes() const { return lds(Side::kA).bytes() + lds(Side::kB).bytes(); }
  constexpr int table_at(Side side) const {
    return lds_buffers() * buffer_bytes() + (side == Side::kA ? 0 : table_bytes(Side::kA));
  }
  constexpr int loop_bytes() const { return table_at(Side::kB) + table_bytes(Side::kB); }

  constexpr int vec_out() const { return SizeOf(type) == 4 ? 4 : 8; }  // elements per store
  constexpr int stage_rows() const { return waves.m * mma.n; }
  /// Rows are a few elements longer than necessary: they stay aligned, and adjacent rows start at
  /// different banks.
  constexpr int stage_pitch(int reps) const { return waves.n * reps * mma.m + 4; }
  constexpr int stage_bytes(int reps) const { return stage_rows() * stage_pitch(reps) * 4; }
  /// Matrix instructions of a wave along n that are staged at a time: as many as fit where the
  /// operands were.
  constexpr int stage_reps() const {
    int reps = reps_n();
    while (reps % 2 == 0 && stage_bytes(reps) + offsets_bytes() > loop_bytes()) reps /= 2;
    return reps;
  }
  static constexpr int kOutputs = 3;  // the output and two tensors
  constexpr int offsets_of_outputs() const { return kOutputs * (tile.m + tile.n) * 4; }
  /// Includes, for each column, the merged matrix to which it belongs.
  constexpr int offsets_bytes() const {
    return offsets_of_outputs() + (merge > 1 ? tile.n * 4 : 0);
  }
  constexpr int lds_bytes() const {
    const int epilogue = stage_bytes(stage_reps()) + offsets_bytes();
    return epilogue > loop_bytes() ? epilogue : loop_bytes();
  }
  /// Waves per SIMD that LDS has room for.
  constexpr int WavesOfLds(const TargetTraits& target) const {
    return target.unit_lds_bytes / lds_bytes() * (threads() / mma.lanes()) / target.simds_per_unit;
  }
  /// K tiles in registers or in flight to them.
  constexpr int k_tiles_in_flight() const { return is_wavelet() ? 2 : pipeline.count; }
};

}  // namespace gridwise::ck
