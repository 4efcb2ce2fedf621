// SPDX-License-Identifier: MIT
#include "tools/sim/time/calibrate/parity.h"

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"

namespace gridwise::sim::time {
namespace {

constexpr double kSameRegisters = 0.05;

std::optional<int> NumberIn(const std::map<std::string, std::string>& row, const char* column) {
  const auto found = row.find(column);
  int number = 0;
  if (found == row.end() || !absl::SimpleAtoi(found->second, &number)) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::string> Differs(const std::map<std::string, std::string>& row,
                                   const Build& build) {
  if (const std::optional<int> theirs = NumberIn(row, "registers")) {
    if (std::abs(build.registers - *theirs) > kSameRegisters * *theirs) {
      return absl::StrFormat("the build has %d registers, the measured one %d", build.registers,
                             *theirs);
    }
  }
  const auto notes = row.find("notes");
  const bool told = notes != row.end() && absl::StrContains(notes->second, "spill");
  struct Sign {
    const char* column;
    const char* what;
    int ours;
  };
  for (const Sign& sign : {Sign{"scratch_bytes", "bytes of scratch", build.scratch_bytes},
                           Sign{"spills", "spilled registers", build.spills}}) {
    const std::optional<int> theirs = NumberIn(row, sign.column);
    if (theirs ? (*theirs == 0) == (sign.ours == 0) : sign.ours == 0 || told) continue;
    return absl::StrFormat("the build has %d %s, the measured one %s", sign.ours, sign.what,
                           theirs ? absl::StrFormat("%d", *theirs) : "is not known to have any");
  }
  return std::nullopt;
}

}  // namespace gridwise::sim::time
