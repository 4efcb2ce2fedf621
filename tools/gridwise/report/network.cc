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
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/cost/limiter.h"
#include "core/cost/roofline.h"
#include "core/text/parse_device.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/report/json.h"
#include "tools/page/page.h"
#include "tools/text/json.h"

namespace gridwise {
namespace {

constexpr std::size_t kMaxName = 32;  // characters of a layer's name in a table

/// "MI300X" also where NameOf says "gfx942".
std::string ShownName(const DeviceFacts& device) {
  const std::string name = NameOf(device);
  return name == Name(device.gfx) ? std::string(device.product->name) : name;
}

/// The roofline at the clock that power allows in long runs.
Roofline ComputeSustainedRoofline(const RooflineWork& work, const DeviceFacts& device) {
  return ComputeRoofline(work, device, device.machine.sustained_ghz);
}

RooflineWork CountWork(const Problem& problem) {
  return std::visit([](const auto& p) { return CountRooflineWork(p); }, problem);
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

llvm::json::Object LayerToJson(const PlannedLayer& layer, const Network& network, double total_us) {
  llvm::json::Object object{{"name", layer.selected.name},
                            {"count", layer.selected.count},
                            {"problem", ToJson(layer.selected.problem)}};
  if (!layer.plan.ok()) {
    object["reason"] = std::string(layer.plan.status().message());
    return object;
  }
  const RooflineWork work = CountWork(layer.selected.problem);
  object["plan"] = ToJson(*layer.plan);
  object["us"] = JsonNumber(layer.us());
  object["total_us"] = JsonNumber(layer.total_us());
  object["share"] = JsonNumber(layer.total_us() / total_us);
  object["limiter"] = layer.limiter();
  object["of_bound"] = JsonNumber(layer.of_bound());
  object["bytes"] = JsonNumber(work.bytes_read + work.bytes_written);
  object["memory_bytes"] = layer.memory_bytes();
  if (const double pass = layer.pass_us(network.device); pass > 0) object["pass_us"] = pass;
  if (layer.timing) object["time"] = ToJson(*layer.timing);
  return object;
}

constexpr std::string_view kEstimated = "estimated";

/// What the layers' times are: "measured", "simulated" (by the clock) or kEstimated.
std::string_view TimesOf(const Network& network) {
  for (const PlannedLayer& layer : network.layers) {
    if (layer.timing) return layer.timing->measured ? "measured" : "simulated";
  }
  return kEstimated;
}

/// The lines of the roofline, at the clock of long runs: TFLOP/s by type of the operands, GB/s of
/// memory and of the Infinity Cache (0: there is none).
llvm::json::Object RatesOf(const Network& network) {
  const DeviceFacts& device = network.device;
  const MachineFacts& machine = device.machine;
  llvm::json::Object peaks;
  for (const PlannedLayer& layer : network.layers) {
    const DataType type = CountWork(layer.selected.problem).type;
    peaks[Name(type)] =
        PeakFlopsPerClock(device.gfx, type) * device.compute_units * machine.sustained_ghz * 1e-3;
  }
  return llvm::json::Object{{"matrix_tflop_per_s", std::move(peaks)},
                            {"memory_gb_per_s", machine.dram_read_gb_per_s},
                            {"cache_gb_per_s", machine.mall_bytes > 0 ? machine.mall_gb_per_s : 0}};
}

/// What all layers take together, and which have no kernel.
std::string Summarize(const Network& network) {
  const DeviceFacts& device = network.device;
  std::string text;
  for (const PlannedLayer& layer : network.layers) {
    if (layer.plan.ok()) continue;
    absl::StrAppend(&text, "no kernel  ", layer.selected.name, ": ", layer.plan.status().message(),
                    "\n");
  }
  absl::StrAppendFormat(&text, "%d convolutions, %d of them different, of %s on %s (%s)\n",
                        network.convolutions(), network.layers.size(), network.name,
                        Name(device.gfx), device.product->name);
  absl::StrAppendFormat(
      &text, "total      %.3f ms, %s, %.0f %% of the roofline; workspace at most %d bytes\n",
      network.total_us() * 1e-3,
      TimesOf(network) == kEstimated ? "by the planner's estimates" : "in long runs",
      100 * network.bound_us() / network.total_us(), network.workspace_bytes());
  if (const std::string note = CalibrationNote(device); !note.empty()) {
    absl::StrAppendFormat(&text, "           %s\n", note);
  }
  if (const double pass = network.pass_us(); pass > 0) {
    absl::StrAppendFormat(&text,
                          "epilogues  each function of the outputs that is fused into the forward "
                          "layers saves %.3f ms\n",
                          pass * 1e-3);
  }
  return text;
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
                : ComputeSustainedRoofline(CountWork(selected.problem), plan->device()).ms() * 1e3 /
                      us();
}

std::int64_t PlannedLayer::memory_bytes() const {
  if (!plan.ok()) return 0;
  return plan->workspace_bytes() + std::visit(
                                       [](const auto& p) {
                                         return (p.a_elements() + p.b_elements()) * SizeOf(p.type) +
                                                p.out_elements() * SizeOf(p.output_type());
                                       },
                                       selected.problem);
}

double PlannedLayer::pass_us(const DeviceFacts& device) const {
  const auto* const conv = std::get_if<ConvProblem>(&selected.problem);
  if (conv == nullptr || conv->direction != Direction::kForward) return 0;
  const double bytes = static_cast<double>(conv->y_elements()) * SizeOf(conv->output_type());
  const RooflineWork pass = {.type = conv->type, .bytes_read = bytes, .bytes_written = bytes};
  return ComputeSustainedRoofline(pass, device).memory_ms * 1e3 *
         static_cast<double>(selected.count);
}

double Network::total_us() const {
  double total = 0;
  for (const PlannedLayer& layer : layers) total += layer.total_us();
  return total;
}

double Network::bound_us() const {
  double bound = 0;
  for (const PlannedLayer& layer : layers) {
    if (layer.plan.ok()) bound += layer.of_bound() * layer.total_us();
  }
  return bound;
}

std::int64_t Network::convolutions() const {
  std::int64_t count = 0;
  for (const PlannedLayer& layer : layers) count += layer.selected.count;
  return count;
}

double Network::pass_us() const {
  double total = 0;
  for (const PlannedLayer& layer : layers) total += layer.pass_us(device);
  return total;
}

std::int64_t Network::workspace_bytes() const {
  std::int64_t bytes = 0;
  for (const PlannedLayer& layer : layers) {
    if (layer.plan.ok()) bytes = std::max(bytes, layer.plan->workspace_bytes());
  }
  return bytes;
}

std::int64_t Network::memory_bytes() const {
  std::int64_t bytes = 0;
  for (const PlannedLayer& layer : layers) bytes = std::max(bytes, layer.memory_bytes());
  return bytes;
}

std::string Network::ToText() const {
  const double total = total_us();
  std::vector<std::vector<std::string>> lines = {{"count", "us each", "us", "share", "roofline",
                                                  "limited by", "direction", "layer", "sizes",
                                                  "kernel"}};
  for (const PlannedLayer& layer : layers) {
    const Problem& problem = layer.selected.problem;
    if (!layer.plan.ok()) continue;
    lines.push_back({absl::StrCat(layer.selected.count), absl::StrFormat("%.1f", layer.us()),
                     absl::StrFormat("%.1f", layer.total_us()),
                     absl::StrFormat("%.1f %%", 100 * layer.total_us() / total),
                     absl::StrFormat("%.0f %%", 100 * layer.of_bound()), layer.limiter(),
                     KindOf(problem), Cut(layer.selected.name, kMaxName), ShortText(problem),
                     layer.plan->instance()});
  }
  return Aligned(lines, /*numbers=*/5) + Summarize(*this);
}

std::string CompareText(const Network& a, const Network& b) {
  const std::string name_a = ShownName(a.device), name_b = ShownName(b.device);
  std::vector<std::vector<std::string>> lines = {
      {"count", absl::StrCat(name_a, ": us"), absl::StrCat(name_b, ": us"), "ratio",
       absl::StrCat(name_a, " limited by"), absl::StrCat(name_b, " limited by"), "direction",
       "layer", "sizes"}};
  double of_both_a = 0, of_both_b = 0;
  for (std::size_t i = 0; i < a.layers.size() && i < b.layers.size(); ++i) {
    const PlannedLayer &of_a = a.layers[i], &of_b = b.layers[i];
    const auto limiter = [](const PlannedLayer& layer) {
      return layer.plan.ok() ? layer.limiter() : "no kernel";
    };
    const auto us = [](const PlannedLayer& layer) {
      return layer.plan.ok() ? absl::StrFormat("%.1f", layer.total_us()) : "-";
    };
    const bool both = of_a.plan.ok() && of_b.plan.ok();
    of_both_a += both ? of_a.total_us() : 0;
    of_both_b += both ? of_b.total_us() : 0;
    lines.push_back({absl::StrCat(of_a.selected.count), us(of_a), us(of_b),
                     both ? absl::StrFormat("%.2f", of_b.us() / of_a.us()) : "-", limiter(of_a),
                     limiter(of_b), KindOf(of_a.selected.problem),
                     Cut(of_a.selected.name, kMaxName), ShortText(of_a.selected.problem)});
  }
  std::string text = absl::StrCat(Aligned(lines, /*numbers=*/4), Summarize(a), Summarize(b));
  if (of_both_a > 0) {
    absl::StrAppendFormat(&text, "ratio      %s takes %.2f times as long as %s\n", name_b,
                          of_both_b / of_both_a, name_a);
  }
  return text;
}

llvm::json::Object Network::ToJson() const {
  const double total = total_us();
  llvm::json::Array array;
  for (const PlannedLayer& layer : layers) array.push_back(LayerToJson(layer, *this, total));
  return llvm::json::Object{{"network", name},
                            {"target", Name(device.gfx)},
                            {"device", ShownName(device)},
                            {"note", CalibrationNote(device)},
                            {"times", llvm::StringRef(TimesOf(*this))},
                            {"roofline", RatesOf(*this)},
                            {"layers", std::move(array)},
                            {"total_us", JsonNumber(total)},
                            {"bound_us", JsonNumber(bound_us())},
                            {"pass_us", JsonNumber(pass_us())},
                            {"memory_bytes", memory_bytes()},
                            {"workspace_bytes", workspace_bytes()}};
}

llvm::json::Object ToJson(const Network& network, const Network* other) {
  llvm::json::Object object = network.ToJson();
  if (other != nullptr) object["compared_with"] = other->ToJson();
  return object;
}

std::string ToPage(const Network& network, const Network* other) {
  std::string title = absl::StrCat(network.name, " on ", ShownName(network.device));
  if (other != nullptr) absl::StrAppend(&title, " and ", ShownName(other->device));
  return MakePage(PageKind::kNetwork, title, JsonText(ToJson(network, other)));
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
