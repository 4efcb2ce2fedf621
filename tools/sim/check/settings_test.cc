// SPDX-License-Identifier: MIT
#include "tools/sim/check/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t Bit(Category c) { return 1u << static_cast<int>(c); }

TEST(ParseMode, ReadsEachMode) {
  for (const char* text : {"", "run", "time", "check", "check:waits,races", "deferred",
                           "deferred,time", "deferred,check", "deferred,check:waits"}) {
    const absl::StatusOr<CheckSettings> mode = ParseMode(text);
    ASSERT_TRUE(mode.ok()) << text << ": " << mode.status();
    const std::string words = text;
    EXPECT_EQ(mode->deferred, words.starts_with("deferred")) << text;
    EXPECT_EQ(mode->time, words.ends_with("time")) << text;
    EXPECT_EQ(mode->on(), words.find("check") != std::string::npos) << text;
  }
  EXPECT_EQ(ParseMode("check:waits,races")->categories,
            Bit(Category::kWaits) | Bit(Category::kRaces));
}

TEST(ParseMode, RefusesBothCheckAndTime) {
  for (const char* text : {"check,time", "time,check", "check:races,time", "deferred,check,time"}) {
    EXPECT_THAT(ParseMode(text).status().message(), HasSubstr("asks for check and time")) << text;
  }
}

TEST(ParseMode, NamesWhatItDoesNotKnow) {
  EXPECT_THAT(ParseMode("chekc").status().message(), HasSubstr("'chekc' is neither 'run'"));
  EXPECT_THAT(ParseMode("check:rases").status().message(), HasSubstr("'rases' is no category"));
  EXPECT_THAT(ParseMode("deferredly").status().message(), HasSubstr("'deferredly' is neither"));
}

}  // namespace
}  // namespace gridwise::sim
