// SPDX-License-Identifier: MIT
#include "tools/gridwise/run/demand.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "tools/cpp/runfiles/runfiles.h"
#include "tools/gridwise/cli/progress.h"

namespace gridwise {

absl::StatusOr<Compiler> OpenCompiler(const std::string& program) {
  using ::bazel::tools::cpp::runfiles::Runfiles;
  std::string error;
  const std::unique_ptr<Runfiles> runfiles(
      Runfiles::Create(program, BAZEL_CURRENT_REPOSITORY, &error));
  if (runfiles == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("the kernels' headers are not next to this program: ", error));
  }
  // With `bazel run` there is a manifest, whose files are in two folders: built files, and sources.
  constexpr std::string_view kHeader = "core/arch/target.h";
  const std::string compiler = runfiles->Rlocation("gridwise/tools/tune/compiler.json");
  if (!std::filesystem::exists(compiler)) {
    return absl::NotFoundError(
        "this program came without the kernels' headers, so it compiles none: `gridwise list "
        "instances` prints those that are built in, and in a checkout `./bazelw run "
        "//tools/gridwise --` compiles others");
  }
  const std::string header = runfiles->Rlocation(absl::StrCat("gridwise/", kHeader));
  return Compiler::Open(compiler, DefaultKernelCache(),
                        header.substr(0, header.size() - kHeader.size()));
}

absl::Status AddInstanceOnDemand(const std::string& program, const std::string& family,
                                 const std::string& instance, Direction direction, Gfx gfx) {
  if (instance.empty() || HasInstance(family, instance, direction, gfx) ||
      !IsInstanceName(family, instance, direction)) {
    return absl::OkStatus();
  }
  const absl::StatusOr<Compiler> compiler = OpenCompiler(program);
  if (!compiler.ok()) return compiler.status();
  const Progress progress("compiling the kernel", [] { return std::nullopt; });
  return AddInstance(*compiler, family, instance, direction, gfx);
}

}  // namespace gridwise
