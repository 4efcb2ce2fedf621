// SPDX-License-Identifier: MIT
/// Instances that test the GEMM kernel, for every target's matrix unit.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>

#include "ck/gemm/config.h"

namespace gridwise::ck {

inline constexpr int kRowsOfUnit = 11;

/// Instances of one matrix instruction: operands along K and along rows, each walk, and each
/// schedule. The last ones are for targets whose LDS reads transpose.
constexpr std::array<GemmConfig, kRowsOfUnit> MakeTestRows(MmaShape mma) {
  const GemmConfig plain = {.tile = {64, 64, 32},
                            .waves = {2, 2},
                            .mma = mma,
                            .a = {Walk::kEven, 8, 1},
                            .b = {Walk::kEven, 8, 1}};
  std::array<GemmConfig, kRowsOfUnit> rows;
  rows.fill(plain);
  rows[1].a = rows[1].b = {Walk::kEven, 4, 4};  // both along their rows
  rows[2].a = rows[2].b = {Walk::kCheck3, 1, 1};
  rows[3].a = {Walk::kCheck2, 8, 1};  // forward
  rows[3].pipeline = {Schedule::kDouble, 1};
  rows[4].a = {Walk::kCheck2, 8, 1};  // backward-data
  rows[4].b = {Walk::kTable, 8, 2};
  rows[4].pipeline = {Schedule::kSingle, 2};
  rows[5].a = {Walk::kEven, 4, 4};  // backward-weight
  rows[5].b = {Walk::kCheck2, 4, 4};
  rows[6] = rows[5];
  rows[6].pipeline = {Schedule::kWavelet, 4};
  rows[7] = rows[3];
  rows[7].tile = {128, 64, 64};
  rows[7].pipeline = {Schedule::kDouble, 2};
  rows[8].a = rows[8].b = {Walk::kCheck1, 2, 1};
  rows[8].tile = {32, 128, 32};
  rows[8].waves = {1, 4};
  rows[8].pipeline = {Schedule::kWavelet, 2};
  rows[9].a = {Walk::kEven, 1, 8};
  rows[9].b = {Walk::kCheck2, 1, 8};
  rows[9].tile = {128, 128, 32};
  rows[10].a = {Walk::kCheck3, 8, 1};
  rows[10].b = {Walk::kTable, 1, 8};
  rows[10].pipeline = {Schedule::kWavelet, 4};
  return rows;
}

/// The instances of every unit.
constexpr auto AllTestRows() {
  constexpr MmaShape kShapes[] = {{MmaUnit::kMfma, 32, 32, 8},
                                  {MmaUnit::kMfma, 16, 16, 16},
                                  {MmaUnit::kMfma, 32, 32, 16},
                                  {MmaUnit::kWmma11, 16, 16, 16},
                                  {MmaUnit::kWmma12, 16, 16, 16}};
  std::array<GemmConfig, kRowsOfUnit * std::size(kShapes)> all;
  std::size_t i = 0;
  for (const MmaShape& mma : kShapes) {
    for (const GemmConfig& row : MakeTestRows(mma)) all[i++] = row;
  }
  return all;
}
inline constexpr auto kTestRows = AllTestRows();

}  // namespace gridwise::ck
