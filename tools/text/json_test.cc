// SPDX-License-Identifier: MIT
#include "tools/text/json.h"

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
  const auto nested = [](int levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(ParseJson(nested(200)).ok());
  EXPECT_TRUE(ParseJson("[\"" + std::string(300, '[') + "\"]").ok()) << "a text";
  EXPECT_EQ(ParseJson(nested(201)).status().message(),
            "JSON has 201 levels of arrays and objects; at most 200 are read");
}

}  // namespace
}  // namespace gridwise
