// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace gridwise {

/// What a page shows. Each has a script of its own in tools/page/js.
enum class PageKind {
  kComparison,  // two choices on the problems of a set
  kCoverage,    // what runs have executed of kernels
  kNetwork,     // the layers of a network
  kSeries,      // figures of many nights
  kSweep,       // times of many kernels on many problems
  kTime,        // launches by the simulator's clock
};

/// An HTML page that needs nothing but itself: styles, charts and tables are in it, and so is
/// `json`, the document that it shows, in an element with the id "data".
std::string MakePage(PageKind kind, std::string_view title, std::string_view json);

}  // namespace gridwise
