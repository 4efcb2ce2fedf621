// SPDX-License-Identifier: MIT
/// Writes tests/isa/<target>/<direction>.txt and instances/<family>/<target>_needs.inc of every
/// target that kernels are built for.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/planning/family.h"
#include "gridwise/families.h"
#include "tests/isa/needs.h"
#include "tools/isa_report/kernel_report.h"

namespace gridwise {
namespace {

bool Write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  const bool written = !!(std::ofstream(path, std::ios::binary) << text).flush();
  if (!written) absl::FPrintF(stderr, "cannot write %s\n", path.string());
  return written;
}

/// The needs of all instances of targets that there are kernels for.
int UpdateNeeds(const std::filesystem::path& folder) {
  for (const KernelFamily* family : Families()) {
    if (std::ranges::find(kFamiliesWithNeeds, family->name()) == std::end(kFamiliesWithNeeds)) {
      continue;
    }
    for (const Gfx gfx : kAmdGfx) {
      const absl::StatusOr<std::string> text = NeedsText(*family, gfx);
      if (!text.ok()) continue;
      const std::string file = absl::StrFormat("%s_needs.inc", Name(gfx));
      if (!Write(folder / std::string(family->name()) / file, *text)) return 1;
    }
  }
  return 0;
}

int UpdateReports(const std::filesystem::path& folder) {
  std::vector<std::string> left;  // targets that this program was built without
  for (const Gfx gfx : kAmdGfx) {
    for (const Direction direction : kAllDirections) {
      const absl::StatusOr<std::vector<KernelReport>> reports = ReportInstances(direction, gfx);
      if (absl::IsFailedPrecondition(reports.status())) {
        left.push_back(Name(gfx));
        break;
      }
      if (!reports.ok()) {
        absl::FPrintF(stderr, "%s %s: %s\n", Name(gfx), Name(direction),
                      reports.status().message());
        return 1;
      }
      const std::filesystem::path path =
          folder / Name(gfx) / absl::StrFormat("%s.txt", Name(direction));
      if (!Write(path, ToText(*reports))) return 1;
      absl::PrintF("%s: %d instances\n", path.string(), reports->size());
    }
  }
  if (!left.empty()) {
    absl::PrintF("left as they are, because this was built without kernels for them: %s\n",
                 absl::StrJoin(left, ", "));
  }
  return 0;
}

}  // namespace
}  // namespace gridwise

int main() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) {
    absl::FPrintF(stderr, "run this as `bazel run //tests/isa:update`\n");
    return 1;
  }
  // Occupancy is a device's: the simulator has one of each target.
  const auto name = [](std::string* out, gridwise::Gfx gfx) { out->append(gridwise::Name(gfx)); };
  setenv("GRIDWISE_SIM_DEVICES", absl::StrJoin(gridwise::kAmdGfx, ",", name).c_str(),
         /*overwrite=*/0);
  const std::filesystem::path root(workspace);
  const int failed = gridwise::UpdateNeeds(root / "instances");
  return failed != 0 ? failed : gridwise::UpdateReports(root / "tests/isa");
}
