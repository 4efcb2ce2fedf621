#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/cost/cost.h"
#include "core/launch/instance_shape.h"
#include "core/launch/launch.h"
#include "core/launch/refusal.h"
#include "core/planning/plan_context.h"

/// The interface between kernels and the code that chooses, lists, explains, loads and tests them.

namespace gridwise {

/// When plans take an instance.
enum class InstanceUse {
  kRanked,     ///< where it is ranked first
  kOnRequest,  ///< where it or its op is asked for: best for nothing, and there by name
};

/// An instance of a family: a configuration that is compiled for a target and a direction.
struct InstanceInfo {
  std::string_view family;
  std::string_view op;  // how users name what it computes with; empty where the family has no names
  std::string name;  // its op and its config, printed; unique within a direction, target and family
  Direction direction;
  Gfx gfx;
  DataType type;    // of the operands
  KernelCode code;  // of its main kernel
  InstanceShape shape = {};
  InstanceUse use = InstanceUse::kRanked;
};

/// What an instance costs for a problem, or the reason why it cannot compute it, with the values
/// that matter.
using Applicability = std::variant<Refusal, Cost>;

/// A family of kernels. Its instances are its own affair: others know them by their names and
/// answers. Implementations are immutable, so that any number of threads may ask.
class KernelFamily {
 public:
  virtual ~KernelFamily() = default;

  /// E.g. "tile": as users name it, unique.
  virtual std::string_view name() const = 0;

  /// Its instances for a direction and a target, the best first. Valid as long as the family.
  virtual std::span<const InstanceInfo> Instances(Direction direction, Gfx gfx) const = 0;

  /// What instance `instance` of Instances(problem's direction, device's target) says to the
  /// context's problem, which is valid.
  virtual Applicability CheckApplicability(std::size_t instance, PlanContext& context) const = 0;

  /// The launches of an instance that Ask gave a cost for, in the same context.
  virtual LaunchPlan MakeLaunches(std::size_t instance, PlanContext& context) const = 0;
};

}  // namespace gridwise
