#include "gridwise/rows.h"

#include <span>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "gridwise/families.h"
#include "instances/ck/family.h"

namespace gridwise {

std::vector<RowInfo> ListRows() {
  std::vector<RowInfo> infos;
  for (const Gfx gfx : kAllGfx) {
    for (const Direction direction : kAllDirections) {
      for (const KernelFamily* family : Families()) {
        const std::span<const RowInfo> rows = family->Rows(direction, gfx);
        infos.insert(infos.end(), rows.begin(), rows.end());
      }
    }
  }
  return infos;
}

std::vector<RowInfo> ListGemmRows() {
  std::vector<RowInfo> infos;
  for (const Gfx gfx : kAllGfx) {
    const std::span<const RowInfo> rows = ck::Gemms().Rows(Direction::kForward, gfx);
    infos.insert(infos.end(), rows.begin(), rows.end());
  }
  return infos;
}

}  // namespace gridwise
