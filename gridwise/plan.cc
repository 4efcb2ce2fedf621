// SPDX-License-Identifier: MIT
#include "gridwise/plan.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/estimate/choose_block_map.h"
#include "core/launch/launch.h"
#include "core/text/parse_device.h"

namespace gridwise {
namespace {

std::int64_t Workgroups(const KernelLaunch& launch) {
  const auto& [x, y, z] = launch.shape.workgroups;
  return std::int64_t{x} * y * z;
}

/// Returns the workgroups of the launches, in order.
std::string DescribeLaunches(const std::vector<KernelLaunch>& launches) {
  std::string text;
  for (const KernelLaunch& launch : launches) {
    absl::StrAppendFormat(&text, "%s%d of %d threads", text.empty() ? "" : ", then ",
                          Workgroups(launch), launch.shape.threads[0]);
  }
  return text;
}

/// Returns the order in which workgroups take tiles, from the first launch that has one.
std::string DescribeMap(const std::vector<KernelLaunch>& launches) {
  for (const KernelLaunch& launch : launches) {
    if (launch.map) return gridwise::ToString(*launch.map);
  }
  return "row-major";
}

/// Returns a remark if the plan does not fit in the device's memory.
std::string DescribeRoom(const LaunchPlan& plan, const DeviceFacts& device) {
  if (Fits(plan, device)) return "";
  return absl::StrFormat(
      "; with the tensors' %d bytes, this is more than the device's memory of %d",
      plan.tensor_bytes, device.memory_bytes);
}

}  // namespace

bool Fits(const LaunchPlan& plan, const DeviceFacts& device) {
  return plan.workspace_bytes <= device.memory_bytes - plan.tensor_bytes;
}

struct InstancePlan::Data {
  DeviceFacts device;
  PlanOptions options;
  LaunchPlan launches;
};

InstancePlan::InstancePlan(const DeviceFacts& device, PlanOptions options, LaunchPlan launches)
    : data_(std::make_shared<const Data>(Data{device, std::move(options), std::move(launches)})) {}

const DeviceFacts& InstancePlan::device() const { return data_->device; }
const PlanOptions& InstancePlan::options() const { return data_->options; }
const LaunchPlan& InstancePlan::launch_plan() const { return data_->launches; }
const Cost& InstancePlan::cost() const { return launch_plan().cost; }
std::int64_t InstancePlan::workspace_bytes() const { return launch_plan().workspace_bytes; }
int InstancePlan::launches() const { return static_cast<int>(launch_plan().launches.size()); }
int InstancePlan::splits() const { return launch_plan().splits; }
const std::vector<GemmShape>& InstancePlan::SubGemms() const { return launch_plan().gemms; }

std::int64_t InstancePlan::workgroups() const {
  std::int64_t count = 0;
  for (const KernelLaunch& launch : launch_plan().launches) count += Workgroups(launch);
  return count;
}

std::string InstancePlan::ToString() const {
  const std::vector<GemmShape>& shapes = SubGemms();
  if (shapes.empty()) {
    return absl::StrFormat("instance   none: the batch is 0\nlaunches   %d\n", launches());
  }
  std::string text = absl::StrFormat("instance   %s (%s)\nsub-GEMMs  %d per group\n", instance(),
                                     family(), shapes.size());
  std::vector<std::pair<GemmShape, int>> counted;  // in order of first appearance
  for (const GemmShape& shape : shapes) {
    const auto same = std::find_if(counted.begin(), counted.end(),
                                   [&](const auto& entry) { return entry.first == shape; });
    if (same == counted.end()) {
      counted.emplace_back(shape, 1);
    } else {
      ++same->second;
    }
  }
  for (const auto& [shape, count] : counted) {
    absl::StrAppendFormat(&text, "           %d x (M %d, N %d, K %d)%s\n", count, shape.m, shape.n,
                          shape.k,
                          shape.k == 0 ? ": no tap reaches these pixels, written as zero" : "");
  }
  if (splits() > 1) {
    absl::StrAppendFormat(&text, "splits     %d workgroups share the K of a tile\n", splits());
  }
  absl::StrAppendFormat(
      &text, "workgroups %s, in %d launch%s\norder      %s\nworkspace  %d bytes%s\nestimate   %s\n",
      DescribeLaunches(launch_plan().launches), launches(), launches() == 1 ? "" : "es",
      DescribeMap(launch_plan().launches), workspace_bytes(), DescribeRoom(launch_plan(), device()),
      cost().ToString(device().clock_ghz));
  if (const std::string note = CalibrationNote(device()); !note.empty())
    absl::StrAppend(&text, "           ", note, "\n");
  return text;
}

}  // namespace gridwise
