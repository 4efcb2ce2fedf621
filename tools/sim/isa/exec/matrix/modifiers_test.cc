// SPDX-License-Identifier: MIT
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/testing/matrix_cases.h"
#include "tools/sim/isa/testing/test_wave.h"
#include "tools/sim/wave/wave.h"

/// Modifiers of matrix instructions, one at a time.

namespace gridwise::sim::matrix {
namespace {

MatrixCase FindCase(const std::string& mnemonic, int targets) {
  for (const MatrixCase& m : AllMatrixCases()) {
    if (m.mnemonic == mnemonic && (m.targets & targets) != 0 && m.suffix.empty()) return m;
  }
  std::abort();
}

uint32_t F(float x) { return std::bit_cast<uint32_t>(x); }

/// CBSZ and ABID: groups of 2^CBSZ blocks take A from block ABID of the group. BLGP: lanes of B.
/// 32x32x1 and 16x16x1: A[i] and B[j] of block b are in lane dim b + i; D = A[i] B[j].
void CheckBlocksAndLanes(const MatrixCase& m, int cbsz, int abid, int blgp) {
  TestWave wave;
  for (int l = 0; l < kLanes; ++l) {
    wave->v[kA][l] = F(static_cast<float>(l + 1));
    wave->v[kB][l] = F(static_cast<float>(100 + l));
  }
  const std::string text = WriteInstruction(m, true) + " cbsz:" + std::to_string(cbsz) +
                           " abid:" + std::to_string(abid) + " blgp:" + std::to_string(blgp);
  const absl::Status status = wave.Execute(text);
  ASSERT_TRUE(status.ok()) << status;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int r = 0; r < OutputsOfLane(m); ++r) {
      const Output at = OutputAt(m, lane, r);
      const int from = (at.block >> cbsz << cbsz) + abid, l = m.dim * at.block + at.j;
      const int kFrom[] = {l,      l % 32,      l % 32 + 32, (l + 16) % 64,
                           l % 16, l % 16 + 16, l % 16 + 32, l % 16 + 48};
      ASSERT_EQ(ResultAt(m, *wave, lane, r), (from * m.dim + at.i + 1) * (100 + kFrom[blgp]))
          << text;
    }
  }
}

TEST(MatrixModifiers, MoveBlocksAndLanes) {
  for (const char* name :
       {"v_mfma_f32_32x32x1_2b_f32", "v_mfma_f32_16x16x1_4b_f32", "v_mfma_f32_4x4x1_16b_f32"}) {
    const MatrixCase m = FindCase(name, kGfx942);
    for (int cbsz = 0; 1 << cbsz <= m.blocks; ++cbsz) {
      for (int abid = 0; abid < 1 << cbsz; ++abid) {
        for (int blgp = 0; blgp < 8; ++blgp) CheckBlocksAndLanes(m, cbsz, abid, blgp);
      }
    }
  }
}

TEST(MatrixModifiers, SignsOfDoubles) {
  const MatrixCase m = FindCase("v_mfma_f64_16x16x4_f64", kGfx942);
  for (int negate = 0; negate < 8; ++negate) {
    Matrices values(m);
    for (double& x : values.a) x = 3;
    for (double& x : values.b) x = 5;
    for (double& x : values.c) x = 7;
    TestWave wave;
    SetRegisters(m, values, *wave);
    const auto bit = [&](int i) { return std::to_string(negate >> i & 1); };
    const absl::Status status = wave.Execute(WriteInstruction(m, true) + " neg:[" + bit(0) + "," +
                                             bit(1) + "," + bit(2) + "]");
    ASSERT_TRUE(status.ok()) << status;
    const double product = ((negate ^ negate >> 1) & 1) != 0 ? -60 : 60;
    for (int r = 0; r < 4; ++r)
      EXPECT_EQ(ResultAt(m, *wave, 63, r), product + ((negate & 4) != 0 ? -7 : 7));
  }
}

/// NEG_LO and NEG_HI change the signs at even and odd k of A and B; of C, the sign and (first) the
/// absolute value.
TEST(MatrixModifiers, SignsOfHalves) {
  for (const char* gfx : {"gfx1100", "gfx1201"}) {
    const MatrixCase m = FindCase("v_wmma_f32_16x16x16_f16", FindTarget(gfx)->bit);
    for (int bits = 0; bits < 64; ++bits) {
      Matrices values(m);
      for (int i = 0; i < 16; ++i) {
        for (int k = 0; k < 16; ++k) {
          values.A(0, i, k) = 1 + k % 2;
          values.B(0, i, k) = 1;
        }
      }
      for (double& x : values.c) x = -4;
      TestWave wave(BestHandlers(), gfx);
      MatrixCase wave32 = m;
      wave32.wave64 = false;
      SetRegisters(wave32, values, *wave);
      const auto bit = [&](int i) { return std::to_string(bits >> i & 1); };
      const absl::Status status =
          wave.Execute(WriteInstruction(wave32, true) + " neg_lo:[" + bit(0) + "," + bit(1) + "," +
                       bit(2) + "] neg_hi:[" + bit(3) + "," + bit(4) + "," + bit(5) + "]");
      ASSERT_TRUE(status.ok()) << status;
      const auto sign = [&](int a, int b) { return ((bits >> a ^ bits >> b) & 1) != 0 ? -1 : 1; };
      double c = (bits >> 5 & 1) != 0 ? 4 : -4;
      if ((bits >> 2 & 1) != 0) c = -c;
      EXPECT_EQ(ResultAt(wave32, *wave, 3, 2), c + 8 * sign(0, 1) + 16 * sign(3, 4)) << bits;
    }
  }
}

TEST(MatrixModifiers, SixteenBitResultsKeepTheOtherHalf) {
  for (const std::string suffix : {"", " op_sel:[0,0,1]"}) {
    TestWave wave(BestHandlers(), "gfx1100");
    for (int l = 0; l < 32; ++l) {
      for (int r = 0; r < 8; ++r) wave->v[120 + r][l] = 0xabcd1234;
    }
    ASSERT_TRUE(
        wave.Execute("v_wmma_f16_16x16x16_f16 v[120:127], v[0:7], v[8:15], v[16:23]" + suffix)
            .ok());
    for (int r = 0; r < 8; ++r)
      EXPECT_EQ(wave->v[120 + r][7], suffix.empty() ? 0xabcd0000u : 0x00001234u);
  }
}

TEST(MatrixModifiers, IntegersSaturateOnDemand) {
  for (const bool clamp : {false, true}) {
    for (const bool negative : {false, true}) {
      TestWave wave(BestHandlers(), "gfx1201");
      for (int l = 0; l < 32; ++l) {
        for (int r = 0; r < 2; ++r) {
          wave->v[r][l] = negative ? 0x80808080 : 0x7f7f7f7f;
          wave->v[2 + r][l] = 0x7f7f7f7f;
        }
        for (int r = 0; r < 8; ++r) wave->v[8 + r][l] = negative ? 0x80000000 : 0x7fffffff;
      }
      // The third sign, of C, changes nothing.
      ASSERT_TRUE(wave.Execute(absl::StrCat("v_wmma_i32_16x16x16_iu8 v[16:23], v[0:1], v[2:3], "
                                            "v[8:15] neg_lo:[1,1,",
                                            negative ? 1 : 0, "]", clamp ? " clamp" : ""))
                      .ok());
      const int64_t exact =
          negative ? -0x80000000LL - 16 * 128 * 127 : 0x7fffffffLL + 16 * 127 * 127;
      const auto wrapped = static_cast<uint32_t>(exact);
      const uint32_t limit = negative ? 0x80000000 : 0x7fffffff;
      for (int r = 0; r < 8; ++r) EXPECT_EQ(wave->v[16 + r][31], clamp ? limit : wrapped);
    }
  }
}

/// MODE flushes denormal f32 operands, of no other format, and neither C nor D.
TEST(MatrixModifiers, ModeFlushesDenormalFloats) {
  for (const bool flush : {false, true}) {
    TestWave wave;
    if (flush) wave->mode &= ~0x30u;
    for (int l = 0; l < kLanes; ++l) {
      wave->v[0][l] = 0x00400000;               // 2^-127
      wave->v[1][l] = F(l < 16 ? 4.0f : 0.0f);  // k = 0
      wave->v[2][l] = 0x00000001;               // half 2^-24 at even positions
      wave->v[3][l] = 0;
      wave->v[4][l] = l < 16 ? 0x3c00 : 0;
      wave->v[5][l] = 0;
      for (int r = 0; r < 4; ++r) wave->v[8 + r][l] = 0x00000010;
    }
    ASSERT_TRUE(wave.Execute("v_mfma_f32_16x16x4_f32 v[12:15], v0, v1, v[8:11]").ok());
    ASSERT_TRUE(wave.Execute("v_mfma_f32_16x16x16_f16 v[16:19], v[2:3], v[4:5], 0").ok());
    EXPECT_EQ(wave->v[12][0], flush ? 0x00000010u : F(0x1p-125f) + 8);
    EXPECT_EQ(wave->v[16][0], F(0x1p-24f));
  }
}

/// D may lie across C, a register off.
TEST(MatrixModifiers, ResultsMayOverlapC) {
  for (const std::string name : {"v_mfma_f32_16x16x4_f32", "v_mfma_f32_4x4x1_16b_f32"}) {
    for (const int d : {0, 1, 3}) {
      TestWave wave;
      for (int l = 0; l < kLanes; ++l) {
        for (int r = 0; r < 5; ++r) wave->v[1 + r][l] = F(static_cast<float>(10 * r));
      }
      ASSERT_TRUE(wave.Execute(name + " v[" + std::to_string(d) + ":" + std::to_string(d + 3) +
                               "], v20, v21, v[1:4]")
                      .ok());
      for (int r = 0; r < 4; ++r) EXPECT_EQ(wave->v[d + r][9], F(static_cast<float>(10 * r)));
    }
  }
}

TEST(MatrixModifiers, RejectsWhatIsNotDefined) {
  TestWave wave, gfx950(BestHandlers(), "gfx950");
  EXPECT_FALSE(wave.Execute("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15] cbsz:1").ok());
  EXPECT_FALSE(wave.Execute("v_mfma_f32_32x32x16_f16 a[0:15], v[0:3], v[4:7], a[0:15]").ok());
  EXPECT_FALSE(wave.Execute("v_mfma_f32_32x32x8_f16 a[0:3], v[0:1], v[2:3], a[0:15]").ok());
  EXPECT_FALSE(gfx950.Execute("v_mfma_f32_16x16x8_xf32 a[0:3], v[0:1], v[2:3], a[0:3]").ok());
  EXPECT_FALSE(
      gfx950.Execute("v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[6:13], a[0:3] cbsz:5").ok());
}

}  // namespace
}  // namespace gridwise::sim::matrix
