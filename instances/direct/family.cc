#include "instances/direct/family.h"

#include <span>

#include "core/launch/code.h"
#include "core/launch/parts_family.h"
#include "core/launch/row_symbol.h"
#include "direct/kernels.h"
#include "instances/direct/gfx1100_code.h"
#include "instances/direct/gfx1201_code.h"
#include "instances/direct/gfx942_code.h"
#include "instances/direct/gfx950_code.h"

namespace gridwise::direct {
namespace {

using enum DataType;

/// A line of a list of rows.
struct Row {
  bool is_weight;
  int line;
  DirectConfig config;
};

#define GATHER(...) {false, __LINE__, {__VA_ARGS__}},
#define WEIGHT(...) {true, __LINE__, {__VA_ARGS__}},

constexpr Row kRows942[] = {
#include "instances/direct/gfx942.inc"
};
constexpr Row kRows950[] = {
#include "instances/direct/gfx950.inc"
};
constexpr Row kRows1100[] = {
#include "instances/direct/gfx1100.inc"
};
constexpr Row kRows1201[] = {
#include "instances/direct/gfx1201.inc"
};

void AddRows(std::span<const Row> rows, Gfx gfx, CodeObjects objects, PartsFamily& family) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    KernelCode code = {ObjectOf(objects, gfx, i), RowSymbol("direct", row.line)};
    if (row.is_weight) {
      family.Add(Direction::kBackwardWeight, gfx, MakeWeightKernel(row.config, std::move(code)));
      continue;
    }
    const auto kernel = MakeGatherKernel(row.config, std::move(code));
    family.Add(Direction::kForward, gfx, kernel);
    // In backward-data, neighbouring cells of a sub-GEMM have neighbouring cells of dy.
    if (TakesType(Direction::kBackwardData, row.config.type) && row.config.stride <= 1) {
      family.Add(Direction::kBackwardData, gfx, kernel);
    }
  }
}

}  // namespace

const KernelFamily& Family() {
  static const PartsFamily* const family = [] {
    auto* const made = new PartsFamily("direct");
    AddRows(kRows942, Gfx::k942, Gfx942Code(), *made);
    AddRows(kRows950, Gfx::k950, Gfx950Code(), *made);
    AddRows(kRows1100, Gfx::k1100, Gfx1100Code(), *made);
    AddRows(kRows1201, Gfx::k1201, Gfx1201Code(), *made);
    return made;
  }();
  return *family;
}

}  // namespace gridwise::direct
