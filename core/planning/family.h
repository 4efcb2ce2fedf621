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

/// When plans use an instance.
enum class InstanceUse {
  kRanked,     ///< if it is ranked first
  kOnRequest,  ///< if it or its op is requested: it is the best for no problem, and is there by
               ///< name
};

/// An instance of a family: a configuration that is compiled for a target and a direction.
struct InstanceInfo {
  std::string_view family;
  std::string_view op;  // the user's name of its method; empty if the family has no such names
  std::string name;  // its op and its config, printed; unique within a direction, target and family
  Direction direction;
  Gfx gfx;
  DataType type;    // of the operands
  KernelCode code;  // of the main kernel
  InstanceShape shape = {};
  InstanceUse use = InstanceUse::kRanked;
};

/// The cost of an instance for a problem, or the reason why it cannot compute it, with the values
/// that matter.
using Applicability = std::variant<Refusal, Cost>;

/// A family of kernels. Others know its instances only by their names and answers. Implementations
/// are immutable and thread-safe.
class KernelFamily {
 public:
  virtual ~KernelFamily() = default;

  /// The user's name of the family, such as "tile". Unique.
  virtual std::string_view name() const = 0;

  /// The instances for a direction and a target, the best first. Valid as long as the family.
  virtual std::span<const InstanceInfo> Instances(Direction direction, Gfx gfx) const = 0;

  /// The answer of instance `instance` of Instances(problem's direction, device's target) to the
  /// context's problem, which must be valid.
  virtual Applicability CheckApplicability(std::size_t instance, PlanContext& context) const = 0;

  /// The launches of an instance for which CheckApplicability returned a cost, in the same context.
  virtual LaunchPlan MakeLaunches(std::size_t instance, PlanContext& context) const = 0;
};

}  // namespace gridwise
