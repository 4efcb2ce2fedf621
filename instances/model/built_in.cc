#include <memory>
#include <string_view>

#include "absl/base/no_destructor.h"
#include "instances/model/model.h"

namespace gridwise::model {
namespace {

constexpr char kText[] =
#include "instances/model/model.inc"
    ;

}  // namespace

const Model* BuiltInModel() {
  static const absl::NoDestructor<absl::StatusOr<Model>> model(
      Model::Parse({kText, sizeof(kText) - 1}));
  return model->ok() ? &**model : nullptr;
}

}  // namespace gridwise::model
