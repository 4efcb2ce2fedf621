#include "tools/gridwise/sweep_command.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/arch/target.h"
#include "core/runtime/device.h"
#include "instances/plan.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/computation.h"
#include "tools/gridwise/demand.h"
#include "tools/gridwise/json.h"
#include "tools/gridwise/problem.h"
#include "tools/gridwise/problem_sets.h"
#include "tools/gridwise/sweep_items.h"
#include "tools/gridwise/sweep_table.h"
#include "tools/gridwise/sweep_worker.h"
#include "tools/gridwise/tensors.h"
#include "tools/gridwise/terminal.h"
#include "tools/gridwise/text_file.h"
#include "tools/gridwise/time_plan.h"
#include "tools/tune/builder.h"

namespace gridwise {
namespace {

using Clock = std::chrono::steady_clock;
using Result = SweepRecord::Result;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

absl::Status CheckFlags(const SweepOptions& options) {
  if (options.all_rows && !options.row.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--row=", options.row, " and --all-rows exclude each other"));
  }
  if (options.time && options.verify) {
    return absl::InvalidArgumentError(
        "--time computes a part of the result at most, and --verify compares all of it");
  }
  if (options.first_rows < 0 || options.random_rows < 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--first-rows is %d and --random-rows %d; must be >= 0", options.first_rows,
                        options.random_rows));
  }
  if (options.best && !options.time) {
    return absl::InvalidArgumentError("--best is by time; it wants --time");
  }
  if (options.quick && options.precise) {
    return absl::InvalidArgumentError("--quick and --precise exclude each other");
  }
  if (options.best && options.workers > 0) {
    return absl::InvalidArgumentError(
        "--best compares a problem's rows in one process; it excludes --workers");
  }
  if (options.workers > 0 && options.json) {
    return absl::InvalidArgumentError("--workers make a table, and --json wants a document");
  }
  if (!options.rows.empty() && !options.row.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--row=", options.row, " and --rows=", options.rows, " exclude each other"));
  }
  if (options.json && options.csv == "-") {
    return absl::InvalidArgumentError("--json and --csv=- both want stdout; name a file");
  }
  return absl::OkStatus();
}

/// Parts of the best time so far above which a lower bound rules a row out: what is timed from a
/// sample may come out below its bound, by up to 8 % on layers of RetinaNet.
constexpr double kSureToLose = 1.1;

/// Runs items and says how it goes.
class Sweep {
 public:
  Sweep(const SweepOptions& options, Gfx gfx, std::vector<SweepItem> items, SweepTable table,
        std::FILE* people)
      : options_(options),
        gfx_(gfx),
        items_(std::move(items)),
        table_(std::move(table)),
        people_(people) {
    for (const SweepItem& item : items_) {
      if (options_.best) ++runs_;
      for (const RowChoice& row : item.rows) {
        if (options_.best) continue;
        ++runs_;
        if (!Find(item, row)) flops_left_ += Flops(item.problem);
      }
    }
  }

  absl::Status Run() {
    if (options_.workers > 0) return RunInWorkers();
    for (const SweepItem& item : items_) {
      if (absl::Status status = options_.best ? RunBest(item) : RunItem(item); !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

  /// The document of --json: what was computed now.
  llvm::json::Object TakeJson() { return llvm::json::Object{{"runs", std::move(records_)}}; }

  /// Whether every run passed, now or earlier.
  bool PrintSummary() const {
    const auto count = [&](Result result) { return counts_[static_cast<int>(result)]; };
    absl::FPrintF(people_, "%d runs: %d passed, %d failed, %d not computed, %d unverified", runs_,
                  count(Result::kPass), count(Result::kFail), count(Result::kError),
                  count(Result::kUnverified));
    if (options_.time) absl::FPrintF(people_, ", %d timed", count(Result::kTimed));
    if (options_.best) {
      absl::FPrintF(people_, " as the best of their rows; of %d rows %d are ruled out by a bound",
                    rows_timed_ + rows_ruled_out_, rows_ruled_out_);
    }
    if (earlier_ > 0)
      absl::FPrintF(people_, "; %d of them earlier, as %s has it", earlier_, options_.csv);
    absl::FPrintF(people_, "\n");
    if (options_.time) {
      PrintTimes();
    } else {
      PrintLayers();
    }
    return count(Result::kFail) + count(Result::kError) == 0;
  }

 private:
  /// The slowest layers and the least efficient ones, each on the best of its rows.
  void PrintLayers() const {
    struct Layer {
      const SweepItem* item;
      const RowChoice* row;
      double tflop_per_s() const { return Flops(item->problem) / row->estimate_us * 1e-6; }
    };
    std::vector<Layer> layers;
    for (const SweepItem& item : items_) {
      const auto best = std::min_element(
          item.rows.begin(), item.rows.end(),
          [](const RowChoice& a, const RowChoice& b) { return a.estimate_us < b.estimate_us; });
      if (best != item.rows.end() && best->estimate_us > 0) layers.push_back({&item, &*best});
    }
    if (layers.size() < 2) return;
    const auto print = [&](const char* title) {
      absl::FPrintF(people_, "%s\n%10s %10s %8s  problem\n", title, "us", "GFLOP", "TFLOP/s");
      for (const Layer& layer : std::span(layers).first(std::min<size_t>(5, layers.size()))) {
        absl::FPrintF(people_, "%10.1f %10.2f %8.1f  %s %s: %s\n", layer.row->estimate_us,
                      Flops(layer.item->problem) * 1e-9, layer.tflop_per_s(), layer.item->name,
                      KindOf(layer.item->problem), layer.row->row);
      }
    };
    std::stable_sort(layers.begin(), layers.end(), [](const Layer& a, const Layer& b) {
      return a.row->estimate_us > b.row->estimate_us;
    });
    print("slowest, by the planner's estimate");
    std::stable_sort(layers.begin(), layers.end(), [](const Layer& a, const Layer& b) {
      return a.tflop_per_s() < b.tflop_per_s();
    });
    print("least efficient, by the planner's estimate");
  }

  /// Of what was timed now: the sum, how near it is to the bounds, and where most is lost.
  void PrintTimes() const {
    if (times_.empty()) return;
    double ms = 0, bound_ms = 0, logarithms = 0;
    for (const SweepRecord& record : times_) {
      ms += record.timing->ms;
      bound_ms += record.timing->roofline.ms();
      logarithms += std::log(record.timing->of_bound());
    }
    absl::FPrintF(people_,
                  "%.4g ms, of which the bound is %.4g; of the bound %.0f %% (geometric mean)\n",
                  ms, bound_ms, 100 * std::exp(logarithms / static_cast<double>(times_.size())));
    std::vector<const SweepRecord*> order;
    for (const SweepRecord& record : times_) order.push_back(&record);
    const auto lost = [](const SweepRecord* record) {
      return record->timing->ms - record->timing->roofline.ms();
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](const auto* a, const auto* b) { return lost(a) > lost(b); });
    order.resize(std::min<size_t>(5, order.size()));
    absl::FPrintF(people_, "most above their bound\n%10s %10s %8s  problem\n", "ms", "bound",
                  "TFLOP/s");
    for (const SweepRecord* record : order) {
      absl::FPrintF(people_, "%10.4g %10.4g %8.1f  %s: %s; limited by %s\n", record->timing->ms,
                    record->timing->roofline.ms(), record->timing->tflop_per_s(), record->problem,
                    record->row, record->timing->Limit());
    }
  }

  bool IsPrecise() const { return options_.precise || options_.best; }
  bool IsQuick() const {
    return options_.quick || (!IsPrecise() && (options_.all_rows || IsSampled(options_)));
  }

  SweepRecord RecordOf(const SweepItem& item, const RowChoice& row) const {
    SweepRecord record;
    record.problem = item.name;
    record.device = Name(gfx_);
    record.sizes = ToString(item.problem);
    record.row = row.row;
    record.seed = options_.seed;
    record.splits = row.splits;
    record.gflop = Flops(item.problem) * 1e-9;
    record.estimate_us = row.estimate_us;
    return record;
  }

  std::optional<Result> Find(const SweepItem& item, const RowChoice& row) const {
    constexpr Result kDone[] = {Result::kPass, Result::kFail, Result::kUnverified};
    // That a row is slower than another is enough for the best one, and no time.
    constexpr Result kTimes[] = {Result::kTimed, Result::kSlower};
    const std::span<const Result> wanted =
        options_.time ? std::span<const Result>(kTimes).first(options_.best ? 2 : 1)
                      : std::span<const Result>(kDone).first(options_.verify ? 2 : 3);
    return table_.Find(RecordOf(item, row), wanted);
  }

  /// All runs that are to be done, each in a process of its own, so many at a time.
  absl::Status RunInWorkers() {
    std::vector<std::pair<const SweepItem*, const RowChoice*>> runs;
    for (const SweepItem& item : items_) {
      for (const RowChoice& row : item.rows) {
        if (const std::optional<Result> earlier = Find(item, row)) {
          ++position_;
          ++earlier_;
          ++counts_[static_cast<int>(*earlier)];
        } else {
          runs.emplace_back(&item, &row);
        }
      }
    }
    std::mutex mutex;
    std::size_t next = 0;
    absl::Status failed;
    const auto work = [&] {
      std::unique_lock lock(mutex);
      while (next < runs.size() && failed.ok()) {
        const auto [item, row] = runs[next++];
        lock.unlock();
        const Clock::time_point start = Clock::now();
        const absl::StatusOr<std::string> line =
            row->row.empty() ? absl::AbortedError(item->reason)
                             : RunInWorker(options_.arguments,
                                           {.problem = item->name,
                                            .direction = KindOf(item->problem),
                                            .family = row->family,
                                            .row = row->row,
                                            .quick = IsQuick()},
                                           options_.run_limit_s);
        lock.lock();
        absl::Status status = TakeLine(*item, *row, line, SecondsSince(start) / options_.workers);
        if (!status.ok()) failed = status;
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < options_.workers; ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
    return failed;
  }

  /// Adds what came of a worker's run, which took `seconds` of the sweep.
  absl::Status TakeLine(const SweepItem& item, const RowChoice& row,
                        const absl::StatusOr<std::string>& line, double seconds) {
    SweepRecord record = RecordOf(item, row);
    if (line.ok()) {
      const absl::StatusOr<Result> result = table_.AddLine(*line);
      if (!result.ok()) return result.status();
      record.result = *result;
    } else {
      record.message = line.status().message();
      if (absl::Status status = table_.Add(record); !status.ok()) return status;
    }
    ++position_;
    ++counts_[static_cast<int>(record.result)];
    seconds_ += seconds;
    ++done_;
    flops_done_ += Flops(item.problem);
    flops_left_ -= Flops(item.problem);
    Tell(record);
    return absl::OkStatus();
  }

  absl::Status RunItem(const SweepItem& item) {
    const Problem& problem = item.problem;
    Operands operands;
    std::optional<Expected> expected;
    for (const RowChoice& row : item.rows) {
      ++position_;
      if (const std::optional<Result> earlier = Find(item, row)) {
        ++earlier_;
        ++counts_[static_cast<int>(*earlier)];
        continue;
      }
      const Clock::time_point start = Clock::now();
      if (operands.a.empty() && !row.row.empty() && !options_.time) {
        operands = RandomOperands(problem, options_.seed);
      }
      const SweepRecord record = Try(item, row, operands, expected);
      flops_done_ += Flops(problem);
      flops_left_ -= Flops(problem);
      if (absl::Status status = Keep(item, record, start); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  /// The record of a run, whatever came of it.
  SweepRecord Try(const SweepItem& item, const RowChoice& row, const Operands& operands,
                  std::optional<Expected>& expected,
                  double limit_ms = std::numeric_limits<double>::infinity()) const {
    SweepRecord record = RecordOf(item, row);
    record.message = item.reason;
    if (row.row.empty()) return record;
    const absl::Status status = RunRow(item.problem, operands, row, limit_ms, expected, record);
    if (!status.ok()) {
      record.result = Result::kError;
      record.message = status.message();
    }
    return record;
  }

  /// Adds a record of a run that began at `start` to the table, and tells of it.
  absl::Status Keep(const SweepItem& item, const SweepRecord& record, Clock::time_point start) {
    if (absl::Status status = table_.Add(record); !status.ok()) return status;
    ++counts_[static_cast<int>(record.result)];
    if (options_.json) records_.push_back(JsonOf(record, item));
    TellOf(record, start);
    return absl::OkStatus();
  }

  /// Tells of what a run came to that began at `start`.
  void TellOf(const SweepRecord& record, Clock::time_point start) {
    seconds_ += SecondsSince(start);
    ++done_;
    Tell(record);
    if (record.timing) times_.push_back(record);
  }

  /// Adds a line for each of the item's rows that the table lacks, and tells of the best one of
  /// them; where none can be timed, of the last one's error. A row is timed as far as it may still
  /// be the best, so that the first, which is the planner's choice, is timed to the end.
  absl::Status RunBest(const SweepItem& item) {
    ++position_;
    const Clock::time_point start = Clock::now();
    double best_ms = std::numeric_limits<double>::infinity();
    std::vector<RowChoice> rows;
    for (const RowChoice& row : item.rows) {
      if (!Find(item, row)) rows.push_back(row);
      best_ms = std::min(best_ms, table_.FindMs(RecordOf(item, row)).value_or(best_ms));
    }
    std::ranges::stable_sort(rows, {}, &RowChoice::ranked_cycles);
    if (rows.empty()) ++earlier_;
    std::optional<SweepRecord> told;
    for (const RowChoice& row : rows) {
      SweepRecord record = TryForBest(item, row, kSureToLose * best_ms);
      if (absl::Status status = table_.Add(record); !status.ok()) return status;
      if (options_.json) records_.push_back(JsonOf(record, item));
      if (record.failed()) ++counts_[static_cast<int>(record.result)];
      const bool better = record.result == Result::kTimed && record.timing->ms < best_ms;
      if (better) best_ms = record.timing->ms;
      if (!told || better || told->failed()) told = std::move(record);
    }
    if (std::isfinite(best_ms)) ++counts_[static_cast<int>(Result::kTimed)];
    if (told) TellOf(*told, start);
    return absl::OkStatus();
  }

  /// The record of a run that is given up when it is sure to take longer than `limit_ms`.
  SweepRecord TryForBest(const SweepItem& item, const RowChoice& row, double limit_ms) {
    std::optional<Expected> unused;
    SweepRecord record = Try(item, row, /*operands=*/{}, unused, limit_ms);
    if (!record.timing) return record;
    const bool given_up = record.timing->given_up;
    if (given_up) record.result = Result::kSlower;
    ++(given_up ? rows_ruled_out_ : rows_timed_);
    return record;
  }

  /// Fills in what came of record.row; an error if it could not be computed.
  absl::Status RunRow(const Problem& problem, const Operands& operands, const RowChoice& row,
                      double limit_ms, std::optional<Expected>& expected,
                      SweepRecord& record) const {
    const absl::StatusOr<RowPlan> plan =
        MakePlan(problem, gfx_, {.row = row.row, .family = row.family});
    if (!plan.ok()) return plan.status();
    if (options_.time) {
      const absl::StatusOr<Timing> timing =
          TimePlan(problem, *plan,
                   {.simulated = IsQuick()     ? SimTiming::kQuick
                                 : IsPrecise() ? SimTiming::kBare
                                               : SimTiming::kQuiet,
                    .limit_ms = limit_ms});
      if (!timing.ok()) {
        ResetDevice().IgnoreError();
        return timing.status();
      }
      record.timing = *timing;
      record.result = Result::kTimed;
      return absl::OkStatus();
    }
    absl::StatusOr<Outcome> outcome = Compute(problem, *plan, operands);
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

  static llvm::json::Object JsonOf(const SweepRecord& record, const SweepItem& item) {
    llvm::json::Object object{{"name", record.problem},
                              {"problem", ToJson(item.problem)},
                              {"target", record.device},
                              {"row", record.row},
                              {"seed", static_cast<int64_t>(record.seed)},
                              {"result", Name(record.result)},
                              {"estimate_us", JsonNumber(record.estimate_us)}};
    if (!record.message.empty()) object["message"] = record.message;
    if (record.error) object["error"] = ToJson(*record.error);
    if (record.timing) object["time"] = ToJson(*record.timing);
    if (record.seconds > 0) {
      object["run"] = ToJson(Outcome{.out = {}, .seconds = record.seconds, .sim = record.sim});
    }
    return object;
  }

  void Tell(const SweepRecord& record) const {
    absl::FPrintF(people_, "[%d/%d] %s %s: %s", position_, runs_, record.problem, record.row,
                  record.result == Result::kPass ? Green(people_, "pass")
                  : record.failed()              ? Red(people_, Name(record.result))
                                                 : Name(record.result));
    if (record.error)
      absl::FPrintF(people_, ", %.0f%% of the tolerance", 100 * record.error->max_ratio);
    if (record.seconds > 0) {
      absl::FPrintF(people_, "; %.2f s, %.1f GFLOP/s", record.seconds,
                    record.gflop / record.seconds);
    }
    if (const auto& timing = record.timing) {
      absl::FPrintF(people_, ", %.4g ms, %.1f TFLOP/s, %.0f %% of the bound", timing->ms,
                    timing->tflop_per_s(), 100 * timing->of_bound());
    }
    // A time takes as long for a large problem as for a small one.
    const double left = options_.time ? (runs_ - position_) / std::max(1.0, done_)
                                      : flops_left_ / std::max(1.0, flops_done_);
    if (left > 0) absl::FPrintF(people_, "; about %.0f s left", seconds_ * left);
    absl::FPrintF(people_, "\n");
    if (!record.message.empty()) absl::FPrintF(people_, "    %s\n", record.message);
    std::fflush(people_);
  }

  const SweepOptions& options_;
  const Gfx gfx_;
  const std::vector<SweepItem> items_;
  SweepTable table_;
  std::FILE* const people_;    // what is for people to read
  llvm::json::Array records_;  // of --json
  int runs_ = 0, position_ = 0, earlier_ = 0;
  std::vector<SweepRecord> times_;  // of this program
  int counts_[6] = {};
  int rows_timed_ = 0, rows_ruled_out_ = 0;                          // of the best ones' problems
  double done_ = 0, flops_done_ = 0, flops_left_ = 0, seconds_ = 0;  // of this program
};

ExitCode Fail(ExitCode code, const absl::Status& status) {
  std::fflush(stdout);
  absl::FPrintF(stderr, "gridwise: %s\n", status.message());
  return code;
}

/// Compiles the row that is asked for, or the rows of the file, which it returns, where they are
/// not built in.
absl::StatusOr<std::optional<std::vector<BuiltRow>>> AddRows(const SweepOptions& options,
                                                             const RequestedTarget& target) {
  for (const Direction direction : target.directions) {
    absl::Status status =
        AddRowOnDemand(options.request.program, options.family, options.row, direction, target.gfx);
    if (!status.ok()) return status;
  }
  if (options.rows.empty()) return std::nullopt;
  const absl::StatusOr<std::string> text = ReadTextFile(options.rows);
  if (!text.ok()) return text.status();
  absl::StatusOr<std::pair<Gfx, std::vector<BuiltRow>>> rows = ParseRows(*text);
  if (!rows.ok()) return rows.status();
  if (rows->first != target.gfx) {
    return absl::InvalidArgumentError(absl::StrFormat("the rows of %s are for %s, and not for %s",
                                                      options.rows, Name(rows->first),
                                                      Name(target.gfx)));
  }
  for (const BuiltRow& row : rows->second) {
    absl::Status status =
        AddRowOnDemand(options.request.program, row.family, row.name, row.direction, target.gfx);
    if (!status.ok()) return status;
  }
  return std::move(rows->second);
}

}  // namespace

ExitCode SweepCommand(const SweepOptions& options) {
  if (absl::Status status = CheckFlags(options); !status.ok()) return Fail(kBadUsage, status);
  const absl::StatusOr<RequestedTarget> target = ResolveTarget(options.request);
  if (!target.ok()) return Fail(kBadUsage, target.status());
  // stdout is for what a program reads, if there is such.
  std::FILE* const people = options.json || options.csv == "-" ? stderr : stdout;
  const auto rows = AddRows(options, *target);
  if (!rows.ok()) return Fail(kBadUsage, rows.status());
  absl::StatusOr<std::vector<SweepItem>> items =
      SelectItems(options, *target, *rows ? &**rows : nullptr, people);
  if (!items.ok()) return Fail(kBadUsage, items.status());
  absl::StatusOr<SweepTable> table =
      options.csv.empty()
          ? SweepTable()
          : SweepTable::Open(options.csv == "-" ? options.csv : UserPath(options.csv));
  if (!table.ok()) return Fail(kBadUsage, table.status());
  if (auto device = FindDevice(Name(target->gfx)); !device.ok())
    return Fail(kDeviceError, device.status());
  Sweep sweep(options, target->gfx, *std::move(items), *std::move(table), people);
  if (absl::Status status = sweep.Run(); !status.ok()) return Fail(kBadUsage, status);
  const bool passed = sweep.PrintSummary();
  if (options.json) PrintJson(sweep.TakeJson());
  return passed ? kSuccess : kVerificationFailed;
}

}  // namespace gridwise
