// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace gridwise {

/// What a page shows. Each kind has a script in tools/page/js.
enum class PageKind {
  kComparison,  // two choices on the problems of a set
  kCoverage,    // what runs have executed of kernels
  kNetwork,     // the layers of a network
  kSeries,      // figures of many nights
  kSweep,       // times of many kernels on many problems
  kTime,        // launches by the simulator's clock
};

/// A self-contained HTML page: it holds styles, charts, tables and `json`, the document that it
/// shows, in an element with the id "data".
std::string MakePage(PageKind kind, std::string_view title, std::string_view json);

}  // namespace gridwise
