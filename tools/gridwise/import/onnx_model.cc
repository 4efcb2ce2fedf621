// SPDX-License-Identifier: MIT
#include "tools/gridwise/import/onnx_model.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tools/cpp/runfiles/runfiles.h"
#include "tools/gridwise/cli/subprocess.h"
#include "tools/text/json.h"
#include "tools/text/read_file.h"

namespace gridwise {
namespace {

using ::bazel::tools::cpp::runfiles::Runfiles;

constexpr double kLimitSeconds = 300;

/// A folder that is removed at the end.
class TemporaryFolder {
 public:
  static absl::StatusOr<std::unique_ptr<TemporaryFolder>> Make() {
    std::error_code error;
    std::string path = (std::filesystem::temp_directory_path(error) / "gridwise-XXXXXX").string();
    if (error || mkdtemp(path.data()) == nullptr) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot make the folder ", path));
    }
    return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(path));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}

  const std::string path_;
};

absl::StatusOr<std::string> FindReader(const std::string& program) {
  std::string error;
  const std::unique_ptr<Runfiles> runfiles(
      Runfiles::Create(program, BAZEL_CURRENT_REPOSITORY, &error));
  if (runfiles != nullptr) {
    std::string path = runfiles->Rlocation("gridwise/tools/gridwise/import/onnx_reader");
    if (std::filesystem::exists(path)) return path;
  }
  return absl::NotFoundError(
      absl::StrCat("the reader of ONNX models is not next to this program ", error));
}

}  // namespace

absl::StatusOr<llvm::json::Value> ReadOnnxModel(const std::string& model,
                                                const std::string& program) {
  const absl::StatusOr<std::string> reader = FindReader(program);
  if (!reader.ok()) return reader.status();
  const auto folder = TemporaryFolder::Make();
  if (!folder.ok()) return folder.status();
  const std::string in = absl::StrCat((*folder)->path(), "/model.onnx");
  const std::string out = absl::StrCat((*folder)->path(), "/nodes.json");
  if (!(std::ofstream(in, std::ios::binary) << model << std::flush)) {
    return absl::UnavailableError(absl::StrCat("cannot write ", in));
  }
  const absl::StatusOr<Ending> ending = RunProgram({*reader, in, out}, kLimitSeconds);
  if (!ending.ok()) return ending.status();
  if (ending->status != 0) {
    const auto words = absl::StripAsciiWhitespace(ending->last_words);
    return absl::InvalidArgumentError(
        words.empty() ? absl::StrCat("the reader of ONNX models ", ending->ToString())
                      : std::string(words));
  }
  const absl::StatusOr<std::string> json = ReadFile(out);
  return json.ok() ? ParseJson(*json) : json.status();
}

}  // namespace gridwise
