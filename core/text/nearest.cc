// SPDX-License-Identifier: MIT
#include "core/text/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace gridwise {
namespace {

/// Levenshtein's distance, by rows.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, changed});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> NearestNames(std::string_view name,
                                      const std::vector<std::string_view>& names,
                                      std::size_t count) {
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const std::string_view candidate : names) {
    const bool begins = !name.empty() && candidate.starts_with(name);
    ranked.emplace_back(begins ? 0 : Distance(name, candidate), candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  ranked.resize(std::min(count, ranked.size()));
  std::vector<std::string> nearest;
  for (const auto& [distance, candidate] : ranked) nearest.emplace_back(candidate);
  return nearest;
}

std::string NearestList(std::string_view name, const std::vector<std::string_view>& names,
                        std::size_t count) {
  if (names.size() <= count) return absl::StrJoin(names, ", ");
  return absl::StrCat(absl::StrJoin(NearestNames(name, names, count), ", "), ", and ",
                      names.size() - count, " others");
}

}  // namespace gridwise
