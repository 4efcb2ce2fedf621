// SPDX-License-Identifier: MIT
#include "gridwise/instances.h"

#include <span>

#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "gridwise/families.h"
#include "instances/ck/family.h"

namespace gridwise {

std::vector<InstanceInfo> ListInstances() {
  std::vector<InstanceInfo> infos;
  for (const Gfx gfx : kAllGfx) {
    for (const Direction direction : kAllDirections) {
      for (const KernelFamily* family : Families()) {
        const std::span<const InstanceInfo> instances = family->Instances(direction, gfx);
        infos.insert(infos.end(), instances.begin(), instances.end());
      }
    }
  }
  return infos;
}

std::vector<InstanceInfo> ListGemmInstances() {
  std::vector<InstanceInfo> infos;
  for (const Gfx gfx : kAllGfx) {
    const std::span<const InstanceInfo> instances = ck::Gemms().Instances(Direction::kForward, gfx);
    infos.insert(infos.end(), instances.begin(), instances.end());
  }
  return infos;
}

}  // namespace gridwise
