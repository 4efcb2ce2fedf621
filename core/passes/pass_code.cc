// SPDX-License-Identifier: MIT
#include "core/passes/pass_code.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/launch/code.h"
#include "core/passes/passes_code.h"

namespace gridwise {
namespace {

KernelCode ReadKernelCode(Gfx gfx, std::string symbol) {
  return {
      .object = ObjectOf(PassesCode(), gfx), .symbol = std::move(symbol), .objects = PassesCode()};
}

}  // namespace

KernelCode PassCode(std::string_view pass, int bytes, Gfx gfx) {
  return ReadKernelCode(gfx, absl::StrCat("gridwise_", pass, "_b", 8 * bytes));
}

KernelCode PassCode(std::string_view pass, DataType type, Gfx gfx) {
  return ReadKernelCode(gfx, absl::StrCat("gridwise_", pass, "_", Name(type)));
}

KernelCode PassCode(std::string_view pass, DataType from, DataType to, Gfx gfx) {
  return ReadKernelCode(gfx, absl::StrCat("gridwise_", pass, "_", Name(from), "_", Name(to)));
}

bool BeginsEarly(Gfx gfx) { return TraitsOf(gfx).mma_unit == MmaUnit::kWgmma; }

}  // namespace gridwise
