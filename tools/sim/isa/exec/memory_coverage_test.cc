// SPDX-License-Identifier: MIT
#include <fstream>
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/exec/handlers.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/rename.h"

/// Every memory instruction that LLVM's assembler accepts for a target has a handler there, or is
/// one of those that are refused. memory_mnemonics.txt lists them, with a digit for each target.

namespace gridwise::sim {
namespace {

/// The ordered, ray tracing and attribute instructions of graphics; scalar
/// scratch and gfx90a's stores from LDS to memory, which no compiler emits; block moves, which no
/// target has unless it is asked for.
constexpr std::string_view kRefused[] = {
    "ds_ordered_count",  "ds_add_gs_reg_rtn", "ds_sub_gs_reg_rtn", "ds_bvh_stack_",
    "lds_param_load",    "ds_param_load",     "s_scratch_",        "global_atomic_ordered_add_b64",
    "buffer_store_lds_",
};

bool IsRefused(std::string_view mnemonic) {
  for (const std::string_view prefix : kRefused) {
    if (absl::StartsWith(mnemonic, prefix)) return true;
  }
  return false;
}

TEST(MemoryInstructions, EveryOneHasAHandlerOrIsRefused) {
  std::ifstream list("tools/sim/isa/exec/memory_mnemonics.txt");
  std::string mnemonic, targets;
  int bound = 0;
  while (list >> mnemonic >> targets) {
    ASSERT_EQ(targets.size(), std::size(kSimTargets));
    for (size_t t = 0; t < targets.size(); ++t) {
      if (targets[t] != '1') continue;
      const TargetBit bit = kSimTargets[t].bit;
      const bool found = BestHandlers().Find(CanonicalName(mnemonic, bit), bit) != nullptr;
      EXPECT_EQ(found, !IsRefused(mnemonic)) << kSimTargets[t].gfx << ": " << mnemonic;
      bound += found;
    }
  }
  EXPECT_GT(bound, 1500);
}

}  // namespace
}  // namespace gridwise::sim
