// SPDX-License-Identifier: MIT
/// Files of models: what is read can rank.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "gridwise/planner/features.h"
#include "gridwise/planner/model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise::model;
  const absl::StatusOr<Model> model =
      Model::Parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!model.ok()) return 0;
  const Features features = {};
  std::array<const Features*, 3> instances;
  instances.fill(&features);
  std::array<double, 3> sums = {};
  model->AddTrees(0, model->trees(), instances, sums);
  CHECK(sums[0] == sums[2] || std::isnan(sums[0])) << sums[0] << " and " << sums[2];
  (void)model->FarFeature(features);
  return 0;
}
