#include "instances/tile/family.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/arch/parse_gfx.h"
#include "core/launch/code.h"
#include "core/planning/parts_family.h"
#include "core/text/fields_text.h"
#include "instances/tile/row_code.h"
#include "tile/plan/kernels.h"

namespace gridwise::tile {
namespace {

using enum DataType;
using enum MmaUnit;
using enum Schedule;

/// A line of a list of rows.
struct Row {
  Direction direction;
  TileConfig config;
  RowUse use;
};

#define FORWARD(...) {Direction::kForward, {__VA_ARGS__}, RowUse::kRanked},
#define BACKWARD_DATA(...) {Direction::kBackwardData, {__VA_ARGS__}, RowUse::kRanked},
#define BACKWARD_WEIGHT(...) {Direction::kBackwardWeight, {__VA_ARGS__}, RowUse::kRanked},
#define REQUESTED_FORWARD(...) {Direction::kForward, {__VA_ARGS__}, RowUse::kOnRequest},
#define REQUESTED_BACKWARD_DATA(...) {Direction::kBackwardData, {__VA_ARGS__}, RowUse::kOnRequest},
#define REQUESTED_BACKWARD_WEIGHT(...) \
  {Direction::kBackwardWeight, {__VA_ARGS__}, RowUse::kOnRequest},

#include "instances/tile/row_tables.inc"

void AddRows(const RowTable& table, PartsFamily& family) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    std::optional<KernelCode> code = CodeOfRow(table.objects, table.gfx, "tile", table.codes[i]);
    if (!code) continue;
    code->needs = NeedsOfRow(table.needs, PrintFields(row.config), *code);
    family.Add(row.direction, table.gfx,
               row.direction == Direction::kBackwardWeight
                   ? MakeBwdWeightKernel(row.config, *std::move(code))
                   : MakeGatherKernel(row.config, *std::move(code)),
               row.use);
  }
}

}  // namespace

const KernelFamily& Family() {
  static const PartsFamily* const family = [] {
    auto* const made = new PartsFamily("tile");
    for (const RowTable& table : RowTables()) AddRows(table, *made);
    return made;
  }();
  return *family;
}

}  // namespace gridwise::tile
