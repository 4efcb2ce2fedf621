// SPDX-License-Identifier: MIT
#include "gridwise/families.h"

#include <mutex>

#include "absl/base/no_destructor.h"
#include "absl/strings/str_format.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "instances/ck/family.h"
#include "instances/direct/family.h"
#include "instances/hopper/family.h"
#include "instances/tile/family.h"

namespace gridwise {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<const KernelFamily*> families = {&tile::Family(), &direct::Family(), &ck::Family(),
                                               &hopper::Family()};
};

Registry& TheRegistry() {
  static absl::NoDestructor<Registry> registry;
  return *registry;
}

/// Returns an error if `known` already has one of the `instances`.
absl::Status CheckInstancesDiffer(const KernelFamily& known, const KernelFamily& instances) {
  for (const Gfx gfx : kAllGfx) {
    for (const Direction direction : kAllDirections) {
      for (const InstanceInfo& instance : instances.Instances(direction, gfx)) {
        for (const InstanceInfo& other : known.Instances(direction, gfx)) {
          if (instance.name != other.name) continue;
          return absl::AlreadyExistsError(
              absl::StrFormat("family %s already has an instance %s for %s", known.name(),
                              instance.name, Name(gfx)));
        }
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<const KernelFamily*> Families() {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  return registry.families;
}

const OperandForm& UsualOperands(Gfx gfx) {
  for (const KernelFamily* family : Families()) {
    if (const OperandForm* usual = family->usual_operands(gfx)) return *usual;
  }
  return AdjacentChannels();
}

absl::Status RegisterFamily(const KernelFamily& family) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  for (const KernelFamily* known : registry.families) {
    if (known->name() == family.name()) {
      return absl::AlreadyExistsError(
          absl::StrFormat("there is already a kernel family called %s", family.name()));
    }
  }
  registry.families.push_back(&family);
  return absl::OkStatus();
}

absl::Status RegisterInstances(const KernelFamily& instances) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  bool found = false;
  for (const KernelFamily* known : registry.families) {
    if (known->name() != instances.name()) continue;
    found = true;
    if (absl::Status status = CheckInstancesDiffer(*known, instances); !status.ok()) return status;
  }
  if (!found) {
    return absl::NotFoundError(absl::StrFormat("no kernel family is called %s", instances.name()));
  }
  registry.families.push_back(&instances);
  return absl::OkStatus();
}

}  // namespace gridwise
