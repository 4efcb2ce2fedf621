// SPDX-License-Identifier: MIT
#include "core/estimate/tap_window.h"

#include <algorithm>
#include <cstdint>

#include "core/arch/device_facts.h"
#include "core/base/types.h"
#include "core/conv/layouts.h"

namespace gridwise {

void SetTapWindow(const PartRequest& request, const TapTiles& tiles, TileSteps& steps) {
  constexpr double kLineBytes = 128;
  const int element_bytes = SizeOf(request.problem.type);
  const TensorAxes pixels = request.problem.AxesOf(request.problem.a());
  const double rows = tiles.rows / tiles.columns;  // tiles of a row request them together
  steps.window_bytes = rows * static_cast<double>(pixels.size[5]) * element_bytes;
  // A step's lines are this far apart and crowd into some sets; lines of whole pixels use all sets.
  const auto apart = static_cast<std::int64_t>(pixels.stride[3] * element_bytes / kLineBytes);
  if (apart > 0) steps.window_spread = static_cast<double>(apart & -apart);
  // Where they stay anyway, steps of the same line request it once.
  const double at_once = steps.resident * request.device.compute_units / request.device.xcds;
  const bool stay =
      rows * at_once * kLineBytes * steps.window_spread <= request.device.machine.l2_bytes;
  const double of_line = stay ? std::min(1.0, tiles.terms * element_bytes / kLineBytes) : 1;
  steps.window_part = tiles.part * of_line / tiles.columns;
}

}  // namespace gridwise
