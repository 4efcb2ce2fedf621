// SPDX-License-Identifier: MIT
#include "tools/text/json.h"

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

TEST(ParseJson, ReadsAValue) {
  const absl::StatusOr<llvm::json::Value> value =
      ParseJson(R"({"units": 228, "of": ["a\"[", {}]})");
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->getAsObject()->getInteger("units"), 228);
}

TEST(ParseJson, NamesTheLineOfAnError) {
  const absl::Status status = ParseJson("{\"units\": 228,\n \"of\" 3}").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("not JSON: [2:"));
}

TEST(ParseJson, LimitsLevels) {
  EXPECT_TRUE(ParseJson(std::string(100, '[') + std::string(100, ']')).ok());
  const absl::Status status = ParseJson("[\"" + std::string(200, '[') + "\"," +
                                        std::string(100, '[') + std::string(100, ']') + "]")
                                  .status();
  EXPECT_EQ(status.message(), "JSON has 101 levels of arrays and objects; at most 100 are read");
}

}  // namespace
}  // namespace gridwise
