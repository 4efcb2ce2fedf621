#include "tools/sim/isa/decode.h"

#include <cstdint>
#include <cstring>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::sim {
namespace {

using ::testing::UnorderedElementsAre;

constexpr int Vgpr(int row) { return kFirstVector + row; }

// Its second half adds to an odd register, whose lowest bit is not in the encoding.
TEST(Decode, RegistersOfADualInstruction) {
  absl::StatusOr<std::unique_ptr<Decoder>> decoder = Decoder::Create("gfx1100");
  ASSERT_TRUE(decoder.ok()) << decoder.status();
  constexpr uint32_t kWords[] = {0xc8016d06, 0x1c155b59};
  uint8_t code[sizeof(kWords)];
  std::memcpy(code, kWords, sizeof(kWords));
  RegisterUses uses;
  const absl::StatusOr<Decoder::Decoded> decoded =
      (*decoder)->Decode(code, sizeof(code), /*pc=*/0, &uses);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->text, "v_dual_fmac_f32 v28, v6, v182 :: v_dual_fmac_f32 v21, v89, v173");
  EXPECT_THAT(uses.writes, UnorderedElementsAre(Vgpr(28), Vgpr(21)));
  std::vector<int> vectors;
  for (const uint16_t reg : uses.reads) {
    if (reg >= kFirstVector) vectors.push_back(reg);
  }
  EXPECT_THAT(vectors,
              UnorderedElementsAre(Vgpr(28), Vgpr(6), Vgpr(182), Vgpr(21), Vgpr(89), Vgpr(173)));
}

}  // namespace
}  // namespace gridwise::sim
