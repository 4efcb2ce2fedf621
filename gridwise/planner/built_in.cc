// SPDX-License-Identifier: MIT
#include <cstddef>

#include "absl/base/no_destructor.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "gridwise/planner/model.h"

namespace gridwise::model {
namespace {

/// The model of the simulator's targets.
constexpr char kText[] =
#include "gridwise/planner/model.inc"
    ;
/// The model trained on times of a device.
constexpr char kSm90aText[] =
#include "gridwise/planner/sm_90a.inc"
    ;

template <std::size_t kSize>
absl::StatusOr<Model> Parsed(const char (&text)[kSize]) {
  return Model::Parse({text, kSize - 1});
}

const Model* Get(const absl::StatusOr<Model>& model) { return model.ok() ? &*model : nullptr; }

}  // namespace

const Model* BuiltInModel(Gfx gfx) {
  if (gfx == Gfx::kSm90a) {
    static const absl::NoDestructor<absl::StatusOr<Model>> model(Parsed(kSm90aText));
    return Get(*model);
  }
  static const absl::NoDestructor<absl::StatusOr<Model>> model(Parsed(kText));
  return Get(*model);
}

}  // namespace gridwise::model
