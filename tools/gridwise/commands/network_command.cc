// SPDX-License-Identifier: MIT
#include "tools/gridwise/commands/network_command.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/gridwise/cli/progress.h"
#include "tools/gridwise/problem/selection.h"
#include "tools/gridwise/report/json.h"
#include "tools/gridwise/report/network.h"
#include "tools/gridwise/run/time_plan.h"

namespace gridwise {
namespace {

absl::StatusOr<Network> Plan(const NetworkOptions& options) {
  if (options.request.problems.empty()) {
    return absl::InvalidArgumentError(
        "no network is named; it is written `gridwise network FILE --device=MI355X`");
  }
  const absl::StatusOr<RequestedTarget> target = ResolveTarget(options.request);
  if (!target.ok()) return target.status();
  absl::StatusOr<Selection> selection = SelectProblems(options.request, *target, /*max_flops=*/0);
  if (!selection.ok()) return selection.status();
  Network network = PlanNetwork(options.request.problems, std::move(selection->problems),
                                target->device, {.family = options.family, .op = options.op});
  const auto planned = [](const PlannedLayer& layer) { return layer.plan.ok(); };
  if (std::ranges::none_of(network.layers, planned)) return network.layers.front().plan.status();
  return network;
}

absl::Status Time(Network& network) {
  std::atomic<std::size_t> done = 0;  // read by another thread
  const Progress progress("timing the layers", [&] {
    return static_cast<double>(done) / static_cast<double>(network.layers.size());
  });
  for (PlannedLayer& layer : network.layers) {
    if (layer.plan.ok()) {
      absl::StatusOr<Timing> timing =
          TimePlan(layer.selected.problem, *layer.plan, {.simulated = SimTiming::kQuiet});
      if (!timing.ok()) return timing.status();
      layer.timing = *std::move(timing);
    }
    ++done;
  }
  return absl::OkStatus();
}

}  // namespace

ExitCode NetworkCommand(const NetworkOptions& options) {
  absl::StatusOr<Network> network = Plan(options);
  if (!network.ok()) return Fail(network.status());
  if (options.time) {
    if (absl::Status status = Time(*network); !status.ok()) return Fail(status, kDeviceError);
  }
  std::fputs(network->ToText().c_str(), options.json ? stderr : stdout);
  if (options.json) PrintJson(network->ToJson());
  return kSuccess;
}

}  // namespace gridwise
