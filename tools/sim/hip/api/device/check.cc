// SPDX-License-Identifier: MIT
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/sim/check/finding.h"
#include "tools/sim/check/settings.h"
#include "tools/sim/check/watch.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/hip/stream/queue.h"

// Check mode for programs: what is checked, and what was found.

namespace gridwise::sim {
namespace {

/// A finding that was given out, whose strings must stay.
struct Given {
  Finding finding;
  std::string source, sentence;
};
std::mutex mutex;
std::deque<Given>& GivenOut() {
  static auto* const given = new std::deque<Given>;
  return *given;
}

}  // namespace

}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

int gridwiseSimCheck(const char* mode) {
  absl::StatusOr<CheckSettings> settings = ParseMode(mode == nullptr ? "run" : mode);
  if (!settings.ok()) return 1;
  static_cast<void>(RunDeferred());
  settings->seed = CurrentCheckSettings().seed;
  SetCheckSettings(*settings);
  return 0;
}

void gridwiseSimSeed(int on, uint64_t seed) {
  static_cast<void>(RunDeferred());
  CheckSettings settings = CurrentCheckSettings();
  RestartSeed();
  settings.seed.reset();
  if (on != 0) settings.seed = seed;
  SetCheckSettings(settings);
}

void gridwiseSimWatch(const void* address, uint64_t bytes) {
  static_cast<void>(RunDeferred());
  WatchNextLaunch(reinterpret_cast<uint64_t>(address), bytes);
}

int gridwiseSimFindingCount(void) {
  static_cast<void>(RunDeferred());
  return static_cast<int>(Findings::Get().size());
}

int gridwiseSimFindingAt(int index, GridwiseSimFinding* out) {
  static_cast<void>(RunDeferred());
  const std::vector<Finding> all = Findings::Get().All();
  if (out == nullptr || index < 0 || static_cast<size_t>(index) >= all.size()) return 1;
  const std::lock_guard lock(mutex);
  const Finding& finding = all[static_cast<size_t>(index)];
  const Given& given =
      GivenOut().emplace_back(Given{finding, finding.source.ToString(), finding.ToString()});
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): names are literals
  *out = {.category = Name(finding.category).data(),
          .kernel = given.finding.kernel.c_str(),
          .source = given.source.c_str(),
          .instruction = given.finding.instruction.c_str(),
          .sentence = given.sentence.c_str(),
          .pc = finding.pc,
          .workgroup = {finding.workgroup[0], finding.workgroup[1], finding.workgroup[2]},
          .wave = finding.wave,
          .lane = finding.lane,
          .address = finding.address,
          .count = finding.count};
  return 0;
}

void gridwiseSimClearFindings(void) {
  static_cast<void>(RunDeferred());
  const std::lock_guard lock(mutex);
  Findings::Get().Clear();
  GivenOut().clear();
}

}  // extern "C"
