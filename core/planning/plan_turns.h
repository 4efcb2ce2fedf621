#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/launch/launch.h"
#include "core/planning/family.h"
#include "core/planning/plan_context.h"

namespace gridwise {

/// Whether the images of a problem can be computed one after the other in a shared workspace: they
/// must be consecutive in memory, and have separate outputs or f32 sums.
bool HasTurns(const ConvProblem& problem);

/// The launches with which an instance of a family computes such a problem in `turns`, at most one
/// per image; the numbers of images of turns differ by at most one. Sums over images are added
/// last: the workspace has one f32 dw per turn. Returns nullopt if the instance refuses so few
/// images, or needs memory that is zero at the start.
std::optional<LaunchPlan> LaunchInTurns(const KernelFamily& family, std::size_t instance,
                                        const PlanContext& context, std::int64_t turns);

}  // namespace gridwise
