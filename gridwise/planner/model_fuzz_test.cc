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
  std::array<Bins, 7> bins = {};  // which are evaluated four at a time, two, and one
  for (Bins& of_instance : bins) model->trees().SetBins(features, nullptr, of_instance);
  std::array<double, 7> sums = {};
  model->trees().Add(0, model->trees().size(), bins, sums);
  CHECK(sums[0] == sums[6] || std::isnan(sums[0])) << sums[0] << " and " << sums[6];
  (void)model->FarFeature(features);
  return 0;
}
