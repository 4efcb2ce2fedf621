// SPDX-License-Identifier: MIT
#include "tools/sim/check/settings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gridwise::sim {
namespace {

constexpr uint32_t kEverything = (1u << kUsualCategories) - 1;

CheckSettings FromEnvironment() {
  CheckSettings settings;
  if (const char* mode = std::getenv("GRIDWISE_SIM")) {
    const absl::StatusOr<CheckSettings> wanted = ParseMode(mode);
    settings = wanted.value_or(CheckSettings{.categories = kEverything, .seed = {}});
    if (!wanted.ok()) {
      std::fprintf(stderr, "gridwise sim: GRIDWISE_SIM: %s; checking everything\n",
                   std::string(wanted.status().message()).c_str());
    }
  }
  if (const char* seed = std::getenv("GRIDWISE_SIM_SEED")) {
    uint64_t value = 0;
    if (absl::SimpleAtoi(seed, &value)) {
      settings.seed = value;
    } else {
      std::fprintf(stderr, "gridwise sim: GRIDWISE_SIM_SEED is '%s', not a number; ignored\n",
                   seed);
    }
  }
  return settings;
}

struct State {
  std::mutex mutex;
  CheckSettings settings = EnvironmentSettings();
};
State& Process() {
  static auto* const state = new State;
  return *state;
}

}  // namespace

absl::StatusOr<uint32_t> ParseCategories(std::string_view text) {
  if (text.empty() || text == "run") return 0;
  if (text == "check") return kEverything;
  if (!absl::ConsumePrefix(&text, "check:")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", text, "' is neither 'run' nor 'time' nor 'check' nor 'check:CATEGORY,...'"));
  }
  uint32_t categories = 0;
  for (const std::string_view name : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const auto found = std::find(kCategoryNames.begin(), kCategoryNames.end(), name);
    if (found == kCategoryNames.end()) {
      return absl::InvalidArgumentError(absl::StrCat("'", name, "' is no category; there are ",
                                                     absl::StrJoin(kCategoryNames, ", ")));
    }
    categories |= 1u << (found - kCategoryNames.begin());
  }
  return categories;
}

absl::StatusOr<CheckSettings> ParseMode(std::string_view text) {
  const std::string_view mode = text;
  CheckSettings settings;
  settings.deferred = absl::ConsumePrefix(&text, "deferred");
  if (settings.deferred && !text.empty() && !absl::ConsumePrefix(&text, ",")) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", mode, "' is neither 'deferred' nor 'deferred,check...'"));
  }
  if (text == "time") {
    settings.time = true;
    return settings;
  }
  if (absl::StrContains(text, "check") && absl::StrContains(text, "time")) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", mode, "' asks for check and time; a launch is checked or timed"));
  }
  const absl::StatusOr<uint32_t> categories = ParseCategories(text);
  if (!categories.ok()) return categories.status();
  settings.categories = *categories;
  return settings;
}

const CheckSettings& EnvironmentSettings() {
  static const CheckSettings settings = FromEnvironment();
  return settings;
}

CheckSettings CurrentCheckSettings() {
  const std::lock_guard lock(Process().mutex);
  return Process().settings;
}

void SetCheckSettings(const CheckSettings& settings) {
  const std::lock_guard lock(Process().mutex);
  Process().settings = settings;
}

}  // namespace gridwise::sim
