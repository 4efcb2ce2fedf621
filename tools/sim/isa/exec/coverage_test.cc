// SPDX-License-Identifier: MIT
#include "tools/sim/isa/exec/coverage.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/exec/handlers.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/rename.h"

// What the list of a target's instructions holds, and what it says is missing.

namespace gridwise::sim {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

struct Case {
  const char* gfx;
  size_t at_least;                     // mnemonics
  std::vector<std::string> there;      // some of the target's own
  std::vector<std::string> elsewhere;  // mnemonics of other targets
  std::vector<std::string> missing;
};

// The tables of several files make one list: what two of them have, one of them is wrong about.
TEST(Handlers, HaveEachMnemonicOnce) { EXPECT_THAT(BestHandlers().duplicates(), IsEmpty()); }

class Coverage : public testing::TestWithParam<Case> {};

TEST_P(Coverage, ListsTheTargetsInstructions) {
  const absl::StatusOr<std::vector<std::string>> mnemonics = Mnemonics(GetParam().gfx);
  ASSERT_TRUE(mnemonics.ok()) << mnemonics.status();
  EXPECT_GE(mnemonics->size(), GetParam().at_least);
  EXPECT_THAT(*mnemonics, IsSupersetOf(GetParam().there));
  EXPECT_THAT(*mnemonics, IsSupersetOf({"s_mov_b32", "v_add_f32", "v_fma_f32", "s_endpgm"}));
  for (const std::string& mnemonic : GetParam().elsewhere)
    EXPECT_THAT(*mnemonics, Not(Contains(mnemonic)));
  for (const std::string& mnemonic : *mnemonics)
    EXPECT_FALSE(absl::EndsWith(mnemonic, "_e64") || absl::StrContains(mnemonic, ' ')) << mnemonic;
}

TEST_P(Coverage, SaysWhatIsMissingAndNothingElse) {
  const absl::StatusOr<IsaCoverage> coverage = MeasureCoverage(GetParam().gfx);
  ASSERT_TRUE(coverage.ok()) << coverage.status();
  std::vector<std::string> missing;
  for (const MissingInstruction& one : coverage->missing) {
    missing.push_back(one.mnemonic);
    EXPECT_FALSE(one.category.empty()) << one.mnemonic;
    // All loads and stores are there but those of whole blocks of registers, and from LDS.
    if (one.category == "vector memory")
      EXPECT_THAT(one.mnemonic, AnyOf(HasSubstr("_block"), HasSubstr("_store_lds_")));
  }
  EXPECT_THAT(missing, IsSupersetOf(GetParam().missing));
  for (const std::string& mnemonic : GetParam().there)
    EXPECT_THAT(missing, Not(Contains(mnemonic)));
  EXPECT_THAT(missing, Not(Contains("v_add_f32")));
  EXPECT_THAT(missing, Not(Contains("v_cmpx_lt_f32")));
  EXPECT_GE(coverage->covered + missing.size(), GetParam().at_least);
  EXPECT_GE(coverage->covered, 0.8 * static_cast<double>(GetParam().at_least));
  EXPECT_THAT(coverage->ToString(),
              AllOf(HasSubstr(absl::StrCat(GetParam().gfx, ": ", coverage->covered, " of ")),
                    HasSubstr(absl::StrCat("  ", GetParam().missing.front(), "\n"))));
}

INSTANTIATE_TEST_SUITE_P(
    Targets, Coverage,
    testing::Values(Case{"gfx942",
                         1100,
                         {"v_mfma_f32_32x32x8_f16", "v_mfma_f32_16x16x8_xf32", "ds_read_b128",
                          "s_setvskip", "ds_gws_init"},
                         {"ds_read_b64_tr_b16", "v_wmma_f32_16x16x16_f16", "global_load_b32"},
                         {"s_cbranch_cdbgsys", "s_endpgm_saved"}},
                    Case{"gfx950",
                         1200,
                         {"ds_read_b64_tr_b16", "v_mfma_f32_16x16x32_bf16"},
                         {"v_mfma_f32_16x16x8_xf32", "global_load_b32"},
                         {"s_cbranch_cdbgsys", "s_endpgm_saved"}},
                    Case{"gfx1100",
                         1150,
                         {"v_wmma_f32_16x16x16_f16", "v_dual_fmac_f32", "ds_load_b128"},
                         {"v_mfma_f32_32x32x8_f16", "global_load_tr_b128"},
                         {"image_load", "ds_bvh_stack_rtn_b32"}},
                    Case{"gfx1201",
                         1200,
                         {"global_load_tr_b128", "s_wait_loadcnt", "s_barrier_signal"},
                         {"v_mfma_f32_32x32x8_f16", "s_waitcnt_vscnt"},
                         {"image_load", "s_barrier_init"}},
                    Case{"gfx90a",
                         1050,
                         {"v_mfma_f32_32x32x8f16", "v_mfma_f32_16x16x16bf16_1k",
                          "v_mfma_f32_32x32x4bf16", "v_mfma_i32_16x16x16i8", "buffer_wbinvl1_vol",
                          "v_pk_fma_f32"},
                         {"v_mfma_f32_32x32x8_f16", "v_smfmac_f32_16x16x32_f16", "v_lshl_add_u64",
                          "buffer_inv", "v_cvt_f32_fp8"},
                         {"s_cbranch_cdbgsys", "s_endpgm_saved"}}),
    [](const auto& info) { return std::string(info.param.gfx); });

// Names of gfx90a's own: each has a handler, and each handler a name.
TEST(MatrixInstructions, OfGfx90aAreThoseOfTheAssembler) {
  const absl::StatusOr<std::vector<std::string>> mnemonics = Mnemonics("gfx90a");
  ASSERT_TRUE(mnemonics.ok()) << mnemonics.status();
  std::set<std::string> canonical;
  for (const std::string& mnemonic : *mnemonics) {
    if (!absl::StartsWith(mnemonic, "v_mfma_")) continue;
    const std::string_view name = CanonicalName(mnemonic, kGfx90a);
    EXPECT_NE(BestHandlers().Find(name, kGfx90a), nullptr) << mnemonic;
    EXPECT_TRUE(canonical.emplace(name).second) << mnemonic;
  }
  EXPECT_EQ(canonical.size(), 27u);
  for (const Binding* binding : BestHandlers().All(kGfx90a)) {
    if (binding->op_class == OpClass::kMma)
      EXPECT_EQ(canonical.count(binding->mnemonic), 1) << binding->mnemonic;
  }
}

TEST(MeasureCoverage, RefusesOtherTargets) {
  EXPECT_THAT(MeasureCoverage("gfx1030").status().message(),
              AllOf(HasSubstr("'gfx1030'"), HasSubstr("gfx942, gfx950, gfx1100, gfx1201, gfx90a")));
}

}  // namespace
}  // namespace gridwise::sim
