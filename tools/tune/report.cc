// SPDX-License-Identifier: MIT
#include "tools/tune/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/conv/problem.h"
#include "core/text/html.h"
#include "tools/tune/config_space.h"

namespace gridwise {
namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width">
<title>Gridwise: times of kernels</title>
<style>
body{font:14px/1.4 system-ui,sans-serif;margin:2em auto;max-width:88em;padding:0 1em;color:#222}
h2{margin-top:2em;border-top:1px solid #ccc;padding-top:1em}h3{margin:1.5em 0 .4em}
p{max-width:50em}.wide{overflow-x:auto}svg{display:block}svg text{font:11px system-ui,sans-serif;fill:#222}
table{border-collapse:collapse}td,th{padding:2px 10px 2px 0;text-align:right;white-space:nowrap;font-size:12px}
td.t,th.t{text-align:left}th{border-bottom:1px solid #999}tr:nth-child(even) td{background:#f6f6f6}
.axis{stroke:#999;fill:none}.bar{fill:#3a6ea5}
</style>
<h1>Times of kernels</h1>
<p>The efficiency of a kernel on a problem is the time of the best kernel that was timed on it, by its own time.</p>
)";

/// The family that an instance is of; "other" for none that is known.
std::string FamilyOf(const std::string& instance, const std::string& direction) {
  const Direction parsed = ParseDirection(direction).value_or(Direction::kForward);
  for (const ConfigSpace* space : ConfigSpaces()) {
    if (space->Parse(instance, parsed).ok()) return std::string(space->family());
  }
  return "other";
}

const InstanceTime& BestOf(const TimedProblem& problem) {
  return *std::ranges::min_element(problem.times, {}, &InstanceTime::ms);
}
/// The kernel that is estimated to be the best.
const InstanceTime& EstimatedOf(const TimedProblem& problem) {
  return *std::ranges::min_element(problem.times, {}, &InstanceTime::estimate_us);
}

using Group = std::vector<const TimedProblem*>;

/// "12", with a bar of `part` of the width.
void AppendBar(std::string& svg, int instance, std::string_view name, int count, double part) {
  constexpr int kHeight = 18, kNames = 110, kWidth = 360;
  const int top = instance * kHeight;
  absl::StrAppendFormat(&svg, "<text x=%d y=%d text-anchor=end>%s</text>", kNames - 6, top + 13,
                        EscapeHtml(name));
  absl::StrAppendFormat(&svg, "<rect class=bar x=%d y=%d width=%.1f height=%d></rect>", kNames,
                        top + 2, kWidth * part, kHeight - 4);
  absl::StrAppendFormat(&svg, "<text x=%.1f y=%d>%d</text>", kNames + kWidth * part + 5, top + 13,
                        count);
}

std::string Bars(std::string_view title, const std::vector<std::pair<std::string, int>>& bars) {
  int most = 1;
  for (const auto& [name, count] : bars) most = std::max(most, count);
  std::string svg;
  int instance = 0;
  for (const auto& [name, count] : bars)
    AppendBar(svg, instance++, name, count, 1.0 * count / most);
  return absl::StrFormat(
      "<h3>%s</h3><svg width=540 height=%d role=img aria-label=\"%s\">%s</svg>\n", title,
      instance * 18 + 4, title, svg);
}

std::string WinsByFamily(const Group& group) {
  std::map<std::string, int> wins;
  for (const TimedProblem* problem : group) {
    for (const InstanceTime& time : problem->times)
      wins.try_emplace(FamilyOf(time.instance, problem->direction));
    ++wins[FamilyOf(BestOf(*problem).instance, problem->direction)];
  }
  return Bars("Problems that a family has the best kernel for", {wins.begin(), wins.end()});
}

std::string Distribution(const Group& group) {
  constexpr int kBins = 10;
  std::array<int, kBins + 1> counts = {};
  for (const TimedProblem* problem : group) {
    const double efficiency = BestOf(*problem).ms / EstimatedOf(*problem).ms;
    ++counts[static_cast<std::size_t>(efficiency * kBins)];
  }
  std::vector<std::pair<std::string, int>> bars = {{"the best", counts[kBins]}};
  for (int bin = kBins - 1; bin >= 0; --bin) {
    bars.emplace_back(absl::StrFormat("%d to %d %%", bin * 10, bin * 10 + 10),
                      counts[static_cast<std::size_t>(bin)]);
  }
  return Bars("Problems by the efficiency of the kernel with the least estimate", bars);
}

/// From dark to light, in the order of luminance, which colour-blind eyes tell apart too.
std::string ColourOf(double efficiency) {
  constexpr std::array<std::array<double, 3>, 5> kStops = {
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  const double at = std::clamp(efficiency, 0.0, 1.0) * (kStops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
  const double part = at - static_cast<double>(below);
  std::array<int, 3> rgb;
  for (std::size_t i = 0; i < 3; ++i) {
    rgb[i] =
        static_cast<int>(std::lround(kStops[below][i] * (1 - part) + kStops[below + 1][i] * part));
  }
  return absl::StrFormat("#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

std::string Legend() {
  std::string svg;
  for (int i = 0; i <= 20; ++i) {
    absl::StrAppendFormat(&svg, "<rect x=%d y=0 width=10 height=10 fill=%s></rect>", 30 + i * 10,
                          ColourOf(i / 20.0));
  }
  return absl::StrCat(
      "<svg width=290 height=14 role=img aria-label=\"colours\"><text x=0 y=10>0 %"
      "</text>",
      svg, "<text x=245 y=10>100 %</text></svg>");
}

/// The kernels of a group, those first that are nearest to the best on average.
std::vector<std::string> KernelsOf(const Group& group) {
  std::map<std::string, std::pair<double, int>> sums;
  for (const TimedProblem* problem : group) {
    for (const InstanceTime& time : problem->times) {
      auto& [sum, count] = sums[time.instance];
      sum += BestOf(*problem).ms / time.ms;
      ++count;
    }
  }
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [instance, sum] : sums) order.emplace_back(-sum.first / sum.second, instance);
  std::ranges::sort(order);
  std::vector<std::string> kernels;
  for (auto& [mean, instance] : order) kernels.push_back(std::move(instance));
  return kernels;
}

std::string HeatMap(const Group& group) {
  constexpr int kPixel = 13, kNames = 260;
  const std::vector<std::string> kernels = KernelsOf(group);
  std::map<std::string, int> column;
  for (const std::string& kernel : kernels) column.emplace(kernel, static_cast<int>(column.size()));
  std::string svg;
  int instance = 0;
  for (const TimedProblem* problem : group) {
    absl::StrAppendFormat(&svg,
                          "<text x=%d y=%d text-anchor=end style=\"font-size:10px\">%s</text>",
                          kNames - 4, instance * kPixel + 10, EscapeHtml(problem->name));
    for (const InstanceTime& time : problem->times) {
      const double efficiency = BestOf(*problem).ms / time.ms;
      absl::StrAppendFormat(&svg,
                            "<rect x=%d y=%d width=%d height=%d fill=%s><title>%s on %s: %.0f %%, "
                            "%.4g ms</title></rect>",
                            kNames + column[time.instance] * kPixel, instance * kPixel, kPixel - 1,
                            kPixel - 1, ColourOf(efficiency), EscapeHtml(time.instance),
                            EscapeHtml(problem->name), 100 * efficiency, time.ms);
    }
    ++instance;
  }
  return absl::StrFormat(
      "<h3>Efficiency of every kernel on every problem</h3><p>A line for each problem, a column "
      "for each of %d kernels, "
      "those first that are nearest to the best on average; empty where a kernel was not timed. "
      "Point at a field to read "
      "it.</p>%s<div class=wide><svg width=%d height=%d role=img aria-label=\"heat "
      "map\">%s</svg></div>\n",
      kernels.size(), Legend(), kNames + static_cast<int>(kernels.size()) * kPixel,
      instance * kPixel, svg);
}

std::string BestKernels(const Group& group) {
  std::string instances;
  for (const TimedProblem* problem : group) {
    const InstanceTime &best = BestOf(*problem), &estimated = EstimatedOf(*problem);
    absl::StrAppendFormat(
        &instances, "<tr><td class=t title=\"%s\">%s<td class=t>%s<td>%.4g<td>%.1f<td>%s",
        EscapeHtml(problem->sizes), EscapeHtml(problem->name), EscapeHtml(best.instance), best.ms,
        best.tflop_per_s,
        problem->bound_ms > 0 ? absl::StrFormat("%.0f %%", 100 * problem->bound_ms / best.ms) : "");
    absl::StrAppendFormat(
        &instances, "<td>%.0f %%<td class=t>%s</tr>\n", 100 * best.ms / estimated.ms,
        best.instance == estimated.instance ? "the same" : EscapeHtml(estimated.instance));
  }
  return absl::StrCat(
      "<h3>The best kernel of each problem</h3><div class=wide><table><thead><tr><th "
      "class=t>problem<th class=t>best "
      "kernel<th>ms<th>TFLOP/s<th>of the bound<th>efficiency<th class=t>of the least "
      "estimate</thead><tbody>\n",
      instances, "</tbody></table></div>\n");
}

}  // namespace

absl::StatusOr<std::string> MakeReport(const std::vector<TimedProblem>& problems) {
  if (problems.empty()) {
    return absl::InvalidArgumentError(
        "the tables have no times; `gridwise sweep --time` makes them");
  }
  std::map<std::tuple<std::string, std::string, std::string>, Group> groups;
  for (const TimedProblem& problem : problems) {
    groups[{problem.device, problem.direction, problem.type}].push_back(&problem);
  }
  std::string page(kHead);
  for (const auto& [key, group] : groups) {
    const auto& [device, direction, type] = key;
    std::size_t times = 0;
    for (const TimedProblem* problem : group) times += problem->times.size();
    absl::StrAppendFormat(&page, "<h2>%s %s %s</h2><p>%d problems, %d times.</p>\n",
                          EscapeHtml(device), EscapeHtml(direction), EscapeHtml(type), group.size(),
                          times);
    absl::StrAppend(&page, WinsByFamily(group), Distribution(group), HeatMap(group),
                    BestKernels(group));
  }
  return page + "</html>\n";
}

}  // namespace gridwise
