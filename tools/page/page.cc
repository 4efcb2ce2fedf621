// SPDX-License-Identifier: MIT
#include "tools/page/page.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/text/html.h"

namespace gridwise {
namespace {

constexpr char kScripts[] =
#include "tools/page/scripts.inc"
    ;
constexpr char kStyles[] =
#include "tools/page/styles.inc"
    ;

// The policy keeps a page from loading anything from elsewhere.
constexpr std::string_view kHead =
    R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
)";

std::string_view Name(PageKind kind) {
  switch (kind) {
    case PageKind::kComparison:
      return "comparison";
    case PageKind::kCoverage:
      return "coverage";
    case PageKind::kNetwork:
      return "network";
    case PageKind::kSeries:
      return "series";
    case PageKind::kSweep:
      return "sweep";
    case PageKind::kTime:
      return "time";
  }
  return "";
}

}  // namespace

std::string MakePage(PageKind kind, std::string_view title, std::string_view json) {
  // Outside of strings JSON has no "<"; in them, none may end the element.
  return absl::StrCat(kHead, "<title>", EscapeHtml(title), "</title>\n<style>", kStyles,
                      "</style>\n</head>\n<body data-page=\"", Name(kind),
                      "\">\n<main><noscript>This page shows its data by a script.</noscript></main>"
                      "\n<script id=\"data\" type=\"application/json\">",
                      absl::StrReplaceAll(json, {{"<", "\\u003c"}}), "</script>\n<script>",
                      kScripts, "</script>\n</body>\n</html>\n");
}

}  // namespace gridwise
