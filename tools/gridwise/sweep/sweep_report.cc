// SPDX-License-Identifier: MIT
#include "tools/gridwise/sweep/sweep_report.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "tools/gridwise/cli/terminal.h"
#include "tools/gridwise/problem/problem.h"

namespace gridwise {
namespace {

using Result = SweepRecord::Result;

constexpr std::size_t kShown = 5;  // lines of a list, worst first

/// A problem on the best of its instances, by the planner's estimate.
struct Layer {
  const SweepItem* item;
  const InstanceChoice* instance;
  double tflop_per_s() const { return Flops(item->problem) / instance->estimate_us * 1e-6; }
};

std::vector<Layer> ChooseFastest(const std::vector<SweepItem>& items) {
  std::vector<Layer> layers;
  for (const SweepItem& item : items) {
    const auto best = std::ranges::min_element(item.instances, {}, &InstanceChoice::estimate_us);
    if (best != item.instances.end() && best->estimate_us > 0) layers.push_back({&item, &*best});
  }
  return layers;
}

}  // namespace

void SweepReport::SkipRun(Result earlier) {
  ++position_;
  ++earlier_;
  ++CountOf(earlier);
}

void SweepReport::EndRun(const SweepRecord& record, double flops, double seconds) {
  ++position_;
  ++CountOf(record.result);
  flops_done_ += flops;
  flops_left_ -= flops;
  Tell(record, seconds);
}

void SweepReport::CountInstance(const SweepRecord& record) {
  if (record.failed()) {
    ++CountOf(record.result);
  } else {
    ++(record.result == Result::kSlower ? instances_ruled_out_ : instances_timed_);
  }
}

void SweepReport::EndBest(const std::optional<SweepRecord>& told, bool has_time, double seconds) {
  ++position_;
  if (has_time) ++CountOf(Result::kTimed);
  if (told) {
    Tell(*told, seconds);
  } else {
    ++earlier_;
  }
}

void SweepReport::Tell(const SweepRecord& record, double seconds) {
  seconds_ += seconds;
  ++done_;
  if (record.timing) times_.push_back(record);
  absl::FPrintF(people_, "[%d/%d] %s %s: %s", position_, runs_, record.problem, record.instance,
                record.result == Result::kPass ? Green(people_, "pass")
                : record.failed()              ? Red(people_, Name(record.result))
                                               : Name(record.result));
  if (record.error)
    absl::FPrintF(people_, ", %.0f%% of the tolerance", 100 * record.error->max_ratio);
  if (record.seconds > 0) {
    absl::FPrintF(people_, "; %.2f s, %.1f GFLOP/s", record.seconds, record.gflop / record.seconds);
  }
  if (const auto& timing = record.timing) {
    absl::FPrintF(people_, ", %.4g ms, %.1f TFLOP/s, %.0f %% of the bound", timing->ms,
                  timing->tflop_per_s(), 100 * timing->of_bound());
  }
  // Timing a large problem takes as long as timing a small one.
  const double left = options_.time ? (runs_ - position_) / std::max(1.0, done_)
                                    : flops_left_ / std::max(1.0, flops_done_);
  if (left > 0) absl::FPrintF(people_, "; about %.0f s left", seconds_ * left);
  absl::FPrintF(people_, "\n");
  if (!record.message.empty()) absl::FPrintF(people_, "    %s\n", record.message);
  std::fflush(people_);
}

bool SweepReport::PrintSummary(const std::vector<SweepItem>& items,
                               TimeOfInstance time_of_row) const {
  const auto count = [&](Result result) { return counts_[static_cast<int>(result)]; };
  absl::FPrintF(people_, "%d runs: %d passed, %d failed, %d not computed, %d unverified", runs_,
                count(Result::kPass), count(Result::kFail), count(Result::kError),
                count(Result::kUnverified));
  if (options_.time) absl::FPrintF(people_, ", %d timed", count(Result::kTimed));
  if (options_.best) {
    absl::FPrintF(people_,
                  " as the best of their instances; of %d instances %d are ruled out by a bound",
                  instances_timed_ + instances_ruled_out_, instances_ruled_out_);
  }
  if (earlier_ > 0)
    absl::FPrintF(people_, "; %d of them earlier, as %s has it", earlier_, options_.csv);
  absl::FPrintF(people_, "\n");
  if (options_.time) {
    PrintTimes();
    PrintBest(items, time_of_row);
  } else {
    PrintLayers(items);
  }
  return count(Result::kFail) + count(Result::kError) == 0;
}

/// Prints the slowest and the least efficient layers.
void SweepReport::PrintLayers(const std::vector<SweepItem>& items) const {
  std::vector<Layer> layers = ChooseFastest(items);
  if (layers.size() < 2) return;
  const auto print = [&](const char* title) {
    absl::FPrintF(people_, "%s\n%10s %10s %8s  problem\n", title, "us", "GFLOP", "TFLOP/s");
    for (const Layer& layer : std::span(layers).first(std::min(kShown, layers.size()))) {
      absl::FPrintF(people_, "%10.1f %10.2f %8.1f  %s %s: %s\n", layer.instance->estimate_us,
                    Flops(layer.item->problem) * 1e-9, layer.tflop_per_s(), layer.item->name,
                    KindOf(layer.item->problem), layer.instance->instance);
    }
  };
  std::ranges::stable_sort(layers, std::greater(),
                           [](const Layer& layer) { return layer.instance->estimate_us; });
  print("slowest, by the planner's estimate");
  std::ranges::stable_sort(layers, {}, &Layer::tflop_per_s);
  print("least efficient, by the planner's estimate");
}

/// Prints a summary of the runs timed now: the sum, its relation to the bounds, and the largest
/// losses.
void SweepReport::PrintTimes() const {
  if (times_.empty()) return;
  double ms = 0, bound_ms = 0, logarithms = 0;
  for (const SweepRecord& record : times_) {
    ms += record.timing->ms;
    bound_ms += record.timing->roofline.ms();
    logarithms += std::log(record.timing->of_bound());
  }
  absl::FPrintF(people_,
                "%.4g ms, of which the bound is %.4g; of the bound %.0f %% (geometric mean)\n", ms,
                bound_ms, 100 * std::exp(logarithms / static_cast<double>(times_.size())));
  std::vector<const SweepRecord*> order;
  for (const SweepRecord& record : times_) order.push_back(&record);
  std::ranges::stable_sort(order, std::greater(), [](const SweepRecord* record) {
    return record->timing->ms - record->timing->roofline.ms();
  });
  order.resize(std::min(kShown, order.size()));
  absl::FPrintF(people_, "most above their bound\n%10s %10s %8s  problem\n", "ms", "bound",
                "TFLOP/s");
  for (const SweepRecord* record : order) {
    const std::string limit = record->timing->Limit();
    absl::FPrintF(people_, "%10.4g %10.4g %8.1f  %s: %s%s%s\n", record->timing->ms,
                  record->timing->roofline.ms(), record->timing->tflop_per_s(), record->problem,
                  record->instance, limit.empty() ? "" : "; limited by ", limit);
  }
}

/// Prints, for a single problem, all instances, fastest first; for several problems, the fastest
/// one of each.
void SweepReport::PrintBest(const std::vector<SweepItem>& items, TimeOfInstance time_of_row) const {
  const auto has_choice = [](const SweepItem& item) { return item.instances.size() > 1; };
  if (std::ranges::none_of(items, has_choice)) return;
  absl::FPrintF(people_, "%s\n%10s %8s  problem\n",
                items.size() == 1 ? "fastest first" : "fastest of each problem", "ms", "TFLOP/s");
  for (const SweepItem& item : items) {
    std::vector<std::pair<double, const InstanceChoice*>> timed;
    for (const InstanceChoice& instance : item.instances) {
      if (const auto ms = time_of_row(item, instance)) timed.emplace_back(*ms, &instance);
    }
    std::ranges::stable_sort(timed, {}, [](const auto& each) { return each.first; });
    if (items.size() > 1 && timed.size() > 1) timed.resize(1);
    for (const auto& [ms, instance] : timed) {
      absl::FPrintF(people_, "%10.4g %8.1f  %s %s: %s (%s)\n", ms, Flops(item.problem) / ms * 1e-9,
                    item.name, KindOf(item.problem), instance->instance, instance->family);
    }
  }
}

}  // namespace gridwise
