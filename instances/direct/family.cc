#include "instances/direct/family.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/arch/parse_gfx.h"
#include "core/launch/code.h"
#include "core/planning/parts_family.h"
#include "direct/kernels.h"
#include "instances/direct/row_code.h"

namespace gridwise::direct {
namespace {

using enum DataType;

/// A line of a list of rows.
struct Row {
  bool is_weight;
  DirectConfig config;
};

#define GATHER(...) {false, {__VA_ARGS__}},
#define WEIGHT(...) {true, {__VA_ARGS__}},

#include "instances/direct/row_tables.inc"

void AddRows(const RowTable& table, PartsFamily& family) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    std::optional<KernelCode> code = CodeOfRow(table.objects, table.gfx, "direct", table.codes[i]);
    if (!code) continue;
    if (row.is_weight) {
      family.Add(Direction::kBackwardWeight, table.gfx,
                 MakeWeightKernel(row.config, table.gfx, *std::move(code)));
      continue;
    }
    const auto kernel = MakeGatherKernel(row.config, table.gfx, *std::move(code));
    if (IsBuilt(Direction::kForward)) family.Add(Direction::kForward, table.gfx, kernel);
    // In backward-data, neighbouring cells of a sub-GEMM have neighbouring cells of dy.
    if (IsBuilt(Direction::kBackwardData) && TakesType(Direction::kBackwardData, row.config.type) &&
        row.config.stride <= 1) {
      family.Add(Direction::kBackwardData, table.gfx, kernel);
    }
  }
}

}  // namespace

const KernelFamily& Family() {
  static const PartsFamily* const family = [] {
    auto* const made = new PartsFamily("direct");
    for (const RowTable& table : RowTables()) AddRows(table, *made);
    return made;
  }();
  return *family;
}

}  // namespace gridwise::direct
