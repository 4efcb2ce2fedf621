#include "tools/sim/time/session/session.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/sim/time/machine/machine_file.h"
#include "tools/sim/time/report/json.h"
#include "tools/sim/time/report/text.h"
#include "tools/sim/time/session/timed_run.h"

namespace gridwise::sim::time {
namespace {

/// Instructions of a wave that a trace has at most: viewers do not take more.
constexpr size_t kMostEvents = 200'000;

struct Timed {
  TimedRun run;
  uint64_t entry = 0;
  int launches = 0;
};

class Process {
 public:
  static Process& Get() {
    static auto* const process = new Process;
    return *process;
  }

  absl::StatusOr<RunReport> Launch(Program& program, const KernelInfo& kernel, const Grid& grid,
                                   std::span<const std::byte> arguments, const void* kernarg,
                                   Memory& memory, const RunOptions& options) {
    const std::lock_guard lock(mutex_);
    const auto [known, added] = known_.try_emplace(KeyOf(kernel, grid, arguments), nullptr);
    RunReport report;
    if (added) {
      const Machine& machine = MachineOf(program.target().gfx);
      std::vector<WaveEvent> events;
      TimeOptions time_options;
      if (!report_path_.empty()) time_options.events = &events;
      absl::StatusOr<TimedRun> run =
          RunTimed(machine, program, kernel, grid, kernarg, memory, options, time_options);
      if (!run.ok()) {
        known_.erase(known);
        return run.status();
      }
      report = run->report;
      known->second = &timed_.emplace_back(Timed{*std::move(run), kernel.entry_address});
      Describe(*known->second, events);
    }
    Timed& timed = *known->second;
    ++timed.launches;
    now_ms_ += timed.run.time.burst_ms;
    if (!report_path_.empty()) WriteJson();
    return report;
  }

  double now_ms() {
    const std::lock_guard lock(mutex_);
    return now_ms_;
  }

 private:
  Process() {
    if (const char* path = std::getenv("GRIDWISE_SIM_TIME_REPORT")) report_path_ = path;
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

  const Machine& MachineOf(std::string_view gfx) const {
    return own_ && own_->target == gfx ? *own_ : *time::MachineOf(gfx);
  }

  static std::string KeyOf(const KernelInfo& kernel, const Grid& grid,
                           std::span<const std::byte> arguments) {
    std::string key = absl::StrCat(kernel.entry_address, " ", grid.dynamic_lds_bytes);
    for (size_t axis = 0; axis < 3; ++axis)
      absl::StrAppend(&key, " ", grid.Items(axis), "/", grid.block[axis]);
    key.append(reinterpret_cast<const char*>(arguments.data()), arguments.size());
    return key;
  }

  void Describe(const Timed& timed, const std::vector<WaveEvent>& events) {
    const TimedRun& run = timed.run;
    std::fputs(Text(run.time, run.ops, timed.entry).c_str(), stderr);
    if (run.time.sampled < run.time.workgroups && !std::exchange(told_incomplete_, true)) {
      std::fputs(
          "gridwise time: only a sample of workgroups is executed, so outputs are incomplete\n",
          stderr);
    }
    if (report_path_.empty()) return;
    const std::string path = absl::StrCat(report_path_, ".", timed_.size());
    std::ofstream(path + ".html") << Html(run.time, run.ops, timed.entry);
    std::ofstream(path + ".trace.json")
        << ChromeTrace(std::span(events).first(std::min(events.size(), kMostEvents)), run.ops);
  }

  void WriteJson() const {
    std::ofstream file(report_path_ + ".json");
    file << "[";
    for (size_t i = 0; i < timed_.size(); ++i) {
      const Timed& timed = timed_[i];
      file << (i == 0 ? "" : ",\n")
           << Json(timed.run.time, timed.run.ops, timed.entry, timed.launches);
    }
    file << "]\n";
  }

  std::mutex mutex_;
  std::string report_path_;  // "": none
  std::optional<Machine> own_;
  std::map<std::string, Timed*> known_;
  std::deque<Timed> timed_;
  double now_ms_ = 0;
  bool told_incomplete_ = false;
};

}  // namespace

bool On() {
  static const bool on = [] {
    const char* mode = std::getenv("GRIDWISE_SIM");
    return mode != nullptr &&
           (std::string_view(mode) == "time" || std::string_view(mode) == "deferred,time");
  }();
  return on;
}

absl::StatusOr<RunReport> Launch(Program& program, const KernelInfo& kernel, const Grid& grid,
                                 std::span<const std::byte> arguments, const void* kernarg,
                                 Memory& memory, const RunOptions& options) {
  return Process::Get().Launch(program, kernel, grid, arguments, kernarg, memory, options);
}

double NowMs() { return Process::Get().now_ms(); }

}  // namespace gridwise::sim::time
