#include "tools/gridwise/sweep/sweep_items.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/arch/target.h"
#include "gridwise/plan.h"
#include "tools/gridwise/problem/selection.h"

namespace gridwise {
namespace {

bool IsWanted(const RowVerdict& verdict, const Problem& problem, WantedRows rows) {
  const auto* const conv = std::get_if<ConvProblem>(&problem);
  return rows == nullptr || (conv != nullptr && std::find(rows->begin(), rows->end(),
                                                          BuiltRow{verdict.family, conv->direction,
                                                                   verdict.row}) != rows->end());
}

/// Keeps the first rows as they are ranked, and some of the others by chance, which the seed and
/// the problem decide.
void Sample(const SweepOptions& options, const Problem& problem, std::vector<RowChoice>& rows) {
  std::ranges::stable_sort(rows, {}, &RowChoice::ranked_cycles);
  const std::size_t first = std::min<std::size_t>(options.first_rows, rows.size());
  const std::size_t count = std::min<std::size_t>(first + options.random_rows, rows.size());
  const std::string text = absl::StrCat(options.seed, " ", ToString(problem));
  std::seed_seq seed(text.begin(), text.end());
  std::mt19937_64 random(seed);
  for (std::size_t i = first; i < count; ++i) {
    std::swap(rows[i], rows[i + random() % (rows.size() - i)]);
  }
  rows.resize(count);
}

/// Keeps the problems of a chunk.
absl::Status KeepChunk(const std::string& chunk, std::vector<SelectedProblem>& problems) {
  if (chunk.empty()) return absl::OkStatus();
  const std::vector<std::string_view> parts = absl::StrSplit(chunk, '/');
  std::size_t index = 0, count = 0;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &index) ||
      !absl::SimpleAtoi(parts[1], &count) || index < 1 || index > count) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--chunk is '%s'; must be two numbers as 2/8, the first from 1 to the "
                        "second",
                        chunk));
  }
  std::size_t position = 0;
  std::erase_if(problems, [&](const SelectedProblem&) { return position++ % count != index - 1; });
  return absl::OkStatus();
}

/// The rows that `options` asks for.
SweepItem MakeItem(const SelectedProblem& selected, Gfx gfx, const SweepOptions& options,
                   WantedRows wanted_rows) {
  const auto& [name, problem, index] = selected;
  SweepItem item = {.name = name, .index = index, .problem = problem, .rows = {}, .reason = ""};
  const DeviceFacts device = gfx;
  const PlanOptions wanted = {.row = options.row, .family = options.family, .op = options.op};
  const auto microseconds = [&](const Cost& cost) { return cost.cycles / device.clock_ghz * 1e-3; };
  const absl::StatusOr<RowPlan> plan = MakePlan(problem, device, wanted);
  if (!plan.ok()) {
    item.rows = {{}};
    item.reason = plan.status().message();
  } else if (!options.all_rows && !IsSampled(options) && wanted_rows == nullptr) {
    item.rows = {{.family = plan->family(),
                  .row = plan->row(),
                  .estimate_us = microseconds(plan->cost()),
                  .splits = plan->splits()}};
  } else {
    for (const RowVerdict& verdict : ExplainRows(problem, device, wanted)) {
      if (verdict.reason || !IsWanted(verdict, problem, wanted_rows)) continue;
      item.rows.push_back({verdict.family, verdict.row, microseconds(verdict.cost),
                           verdict.ranked_cycles, static_cast<int>(verdict.cost.splits)});
    }
    if (IsSampled(options)) Sample(options, problem, item.rows);
  }
  return item;
}

}  // namespace

bool IsSampled(const SweepOptions& options) {
  return options.first_rows > 0 || options.random_rows > 0;
}

absl::StatusOr<std::vector<SweepItem>> SelectItems(const SweepOptions& options,
                                                   const RequestedTarget& target,
                                                   WantedRows wanted_rows, std::FILE* people) {
  absl::StatusOr<Selection> selection = SelectProblems(options.request, target, options.max_flops);
  if (!selection.ok()) return selection.status();
  if (absl::Status status = KeepChunk(options.chunk, selection->problems); !status.ok()) {
    return status;
  }
  if (selection->too_large > 0) {
    absl::FPrintF(people, "%d problems have more than %.3g operations and are left out\n",
                  selection->too_large, options.max_flops);
  }
  std::vector<SweepItem> items;
  for (const SelectedProblem& selected : selection->problems) {
    items.push_back(MakeItem(selected, target.gfx, options, wanted_rows));
  }
  return items;
}

}  // namespace gridwise
