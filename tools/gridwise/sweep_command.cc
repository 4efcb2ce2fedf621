#include "tools/gridwise/sweep_command.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/conv/validate.h"
#include "core/runtime/device.h"
#include "instances/conv.h"
#include "tools/gridwise/computation.h"
#include "tools/gridwise/problem_sets.h"
#include "tools/gridwise/sweep_table.h"
#include "tools/gridwise/tensors.h"

namespace gridwise {
namespace {

using Clock = std::chrono::steady_clock;
using Result = SweepRecord::Result;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A problem of the set, and the rows to run it on: one that is empty is no row's.
struct Item {
  std::string name;
  ConvProblem problem;
  std::vector<std::string> rows;
  std::string reason;  // why rows holds an empty one
};

absl::Status CheckFlags(const SweepOptions& options) {
  ProblemFlags others = options.request.sizes;
  others.n = std::nullopt;
  if (others.Any()) {
    return absl::InvalidArgumentError(
        "of the sizes, sweep takes --n alone: the others are the problem set's");
  }
  if (options.all_rows && !options.row.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--row=", options.row, " and --all-rows exclude each other"));
  }
  if (!(options.max_flops >= 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--max-flops is ", options.max_flops, "; must be at least 0"));
  }
  return absl::OkStatus();
}

/// The rows that `options` asks for.
Item MakeItem(const std::string& name, const ConvProblem& problem, Gfx gfx,
              const SweepOptions& options) {
  Item item = {.name = name, .problem = problem, .rows = {}, .reason = ""};
  const absl::StatusOr<Plan> plan = MakePlan(problem, gfx, {.row = options.row});
  if (!plan.ok()) {
    item.rows = {""};
    item.reason = plan.status().message();
  } else if (!options.all_rows) {
    item.rows = {plan->row()};
  } else {
    for (const RowVerdict& verdict : ExplainRows(problem, gfx)) {
      if (!verdict.reason) item.rows.push_back(verdict.row);
    }
  }
  return item;
}

/// The problems that the flags select, in the set's order, a direction after the other.
absl::StatusOr<std::vector<Item>> SelectItems(const SweepOptions& options,
                                              const RequestedTarget& target) {
  const ProblemRequest& request = options.request;
  const absl::StatusOr<std::vector<ProblemSet>> sets =
      LoadProblemSets(request.problems, request.program);
  if (!sets.ok()) return sets.status();
  if (!request.problem.empty()) {
    if (auto found = FindProblem(*sets, request.problem); !found.ok()) return found.status();
  }
  std::vector<Item> items;
  int too_large = 0;
  for (const Direction direction : target.directions) {
    for (const ProblemSet& set : *sets) {
      for (const NamedProblem& named : set.problems) {
        if (!request.problem.empty() && named.name != request.problem) continue;
        if (std::find(named.directions.begin(), named.directions.end(), direction) ==
            named.directions.end())
          continue;
        ConvProblem problem = named.problem;
        problem.direction = direction;
        problem.type = target.type;
        if (target.out_type) problem.out_type = target.out_type;
        problem.batch = request.sizes.n.value_or(problem.batch);
        absl::Status status = ApplyVariant(request.variant, problem);
        if (!status.ok()) return status;
        if (options.max_flops > 0 && problem.Flops() > options.max_flops) {
          ++too_large;
          continue;
        }
        items.push_back(MakeItem(named.name, problem, target.gfx, options));
      }
    }
  }
  if (too_large > 0) {
    absl::PrintF("%d problems have more than %.3g operations and are left out\n", too_large,
                 options.max_flops);
  }
  if (items.empty()) {
    return absl::InvalidArgumentError("no problem of the set has the direction and size asked for");
  }
  return items;
}

/// Runs items and says how it goes.
class Sweep {
 public:
  Sweep(const SweepOptions& options, Gfx gfx, std::vector<Item> items, SweepTable table)
      : options_(options), gfx_(gfx), items_(std::move(items)), table_(std::move(table)) {
    for (const Item& item : items_) {
      for (const std::string& row : item.rows) {
        ++runs_;
        if (!Find(item, row)) flops_left_ += item.problem.Flops();
      }
    }
  }

  absl::Status Run() {
    for (const Item& item : items_) {
      if (absl::Status status = RunItem(item); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  /// Whether every run passed, now or earlier.
  bool PrintSummary() const {
    const auto count = [&](Result result) { return counts_[static_cast<int>(result)]; };
    absl::PrintF("%d runs: %d passed, %d failed, %d not computed, %d unverified", runs_,
                 count(Result::kPass), count(Result::kFail), count(Result::kError),
                 count(Result::kUnverified));
    if (earlier_ > 0) absl::PrintF("; %d of them earlier, as %s has it", earlier_, options_.csv);
    absl::PrintF("\n");
    return count(Result::kFail) + count(Result::kError) == 0;
  }

 private:
  SweepRecord RecordOf(const Item& item, const std::string& row) const {
    SweepRecord record;
    record.problem = item.name;
    record.device = Name(gfx_);
    record.sizes = ToString(item.problem);
    record.row = row;
    record.seed = options_.seed;
    record.gflop = item.problem.Flops() * 1e-9;
    return record;
  }

  std::optional<Result> Find(const Item& item, const std::string& row) const {
    return table_.Find(RecordOf(item, row), options_.verify);
  }

  absl::Status RunItem(const Item& item) {
    const ConvProblem& problem = item.problem;
    Operands operands;
    std::optional<Expected> expected;
    for (const std::string& row : item.rows) {
      ++position_;
      if (const std::optional<Result> earlier = Find(item, row)) {
        ++earlier_;
        ++counts_[static_cast<int>(*earlier)];
        continue;
      }
      const Clock::time_point start = Clock::now();
      if (operands.a.empty() && !row.empty()) {
        operands = RandomOperands(problem, options_.seed);
      }
      SweepRecord record = RecordOf(item, row);
      record.message = item.reason;
      if (!row.empty()) {
        if (absl::Status status = RunRow(problem, operands, expected, record); !status.ok()) {
          record.result = Result::kError;
          record.message = status.message();
        }
      }
      if (absl::Status status = table_.Add(record); !status.ok()) return status;
      ++counts_[static_cast<int>(record.result)];
      seconds_ += SecondsSince(start);
      flops_done_ += problem.Flops();
      flops_left_ -= problem.Flops();
      Tell(record);
    }
    return absl::OkStatus();
  }

  /// Fills in what came of record.row; an error if it could not be computed.
  absl::Status RunRow(const ConvProblem& problem, const Operands& operands,
                      std::optional<Expected>& expected, SweepRecord& record) const {
    const absl::StatusOr<Plan> plan = MakePlan(problem, gfx_, {.row = record.row});
    if (!plan.ok()) return plan.status();
    absl::StatusOr<Outcome> outcome = Compute(*plan, operands);
    if (!outcome.ok()) {
      ResetDevice().IgnoreError();  // a fault stays with the device until then
      return outcome.status();
    }
    record.seconds = outcome->seconds;
    record.sim = outcome->sim;
    record.result = Result::kUnverified;
    if (!options_.verify) return absl::OkStatus();
    if (!expected) {
      absl::StatusOr<Expected> computed = Expect(problem, operands);
      if (!computed.ok()) return computed.status();
      expected = *std::move(computed);
    }
    const Judgement verdict = Judge(problem, *outcome, *expected);
    record.error = verdict.stats;
    record.result = verdict.status.ok() ? Result::kPass : Result::kFail;
    record.message = verdict.status.message();
    return absl::OkStatus();
  }

  void Tell(const SweepRecord& record) const {
    absl::PrintF("[%d/%d] %s %s: %s", position_, runs_, record.problem, record.row,
                 Name(record.result));
    if (record.error) absl::PrintF(", %.0f%% of the tolerance", 100 * record.error->max_ratio);
    if (record.seconds > 0) {
      absl::PrintF("; %.2f s, %.1f GFLOP/s", record.seconds, record.gflop / record.seconds);
    }
    if (flops_left_ > 0 && flops_done_ > 0) {
      absl::PrintF("; about %.0f s left", seconds_ * flops_left_ / flops_done_);
    }
    absl::PrintF("\n");
    if (!record.message.empty()) absl::PrintF("    %s\n", record.message);
    std::fflush(stdout);
  }

  const SweepOptions& options_;
  const Gfx gfx_;
  const std::vector<Item> items_;
  SweepTable table_;
  int runs_ = 0, position_ = 0, earlier_ = 0;
  int counts_[4] = {};
  double flops_done_ = 0, flops_left_ = 0, seconds_ = 0;  // of this program
};

ExitCode Fail(ExitCode code, const absl::Status& status) {
  std::fflush(stdout);
  absl::FPrintF(stderr, "gridwise: %s\n", status.message());
  return code;
}

}  // namespace

ExitCode SweepCommand(const SweepOptions& options) {
  if (absl::Status status = CheckFlags(options); !status.ok()) return Fail(kBadUsage, status);
  const absl::StatusOr<RequestedTarget> target = ResolveTarget(options.request);
  if (!target.ok()) return Fail(kBadUsage, target.status());
  absl::StatusOr<std::vector<Item>> items = SelectItems(options, *target);
  if (!items.ok()) return Fail(kBadUsage, items.status());
  absl::StatusOr<SweepTable> table =
      options.csv.empty() ? SweepTable() : SweepTable::Open(UserPath(options.csv));
  if (!table.ok()) return Fail(kBadUsage, table.status());
  if (auto device = FindDevice(Name(target->gfx)); !device.ok())
    return Fail(kDeviceError, device.status());
  Sweep sweep(options, target->gfx, *std::move(items), *std::move(table));
  if (absl::Status status = sweep.Run(); !status.ok()) return Fail(kBadUsage, status);
  return sweep.PrintSummary() ? kSuccess : kVerificationFailed;
}

}  // namespace gridwise
