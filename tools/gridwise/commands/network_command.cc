// SPDX-License-Identifier: MIT
#include "tools/gridwise/commands/network_command.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/gridwise/cli/progress.h"
#include "tools/gridwise/problem/selection.h"
#include "tools/gridwise/problem/text_file.h"
#include "tools/gridwise/report/json.h"
#include "tools/gridwise/report/network.h"
#include "tools/gridwise/run/device_for.h"
#include "tools/gridwise/run/time_plan.h"

namespace gridwise {
namespace {

/// The network on the device that the options name, and on that to compare it with, if there is
/// one.
absl::StatusOr<std::vector<Network>> Plan(const NetworkOptions& options) {
  if (options.request.problems.empty()) {
    return absl::InvalidArgumentError(
        "no network is named; it is written `gridwise network FILE --device=MI355X`");
  }
  if (options.json && options.html == "-") {
    return absl::InvalidArgumentError("--json and --html=- both write to stdout; name a file");
  }
  std::vector<RequestedTarget> targets;
  for (const std::string& device : {options.request.device, options.compare}) {
    if (device.empty()) continue;
    ProblemRequest request = options.request;
    request.device = device;
    absl::StatusOr<RequestedTarget> target = ResolveTarget(request);
    if (!target.ok()) return target.status();
    targets.push_back(*std::move(target));
  }
  absl::StatusOr<Selection> selection =
      SelectProblems(options.request, targets.front(), /*max_flops=*/0);
  if (!selection.ok()) return selection.status();
  std::vector<Network> networks;
  for (const RequestedTarget& target : targets) {
    std::vector<SelectedProblem> problems = selection->problems;
    for (SelectedProblem& selected : problems) {  // "f8" is another type on another target
      std::visit([&](auto& problem) { target.SetTypes(problem); }, selected.problem);
    }
    const Network& network = networks.emplace_back(
        PlanNetwork(options.request.problems, std::move(problems), target.device,
                    {.family = options.family, .op = options.op}));
    const auto planned = [](const PlannedLayer& layer) { return layer.plan.ok(); };
    if (std::ranges::none_of(network.layers, planned)) return network.layers.front().plan.status();
  }
  return networks;
}

absl::Status Time(std::vector<Network>& networks) {
  for (const Network& network : networks) AddSimulatedDevice(network.device);
  std::atomic<std::size_t> done = 0;  // read by another thread
  const std::size_t all = networks.size() * networks.front().layers.size();
  const Progress progress("timing the layers",
                          [&] { return static_cast<double>(done) / static_cast<double>(all); });
  for (Network& network : networks) {
    for (PlannedLayer& layer : network.layers) {
      if (layer.plan.ok()) {
        absl::StatusOr<Timing> timing =
            TimePlan(layer.selected.problem, *layer.plan, {.simulated = SimTiming::kQuiet});
        if (!timing.ok()) return timing.status();
        layer.timing = *std::move(timing);
      }
      ++done;
    }
  }
  return absl::OkStatus();
}

}  // namespace

ExitCode NetworkCommand(const NetworkOptions& options) {
  absl::StatusOr<std::vector<Network>> networks = Plan(options);
  if (!networks.ok()) return Fail(networks.status());
  if (options.time) {
    if (absl::Status status = Time(*networks); !status.ok()) return Fail(status, kDeviceError);
  }
  const Network& network = networks->front();
  const Network* const other = networks->size() > 1 ? &networks->back() : nullptr;
  const bool is_read = options.json || options.html == "-";
  const std::string text = other != nullptr ? CompareText(network, *other) : network.ToText();
  std::fputs(text.c_str(), is_read ? stderr : stdout);
  if (!options.html.empty()) {
    const absl::Status status = WriteTextFile(options.html, ToPage(network, other));
    if (!status.ok()) return Fail(status);
  }
  if (options.json) PrintJson(ToJson(network, other));
  return kSuccess;
}

}  // namespace gridwise
