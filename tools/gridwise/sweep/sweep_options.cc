// SPDX-License-Identifier: MIT
#include "tools/gridwise/sweep/sweep_options.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/launch/launch_shape.h"

namespace gridwise {

absl::Status Check(const SweepOptions& options) {
  if (options.all_instances && !options.instance.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--instance=", options.instance, " and --all-instances exclude each other"));
  }
  if (options.time && options.verify) {
    return absl::InvalidArgumentError(
        "--time computes at most a part of the result; --verify compares all of it");
  }
  if (options.first_instances < 0 || options.random_instances < 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--first-instances is %d and --random-instances %d; must be >= 0",
                        options.first_instances, options.random_instances));
  }
  if (options.splits < 0 || options.splits > kMaxWorkgroupsYz) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--splits is %d; must be 0 to %d", options.splits, kMaxWorkgroupsYz));
  }
  if (options.best && !options.time) {
    return absl::InvalidArgumentError("--best compares times; it needs --time");
  }
  if (options.quick && options.precise) {
    return absl::InvalidArgumentError("--quick and --precise exclude each other");
  }
  if (options.best && options.workers > 0) {
    return absl::InvalidArgumentError(
        "--best compares a problem's instances in one process; it excludes --workers");
  }
  if (options.workers > 0 && options.json) {
    return absl::InvalidArgumentError("--workers writes a table; it excludes --json");
  }
  if (options.workers < 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--workers is %d; must be >= 0", options.workers));
  }
  constexpr double kLongest = 1e7;  // seconds; does not overflow a clock
  if (!(options.run_limit_s > 0 && options.run_limit_s <= kLongest)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "--run-limit is %g; must be above 0 and at most %g", options.run_limit_s, kLongest));
  }
  if (!options.instances.empty() && !options.instance.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--instance=", options.instance,
                                                   " and --instances=", options.instances,
                                                   " exclude each other"));
  }
  if (options.json && options.csv == "-") {
    return absl::InvalidArgumentError("--json and --csv=- both write to stdout; name a file");
  }
  return absl::OkStatus();
}

}  // namespace gridwise
