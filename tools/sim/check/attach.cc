#include "tools/sim/check/attach.h"

#include <memory>

#include "tools/sim/check/checker.h"
#include "tools/sim/check/settings.h"
#include "tools/sim/check/source_lines.h"
#include "tools/sim/isa/target.h"

namespace gridwise::sim {

void AttachCheck(Program& program, const CodeObject& object, std::span<const std::byte> image) {
  const SimTarget* target = FindTarget(object.gfx());
  if (!CurrentCheckSettings().on() || target == nullptr) return;
  program.set_observer(std::make_unique<CheckObserver>(target->bit, SourceLines(object, image)));
}

}  // namespace gridwise::sim
