// SPDX-License-Identifier: MIT
/// Files of other programs: what is read is valid, and prints to what reads as the same. ONNX's
/// models are onnx_nodes_fuzz_test's.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "core/conv/problem_io.h"
#include "core/conv/validate.h"
#include "tools/gridwise/import/import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise;
  const std::string content(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<ImportedSet> set = Import({{"file", content}}, /*program=*/"");
  if (!set.ok()) {
    CHECK(!set.status().message().empty());
    return 0;
  }
  CHECK(!set->problems.empty() && !set->report.empty());
  const absl::StatusOr<std::vector<NamedProblem>> again =
      ParseProblems(PrintProblems(set->problems), "problems.csv");
  CHECK_OK(again.status());
  CHECK(again->size() == set->problems.size());
  for (std::size_t i = 0; i < again->size(); ++i) {
    CHECK_OK(Validate(set->problems[i].problem));
    CHECK((*again)[i].problem == set->problems[i].problem);
    CHECK((*again)[i].count == set->problems[i].count && set->problems[i].count > 0);
  }
  return 0;
}
