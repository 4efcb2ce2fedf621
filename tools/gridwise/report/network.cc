// SPDX-License-Identifier: MIT
#include "tools/gridwise/report/network.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/cost/limiter.h"
#include "core/cost/roofline.h"
#include "core/text/parse_device.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/report/json.h"

namespace gridwise {
namespace {

/// The roofline at the clock that power allows in long runs.
Roofline BoundOf(const RooflineWork& work, const DeviceFacts& device) {
  return RooflineOf(work, device, device.machine.sustained_ghz);
}

RooflineWork WorkOf(const Problem& problem) {
  return std::visit([](const auto& p) { return RooflineWorkOf(p); }, problem);
}

/// "g2 n8 c64 k128 56x56 3x3/2": what differs from layer to layer.
std::string ShortText(const Problem& problem) {
  const auto* const conv = std::get_if<ConvProblem>(&problem);
  if (conv == nullptr) return ToString(problem);
  const auto per_axis = [&](std::int64_t Dim::* member) {
    return absl::StrJoin(
        conv->dims.begin() + (3 - conv->rank), conv->dims.end(), "x",
        [&](std::string* out, const Dim& dim) { absl::StrAppend(out, dim.*member); });
  };
  std::string text = conv->groups == 1 ? "" : absl::StrCat("g", conv->groups, " ");
  absl::StrAppend(&text, "n", conv->batch, " c", conv->c, " k", conv->k, " ", per_axis(&Dim::in),
                  " ", per_axis(&Dim::filter));
  const auto differs = [&](std::int64_t Dim::* member) {
    return std::ranges::any_of(conv->dims, [&](const Dim& dim) { return dim.*member != 1; });
  };
  if (differs(&Dim::stride)) absl::StrAppend(&text, " s", per_axis(&Dim::stride));
  if (differs(&Dim::dilation)) absl::StrAppend(&text, " d", per_axis(&Dim::dilation));
  return text;
}

std::string Cut(std::string text, std::size_t length) {
  if (text.size() <= length) return text;
  text.resize(length - 2);
  return text + "..";
}

/// Right-aligns columns of numbers and left-aligns others; the first line are the headers.
std::string Aligned(const std::vector<std::vector<std::string>>& lines, std::size_t numbers) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const std::vector<std::string>& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const int width = static_cast<int>(widths[i]);
      absl::StrAppendFormat(&row, "%*s  ", i < numbers ? width : -width, line[i]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, row, "\n");
  }
  return text;
}

llvm::json::Object JsonOf(const PlannedLayer& layer, double total_us) {
  llvm::json::Object object{{"name", layer.selected.name},
                            {"count", layer.selected.count},
                            {"problem", ToJson(layer.selected.problem)}};
  if (!layer.plan.ok()) {
    object["reason"] = std::string(layer.plan.status().message());
    return object;
  }
  object["plan"] = ToJson(*layer.plan);
  object["us"] = JsonNumber(layer.us());
  object["total_us"] = JsonNumber(layer.total_us());
  object["share"] = JsonNumber(layer.total_us() / total_us);
  object["limiter"] = layer.limiter();
  object["of_bound"] = JsonNumber(layer.of_bound());
  if (layer.timing) object["time"] = ToJson(*layer.timing);
  return object;
}

}  // namespace

double PlannedLayer::us() const {
  return timing ? timing->ms * 1e3 : plan->cost().cycles / plan->device().clock_ghz * 1e-3;
}

double PlannedLayer::total_us() const {
  return plan.ok() ? us() * static_cast<double>(selected.count) : 0;
}

std::string PlannedLayer::limiter() const {
  if (timing && !timing->limiter.empty()) return timing->limiter;
  if (timing && timing->measured) return timing->roofline.bound();
  return Limiter(plan->cost());
}

double PlannedLayer::of_bound() const {
  return timing ? timing->of_bound()
                : BoundOf(WorkOf(selected.problem), plan->device()).ms() * 1e3 / us();
}

double Network::total_us() const {
  double total = 0;
  for (const PlannedLayer& layer : layers) total += layer.total_us();
  return total;
}

std::int64_t Network::convolutions() const {
  std::int64_t count = 0;
  for (const PlannedLayer& layer : layers) count += layer.selected.count;
  return count;
}

double Network::pass_us() const {
  double total = 0;
  for (const PlannedLayer& layer : layers) {
    const auto* const conv = std::get_if<ConvProblem>(&layer.selected.problem);
    if (conv == nullptr || conv->direction != Direction::kForward) continue;
    const double bytes = static_cast<double>(conv->y_elements()) * SizeOf(conv->output_type());
    const RooflineWork pass = {.type = conv->type, .bytes_read = bytes, .bytes_written = bytes};
    total += BoundOf(pass, device).memory_ms * 1e3 * static_cast<double>(layer.selected.count);
  }
  return total;
}

std::int64_t Network::workspace_bytes() const {
  std::int64_t bytes = 0;
  for (const PlannedLayer& layer : layers) {
    if (layer.plan.ok()) bytes = std::max(bytes, layer.plan->workspace_bytes());
  }
  return bytes;
}

std::string Network::ToText() const {
  constexpr std::size_t kMaxName = 32;
  const double total = total_us();
  std::vector<std::vector<std::string>> lines = {{"count", "us each", "us", "share", "roofline",
                                                  "limited by", "direction", "layer", "sizes",
                                                  "kernel"}};
  std::string reasons;
  for (const PlannedLayer& layer : layers) {
    const Problem& problem = layer.selected.problem;
    if (!layer.plan.ok()) {
      absl::StrAppend(&reasons, "no kernel  ", layer.selected.name, ": ",
                      layer.plan.status().message(), "\n");
      continue;
    }
    lines.push_back({absl::StrCat(layer.selected.count), absl::StrFormat("%.1f", layer.us()),
                     absl::StrFormat("%.1f", layer.total_us()),
                     absl::StrFormat("%.1f %%", 100 * layer.total_us() / total),
                     absl::StrFormat("%.0f %%", 100 * layer.of_bound()), layer.limiter(),
                     KindOf(problem), Cut(layer.selected.name, kMaxName), ShortText(problem),
                     layer.plan->instance()});
  }
  std::string text = Aligned(lines, /*numbers=*/5);
  const bool timed = std::ranges::any_of(
      layers, [](const PlannedLayer& layer) { return layer.timing.has_value(); });
  absl::StrAppendFormat(&text, "%s%d convolutions, %d of them different, of %s on %s (%s)\n",
                        reasons, convolutions(), layers.size(), name, Name(device.gfx),
                        device.product->name);
  absl::StrAppendFormat(&text, "total      %.3f ms, %s; workspace at most %d bytes\n", total * 1e-3,
                        timed ? "in long runs" : "by the planner's estimates", workspace_bytes());
  if (const std::string note = CalibrationNote(device); !note.empty()) {
    absl::StrAppendFormat(&text, "           %s\n", note);
  }
  if (const double pass = pass_us(); pass > 0) {
    absl::StrAppendFormat(&text,
                          "epilogues  each function of the outputs that is fused into the forward "
                          "layers saves %.3f ms\n",
                          pass * 1e-3);
  }
  return text;
}

llvm::json::Object Network::ToJson() const {
  const double total = total_us();
  llvm::json::Array array;
  for (const PlannedLayer& layer : layers) array.push_back(JsonOf(layer, total));
  return llvm::json::Object{{"network", name},
                            {"target", Name(device.gfx)},
                            {"layers", std::move(array)},
                            {"total_us", JsonNumber(total)},
                            {"pass_us", JsonNumber(pass_us())},
                            {"workspace_bytes", workspace_bytes()}};
}

Network PlanNetwork(std::string name, std::vector<SelectedProblem> problems,
                    const DeviceFacts& device, const PlanOptions& options) {
  std::ranges::stable_sort(problems, {}, &SelectedProblem::index);
  Network network = {.name = std::move(name), .device = device, .layers = {}};
  for (SelectedProblem& selected : problems) {
    absl::StatusOr<InstancePlan> plan = MakePlan(selected.problem, device, options);
    network.layers.push_back({std::move(selected), std::move(plan)});
  }
  return network;
}

}  // namespace gridwise
