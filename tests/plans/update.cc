// SPDX-License-Identifier: MIT
/// Writes tests/plans/<target>_<set>.txt.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/arch/target.h"
#include "tests/plans/plans.h"

int main() {
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) {
    absl::FPrintF(stderr, "run this as `bazel run //tests/plans:update`\n");
    return 1;
  }
  for (const gridwise::Gfx gfx : gridwise::kAllGfx) {
    for (const char* const set : {"retinanet", "regressions"}) {
      const absl::StatusOr<std::string> plans = gridwise::PrintPlans(set, gfx);
      if (!plans.ok()) {
        absl::FPrintF(stderr, "%s\n", plans.status().message());
        return 1;
      }
      const std::filesystem::path path = std::filesystem::path(workspace) / "tests/plans" /
                                         absl::StrCat(gridwise::Name(gfx), "_", set, ".txt");
      if (!(std::ofstream(path, std::ios::binary) << *plans).flush()) {
        absl::FPrintF(stderr, "cannot write %s\n", path.string());
        return 1;
      }
    }
  }
  return 0;
}
