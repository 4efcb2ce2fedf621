// SPDX-License-Identifier: MIT
#include "tools/text/read_file.h"

#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string Written(const std::string& bytes) {
  const std::string path = testing::TempDir() + "/read_file";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(ReadFile, AllOfItsBytes) {
  const std::string bytes("a\r\n\0\xff\x1a z\n\n", 10);
  EXPECT_EQ(*ReadFile(Written(bytes)), bytes);
  const std::string megabytes(5'000'001, 'x');
  EXPECT_EQ(*ReadFile(Written(megabytes)), megabytes);
}

TEST(ReadFile, OfAnEmptyFileNothing) {
  EXPECT_EQ(*ReadFile(Written("")), "");
  EXPECT_EQ(*ReadFile("/dev/null"), "");
}

TEST(ReadFile, SaysWhatCannotBeRead) {
  const absl::StatusOr<std::string> folder = ReadFile(testing::TempDir());
  EXPECT_THAT(folder.status().message(),
              AllOf(HasSubstr(testing::TempDir()), HasSubstr("Is a directory")));
  const absl::StatusOr<std::string> none = ReadFile(testing::TempDir() + "/none");
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(none.status().message(), HasSubstr("/none"));
}

}  // namespace
}  // namespace gridwise
