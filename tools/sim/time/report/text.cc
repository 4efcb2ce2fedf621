// SPDX-License-Identifier: MIT
#include "tools/sim/time/report/text.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gridwise::sim::time {
namespace {

constexpr double kWorthNaming = 0.05;

std::string Limiter(const LaunchTime& time) {
  if (time.gains.empty()) return "none that stands out: occupancy, or the length of one workgroup";
  const bool by_power = time.ms.matrix > time.ms.burst;
  std::string text;
  for (const Gain& gain : time.gains) {
    if (gain.part < kWorthNaming && !text.empty()) break;
    const bool power = by_power && gain.resource == Resource::kMatrix;
    absl::StrAppendFormat(&text, "%s%s%s (%.0f %% less without it)", text.empty() ? "" : ", ",
                          power ? "power of the " : "", Name(gain.resource), 100 * gain.part);
  }
  return text;
}

std::string Utilisation(const LaunchTime& time) {
  std::string text;
  for (int r = 0; r < kResources; ++r) {
    const double part = time.utilisation[static_cast<size_t>(r)];
    if (part < kWorthNaming / 5) continue;
    absl::StrAppendFormat(&text, "%s%s %.0f %%", text.empty() ? "" : ", ",
                          Name(static_cast<Resource>(r)), 100 * part);
  }
  return text;
}

/// The instructions with the most clocks of waiting.
std::vector<uint32_t> Slowest(const UnitTime& unit, int rows) {
  std::vector<uint32_t> order(unit.ops.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return unit.ops[a].total() > unit.ops[b].total();
  });
  order.resize(std::min(order.size(), static_cast<size_t>(rows)));
  return order;
}

}  // namespace

std::string Text(const LaunchTime& time, std::span<const Op> ops, uint64_t entry, int rows) {
  const Machine& machine = *time.machine;
  std::string text = absl::StrFormat(
      "gridwise time: kernel %s on %s: %d workgroups, %d of them executed; a unit holds %d (%s), "
      "has %d\n",
      time.kernel, machine.name, time.workgroups, time.sampled, time.occupancy.workgroups,
      time.occupancy.bound, time.resident);
  absl::StrAppendFormat(
      &text,
      "  %.4g ms at %.0f MHz (%.0f clocks, launch %.1f us); in long runs %.4g ms at %.0f MHz (%.4g "
      "to %.4g by the machine's uncertain parameters): the device's matrix units are %.0f %% "
      "busy\n",
      time.ms.burst, double{machine.burst_mhz}, time.clk, double{machine.launch_us},
      time.ms.sustained(), time.sustained_mhz(), time.low.sustained(), time.high.sustained(),
      100 * time.matrix_busy());
  if (!machine.like.empty()) {
    absl::StrAppendFormat(
        &text, "  not calibrated: by parameters of %s where no others are known\n", machine.like);
  }
  absl::StrAppend(&text, "  limited by: ", Limiter(time), "\n");
  absl::StrAppendFormat(&text, "  no order of execution takes less than %.0f clocks (%s)\n",
                        time.bound.clk, Name(time.bound.resource));
  absl::StrAppend(&text, "  busy: ", Utilisation(time), "\n");
  absl::StrAppendFormat(&text, "  hits: vector cache %.0f %%, L2 %.0f %%, MALL %.0f %%\n",
                        100 * time.l1_hits, 100 * time.l2_hits, 100 * time.mall_hits);
  if (time.xcd) {
    absl::StrAppendFormat(
        &text, "  its first XCD in detail, %d units: %.0f clocks (%+.1f %%), L2 hits %.0f %%\n",
        time.xcd->units, time.xcd->clk, 100 * (time.xcd->clk / time.clk - 1),
        100 * (1 - time.xcd->misses / std::max(1.0, time.xcd->requests)));
  }
  double all = 0;
  for (const OpTime& op : time.unit.ops) all += op.total();
  if (all == 0) return text;
  text += "  where waves wait:\n";
  for (const uint32_t i : Slowest(time.unit, rows)) {
    const OpTime& op = time.unit.ops[i];
    if (op.total() <= 0) break;
    const auto longest = std::max_element(op.stalled.begin(), op.stalled.end());
    absl::StrAppendFormat(
        &text, "  %5.1f %%  %-13s %9.1f clk x %-8d +0x%-6x %s%s\n", 100 * op.total() / all,
        Name(static_cast<Stall>(longest - op.stalled.begin())),
        op.total() / static_cast<double>(std::max<uint64_t>(op.count, 1)), op.count,
        ops[i].pc - entry, ops[i].text, ops[i].source.empty() ? "" : "  ; " + ops[i].source);
  }
  return text;
}

}  // namespace gridwise::sim::time
