#include "tile/plan_transpose.h"

#include "absl/strings/str_format.h"
#include "ck/base/math.h"
#include "tile/word_code.h"

namespace gridwise::tile {
namespace {

std::int64_t Tiles(std::int64_t length) { return CeilDiv<std::int64_t>(length, kTransposeTile); }

/// In double: the product of sizes that are not yet known to be small.
double Workgroups(const Matrices& m) {
  return static_cast<double>(m.count) * static_cast<double>(Tiles(m.rows)) *
         static_cast<double>(Tiles(m.columns));
}

constexpr double kLimit = 2147483648.0;

}  // namespace

std::optional<std::string> RejectTranspose(const Matrices& m) {
  if (static_cast<double>(m.rows) < kLimit && static_cast<double>(m.columns) < kLimit &&
      Workgroups(m) < kLimit) {
    return std::nullopt;
  }
  return absl::StrFormat(
      "%d matrices of %d by %d elements are to be transposed, in %.0f tiles; sides and tiles must "
      "be fewer than 2^31",
      m.count, m.rows, m.columns, Workgroups(m));
}

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

unsigned TransposeWorkgroups(const Matrices& m) { return static_cast<unsigned>(Workgroups(m)); }

std::string TransposeSymbol(DataType type) {
  return absl::StrFormat("_ZN8gridwise4tile9TransposeI%sEEvNS0_13TransposeArgsE", WordCode(type));
}

}  // namespace gridwise::tile
