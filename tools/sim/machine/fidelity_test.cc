#include "tools/sim/machine/fidelity.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "tools/sim/isa/bind/matrix_mode.h"
#include "tools/sim/isa/target.h"

namespace gridwise::sim {
namespace {

TEST(Fidelity, OfOpcodes) {
  const auto of = [](const char* mnemonic, TargetBit target, MatrixMode mode = MatrixMode::kFast) {
    const std::optional<Fidelity> fidelity = FidelityOf(mnemonic, target, mode);
    return std::string(fidelity.has_value() ? Name(*fidelity) : "-");
  };
  EXPECT_EQ(of("v_mfma_f32_32x32x8_f16", kGfx942), "approximate");
  EXPECT_EQ(of("v_mfma_f32_32x32x8_f16", kGfx942, MatrixMode::kExact), "exact");
  EXPECT_EQ(of("v_mfma_f32_32x32x8_f16", kGfx950, MatrixMode::kExact), "approximate");
  EXPECT_EQ(of("v_mfma_f32_32x32x2_f32", kGfx942), "exact");
  EXPECT_EQ(of("v_mfma_f32_16x16x8_xf32", kGfx942), "approximate");
  EXPECT_EQ(of("v_mfma_f64_16x16x4_f64", kGfx942), "exact");
  EXPECT_EQ(of("v_mfma_i32_32x32x16_i8", kGfx950), "exact");
  EXPECT_EQ(of("v_wmma_f32_16x16x16_f16", kGfx1100), "approximate");
  EXPECT_EQ(of("v_wmma_i32_16x16x16_iu8", kGfx1201), "exact");
  EXPECT_EQ(of("v_dot2_f32_f16", kGfx942), "approximate");
  EXPECT_EQ(of("v_exp_f32", kGfx1100), "1 ulp");
  EXPECT_EQ(of("v_rcp_f64", kGfx942), "approximate");
  EXPECT_EQ(of("v_sin_f32", kGfx942), "approximate");
  EXPECT_EQ(of("v_add_f32", kGfx942), "-");
}

TEST(Fidelity, RecordAddsUp) {
  FidelityRecord record;
  record.Add("v_exp_f32", *FindTarget("gfx942"), Fidelity::kOneUlp, 3);
  record.Add("v_exp_f32", *FindTarget("gfx942"), Fidelity::kOneUlp, 4);
  record.Add("v_sin_f32", *FindTarget("gfx1100"), Fidelity::kApproximate, 1);
  EXPECT_EQ(record.Json(),
            R"([{"executed":7,"fidelity":"1 ulp","opcode":"v_exp_f32","target":"gfx942"},)"
            R"({"executed":1,"fidelity":"approximate","opcode":"v_sin_f32","target":"gfx1100"}])"
            "\n");
  EXPECT_NE(record.Text().find("v_exp_f32"), std::string::npos);
}

}  // namespace
}  // namespace gridwise::sim
