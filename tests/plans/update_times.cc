// SPDX-License-Identifier: MIT
/// Times the layers whose plan is not the one in tests/plans/<target>_times.csv, or with the
/// argument "all" every layer, writes the file and prints the table of docs/log/tile.md. What
/// takes over 5 % more than it did wants a reason in the last column.
///
/// A plan is known by its instance's name: if a kernel's code, or the simulator's clock, changed
/// and the plan did not, only "all" times it again.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "gridwise/conv.h"
#include "tests/plans/times.h"

namespace gridwise {
namespace {

/// The layer's line, timed again if its plan is another one than it was, or if `always`.
absl::StatusOr<LayerTime> Timed(const Layer& layer, Gfx gfx, const LayerTime* before, bool always) {
  const absl::StatusOr<Plan> plan = MakePlan(layer.problem, gfx);
  if (!plan.ok()) return plan.status();
  if (before != nullptr && before->instance == plan->instance() && !always) return *before;
  absl::StatusOr<LayerTime> timed = TimeLayer(layer, *plan);
  if (!timed.ok()) return timed.status();
  LayerTime& time = *timed;
  if (before != nullptr) time.min_us = std::min(time.us, before->min_us);
  if (before != nullptr && time.IsSlower()) time.reason = before->reason;
  absl::PrintF("%s, %s: %s, %.4g us, before %.4g\n", time.name, time.direction, time.instance,
               time.us, before == nullptr ? 0 : before->us);
  std::fflush(stdout);
  return timed;
}

absl::Status Update(const std::filesystem::path& root, Gfx gfx, bool always) {
  const absl::StatusOr<std::vector<Layer>> layers = TimedLayers();
  if (!layers.ok()) return layers.status();
  const std::filesystem::path path = root / TimesPath(gfx);
  absl::StatusOr<std::vector<LayerTime>> before = ReadTimes(path.string());
  if (absl::IsNotFound(before.status())) before = std::vector<LayerTime>();
  if (!before.ok()) return before.status();
  std::vector<LayerTime> times;
  for (const Layer& layer : *layers) {
    const absl::StatusOr<LayerTime> time = Timed(layer, gfx, FindTime(*before, layer), always);
    if (!time.ok()) return time.status();
    times.push_back(*time);
  }
  if (!(std::ofstream(path, std::ios::binary) << PrintTimes(times)).flush()) {
    return absl::UnavailableError(absl::StrFormat("cannot write %s", path.string()));
  }
  const absl::StatusOr<std::vector<LayerTime>> written = ReadTimes(path.string());  // as rounded
  if (!written.ok()) return written.status();
  absl::PrintF("\n%s\nfwd %.1f, bwd_data %.1f, bwd_weight %.1f, all %.1f %% of the bound\n",
               PrintTable(*layers, *written), PercentOfBound(*written, "fwd"),
               PercentOfBound(*written, "bwd_data"), PercentOfBound(*written, "bwd_weight"),
               PercentOfBound(*written, ""));
  return absl::OkStatus();
}

}  // namespace
}  // namespace gridwise

int main(int argc, char** argv) {
  const char* const root = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  const std::optional<gridwise::Gfx> gfx = gridwise::ParseGfx(argc > 1 ? argv[1] : "");
  if (root == nullptr || !gfx) {
    absl::FPrintF(stderr,
                  "run this as `./bazelw run //tests/plans:update_times -- TARGET [all]`\n");
    return 1;
  }
  const bool always = argc > 2 && std::string_view(argv[2]) == "all";
  const absl::Status status = gridwise::Update(root, *gfx, always);
  if (!status.ok()) absl::FPrintF(stderr, "%s\n", status.message());
  return status.ok() ? 0 : 1;
}
