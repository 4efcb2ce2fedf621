// SPDX-License-Identifier: MIT
/// Problem sets as CSV: what is read is valid, and prints to what reads as the same.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/conv/validate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<std::vector<NamedProblem>> problems = ParseProblems(text, "problems.csv");
  if (!problems.ok()) {
    CHECK(problems.status().message().starts_with("problems.csv")) << problems.status();
    return 0;
  }
  for (const NamedProblem& each : *problems) {
    CHECK_OK(Validate(each.problem));
    const absl::StatusOr<ConvProblem> again = ParseProblem(ToString(each.problem));
    CHECK_OK(again.status()) << ToString(each.problem);
    CHECK(*again == each.problem) << ToString(each.problem);
  }
  return 0;
}
