// SPDX-License-Identifier: MIT
#include "tools/sim/time/report/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "llvm/Support/JSON.h"
#include "tools/text/json.h"

namespace gridwise::sim::time {
namespace {

llvm::StringRef Text(std::string_view text) { return {text.data(), text.size()}; }

/// A time that sums and differences of such leave exact, so that viewers find an event's end and
/// the next one's begin in order.
double Stamp(double clk) { return std::floor(clk * 1024) / 1024; }

llvm::json::Array Instructions(const LaunchTime& time, std::span<const Op> ops, uint64_t entry) {
  llvm::json::Array list;
  for (size_t i = 0; i < time.unit.ops.size(); ++i) {
    const OpTime& op = time.unit.ops[i];
    if (op.count == 0) continue;
    llvm::json::Object stalls;
    for (int s = 0; s < kStalls; ++s) {
      const double clk = op.stalled[static_cast<size_t>(s)];
      if (clk > 0) stalls[Text(Name(static_cast<Stall>(s)))] = clk;
    }
    list.push_back(llvm::json::Object{{"pc", static_cast<int64_t>(ops[i].pc - entry)},
                                      {"text", ops[i].text},
                                      {"source", ops[i].source},
                                      {"executions", static_cast<int64_t>(op.count)},
                                      {"stalled", std::move(stalls)}});
  }
  return list;
}

/// Clocks for which a unit has been watched, in at most a hundred steps, and the part of each step
/// for which a resource was busy. Resources without work are left out.
llvm::json::Object ProgressOf(const UnitTime& unit) {
  constexpr int kSteps = 100;
  const std::vector<Progress>& progress = unit.progress;
  llvm::json::Array clocks;
  std::array<llvm::json::Array, kResources> parts;
  size_t at = 0;
  // The first sample is of the first instruction: the first step has the clocks before it as well.
  Progress before;
  for (int step = 1; step <= kSteps && progress.size() > 2; ++step) {
    while (at + 1 < progress.size() && progress[at].clk < progress.back().clk * step / kSteps) ++at;
    const Progress& now = progress[at];
    if (now.clk <= before.clk) continue;
    clocks.push_back(now.clk);
    for (size_t r = 0; r < kResources; ++r) {
      const double part = (now.busy[r] - before.busy[r]) / (now.clk - before.clk);
      parts[r].push_back(std::clamp(part, 0.0, 1.0));
    }
    before = now;
  }
  llvm::json::Object of_resources;
  for (size_t r = 0; r < kResources; ++r) {
    if (progress.empty() || progress.back().busy[r] <= 0) continue;
    of_resources[Text(Name(static_cast<Resource>(r)))] = std::move(parts[r]);
  }
  return llvm::json::Object{{"clocks", std::move(clocks)}, {"parts", std::move(of_resources)}};
}

/// The clocks for which the matrix unit, or of kernels without it the vector ALU, worked.
llvm::json::Object WorkOf(const UnitTime& unit) {
  const bool matrix = unit.busy[static_cast<size_t>(Resource::kMatrix)] > 0;
  const Resource resource = matrix ? Resource::kMatrix : Resource::kVector;
  return llvm::json::Object{{"resource", Text(Name(resource))},
                            {"clocks", unit.busy[static_cast<size_t>(resource)]},
                            {"of", unit.clk}};
}

/// The bytes that memory levels below the vector caches delivered, and the clocks that they took.
llvm::json::Array LevelsOf(const UnitTime& unit) {
  llvm::json::Array levels;
  for (const auto& [resource, bytes] :
       {std::pair(Resource::kL2, unit.l2_read_bytes + unit.l2_write_bytes),
        {Resource::kMall, unit.mall_bytes},
        {Resource::kMemory, unit.memory_bytes}}) {
    levels.push_back(llvm::json::Object{{"level", Text(Name(resource))},
                                        {"bytes", bytes},
                                        {"clocks", unit.busy[static_cast<size_t>(resource)]}});
  }
  return levels;
}

}  // namespace

std::string Json(const LaunchTime& time, std::span<const Op> ops, uint64_t entry, int launches,
                 std::string_view what) {
  llvm::json::Array gains;
  for (const Gain& gain : time.gains)
    gains.push_back(
        llvm::json::Object{{"resource", Text(Name(gain.resource))}, {"part", gain.part}});
  llvm::json::Object busy;
  for (int r = 0; r < kResources; ++r)
    busy[Text(Name(static_cast<Resource>(r)))] = time.utilisation[static_cast<size_t>(r)];
  RunMs bound = time.bound.Ms(*time.machine);
  bound.burst += time.machine->launch_us / 1000;
  llvm::json::Value xcd = nullptr;
  if (time.xcd) {
    xcd = llvm::json::Object{{"units", time.xcd->units},
                             {"clocks", time.xcd->clk},
                             {"instructions", static_cast<int64_t>(time.xcd->instructions)},
                             {"lines_of_l2", time.xcd->requests},
                             {"missed", time.xcd->misses}};
  }
  return JsonText(llvm::json::Object{
      {"kernel", time.kernel},
      {"what", Text(what)},
      {"launches", launches},
      {"machine", Text(time.machine->name)},
      {"calibrated", time.machine->like.empty()},
      {"workgroups", time.workgroups},
      {"executed", time.sampled},
      {"waves_per_workgroup", time.needs.waves},
      {"registers", time.needs.registers},
      {"lds_bytes", static_cast<int64_t>(time.needs.lds_bytes)},
      {"spills", time.needs.spills},
      {"scratch_bytes", static_cast<int64_t>(time.needs.scratch_bytes)},
      {"workgroups_per_unit", time.occupancy.workgroups},
      {"occupancy_bound", Text(time.occupancy.bound)},
      {"burst", llvm::json::Object{{"mhz", double{time.machine->burst_mhz}},
                                   {"clocks", time.clk},
                                   {"ms", time.ms.burst},
                                   {"bound_ms", bound.burst}}},
      {"sustained", llvm::json::Object{{"mhz", time.sustained_mhz()},
                                       {"ms", time.ms.sustained()},
                                       {"low_ms", time.low.sustained()},
                                       {"high_ms", time.high.sustained()},
                                       {"bound_ms", bound.sustained()}}},
      {"bound", llvm::json::Object{{"clocks", time.bound.clk},
                                   {"resource", Text(Name(time.bound.resource))}}},
      {"matrix_busy", time.matrix_busy()},
      {"gains", std::move(gains)},
      {"hits",
       llvm::json::Object{
           {"vector cache", time.l1_hits}, {"L2", time.l2_hits}, {"MALL", time.mall_hits}}},
      {"busy", std::move(busy)},
      {"progress", ProgressOf(time.unit)},
      {"work", WorkOf(time.unit)},
      {"levels", LevelsOf(time.unit)},
      {"xcd", std::move(xcd)},
      {"instructions", Instructions(time, ops, entry)}});
}

std::string ChromeTrace(std::span<const WaveEvent> events, std::span<const Op> ops) {
  // An event ends when its instruction has been issued, or sooner if the wave's next one begins.
  const auto thread_of = [](const WaveEvent& event) {
    return int64_t{event.workgroup} * 64 + event.wave;
  };
  std::vector<double> ends(events.size());
  absl::flat_hash_map<int64_t, double> next;
  for (size_t i = events.size(); i-- > 0;) {
    double& begins = next.try_emplace(thread_of(events[i]), HUGE_VAL).first->second;
    ends[i] = std::min(events[i].issued + 1, begins);
    begins = events[i].since;
  }
  llvm::json::Array list;
  for (size_t i = 0; i < events.size(); ++i) {
    const WaveEvent& event = events[i];
    const double begins = Stamp(event.since);
    list.push_back(llvm::json::Object{
        {"name", ops[event.op].text},
        {"cat", Text(Name(ops[event.op].kind))},
        {"ph", "X"},
        {"pid", event.simd},
        {"tid", thread_of(event)},
        {"ts", begins},
        {"dur", std::max(0.0, Stamp(ends[i]) - begins)},
        {"args", llvm::json::Object{{"issued", event.issued},
                                    {"waited for", Text(Name(event.reason))},
                                    {"workgroup", static_cast<int64_t>(event.workgroup)},
                                    {"wave", static_cast<int64_t>(event.wave)}}}});
  }
  return JsonText(llvm::json::Object{{"traceEvents", std::move(list)}});
}

}  // namespace gridwise::sim::time
