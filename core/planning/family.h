// SPDX-License-Identifier: MIT
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

/// The interface between kernels and the code that chooses, lists, explains, loads or tests them.

namespace gridwise {

/// When plans use an instance.
enum class InstanceUse {
  kRanked,     ///< if it ranks first
  kOnRequest,  ///< if it or its op is requested: it is the best for no problem
};

/// An instance of a family: a configuration that is compiled for a target and a direction.
struct InstanceInfo {
  std::string_view family;
  std::string_view op;  // the user's name of its algorithm; empty if the family has no ops
  std::string name;  // its op and its config, printed; unique within a direction, target and family
  Direction direction;
  Gfx gfx;
  DataType type;    // type of the operands
  KernelCode code;  // code of its main kernel
  InstanceShape shape = {};
  InstanceUse use = InstanceUse::kRanked;
};

/// The cost of an instance for a problem, or the reason why it cannot compute the problem.
using Applicability = std::variant<Refusal, Cost>;

/// A family of kernels. Other code knows its instances only by name and through this interface.
/// Implementations are immutable, so any number of threads may call them.
class KernelFamily {
 public:
  virtual ~KernelFamily() = default;

  /// Returns the family's unique name, e.g. "tile".
  virtual std::string_view name() const = 0;

  /// Returns its instances for a direction and a target, the best first. The span is valid as long
  /// as the family.
  virtual std::span<const InstanceInfo> Instances(Direction direction, Gfx gfx) const = 0;

  /// Returns the form of operands of most instances for a target, by which ranking models know
  /// problems; null if it is AdjacentChannels() or the family has no instances for the target.
  virtual const OperandForm* usual_operands(Gfx /*gfx*/) const { return nullptr; }

  /// Returns whether instance number `instance` of Instances(direction, gfx) computes the context's
  /// problem. The direction is the problem's, and the target the device's. Requires that the
  /// problem is valid.
  virtual Applicability CheckApplicability(std::size_t instance, PlanContext& context) const = 0;

  /// Returns the launches of an instance. Requires that CheckApplicability returned a cost for it
  /// in the same context.
  virtual LaunchPlan MakeLaunches(std::size_t instance, PlanContext& context) const = 0;
};

}  // namespace gridwise
