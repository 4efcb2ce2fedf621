// SPDX-License-Identifier: MIT
#include "core/text/html.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/sim/time/report/json.h"
#include "tools/sim/time/report/text.h"

namespace gridwise::sim::time {
namespace {

constexpr std::string_view kHead =
    "<!doctype html><meta charset=utf-8><title>gridwise time</title><style>"
    "body{font:14px sans-serif;margin:2em;max-width:75em}pre{background:#f4f4f4;padding:1em;"
    "white-space:pre-wrap}td,th{padding:1px 8px;text-align:right;font:12px monospace}"
    "td:last-child,th:last-child{text-align:left}.bar{display:inline-block;height:10px;"
    "background:#4477aa}.w{background:#cc6677}svg{font:12px sans-serif}.part{fill:#4477aa}"
    ".axis{fill:none;stroke:#999}.p0{fill:#4477aa}.p1{fill:#228833}.p2{fill:#cc6677}</style>";

std::string Bar(std::string_view style, double part) {
  return absl::StrFormat("<span class='%s' style='width:%dpx'></span>", style,
                         static_cast<int>(200 * std::clamp(part, 0.0, 1.0)));
}

std::string Utilisation(const LaunchTime& time) {
  std::string rows = "<h2>Busy</h2><table>";
  for (int r = 0; r < kResources; ++r) {
    const double part = time.utilisation[static_cast<size_t>(r)];
    absl::StrAppendFormat(&rows, "<tr><td>%s<td>%.0f %%<td>%s", Name(static_cast<Resource>(r)),
                          100 * part, Bar("bar", part));
  }
  return rows + "</table>";
}

/// Clocks for which a unit has been watched, and how busy its resources were in each part of them.
std::string OverTime(const LaunchTime& time) {
  constexpr int kColumns = 100, kWidth = 700, kHeight = 34, kNames = 190;
  const std::vector<Progress>& progress = time.unit.progress;
  if (progress.size() < 3) return "";
  const double clk = progress.back().clk;
  std::string svg;
  int row = 0;
  for (int r = 0; r < kResources; ++r) {
    const auto resource = static_cast<size_t>(r);
    if (progress.back().busy[resource] <= 0) continue;
    const double bottom = (row + 1) * kHeight;
    absl::StrAppendFormat(&svg, "<text x=0 y=%.0f>%s</text><path class=part d='M%d %.0f",
                          bottom - 4, Name(static_cast<Resource>(r)), kNames, bottom);
    size_t at = 0;
    Progress before = progress.front();
    for (int column = 1; column <= kColumns; ++column) {
      while (at + 1 < progress.size() && progress[at].clk < clk * column / kColumns) ++at;
      const Progress& now = progress[at];
      const double part = now.clk > before.clk ? (now.busy[resource] - before.busy[resource]) /
                                                     (now.clk - before.clk)
                                               : 0;
      absl::StrAppendFormat(&svg, "V%.1fH%.1f", bottom - (kHeight - 6) * std::clamp(part, 0.0, 1.0),
                            kNames + 1.0 * kWidth * column / kColumns);
      before = now;
    }
    absl::StrAppendFormat(&svg, "V%.0fz'/><path class=axis d='M%d %.0fh%d'/>", bottom, kNames,
                          bottom, kWidth);
    ++row;
  }
  return absl::StrFormat(
      "<h2>Busy over time</h2><p>The first %.0f clocks of a unit; full height is always busy.</p>"
      "<svg width=%d height=%d>%s</svg>",
      clk, kNames + kWidth, row * kHeight + 4, svg);
}

/// How much of the peak of the matrix unit, or else of the vector ALU, a launch reaches, over the
/// clocks of work that a byte of each level below the vector caches is good for. Both axes are
/// logarithmic. A level's roof is what it allows.
std::string Roofline(const LaunchTime& time) {
  const UnitTime& unit = time.unit;
  const bool matrix = unit.busy[static_cast<size_t>(Resource::kMatrix)] > 0;
  const Resource peak = matrix ? Resource::kMatrix : Resource::kVector;
  const double work = unit.busy[static_cast<size_t>(peak)];
  if (work <= 0 || unit.clk <= 0) return "";
  struct Level {
    Resource resource;
    double bytes;
  };
  const Level levels[] = {{Resource::kL2, unit.l2_read_bytes + unit.l2_write_bytes},
                          {Resource::kMall, unit.mall_bytes},
                          {Resource::kMemory, unit.memory_bytes}};
  constexpr double kLeft = 60, kWidth = 500, kHeight = 240, kDecadesX = 5, kDecadesY = 3;
  // x: 10^-3 to 10^2 clocks a byte; y: 10^-3 to 1.
  const auto x = [&](double v) { return kLeft + kWidth * (std::log10(v) + 3) / kDecadesX; };
  const auto y = [&](double v) {
    return 10 - kHeight * std::max(std::log10(v), -kDecadesY) / kDecadesY;
  };
  std::string svg =
      absl::StrFormat("<path class=axis d='M%.0f 10V%.0fh%.0f'/>", kLeft, 10 + kHeight, kWidth);
  for (int decade = 0; decade <= kDecadesY; ++decade) {
    const double part = std::pow(10, -decade);
    absl::StrAppendFormat(&svg, "<text x=0 y=%.0f>%g %%</text>", y(part) + 4, 100 * part);
  }
  const double reached = work / unit.clk;
  int row = 0;
  for (const Level& level : levels) {
    const double busy = unit.busy[static_cast<size_t>(level.resource)];
    if (level.bytes <= 0 || busy <= 0) continue;
    // A byte takes busy / bytes clocks, so the roof meets the peak at as many clocks of work.
    const double ridge = busy / level.bytes, intensity = work / level.bytes;
    absl::StrAppendFormat(
        &svg,
        "<path class=axis d='M%.1f %.1fL%.1f 10H%.0f'/><circle cx=%.1f cy=%.1f r=5 class=p%d />"
        "<text x=%.1f y=%.1f>%s</text>",
        x(ridge * 1e-3), y(1e-3), x(ridge), kLeft + kWidth, x(intensity), y(reached), row,
        x(intensity) + 8, y(reached) + 14.0 * row, Name(level.resource));
    ++row;
  }
  return absl::StrFormat(
      "<h2>Roofline</h2><p>Part of the peak of the %s, over its clocks for each byte of a level "
      "(0.001 to 100, logarithmic); a line is what that level allows.</p><svg width=640 "
      "height=270>%s</svg>",
      Name(peak), svg);
}

std::string Instructions(const LaunchTime& time, std::span<const Op> ops, uint64_t entry) {
  double all = 0;
  for (const OpTime& op : time.unit.ops) all += op.total();
  std::string rows =
      "<h2>Instructions</h2><table><tr><th>pc<th>executions<th>waiting<th>for<th>of all "
      "waiting<th>source<th>instruction";
  for (size_t i = 0; i < time.unit.ops.size(); ++i) {
    const OpTime& op = time.unit.ops[i];
    if (op.count == 0) continue;
    const auto longest = std::max_element(op.stalled.begin(), op.stalled.end());
    const double part = all > 0 ? op.total() / all : 0;
    absl::StrAppendFormat(
        &rows, "<tr><td>+0x%x<td>%d<td>%.1f<td>%s<td>%s %.1f %%<td>%s<td>%s", ops[i].pc - entry,
        op.count, op.total() / static_cast<double>(op.count),
        op.total() > 0 ? Name(static_cast<Stall>(longest - op.stalled.begin())) : "",
        Bar("bar w", part), 100 * part, EscapeHtml(ops[i].source), EscapeHtml(ops[i].text));
  }
  return rows + "</table>";
}

}  // namespace

std::string Html(const LaunchTime& time, std::span<const Op> ops, uint64_t entry) {
  return absl::StrCat(kHead, "<h1>", EscapeHtml(time.kernel), "</h1><pre>",
                      EscapeHtml(Text(time, ops, entry, 0)), "</pre>", Roofline(time),
                      Utilisation(time), OverTime(time), Instructions(time, ops, entry));
}

}  // namespace gridwise::sim::time
