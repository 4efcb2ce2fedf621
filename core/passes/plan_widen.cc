#include "core/passes/plan_widen.h"

#include "core/base/math.h"

namespace gridwise {

WidenArgs PlanWiden(const Lines& lines) {
  return {.from = nullptr,
          .to = nullptr,
          .elements = static_cast<int>(lines.ToElements()),
          .from_line = static_cast<int>(lines.from_line),
          .to_line = static_cast<int>(lines.to_line),
          .before = static_cast<int>(lines.before),
          .from_item = static_cast<int>(lines.from_item),
          .to_item = static_cast<int>(lines.to_item),
          .by_to_line = MakeMagicDiv(static_cast<unsigned>(lines.to_line)),
          .by_to_item = MakeMagicDiv(static_cast<unsigned>(lines.to_item))};
}

unsigned WidenWorkgroups(const Lines& lines) {
  return static_cast<unsigned>(
      CeilDiv<std::int64_t>(lines.ToElements(), kWidenThreads * kWidenElements));
}

}  // namespace gridwise
