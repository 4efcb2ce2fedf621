#pragma once

#include <array>

#include "tile/config.h"

namespace gridwise::tile {

/// Tiles, waves and registers of a row; its matrix instruction and its loaders follow from the
/// target, the type and the layout of the weights.
struct GatherTiling {
  int m, n, cells;  // cells of 16 bytes along k
  TileConfig::Waves waves;
  int mma;  // rows of the matrix instruction
  int occupancy;
};

/// For waves of 64 lanes.
inline constexpr GatherTiling kMfmaTilings[] = {
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

/// For waves of 32 lanes.
inline constexpr GatherTiling kWmmaTilings[] = {
    {128, 128, 4, {4, 2}, 16, 8},
    {128, 64, 4, {4, 2}, 16, 8},
    {64, 64, 4, {2, 2}, 16, 8},
    {64, 16, 4, {4, 1}, 16, 8},
};

/// A kernel of the matrix unit that loads w along k (forward's layout) or in patches
/// (backward-data's).
constexpr TileConfig MakeGatherRow(const GatherTiling& tiling, DataType type, MmaUnit unit,
                                   bool double_k, bool along_k) {
  const int cell = LdsTile::kCellBytes / SizeOf(type);
  MmaShape mma = {unit, tiling.mma, tiling.mma, 0};
  while (!HasMma(mma, type, double_k)) ++mma.k;
  const int patch_k = tiling.cells == 2 ? 4 : cell;
  TileConfig row = {.type = type,
                    .tile = {tiling.m, tiling.n, tiling.cells * cell},
                    .waves = tiling.waves,
                    .mma = mma,
                    .patch_b = {along_k ? cell : patch_k, along_k ? 1 : 2},
                    .occupancy = tiling.occupancy};
  // No more waves than LDS has room for: CDNA has 64 KiB or more for 4 SIMDs, RDNA for 2.
  const int simds = unit == MmaUnit::kMfma ? 4 : 2;
  const int fits = (64 << 10) / row.lds_bytes() * row.waves.m * row.waves.n / simds;
  if (fits < row.occupancy) row.occupancy = fits < 1 ? 1 : fits;
  return row;
}

/// Calls visit(row) for every row of forward and backward-data. A line in one of the tables above
/// is a kernel per type and layout of the weights.
constexpr void ForEachGatherRow(auto&& visit) {
  for (const bool along_k : {true, false}) {
    for (const DataType type : kAllDataTypes) {
      for (const GatherTiling& tiling : kMfmaTilings) {
        visit(MakeGatherRow(tiling, type, MmaUnit::kMfma, false, along_k));
        if (type != DataType::kF32) {
          visit(MakeGatherRow(tiling, type, MmaUnit::kMfma, true, along_k));
        }
      }
      if (type == DataType::kF32) continue;
      for (const GatherTiling& tiling : kWmmaTilings) {
        visit(MakeGatherRow(tiling, type, MmaUnit::kWmma11, false, along_k));
        visit(MakeGatherRow(tiling, type, MmaUnit::kWmma12, false, along_k));
      }
    }
  }
}

constexpr int CountGatherRows() {
  int count = 0;
  ForEachGatherRow([&](const TileConfig&) { ++count; });
  return count;
}

inline constexpr auto kGatherRows = [] {
  std::array<TileConfig, CountGatherRows()> rows;
  int next = 0;
  ForEachGatherRow([&](const TileConfig& row) { rows[next++] = row; });
  return rows;
}();

}  // namespace gridwise::tile
