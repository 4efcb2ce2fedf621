// SPDX-License-Identifier: MIT
#include "tools/page/page.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/page/page_data.h"

namespace gridwise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t CountOccurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Page, HasItsDataAsTheyAre) {
  const llvm::json::Value data =
      llvm::json::Object{{"name", "</script><b>&amp;<!-- \" \\ \u00b5"}, {"list", {1, 2.5}}};
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << data;
  const std::string page = MakePage(PageKind::kNetwork, "a<b", text);
  const absl::StatusOr<llvm::json::Value> read = PageData(page);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, data);
  EXPECT_THAT(page, AllOf(HasSubstr("<title>a&lt;b</title>"), HasSubstr("data-page=\"network\""),
                          Not(HasSubstr("<!-- "))));
  EXPECT_FALSE(PageData("<html></html>").ok());
}

/// The data and the scripts: nothing in a script ends it early.
TEST(Page, HasTwoScriptsAndOneStyle) {
  const std::string page = MakePage(PageKind::kTime, "t", "[]");
  EXPECT_EQ(CountOccurrences(page, "</script"), 2u);
  EXPECT_EQ(CountOccurrences(page, "<!--"), 0u);  // after which a "<script" would count
  EXPECT_EQ(CountOccurrences(page, "</style"), 1u);
}

/// Each script uses those before it.
TEST(Page, HasItsScriptsInTheirOrder) {
  const std::string page = MakePage(PageKind::kTime, "t", "[]");
  std::size_t before = 0;
  for (const char* begin : {"// https://d3js.org", "// @observablehq/plot", "/*! DataTables",
                            "const pages = {};", "pages.comparison =", "pages.time ="}) {
    const std::size_t at = page.find(begin);
    ASSERT_NE(at, page.npos) << begin;
    EXPECT_GT(at, before) << begin;
    before = at;
  }
  EXPECT_LT(page.find("table.dataTable"), page.find("/* The look of all pages"));
}

TEST(Page, LoadsNothing) {
  const std::string page = MakePage(PageKind::kSweep, "t", "{}");
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; "));
  for (const char* outside : {"<link", "@import", "<img", " src=\"", "sourceMappingURL"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(Page, KeepsLicences) {
  const std::string page = MakePage(PageKind::kComparison, "t", "{}");
  EXPECT_THAT(page, AllOf(HasSubstr("Mike Bostock"), HasSubstr("Observable, Inc."),
                          HasSubstr("SpryMedia Limited"),
                          HasSubstr("Permission to use, copy, modify, and/or distribute")));
}

}  // namespace
}  // namespace gridwise
