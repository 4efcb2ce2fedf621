// SPDX-License-Identifier: MIT
#include "tools/gridwise/commands/sweep_command.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "core/arch/target.h"
#include "core/runtime/device.h"
#include "core/text/parse_device.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/problem/problem_sets.h"
#include "tools/gridwise/problem/text_file.h"
#include "tools/gridwise/report/json.h"
#include "tools/gridwise/run/computation.h"
#include "tools/gridwise/run/demand.h"
#include "tools/gridwise/run/device_for.h"
#include "tools/gridwise/sweep/sweep_items.h"
#include "tools/gridwise/sweep/sweep_report.h"
#include "tools/gridwise/sweep/sweep_runs.h"
#include "tools/gridwise/sweep/sweep_table.h"
#include "tools/gridwise/sweep/sweep_worker.h"
#include "tools/tune/builder.h"

namespace gridwise {
namespace {

using Clock = std::chrono::steady_clock;
using Result = SweepRecord::Result;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

llvm::json::Object ToJson(const SweepRecord& record, const SweepItem& item) {
  llvm::json::Object object{{"name", record.problem},
                            {"problem", ToJson(item.problem)},
                            {"target", record.device},
                            {"instance", record.instance},
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

/// A lower bound above this multiple of the best time so far rules an instance out. A time from a
/// sample may be below its lower bound, by up to 8 % on layers of RetinaNet.
constexpr double kSureToLose = 1.1;

/// Runs items, stores the results, and reports them.
class Sweep {
 public:
  Sweep(const SweepOptions& options, const DeviceFacts& device, std::vector<SweepItem> items,
        SweepTable table, std::FILE* people)
      : options_(options),
        device_(device),
        items_(std::move(items)),
        table_(std::move(table)),
        report_(options, people) {
    for (const SweepItem& item : items_) {
      if (options_.best) {
        report_.Expect(0);
        continue;
      }
      for (const InstanceChoice& instance : item.instances) {
        report_.Expect(Find(item, instance) ? 0 : Flops(item.problem));
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

  /// Does the runs whose numbers stdin has, and adds a line to the table for each at once.
  absl::Status RunFromStdin() {
    const std::vector<NumberedRun> runs = AllRuns();
    const SweepItem* last = nullptr;
    std::optional<SweepRuns> runs_of_item;
    std::size_t number = 0;
    while (std::cin >> number) {
      if (number >= runs.size()) {
        return absl::InvalidArgumentError(
            absl::StrFormat("there is no run %d; the sweep has %d", number, runs.size()));
      }
      const auto [_, item, instance] = runs[number];
      if (item != last) runs_of_item.emplace(options_, device_, *item);
      last = item;
      if (absl::Status status = table_.Add(runs_of_item->Run(*instance)); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

  /// Returns the document of --json: the runs of this process.
  llvm::json::Object TakeJson() { return llvm::json::Object{{"runs", std::move(records_)}}; }

  /// Returns whether every run passed, now or earlier.
  bool PrintSummary() const {
    return report_.PrintSummary(
        items_, [this](const SweepItem& item, const InstanceChoice& instance) {
          return table_.FindMs(MakeRecord(options_, device_, item, instance));
        });
  }

 private:
  std::optional<Result> Find(const SweepItem& item, const InstanceChoice& instance) const {
    constexpr Result kDone[] = {Result::kPass, Result::kFail, Result::kUnverified};
    // For --best, it is enough to know that an instance is slower than another, without a time.
    constexpr Result kTimes[] = {Result::kTimed, Result::kSlower};
    const std::span<const Result> wanted =
        options_.time ? std::span<const Result>(kTimes).first(options_.best ? 2 : 1)
                      : std::span<const Result>(kDone).first(options_.verify ? 2 : 3);
    return table_.Find(MakeRecord(options_, device_, item, instance), wanted);
  }

  /// A problem on an instance. Workers, which have the same flags, give it the same number.
  struct NumberedRun {
    std::size_t number;
    const SweepItem* item;
    const InstanceChoice* instance;
  };

  std::vector<NumberedRun> AllRuns() const {
    std::vector<NumberedRun> runs;
    for (const SweepItem& item : items_) {
      for (const InstanceChoice& instance : item.instances) {
        runs.push_back({runs.size(), &item, &instance});
      }
    }
    return runs;
  }

  /// Does all runs in other processes, several at the same time.
  absl::Status RunInWorkers() {
    std::vector<NumberedRun> runs = AllRuns();
    std::erase_if(runs, [&](const NumberedRun& run) {
      const std::optional<Result> earlier = Find(*run.item, *run.instance);
      if (earlier) report_.SkipRun(*earlier);
      return earlier.has_value();
    });
    std::mutex mutex;
    std::size_t next = 0;
    absl::Status failed;
    const auto work = [&] {
      SweepWorker worker(options_.arguments);
      bool is_suspect = false;  // its device may be in a bad state
      std::unique_lock lock(mutex);
      while (next < runs.size() && failed.ok()) {
        const auto [number, item, instance] = runs[next++];
        lock.unlock();
        if (is_suspect) worker.End();
        const Clock::time_point start = Clock::now();
        const absl::StatusOr<std::string> line = instance->instance.empty()
                                                     ? absl::AbortedError(item->reason)
                                                     : worker.Run(number, options_.run_limit_s);
        lock.lock();
        const absl::StatusOr<Result> result =
            TakeLine(*item, *instance, line, SecondsSince(start) / options_.workers);
        if (!result.ok()) failed = result.status();
        is_suspect = line.ok() && result.ok() && *result == Result::kError;
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < options_.workers; ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
    return failed;
  }

  /// Adds the result of a worker's run, which took `seconds` of the sweep, and returns it.
  absl::StatusOr<Result> TakeLine(const SweepItem& item, const InstanceChoice& instance,
                                  const absl::StatusOr<std::string>& line, double seconds) {
    SweepRecord record = MakeRecord(options_, device_, item, instance);
    if (line.ok()) {
      const absl::StatusOr<Result> result = table_.AddLine(*line);
      if (!result.ok()) return result.status();
      record.result = *result;
    } else {
      record.message = line.status().message();
      if (absl::Status status = table_.Add(record); !status.ok()) return status;
    }
    report_.EndRun(record, Flops(item.problem), seconds);
    return record.result;
  }

  absl::Status RunItem(const SweepItem& item) {
    SweepRuns runs(options_, device_, item);
    for (const InstanceChoice& instance : item.instances) {
      if (const std::optional<Result> earlier = Find(item, instance)) {
        report_.SkipRun(*earlier);
        continue;
      }
      const Clock::time_point start = Clock::now();
      const SweepRecord record = runs.Run(instance);
      if (absl::Status status = Keep(item, record); !status.ok()) return status;
      report_.EndRun(record, Flops(item.problem), SecondsSince(start));
    }
    return absl::OkStatus();
  }

  /// Adds a record to the table and the document.
  absl::Status Keep(const SweepItem& item, const SweepRecord& record) {
    if (absl::Status status = table_.Add(record); !status.ok()) return status;
    if (options_.json) records_.push_back(ToJson(record, item));
    return absl::OkStatus();
  }

  /// Adds a line for each of the item's instances that the table lacks. Reports the best one of
  /// them, or the last error if none can be timed. An instance is timed as long as it may be the
  /// best. Therefore the first one, the planner's choice, is timed to the end.
  absl::Status RunBest(const SweepItem& item) {
    const Clock::time_point start = Clock::now();
    double best_ms = std::numeric_limits<double>::infinity();
    std::vector<InstanceChoice> instances;
    for (const InstanceChoice& instance : item.instances) {
      if (!Find(item, instance)) instances.push_back(instance);
      const SweepRecord record = MakeRecord(options_, device_, item, instance);
      best_ms = std::min(best_ms, table_.FindMs(record).value_or(best_ms));
    }
    std::ranges::stable_sort(instances, {}, &InstanceChoice::ranked_cycles);
    SweepRuns runs(options_, device_, item);
    std::optional<SweepRecord> told;
    for (const InstanceChoice& instance : instances) {
      SweepRecord record = runs.Run(instance, kSureToLose * best_ms);
      if (absl::Status status = Keep(item, record); !status.ok()) return status;
      report_.CountInstance(record);
      const bool better = record.result == Result::kTimed && record.timing->ms < best_ms;
      if (better) best_ms = record.timing->ms;
      if (!told || better || told->failed()) told = std::move(record);
    }
    report_.EndBest(told, std::isfinite(best_ms), SecondsSince(start));
    return absl::OkStatus();
  }

  const SweepOptions& options_;
  const DeviceFacts device_;
  const std::vector<SweepItem> items_;
  SweepTable table_;
  SweepReport report_;
  llvm::json::Array records_;  // for --json
};

/// Compiles the requested instance, or the instances of the file, unless they are built in. Returns
/// the instances of the file.
absl::StatusOr<std::optional<std::vector<BuiltInstance>>> AddInstances(
    const SweepOptions& options, const RequestedTarget& target) {
  for (const Direction direction : target.directions) {
    absl::Status status = AddInstanceOnDemand(options.request.program, options.family,
                                              options.instance, direction, target.device.gfx);
    if (!status.ok()) return status;
  }
  if (options.instances.empty()) return std::nullopt;
  const absl::StatusOr<std::string> text = ReadTextFile(options.instances);
  if (!text.ok()) return text.status();
  absl::StatusOr<std::pair<Gfx, std::vector<BuiltInstance>>> instances = ParseInstances(*text);
  if (!instances.ok()) return instances.status();
  if (instances->first != target.device.gfx) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the instances of %s are for %s, and not for %s", options.instances,
                        Name(instances->first), Name(target.device.gfx)));
  }
  for (const BuiltInstance& instance : instances->second) {
    absl::Status status = AddInstanceOnDemand(options.request.program, instance.family,
                                              instance.name, instance.direction, target.device.gfx);
    if (!status.ok()) return status;
  }
  return std::move(instances->second);
}

}  // namespace

ExitCode SweepCommand(const SweepOptions& options) {
  if (absl::Status status = Check(options); !status.ok()) return Fail(status);
  const absl::StatusOr<RequestedTarget> target = ResolveTarget(options.request);
  if (!target.ok()) return Fail(target.status());
  // stdout is for machine-readable output, if there is any.
  std::FILE* const people = options.json || options.csv == "-" ? stderr : stdout;
  const auto instances = AddInstances(options, *target);
  if (!instances.ok()) return Fail(instances.status());
  absl::StatusOr<std::vector<SweepItem>> items =
      SelectItems(options, *target, *instances ? &**instances : nullptr, people);
  if (!items.ok()) return Fail(items.status());
  if (auto device = DeviceFor(target->device); !device.ok())
    return Fail(device.status(), kDeviceError);
  absl::StatusOr<SweepTable> table =
      options.csv.empty()
          ? SweepTable()
          : SweepTable::Open(options.csv == "-" ? options.csv : UserPath(options.csv));
  if (!table.ok()) return Fail(table.status());
  // The sweep that starts a worker says it.
  if (const std::string note = CalibrationNote(target->device);
      !note.empty() && !options.runs_from_stdin)
    absl::FPrintF(people, "times and estimates are %s\n", note);
  Sweep sweep(options, target->device, *std::move(items), *std::move(table), people);
  const absl::Status status = options.runs_from_stdin ? sweep.RunFromStdin() : sweep.Run();
  if (!status.ok()) return Fail(status);
  if (options.runs_from_stdin) return kSuccess;
  const bool passed = sweep.PrintSummary();
  if (options.json) PrintJson(sweep.TakeJson());
  return passed ? kSuccess : kVerificationFailed;
}

}  // namespace gridwise
