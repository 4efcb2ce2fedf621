/// Writes tests/isa/<target>/<direction>.txt of every target that kernels are built for.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "tools/isa_report/kernel_report.h"

namespace gridwise {
namespace {

int Update(const std::filesystem::path& folder) {
  std::vector<std::string> left;  // targets that this program was built without
  for (const Gfx gfx : kAmdGfx) {
    for (const Direction direction : kAllDirections) {
      const absl::StatusOr<std::vector<KernelReport>> reports = ReportRows(direction, gfx);
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
      std::filesystem::create_directories(path.parent_path());
      if (!(std::ofstream(path, std::ios::binary) << ToText(*reports)).flush()) {
        absl::FPrintF(stderr, "cannot write %s\n", path.string());
        return 1;
      }
      absl::PrintF("%s: %d rows\n", path.string(), reports->size());
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
  return gridwise::Update(std::filesystem::path(workspace) / "tests/isa");
}
