// SPDX-License-Identifier: MIT
#include "tests/conv/test_family.h"

#include <algorithm>
#include <cstdlib>

#include "absl/log/check.h"
#include "absl/strings/str_split.h"
#include "gridwise/families.h"

namespace gridwise {

std::vector<std::string> TestFamilies() {
  const char* const names = std::getenv("GRIDWISE_TEST_FAMILY");
  if (names == nullptr) return {""};
  const std::vector<const KernelFamily*> known = Families();
  std::vector<std::string> families = absl::StrSplit(names, ',');
  for (const std::string& name : families) {
    CHECK(std::any_of(known.begin(), known.end(), [&](const auto* f) { return f->name() == name; }))
        << name << " is no family";
  }
  return families;
}

}  // namespace gridwise
