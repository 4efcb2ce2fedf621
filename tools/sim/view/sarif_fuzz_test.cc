// SPDX-License-Identifier: MIT
// Reports that somebody else may have written. What is read is a report that can be read again.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/log/check.h"
#include "tools/sim/view/sarif.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gridwise::sim::SarifReports reports, again;
  if (!reports.Add(std::string_view(reinterpret_cast<const char*>(data), size)).ok()) return 0;
  CHECK_EQ(reports.Text().empty(), reports.size() == 0);
  CHECK_EQ(reports.GithubCommands().empty(), reports.size() == 0);
  CHECK_OK(again.Add(reports.Sarif()));
  CHECK_EQ(again.size(), reports.size());
  return 0;
}
