#include "instances/tile/family.h"

#include <span>

#include "core/launch/code.h"
#include "core/launch/parts_family.h"
#include "core/launch/row_symbol.h"
#include "instances/tile/gfx1100_code.h"
#include "instances/tile/gfx1201_code.h"
#include "instances/tile/gfx942_code.h"
#include "instances/tile/gfx950_code.h"
#include "tile/kernels.h"

namespace gridwise::tile {
namespace {

using enum DataType;
using enum MmaUnit;
using enum Schedule;

/// A line of a list of rows.
struct Row {
  Direction direction;
  int line;
  TileConfig config;
};

#define FORWARD(...) {Direction::kForward, __LINE__, {__VA_ARGS__}},
#define BACKWARD_DATA(...) {Direction::kBackwardData, __LINE__, {__VA_ARGS__}},
#define BACKWARD_WEIGHT(...) {Direction::kBackwardWeight, __LINE__, {__VA_ARGS__}},

constexpr Row kRows942[] = {
#include "instances/tile/gfx942.inc"
};
constexpr Row kRows950[] = {
#include "instances/tile/gfx950.inc"
};
constexpr Row kRows1100[] = {
#include "instances/tile/gfx1100.inc"
};
constexpr Row kRows1201[] = {
#include "instances/tile/gfx1201.inc"
};

void AddRows(std::span<const Row> rows, Gfx gfx, CodeObjects objects, PartsFamily& family) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    KernelCode code = {ObjectOf(objects, gfx, i), RowSymbol("tile", row.line)};
    family.Add(row.direction, gfx,
               row.direction == Direction::kBackwardWeight
                   ? MakeBwdWeightKernel(row.config, std::move(code))
                   : MakeGatherKernel(row.config, std::move(code)));
  }
}

}  // namespace

const KernelFamily& Family() {
  static const PartsFamily* const family = [] {
    auto* const made = new PartsFamily("tile");
    AddRows(kRows942, Gfx::k942, Gfx942Code(), *made);
    AddRows(kRows950, Gfx::k950, Gfx950Code(), *made);
    AddRows(kRows1100, Gfx::k1100, Gfx1100Code(), *made);
    AddRows(kRows1201, Gfx::k1201, Gfx1201Code(), *made);
    return made;
  }();
  return *family;
}

}  // namespace gridwise::tile
