// SPDX-License-Identifier: MIT
#include "tools/sim/time/session/session.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/page/page.h"
#include "tools/sim/check/settings.h"
#include "tools/sim/time/machine/machine_file.h"
#include "tools/sim/time/machine/product_machine.h"
#include "tools/sim/time/report/json.h"
#include "tools/sim/time/report/text.h"
#include "tools/sim/time/session/timed_run.h"

namespace gridwise::sim::time {
namespace {

/// Instructions of a wave that a trace has at most: viewers do not take more.
constexpr size_t kMaxEvents = 200'000;

/// The part of the usual sample that a quick estimate takes.
constexpr double kQuickSample = 0.1;

struct Timed {
  TimedRun run;
  std::string what;  // see SetWhat
  uint64_t entry = 0;
  int launches = 0;
};

/// The launches' times one after the other; what limits the longest.
Times SumTimes(std::span<const LaunchTime* const> launches) {
  const Machine& machine = *launches.front()->machine;
  Times times = {.launches = static_cast<int64_t>(launches.size()),
                 .machine = machine.name.data(),
                 .burst_mhz = machine.burst_mhz,
                 .sustained_mhz = machine.sustained_mhz,
                 .ms = SequenceMs(launches),
                 .low = SequenceMs(launches, &LaunchTime::low),
                 .high = SequenceMs(launches, &LaunchTime::high)};
  const LaunchTime& longest = **std::max_element(
      launches.begin(), launches.end(),
      [](const auto* a, const auto* b) { return a->ms.sustained() < b->ms.sustained(); });
  times.ports = Name(longest.bound.Sustained(machine)).data();
  times.limiter = longest.gains.empty() ? "" : Name(longest.gains.front().resource).data();
  times.gain = longest.gains.empty() ? 0 : longest.gains.front().part;
  for (const LaunchTime* launch : launches) times.bound += launch->bound.Ms(machine);
  return times;
}

class Process {
 public:
  static Process& Get() {
    static auto* const process = new Process;
    return *process;
  }

  absl::StatusOr<RunReport> Launch(const Machine& machine, Program& program,
                                   const KernelInfo& kernel, const Grid& grid,
                                   std::span<const std::byte> arguments, const void* kernarg,
                                   Memory& memory, const RunOptions& options,
                                   const SourceLineFn& source_line) {
    const std::lock_guard lock(mutex_);
    RunReport report;
    if (given_up_) return report;
    const auto [known, added] =
        known_.try_emplace(absl::StrCat(telling_.bare, telling_.quick, " ", machine.name, " ",
                                        KeyOf(program, kernel, grid, arguments)),
                           nullptr);
    if (added) {
      std::vector<WaveEvent> events;
      TimeOptions time_options;
      if (telling_.bare) {
        time_options = {.gains = false,
                        .interval = false,
                        .detail = telling_.quick ? kQuickSample : 1,
                        .traffic = telling_.quick ? kQuickSample : 1};
      }
      time_options.limit_ms = limit_ms_;
      time_options.before = SequenceMs(taken_);
      if (!report_path_.empty()) time_options.events = &events;
      time_options.xcd = xcd_ && !telling_.bare;
      absl::StatusOr<TimedRun> run = RunTimed(machine, program, kernel, grid, kernarg, memory,
                                              options, time_options, source_line);
      if (!run.ok()) {
        known_.erase(known);
        return run.status();
      }
      report = run->report;
      if (run->time.given_up) {
        known_.erase(known);
        given_up_ = run->time;
        taken_.push_back(&*given_up_);
        return report;
      }
      known->second = &timed_.emplace_back(Timed{*std::move(run), what_, kernel.entry_address});
      Describe(*known->second, events);
      if (report_path_.empty()) Forget(known->second->run);
    }
    Timed& timed = *known->second;
    ++timed.launches;
    taken_.push_back(&timed.run.time);
    now_ms_ += timed.run.time.ms.burst;
    if (!report_path_.empty()) WriteReport();
    return report;
  }

  void Fill(const Machine& machine, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const LaunchTime& time = fills_
                                 .try_emplace({std::string(machine.name), bytes},
                                              TimeFill(machine, static_cast<double>(bytes)))
                                 .first->second;
    if (telling_.describes) {
      std::fprintf(stderr, "gridwise time: fill of %llu bytes: %.4g ms\n",
                   static_cast<unsigned long long>(bytes), time.ms.burst);
    }
    taken_.push_back(&time);
    now_ms_ += time.ms.burst;
  }

  const Machine& MachineOfDevice(const DeviceFacts& device) const {
    return own_ && own_->target == device.product->processor ? *own_ : MachineFor(device);
  }

  double now_ms() {
    const std::lock_guard lock(mutex_);
    return now_ms_;
  }

  std::optional<Times> TakeTimes() {
    const std::lock_guard lock(mutex_);
    const std::vector<const LaunchTime*> launches = std::exchange(taken_, {});
    if (launches.empty()) return std::nullopt;
    Times times = SumTimes(launches);
    times.given_up = std::exchange(given_up_, std::nullopt).has_value();
    return times;
  }

  void set_limit(double ms) {
    const std::lock_guard lock(mutex_);
    limit_ms_ = ms;
  }

  void set_what(std::string_view what) {
    const std::lock_guard lock(mutex_);
    what_ = what;
  }

  void set_telling(const Telling& telling) {
    const std::lock_guard lock(mutex_);
    telling_ = telling;
  }

 private:
  Process() {
    if (const char* path = std::getenv("GRIDWISE_SIM_TIME_REPORT")) report_path_ = path;
    if (const char* xcd = std::getenv("GRIDWISE_SIM_TIME_XCD")) xcd_ = std::string_view(xcd) == "1";
    if (std::getenv("GRIDWISE_SIM_TIME_DIE") != nullptr) {
      std::fprintf(stderr, "gridwise time: GRIDWISE_SIM_TIME_DIE is now GRIDWISE_SIM_TIME_XCD\n");
    }
    const char* file = std::getenv("GRIDWISE_SIM_MACHINE");
    if (file == nullptr || *file == 0) return;
    absl::StatusOr<Machine> machine = ReadMachine(file);
    if (machine.ok()) {
      own_ = *machine;
    } else {
      std::fprintf(stderr,
                   "gridwise time: GRIDWISE_SIM_MACHINE: %s; the built-in machine is used\n",
                   std::string(machine.status().message()).c_str());
    }
  }

  static std::string KeyOf(const Program& program, const KernelInfo& kernel, const Grid& grid,
                           std::span<const std::byte> arguments) {
    std::string key =
        absl::StrCat(program.id(), " ", kernel.entry_address, " ", grid.dynamic_lds_bytes);
    for (size_t axis = 0; axis < 3; ++axis)
      absl::StrAppend(&key, " ", grid.Items(axis), "/", grid.block[axis]);
    key.append(reinterpret_cast<const char*>(arguments.data()), arguments.size());
    return key;
  }

  /// The facts of each instruction: megabytes, and written once.
  static void Forget(TimedRun& run) {
    run.report = {};
    run.ops = std::vector<Op>();  // `= {}` would keep the memory
    run.time.unit = {};
  }

  void Describe(const Timed& timed, const std::vector<WaveEvent>& events) {
    const TimedRun& run = timed.run;
    if (telling_.describes) std::fputs(Text(run.time, run.ops, timed.entry).c_str(), stderr);
    if (telling_.describes && run.time.sampled < run.time.workgroups &&
        !std::exchange(told_incomplete_, true)) {
      std::fputs(
          "gridwise time: only a sample of workgroups is executed, so outputs are incomplete\n",
          stderr);
    }
    if (report_path_.empty()) return;
    Write(absl::StrCat(report_path_, ".", timed_.size(), ".trace.json"),
          ChromeTrace(std::span(events).first(std::min(events.size(), kMaxEvents)), run.ops));
  }

  /// Writes a file of the report. Says once that it cannot be written.
  void Write(const std::string& path, const std::string& text) {
    errno = 0;
    std::ofstream file(path);
    file << text;
    file.close();
    if (file || std::exchange(told_unwritable_, true)) return;
    std::fprintf(stderr, "gridwise time: GRIDWISE_SIM_TIME_REPORT: cannot write %s: %s\n",
                 path.c_str(), std::strerror(errno));
  }

  /// The launches until now, as JSON and as a page.
  void WriteReport() {
    std::string json = "[";
    for (const Timed& timed : timed_) {
      absl::StrAppend(&json, json.size() == 1 ? "" : ",\n",
                      Json(timed.run.time, timed.run.ops, timed.entry, timed.launches, timed.what));
    }
    json += "]\n";
    Write(report_path_ + ".json", json);
    Write(report_path_ + ".html", MakePage(PageKind::kTime, timed_.front().run.time.kernel, json));
  }

  std::mutex mutex_;
  std::string report_path_;  // "": none
  std::string what_;         // see SetWhat
  bool xcd_ = false;
  std::optional<Machine> own_;
  std::map<std::string, Timed*> known_;  // by how it is timed, too
  std::deque<Timed> timed_;
  std::map<std::pair<std::string, uint64_t>, LaunchTime> fills_;  // by machine and bytes
  std::vector<const LaunchTime*> taken_;  // the launches since the last TakeTimes
  std::optional<LaunchTime> given_up_;    // one of these, if a launch was given up
  double limit_ms_ = std::numeric_limits<double>::infinity();
  double now_ms_ = 0;
  Telling telling_;
  bool told_incomplete_ = false, told_unwritable_ = false;
};

std::atomic<bool>& IsOn() {
  static std::atomic<bool> on = EnvironmentSettings().time;
  return on;
}

}  // namespace

const Machine& MachineOfDevice(const DeviceFacts& device) {
  return Process::Get().MachineOfDevice(device);
}

bool On() { return IsOn(); }

void Set(bool on, const Telling& telling) {
  IsOn() = on;
  Process::Get().set_telling(telling);
}

void SetWhat(std::string_view what) { Process::Get().set_what(what); }

void SetLimit(double ms) { Process::Get().set_limit(ms); }

std::optional<Times> TakeTimes() { return Process::Get().TakeTimes(); }

absl::StatusOr<RunReport> Launch(const Machine& machine, Program& program, const KernelInfo& kernel,
                                 const Grid& grid, std::span<const std::byte> arguments,
                                 const void* kernarg, Memory& memory, const RunOptions& options,
                                 const SourceLineFn& source_line) {
  return Process::Get().Launch(machine, program, kernel, grid, arguments, kernarg, memory, options,
                               source_line);
}

void Fill(const Machine& machine, uint64_t bytes) { Process::Get().Fill(machine, bytes); }

double NowMs() { return Process::Get().now_ms(); }

}  // namespace gridwise::sim::time
