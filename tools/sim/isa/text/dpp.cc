// SPDX-License-Identifier: MIT
#include "tools/sim/isa/text/dpp.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace gridwise::sim {
namespace {

constexpr int kNone = -1;

/// Source lane of lane `l`, of a control with the number `n`; kNone if it lies outside.
using LaneMap = int (*)(int l, int n);

struct Control {
  std::string_view name;
  bool has_number;
  LaneMap from;
};

int InRow(int l, int other) { return other >= 0 && other < 16 ? (l & ~15) + other : kNone; }

constexpr Control kControls[] = {
    {"row_shl", true, [](int l, int n) { return InRow(l, (l & 15) + n); }},
    {"row_shr", true, [](int l, int n) { return InRow(l, (l & 15) - n); }},
    {"row_ror", true, [](int l, int n) { return InRow(l, ((l & 15) - n) & 15); }},
    {"row_share", true, [](int l, int n) { return InRow(l, n); }},
    {"row_xmask", true, [](int l, int n) { return InRow(l, (l & 15) ^ n); }},
    {"row_newbcast", true, [](int l, int n) { return InRow(l, n); }},
    {"row_bcast", true,
     [](int l, int n) {
       return n == 15 ? (l < 16 ? kNone : (l & ~15) - 1) : n == 31 ? (l < 32 ? kNone : 31) : kNone;
     }},
    {"wave_shl", true, [](int l, int) { return l == kLanes - 1 ? kNone : l + 1; }},
    {"wave_shr", true, [](int l, int) { return l - 1; }},
    {"wave_rol", true, [](int l, int) { return (l + 1) % kLanes; }},
    {"wave_ror", true, [](int l, int) { return (l + kLanes - 1) % kLanes; }},
    {"row_mirror", false, [](int l, int) { return (l & ~15) + 15 - (l & 15); }},
    {"row_half_mirror", false, [](int l, int) { return (l & ~7) + 7 - (l & 7); }},
};

}  // namespace

absl::StatusOr<DppControl> ParseDpp(Instruction& in) {
  DppControl result;
  int controls = 0;
  if (const std::optional<std::vector<int64_t>> perm = in.TakeList("quad_perm")) {
    if (perm->size() != 4)
      return absl::InvalidArgumentError("has a quad_perm that is not four lanes");
    for (int l = 0; l < kLanes; ++l) {
      result.from[l] = static_cast<uint32_t>(
          (l & ~3) + static_cast<int>((*perm)[static_cast<size_t>(l & 3)] & 3));
    }
    ++controls;
  }
  bool eight = false;
  if (const std::optional<std::vector<int64_t>> lanes = in.TakeList("dpp8")) {
    if (lanes->size() != 8) return absl::InvalidArgumentError("has a dpp8 that is not eight lanes");
    for (int l = 0; l < kLanes; ++l) {
      result.from[l] = static_cast<uint32_t>(
          (l & ~7) + static_cast<int>((*lanes)[static_cast<size_t>(l & 7)] & 7));
    }
    eight = true;
    ++controls;
  }
  for (const Control& control : kControls) {
    const int64_t number = control.has_number          ? in.TakeNumber(control.name, -1)
                           : in.TakeFlag(control.name) ? 0
                                                       : -1;
    if (number < 0) continue;
    for (int l = 0; l < kLanes; ++l) {
      result.from[l] = static_cast<uint32_t>(control.from(l, static_cast<int>(number)));
    }
    ++controls;
  }
  if (controls != 1)
    return absl::InvalidArgumentError("has a lane permutation that is not understood");
  const auto row_mask = static_cast<uint64_t>(in.TakeNumber("row_mask", 15));
  const auto bank_mask = static_cast<uint64_t>(in.TakeNumber("bank_mask", 15));
  result.written = 0;
  for (int l = 0; l < kLanes; ++l) {
    if ((row_mask >> (l / 16) & 1) != 0 && (bank_mask >> (l / 4 % 4) & 1) != 0)
      result.written |= uint64_t{1} << l;
  }
  // DPP8 has no bound_ctrl: a source that is off reads 0.
  result.bound_ctrl = eight || in.TakeNumber("bound_ctrl", 0) != 0;
  result.fetch_inactive = in.TakeNumber("fi", 0) != 0;
  return result;
}

}  // namespace gridwise::sim
