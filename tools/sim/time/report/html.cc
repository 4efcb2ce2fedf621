#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "tools/sim/time/report/json.h"
#include "tools/sim/time/report/text.h"

namespace gridwise::sim::time {
namespace {

constexpr std::string_view kHead =
    "<!doctype html><meta charset=utf-8><title>gridwise time</title><style>"
    "body{font:14px sans-serif;margin:2em;max-width:75em}pre{background:#f4f4f4;padding:1em;"
    "white-space:pre-wrap}td,th{padding:1px 8px;text-align:right;font:12px monospace}"
    "td:last-child,th:last-child{text-align:left}.bar{display:inline-block;height:10px;"
    "background:#4477aa}.w{background:#cc6677}</style>";

std::string Escape(std::string_view text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

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

std::string Instructions(const LaunchTime& time, std::span<const Op> ops, uint64_t entry) {
  double all = 0;
  for (const OpTime& op : time.unit.ops) all += op.total();
  std::string rows =
      "<h2>Instructions</h2><table><tr><th>pc<th>executions<th>waiting<th>for<th>of all "
      "waiting<th>instruction";
  for (size_t i = 0; i < time.unit.ops.size(); ++i) {
    const OpTime& op = time.unit.ops[i];
    if (op.count == 0) continue;
    const auto longest = std::max_element(op.stalled.begin(), op.stalled.end());
    const double part = all > 0 ? op.total() / all : 0;
    absl::StrAppendFormat(
        &rows, "<tr><td>+0x%x<td>%d<td>%.1f<td>%s<td>%s %.1f %%<td>%s", ops[i].pc - entry, op.count,
        op.total() / static_cast<double>(op.count),
        op.total() > 0 ? Name(static_cast<Stall>(longest - op.stalled.begin())) : "",
        Bar("bar w", part), 100 * part, Escape(ops[i].text));
  }
  return rows + "</table>";
}

}  // namespace

std::string Html(const LaunchTime& time, std::span<const Op> ops, uint64_t entry) {
  return absl::StrCat(kHead, "<h1>", Escape(time.kernel), "</h1><pre>",
                      Escape(Text(time, ops, entry, 0)), "</pre>", Utilisation(time),
                      Instructions(time, ops, entry));
}

}  // namespace gridwise::sim::time
