#include "tile/plan_transpose.h"

#include "absl/strings/str_format.h"
#include "core/base/math.h"
#include "tile/word_code.h"

namespace gridwise::tile {
namespace {

std::int64_t Tiles(std::int64_t length) { return CeilDiv<std::int64_t>(length, kTransposeTile); }

}  // namespace

TransposeArgs PlanTranspose(const Matrices& m) {
  TransposeArgs args = {};
  args.rows = static_cast<int>(m.rows);
  args.columns = static_cast<int>(m.columns);
  args.row_tiles = static_cast<int>(Tiles(m.rows));
  args.column_tiles = static_cast<int>(Tiles(m.columns));
  args.by_row_tiles = MakeMagicDiv(static_cast<unsigned>(args.row_tiles));
  args.by_column_tiles = MakeMagicDiv(static_cast<unsigned>(args.column_tiles));
  return args;
}

unsigned TransposeWorkgroups(const Matrices& m) {
  return static_cast<unsigned>(m.count * Tiles(m.rows) * Tiles(m.columns));
}

std::string TransposeSymbol(DataType type) {
  return absl::StrFormat("_ZN8gridwise4tile9TransposeI%sEEvNS0_13TransposeArgsE", WordCode(type));
}

}  // namespace gridwise::tile
