// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/sim/check/source_line.h"

namespace gridwise::sim {

/// Kinds of mistakes. GRIDWISE_SIM=check:NAME,... and reports use their names.
enum class Category : uint8_t {
  kWaits,
  kHazards,
  kBounds,
  kRaces,
  kBarriers,
  kWatch,
  kUninit,
  kStreams,
  // Correct kernels do these, too, so they are checked only if named.
  kNonfinite,
  kOverflow,
  kCancellation
};
inline constexpr int kCategories = 11;
inline constexpr int kUsualCategories = 8;  // the first ones
inline constexpr std::array<std::string_view, kCategories> kCategoryNames = {
    "waits",  "hazards", "bounds",    "races",    "barriers",    "watch",
    "uninit", "streams", "nonfinite", "overflow", "cancellation"};
constexpr std::string_view Name(Category c) { return kCategoryNames[static_cast<size_t>(c)]; }

/// A mistake of a kernel, where it was first seen, and how often since.
struct Finding {
  Category category = Category::kWaits;
  std::string kernel;
  SourceLine source;        // none without debug information
  std::string instruction;  // text
  uint64_t pc = 0;          // bytes from the kernel's entry, modulo 2^64
  std::array<uint32_t, 3> workgroup = {};
  int wave = -1;  // -1: not one wave's
  int lane = -1;  // -1: not one lane's
  bool has_address = false;
  uint64_t address = 0;
  std::string what;    // see Findings::Add
  std::string detail;  // details of the first one; follows `what`
  int64_t count = 1;
  int instructions = 1;  // how many it was found at

  /// The whole sentence.
  std::string ToString() const;
};

/// All findings of the process. Thread safe.
class Findings {
 public:
  static Findings& Get();

  /// Adds a finding, or counts it if it is known. Findings are the same if category, kernel, `what`
  /// and pc are, or (as in an unrolled loop) the source line and all of `what` but its numbers. A
  /// new finding goes to stderr at once.
  void Add(Finding finding);
  /// Called after a launch of `kernel`, or with "" after anything else that was checked. Prints
  /// what was seen more than once on stderr, and writes the report.
  void EndLaunch(const std::string& kernel);
  void Clear();
  std::vector<Finding> All() const;
  size_t size() const;

 private:
  using Key = std::tuple<Category, std::string, std::string, std::string>;
  static Key KeyOf(const Finding& finding);
  void WriteReport() const;

  mutable std::mutex mutex_;
  std::map<Key, size_t> known_;
  std::set<std::pair<size_t, uint64_t>> places_;  // findings and the pcs of their instructions
  std::vector<Finding> findings_;                 // in the order of their first occurrence
  std::set<std::string> checked_;                 // kernels
  size_t summarized_ = 0;                         // findings that EndLaunch has printed
};

}  // namespace gridwise::sim
