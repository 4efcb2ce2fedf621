#pragma once

#include <array>
#include <span>

#include "tile/config.h"

namespace gridwise::tile {

/// Tiles, waves and registers of a row; its matrix instruction and its loaders follow from the
/// target, the type and the layout of the operands.
struct Tiling {
  int m, n, cells;  // cells of 16 bytes along k
  TileConfig::Waves waves;
  int mma;  // rows of the matrix instruction
  int occupancy;
  TileConfig::Pipeline pipeline = {};
  int ragged = 0;  // channels at a time of a cell that is not whole; 0: one by one
  int groups = 1;  // merged
};

/// For waves of 64 lanes.
inline constexpr Tiling kMfmaTilings[] = {
    // large: most work per byte
    {256, 128, 4, {2, 2}, 32, 2},
    {128, 128, 4, {2, 2}, 32, 3},
    // medium and small: more workgroups, for few rows or few channels
    {128, 64, 4, {2, 2}, 32, 4},
    {64, 64, 4, {2, 1}, 32, 4},
    // narrow K: few source channels, whose slabs a deeper tile would pad
    {128, 128, 2, {2, 2}, 32, 3},
    // few channels
    {64, 16, 4, {4, 1}, 16, 4},
};

/// Other schedules for waves of 64 lanes, in f16 and bf16. Wavelet: 4 math waves and 4 or 2 load
/// waves. Two LDS buffers: short steps, whose barriers and waits count.
inline constexpr Tiling kMfmaScheduledTilings[] = {
    {256, 128, 4, {2, 2}, 32, 2, {Schedule::kWavelet, 4}},
    {128, 128, 4, {2, 2}, 32, 4, {Schedule::kWavelet, 4}},
    {128, 64, 4, {2, 2}, 32, 4, {Schedule::kWavelet, 4}},
    {64, 64, 4, {2, 2}, 32, 3, {Schedule::kWavelet, 2}},
    {128, 128, 4, {2, 2}, 32, 2, {Schedule::kDouble, 1}},
    {64, 64, 4, {2, 1}, 32, 3, {Schedule::kDouble, 2}},
    {64, 16, 4, {4, 1}, 16, 4, {Schedule::kDouble, 4}},
};

/// The same, for backward-data only.
inline constexpr Tiling kMfmaScheduledDataTilings[] = {
    {256, 128, 8, {2, 2}, 32, 2, {Schedule::kWavelet, 4}},  // tall; gfx950 has the LDS
    {64, 128, 4, {2, 2}, 32, 4, {Schedule::kWavelet, 4}},
    {128, 128, 4, {2, 2}, 32, 4, {Schedule::kWavelet, 4}, 4},  // K that 4 divides and 8 does not
    // merged groups of 16 and of 4 channels
    {128, 64, 8, {4, 1}, 16, 4, {Schedule::kWavelet, 4}, 0, 4},
    {64, 128, 16, {4, 1}, 4, 4, {Schedule::kWavelet, 4}, 0, 32},
};

/// The same, for backward-weight with even channels, and the tile with the fewest transposes per
/// matrix instruction.
inline constexpr Tiling kMfmaScheduledWeightTilings[] = {
    {256, 256, 4, {4, 2}, 32, 2},
    {256, 128, 4, {2, 2}, 32, 2, {Schedule::kWavelet, 4}},
    {128, 128, 4, {2, 2}, 32, 4, {Schedule::kWavelet, 4}},
    {128, 64, 4, {2, 2}, 32, 4, {Schedule::kWavelet, 4}},
    {64, 128, 4, {2, 2}, 32, 3, {Schedule::kWavelet, 2}},
    {64, 64, 4, {2, 2}, 32, 3, {Schedule::kWavelet, 2}},
    {128, 128, 4, {2, 2}, 32, 2, {Schedule::kDouble, 1}},
    {64, 64, 4, {2, 1}, 32, 3, {Schedule::kDouble, 2}},
};

/// Loads straight to LDS, for waves of 64 lanes of targets that have them: whole cells of channels.
/// Forward reads both operands along k, and has three LDS buffers.
inline constexpr Tiling kMfmaDirectTilings[] = {
    {256, 256, 4, {4, 2}, 32, 2, {Schedule::kDirect, 3}},
    {256, 128, 4, {2, 2}, 32, 2, {Schedule::kDirect, 3}},
    {128, 128, 4, {2, 2}, 32, 3, {Schedule::kDirect, 3}},
    {64, 64, 8, {2, 1}, 32, 4, {Schedule::kDirect, 3}},
};

/// The same where reads of LDS transpose w (backward-data), or both operands (backward-weight).
inline constexpr Tiling kMfmaDirectTransposedTilings[] = {
    {256, 256, 4, {4, 2}, 32, 2, {Schedule::kDirect, 2}},
    {256, 128, 4, {2, 2}, 32, 2, {Schedule::kDirect, 2}},
    {128, 128, 4, {2, 2}, 32, 3, {Schedule::kDirect, 2}},
    {64, 64, 8, {2, 1}, 32, 4, {Schedule::kDirect, 2}},
};

/// Merged groups of 4, 8, 16 and 32 channels, in f16 and bf16: 64 or 128 channels, whose runs of
/// memory are 128 or 256 bytes long. WMMA has no blocks for groups of less than 16.
inline constexpr Tiling kMfmaMergedTilings[] = {
    {64, 128, 16, {4, 1}, 4, 4, {}, 0, 32},  // of 4 channels
    {128, 64, 8, {4, 1}, 4, 4, {}, 0, 16},   // of 4
    {128, 64, 8, {4, 1}, 4, 4, {}, 0, 8},    // of 8
    {128, 64, 8, {4, 1}, 16, 4, {}, 0, 4},   // of 16
    {128, 64, 8, {4, 1}, 32, 4, {}, 0, 2},   // of 32
};
inline constexpr Tiling kWmmaMergedTilings[] = {
    {128, 64, 8, {8, 1}, 16, 6, {}, 0, 4},
    {128, 64, 8, {8, 1}, 16, 6, {}, 0, 2},
};

/// Backward-weight for waves of 64 lanes: few output channels or terms are common, K is long.
inline constexpr Tiling kMfmaWeightTilings[] = {
    {128, 128, 4, {2, 2}, 32, 2},
    {64, 128, 4, {1, 2}, 32, 2},
    {64, 64, 4, {2, 1}, 32, 3},
    {16, 64, 4, {1, 4}, 16, 3},
};

/// For waves of 32 lanes.
inline constexpr Tiling kWmmaTilings[] = {
    {128, 128, 4, {4, 2}, 16, 8},
    {128, 64, 4, {4, 2}, 16, 8},
    {64, 64, 4, {2, 2}, 16, 8},
    {64, 16, 4, {4, 1}, 16, 8},
};

/// Vector FMAs of waves of 32 lanes: 64 accumulators a lane where there are many rows and columns.
inline constexpr Tiling kFmaTilings[] = {
    {128, 128, 4, {2, 4}, 16, 8},
    {128, 64, 4, {2, 2}, 16, 8},
    {64, 64, 4, {2, 2}, 16, 8},
    {64, 16, 4, {4, 1}, 16, 8},
};

/// The same for backward-weight, whose loaders take more registers.
inline constexpr Tiling kFmaWeightTilings[] = {
    {128, 128, 4, {2, 4}, 16, 6},
    {128, 64, 4, {2, 2}, 16, 6},
    {64, 64, 4, {2, 2}, 16, 8},
    {16, 64, 4, {1, 4}, 16, 8},
};

/// Forward in 8-bit types, whose cells have 16 elements: large tiles, one for few rows or columns,
/// and one for few channels, which is deep enough for CDNA4's 16x16x128.
inline constexpr Tiling kMfmaByteTilings[] = {
    {256, 128, 4, {2, 2}, 32, 2},
    {128, 128, 4, {2, 2}, 32, 3},
    {64, 64, 4, {2, 1}, 32, 4},
    {64, 16, 8, {4, 1}, 16, 4},
};
inline constexpr Tiling kWmmaByteTilings[] = {
    {128, 128, 4, {4, 2}, 16, 8},
    {64, 64, 4, {2, 2}, 16, 8},
    {64, 16, 4, {4, 1}, 16, 8},
};

/// A row with patches of `patch` rows at a time of the operands that are not along k; 1: a cell
/// along k, or any number of channels.
constexpr TileConfig MakeRow(const Tiling& tiling, DataType type, MmaUnit unit, bool double_k,
                             TileConfig::Patch patch_a, TileConfig::Patch patch_b) {
  const MmaShape mma = {unit, tiling.mma, tiling.mma, MmaK(unit, tiling.mma, type, double_k)};
  TileConfig row = {.type = type,
                    .tile = {tiling.m, tiling.n, tiling.cells * LdsTile::kCellBytes / SizeOf(type)},
                    .waves = tiling.waves,
                    .mma = mma,
                    .patch_a = patch_a,
                    .patch_b = patch_b,
                    .occupancy = tiling.occupancy,
                    .pipeline = tiling.pipeline,
                    .merge = {tiling.groups}};
  // No more waves than LDS has room for, and no fewer than one workgroup has: CDNA has 64 KiB or
  // more for 4 SIMDs, RDNA for 2. Only CDNA4, which has more, loads straight to LDS.
  const int simds = unit == MmaUnit::kMfma ? 4 : 2;
  const int waves = row.threads() / mma.lanes();
  const int lds = row.loads_to_lds() ? TraitsOf(Gfx::k950).lds_bytes : 64 << 10;
  const int fits = lds / row.lds_bytes() * waves / simds;
  if (fits < row.occupancy) row.occupancy = fits;
  const int least = CeilDiv(waves, simds);
  if (row.occupancy < least) row.occupancy = least;
  return row;
}

/// Types that tilings are for.
inline constexpr DataType kTypes[] = {DataType::kF16, DataType::kBF16, DataType::kF32};
inline constexpr DataType kByteTypes[] = {DataType::kI8, DataType::kF8E4M3, DataType::kF8E4M3Fnuz};

/// Tilings by unit.
struct Tilings {
  std::span<const Tiling> mfma, wmma = {}, fma = {};
};

/// Calls visit(tiling, type, unit, double_k) for each of `types` and the units that have it.
constexpr void ForEachTiling(std::span<const DataType> types, const Tilings& tilings,
                             auto&& visit) {
  const auto visit_if = [&](const Tiling& tiling, DataType type, MmaUnit unit, bool double_k) {
    const int k = MmaK(unit, tiling.mma, type, double_k);
    const bool same = double_k && k == MmaK(unit, tiling.mma, type, false);  // as CDNA3's
    if (k != 0 && !same) visit(tiling, type, unit, double_k);
  };
  for (const DataType type : types) {
    for (const Tiling& tiling : tilings.mfma) {
      const bool plain = tiling.pipeline == TileConfig::Pipeline{} && tiling.groups == 1;
      if (type == DataType::kF32 && !plain) continue;
      const bool direct = tiling.pipeline.schedule == Schedule::kDirect;
      if (!direct) visit_if(tiling, type, MmaUnit::kMfma, false);
      visit_if(tiling, type, MmaUnit::kMfma, true);
    }
    for (const Tiling& tiling : tilings.wmma) {
      visit_if(tiling, type, MmaUnit::kWmma11, false);
      visit_if(tiling, type, MmaUnit::kWmma12, false);
    }
    for (const Tiling& tiling : tilings.fma) visit_if(tiling, type, MmaUnit::kFma, false);
  }
}

/// Rows of forward, which loads both operands along k, and of backward-data, which transposes w.
constexpr void ForEachGatherRow(auto&& visit) {
  const auto visit_along = [&](bool along_k) {
    return [&visit, along_k](const Tiling& tiling, DataType type, MmaUnit unit, bool double_k) {
      const int cell = LdsTile::kCellBytes / SizeOf(type);
      const bool direct = tiling.pipeline.schedule == Schedule::kDirect;
      // A step of two cells has few for the lanes, and a group may have less than one.
      const bool half_cells = tiling.cells == 2 || tiling.cells < tiling.groups;
      const TileConfig::Patch patch = direct ? TileConfig::Patch{1, LdsLines::kPieceRows}
                                             : TileConfig::Patch{half_cells ? 4 : cell, 2};
      const int ragged = tiling.ragged == 0 ? cell : tiling.ragged;
      const TileConfig row = MakeRow(tiling, type, unit, double_k, {ragged, 1},
                                     along_k ? TileConfig::Patch{cell, 1} : patch);
      // Merged groups of 16 channels have too few for twice the k, and one row for both targets.
      if (row.k_of_group() % row.fragment_k() == 0) visit(row);
    };
  };
  for (const bool along_k : {true, false}) {
    ForEachTiling(kTypes, {kMfmaTilings, kWmmaTilings, kFmaTilings}, visit_along(along_k));
    ForEachTiling(kTypes, {kMfmaScheduledTilings}, visit_along(along_k));
    ForEachTiling(kTypes, {kMfmaMergedTilings, kWmmaMergedTilings}, visit_along(along_k));
  }
  ForEachTiling(kTypes, {kMfmaScheduledDataTilings}, visit_along(/*along_k=*/false));
  ForEachTiling(kTypes, {kMfmaDirectTilings}, visit_along(/*along_k=*/true));
  ForEachTiling(kTypes, {kMfmaDirectTransposedTilings}, visit_along(/*along_k=*/false));
  ForEachTiling(kByteTypes, {kMfmaByteTilings, kWmmaByteTilings}, visit_along(/*along_k=*/true));
  ForEachTiling(kByteTypes, {kMfmaDirectTilings}, visit_along(/*along_k=*/true));
}

/// Rows of backward-weight, which transposes both operands: pairs of channels where their numbers
/// are even, or single ones; runs of channels that reads of LDS transpose.
constexpr void ForEachBwdWeightRow(auto&& visit) {
  const auto visit_channels = [&](int channels) {
    return [&visit, channels](const Tiling& tiling, DataType type, MmaUnit unit, bool double_k) {
      const int cells = channels == LdsLines::kPieceRows ? 1 : LdsTile::kCellBytes / SizeOf(type);
      const TileConfig::Patch patch = {cells, channels};
      TileConfig row = MakeRow(tiling, type, unit, double_k, patch, patch);
      // Lanes that load single channels have twice the loads under way, and need the registers.
      if (channels == 1) row.occupancy = CeilDiv(row.occupancy, 2);
      visit(row);
    };
  };
  for (const int channels : {2, 1}) {
    ForEachTiling(kTypes, {kMfmaWeightTilings, kWmmaTilings, kFmaWeightTilings},
                  visit_channels(channels));
  }
  ForEachTiling(kTypes, {kMfmaScheduledWeightTilings}, visit_channels(2));
  ForEachTiling(kTypes, {kMfmaDirectTransposedTilings}, visit_channels(LdsLines::kPieceRows));
}

/// The rows that `for_each` visits, as a table.
template <auto kForEach>
constexpr auto MakeTable() {
  constexpr int kCount = [] {
    int count = 0;
    kForEach([&](const TileConfig&) { ++count; });
    return count;
  }();
  std::array<TileConfig, kCount> rows;
  int next = 0;
  kForEach([&](const TileConfig& row) { rows[next++] = row; });
  return rows;
}

inline constexpr auto kGatherRows = MakeTable<[](auto&& visit) { ForEachGatherRow(visit); }>();
inline constexpr auto kBwdWeightRows =
    MakeTable<[](auto&& visit) { ForEachBwdWeightRow(visit); }>();

}  // namespace gridwise::tile
