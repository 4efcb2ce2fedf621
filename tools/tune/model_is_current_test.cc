// SPDX-License-Identifier: MIT
/// The models that are compiled in were trained on what this library says of the instances of
/// tables/sample.csv and sample_sm_90a.csv: a change of estimates, instances' shapes or features
/// wants them trained again.

#include <string>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "gmock/gmock.h"
#include "gridwise/planner/model.h"
#include "gtest/gtest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "tools/text/read_file.h"
#include "tools/tune/judges.h"
#include "tools/tune/times.h"

namespace gridwise {
namespace {

void ExpectCurrent(const char* model, Gfx gfx, const char* sample) {
  const std::string text = ReadFile(model).value();
  if (text.find("\ntree ") == std::string::npos) {
    EXPECT_EQ(model::BuiltInModel(gfx), nullptr);
    return;
  }
  const auto problems = ReadTimes(ReadFile(sample).value());
  ASSERT_TRUE(problems.ok()) << problems.status();
  int unknown = 0;
  const absl::StatusOr<std::string> table = PrintTrainingTable(*problems, unknown);
  ASSERT_TRUE(table.ok()) << table.status();
  llvm::SHA256 sha;
  sha.update(*table);
  EXPECT_THAT(
      text, ::testing::HasSubstr("\nsample " + llvm::toHex(sha.final(), /*LowerCase=*/true) + "\n"))
      << "instances' estimates or features have changed: train again, see tools/tune/README.md";
}

TEST(Model, IsOfThisLibrary) {
  ExpectCurrent("gridwise/planner/model.inc", Gfx::k942, "tools/tune/tables/sample.csv");
}

TEST(Model, OfDeviceIsOfThisLibrary) {
  ExpectCurrent("gridwise/planner/sm_90a.inc", Gfx::kSm90a, "tools/tune/tables/sample_sm_90a.csv");
}

}  // namespace
}  // namespace gridwise
