// SPDX-License-Identifier: MIT
#include "absl/base/no_destructor.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "gridwise/planner/model.h"

namespace gridwise::model {
namespace {

/// The model of the simulator's targets.
namespace simulator {
#include "gridwise/planner/model_packed.inc"
}
/// The model trained on times of a device.
namespace sm_90a {
#include "gridwise/planner/sm_90a_packed.inc"
}

const Model* Get(const absl::StatusOr<Model>& model) { return model.ok() ? &*model : nullptr; }

}  // namespace

const Model* BuiltInModel(Gfx gfx) {
  if (gfx == Gfx::kSm90a) {
    static const absl::NoDestructor<absl::StatusOr<Model>> model(Model::Unpack(sm_90a::kModel));
    return Get(*model);
  }
  static const absl::NoDestructor<absl::StatusOr<Model>> model(Model::Unpack(simulator::kModel));
  return Get(*model);
}

}  // namespace gridwise::model
