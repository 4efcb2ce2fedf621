// SPDX-License-Identifier: MIT
/// Files of plans: every line is a plan, which prints to what reads as the same, or is skipped with
/// a reason.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gridwise/plan.h"
#include "gridwise/plan_cache.h"
#include "gridwise/plan_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t plans = 0;
  for (const std::string_view line : absl::StrSplit(text, '\n')) {
    const absl::StatusOr<Plan> plan = ParsePlan(line);
    if (!plan.ok()) continue;
    ++plans;
    const std::string printed = PrintPlan(*plan);
    const absl::StatusOr<Plan> again = ParsePlan(printed);
    CHECK_OK(again.status()) << printed;
    CHECK(PrintPlan(*again) == printed) << printed;
  }
  const char* const folder = std::getenv("TEST_TMPDIR");
  static const std::string path =
      absl::StrCat(folder == nullptr ? "/tmp" : folder, "/plans", getpid(), ".txt");
  std::ofstream(path, std::ios::binary) << text;
  const absl::StatusOr<std::unique_ptr<PlanCache>> cache = PlanCache::Open(path);
  CHECK_OK(cache.status());
  CHECK((*cache)->size() <= plans);
  return 0;
}
