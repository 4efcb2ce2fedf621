// SPDX-License-Identifier: MIT
#include "gridwise/views.h"

#include <utility>

#include "ck/ops/views.h"
#include "core/text/fields_text.h"
#include "instances/ck/family.h"

namespace gridwise {

absl::StatusOr<InstancePlan> PlanViews(const ck::GemmDescriptors& gemm, DataType type,
                                       DataType out_type, const DeviceFacts& device) {
  absl::StatusOr<ck::ViewsLaunch> launch =
      ck::PlanViews(gemm, type, out_type, ck::Kernels(device.gfx), device);
  if (!launch.ok()) return launch.status();
  PlanOptions options = {.instance = PrintFields(launch->kernel->config), .family = "ck"};
  return InstancePlan(device, std::move(options), std::move(launch->plan));
}

}  // namespace gridwise
