#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/launch/launch.h"
#include "core/planning/family.h"
#include "core/planning/plan_context.h"

namespace gridwise {

/// Whether the images of a problem can be computed one after the other, in a workspace that they
/// share: where they lie one behind the other in memory, and have outputs of their own, or f32
/// sums.
bool HasTurns(const ConvProblem& problem);

/// The launches by which an instance of a family that computes such a problem does so in `turns`,
/// at most as many as it has images: of as many images each, or one more. Sums over images are
/// added last: the workspace has an f32 dw of each turn. Nothing where the instance does not
/// compute so few images, or wants memory that is zero at the start.
std::optional<LaunchPlan> LaunchInTurns(const KernelFamily& family, std::size_t instance,
                                        const PlanContext& context, std::int64_t turns);

}  // namespace gridwise
