#include "tools/gridwise/demand.h"

#include <filesystem>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "tools/cpp/runfiles/runfiles.h"
#include "tools/gridwise/progress.h"

namespace gridwise {

absl::StatusOr<Compiler> OpenCompiler(const std::string& program) {
  using ::bazel::tools::cpp::runfiles::Runfiles;
  std::string error;
  // The headers lie beside compiler.json in the folder of links, and not where a manifest says that
  // it is; under `bazel run` there are both.
  const std::string folder = program + ".runfiles";
  const std::unique_ptr<Runfiles> runfiles(
      std::filesystem::is_directory(folder)
          ? Runfiles::Create(program, "", folder, BAZEL_CURRENT_REPOSITORY, &error)
          : Runfiles::Create(program, BAZEL_CURRENT_REPOSITORY, &error));
  if (runfiles == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("the kernels' headers are not beside this program: ", error));
  }
  return Compiler::Open(runfiles->Rlocation("gridwise/tools/tune/compiler.json"),
                        DefaultKernelCache());
}

absl::Status AddRowOnDemand(const std::string& program, const std::string& family,
                            const std::string& row, Direction direction, Gfx gfx) {
  if (row.empty() || HasRow(family, row, direction, gfx) || !IsRowName(family, row, direction)) {
    return absl::OkStatus();
  }
  const absl::StatusOr<Compiler> compiler = OpenCompiler(program);
  if (!compiler.ok()) return compiler.status();
  const Progress progress("compiling the kernel", [] { return std::nullopt; });
  return AddRow(*compiler, family, row, direction, gfx);
}

}  // namespace gridwise
