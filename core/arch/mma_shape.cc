// SPDX-License-Identifier: MIT
// Every element of D has one owner, for each layout that mma_shape.h gives. Here, and so once: it
// took a tenth of the time in which the files that include the header compile.

#include "core/arch/mma_shape.h"

namespace gridwise {
namespace {

constexpr bool AccCoversOnce(MmaShape mma) {
  bool seen[32 * 32] = {};
  for (int lane = 0; lane < mma.lanes(); ++lane) {
    for (int reg = 0; reg < mma.acc_per_lane(); ++reg) {
      const RowCol at = OwnerOfAcc(mma, lane, reg);
      if (at.row >= mma.m || at.col >= mma.n) return false;
      bool& here = seen[(mma.BlockOf(lane) * mma.m + at.row) * mma.n + at.col];
      if (here) return false;
      here = true;
    }
  }
  return true;
}

static_assert(AccCoversOnce({MmaUnit::kMfma, 32, 32, 8}), "1024 elements of D, one owner each");
static_assert(AccCoversOnce({MmaUnit::kMfma, 16, 16, 16}), "256 elements of D, one owner each");
static_assert(AccCoversOnce({MmaUnit::kMfma, 4, 4, 4}), "16 elements of 16 blocks, one owner each");
static_assert(AccCoversOnce({MmaUnit::kWmma11, 16, 16, 16}), "256 elements of D, one owner each");
static_assert(AccCoversOnce({MmaUnit::kWmma12, 16, 16, 16}), "256 elements of D, one owner each");
static_assert(AccCoversOnce({MmaUnit::kFma, 16, 16, 4}), "256 elements of D, one owner each");
static_assert(AccCoversOnce({MmaUnit::kMfma, 32, 32, 64}) &&
                  AccCoversOnce({MmaUnit::kMfma, 16, 16, 128}),
              "D lies the same for all types of the operands");
static_assert(MmaShape{MmaUnit::kMfma, 32, 32, 16}.k_per_lane() == 8 &&
                  MmaShape{MmaUnit::kMfma, 32, 32, 64}.k_per_lane() == 32 &&
                  MmaShape{MmaUnit::kWmma11, 16, 16, 16}.k_per_lane() == 16 &&
                  MmaShape{MmaUnit::kWmma12, 16, 16, 16}.k_per_lane() == 8,
              "8-bit operands: 2, 8, 4 and 2 registers");
static_assert(OwnerOfAcc({MmaUnit::kMfma, 32, 32, 8}, 63, 5).row == 13);
static_assert(OwnerOfAcc({MmaUnit::kWmma11, 16, 16, 16}, 16, 3).row == 7);
static_assert(OwnerOfAcc({MmaUnit::kWmma12, 16, 16, 16}, 16, 3).row == 11);

}  // namespace

}  // namespace gridwise
