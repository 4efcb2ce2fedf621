#pragma once

#include "core/launch/row_shape.h"
#include "hopper/classes.h"
#include "hopper/config.h"
#include "hopper/halo.h"
#include "hopper/line.h"
#include "hopper/narrow.h"
#include "hopper/simple.h"

/// Rows as numbers, for models. Waves are warps; those that multiply, but for the warpgroup of the
/// producer. `mma_m` counts all rows of a tile that a warpgroup has, an instruction for each 64.

namespace gridwise::hopper {

RowShape ShapeOf(const Config& config);
RowShape ShapeOf(const ClassesConfig& config);
RowShape ShapeOf(const HaloConfig& config);
RowShape ShapeOf(const HaloWeightConfig& config);
RowShape ShapeOf(const HaloDenseConfig& config);
RowShape ShapeOf(const LineConfig& config);
RowShape ShapeOf(const NarrowWeightConfig& config);
RowShape ShapeOf(const SimpleConfig& config);

}  // namespace gridwise::hopper
