// SPDX-License-Identifier: MIT
#include "core/launch/refusal.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

TEST(Refusal, SaysWhatStrFormatSays) {
  const std::int64_t groups = 1234567890123;
  const char* const axis = "h";
  const Refusal refusal = Refuse<"%d groups along %s and %c, %.3g of %d: 100 %%">(
      RefusalCode::kGroups, groups, axis, 'w', 0.12345, 4);
  EXPECT_EQ(refusal.code(), RefusalCode::kGroups);
  EXPECT_EQ(refusal.reason(), absl::StrFormat("%d groups along %s and %c, %.3g of %d: 100 %%",
                                              groups, axis, 'w', 0.12345, 4));
  EXPECT_EQ(refusal.reason(), refusal.reason());
}

TEST(Refusal, NeedsNoCodeAndNoValues) {
  const Refusal refusal = Refuse<"there is nothing to multiply">();
  EXPECT_EQ(refusal.code(), RefusalCode::kOther);
  EXPECT_EQ(refusal.reason(), "there is nothing to multiply");
}

TEST(Refusal, IsOfASentenceThatThereIs) {
  const Refusal alone = "there is none", with_code(RefusalCode::kSize, std::string("it is large"));
  EXPECT_EQ(alone.code(), RefusalCode::kOther);
  EXPECT_EQ(alone.reason(), "there is none");
  EXPECT_EQ(with_code.code(), RefusalCode::kSize);
  EXPECT_EQ(with_code.reason(), "it is large");
}

TEST(Refusal, KeepsItsValues) {
  const auto make = [] {
    int pixels = 3;
    std::string distance = "the same distance, which is a long sentence";
    Refusal refusal = Refuse<"%d pixels are %s apart">(pixels, distance);
    pixels = 4;
    distance = "no";
    return refusal;
  };
  Refusal refusal = make();
  const Refusal moved = std::move(refusal);
  EXPECT_EQ(moved.reason(), "3 pixels are the same distance, which is a long sentence apart");
}

/// Counts how often it is put into words.
struct Counted {
  int* count;
  template <class Sink>
  friend void AbslStringify(Sink& sink, const Counted& value) {
    absl::Format(&sink, "number %d", ++*value.count);
  }
};

TEST(Refusal, IsPutIntoWordsOnlyWhenRead) {
  int count = 0;
  const Refusal refusal = Refuse<"this is %v">(Counted{&count});
  EXPECT_EQ(count, 0);
  EXPECT_EQ(refusal.reason(), "this is number 1");
}

}  // namespace
}  // namespace gridwise
