// SPDX-License-Identifier: MIT
/// The texts of a problem: what is read prints to what reads as the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/conv/validate.h"
#include "gridwise/plan_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const absl::StatusOr<ConvProblem> problem = ParseProblem(text); problem.ok()) {
    CHECK_OK(Validate(*problem));
    CHECK(ToString(*problem) == text) << ToString(*problem);
  }
  if (const absl::StatusOr<ConvProblem> problem = ParseProblemPart(text); problem.ok()) {
    const absl::StatusOr<ConvProblem> again = ParseProblemPart(PrintProblemPart(*problem));
    CHECK_OK(again.status()) << PrintProblemPart(*problem);
    CHECK(*again == *problem) << PrintProblemPart(*problem);
  }
  return 0;
}
