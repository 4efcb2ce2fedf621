#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tools/sim/isa/constants.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/test_wave.h"

/// Matrix instructions against D[i][j] = sum_k A[i][k] B[k][j] + C[i][j] on matrices, with the lane
/// maps that AMD's matrix instruction calculator prints for CDNA3, written out here once more per
/// element.

namespace gridwise::sim {
namespace {

struct Mma {
  const char* mnemonic;
  int dim, blocks, depth;
  char type;  // h f16, b bf16, f f32, i i8, d f64
  int targets = kGfx9;
};

constexpr Mma kAll[] = {
    {"v_mfma_f32_32x32x8_f16", 32, 1, 8, 'h'},
    {"v_mfma_f32_16x16x16_f16", 16, 1, 16, 'h'},
    {"v_mfma_f32_32x32x4_2b_f16", 32, 2, 4, 'h'},
    {"v_mfma_f32_16x16x4_4b_f16", 16, 4, 4, 'h'},
    {"v_mfma_f32_4x4x4_16b_f16", 4, 16, 4, 'h'},
    {"v_mfma_f32_32x32x8_bf16", 32, 1, 8, 'b'},
    {"v_mfma_f32_16x16x16_bf16", 16, 1, 16, 'b'},
    {"v_mfma_f32_32x32x4_2b_bf16", 32, 2, 4, 'b'},
    {"v_mfma_f32_16x16x4_4b_bf16", 16, 4, 4, 'b'},
    {"v_mfma_f32_4x4x4_16b_bf16", 4, 16, 4, 'b'},
    {"v_mfma_f32_32x32x2_f32", 32, 1, 2, 'f'},
    {"v_mfma_f32_16x16x4_f32", 16, 1, 4, 'f'},
    {"v_mfma_f32_32x32x1_2b_f32", 32, 2, 1, 'f'},
    {"v_mfma_f32_16x16x1_4b_f32", 16, 4, 1, 'f'},
    {"v_mfma_f32_4x4x1_16b_f32", 4, 16, 1, 'f'},
    {"v_mfma_i32_32x32x16_i8", 32, 1, 16, 'i'},
    {"v_mfma_i32_16x16x32_i8", 16, 1, 32, 'i'},
    {"v_mfma_i32_32x32x4_2b_i8", 32, 2, 4, 'i'},
    {"v_mfma_i32_16x16x4_4b_i8", 16, 4, 4, 'i'},
    {"v_mfma_i32_4x4x4_16b_i8", 4, 16, 4, 'i'},
    {"v_mfma_f64_16x16x4_f64", 16, 1, 4, 'd'},
    {"v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, 'd'},
    {"v_mfma_f32_32x32x16_f16", 32, 1, 16, 'h', kGfx950},
    {"v_mfma_f32_16x16x32_f16", 16, 1, 32, 'h', kGfx950},
    {"v_mfma_f32_32x32x16_bf16", 32, 1, 16, 'b', kGfx950},
    {"v_mfma_f32_16x16x32_bf16", 16, 1, 32, 'b', kGfx950},
    {"v_mfma_i32_32x32x32_i8", 32, 1, 32, 'i', kGfx950},
    {"v_mfma_i32_16x16x64_i8", 16, 1, 64, 'i', kGfx950},
};

int BitsOf(char type) { return type == 'd' ? 64 : type == 'f' ? 32 : type == 'i' ? 8 : 16; }

/// Small integers and eighths: every sum is exact in any order, so the comparison is of bits.
uint64_t Encode(int value, char type) {
  switch (type) {
    case 'h':
      return HalfBits(value / 8.0);
    case 'b':
      return std::bit_cast<uint32_t>(static_cast<float>(value / 8.0)) >> 16;
    case 'f':
      return std::bit_cast<uint32_t>(static_cast<float>(value / 8.0));
    case 'd':
      return std::bit_cast<uint64_t>(value / 8.0);
    default:
      return static_cast<uint8_t>(value);
  }
}

/// Puts element `k` of row (of A) or column (of B) `i` of block `b` into the registers at `reg`.
void SetInput(Wave& wave, const Mma& m, int reg, int b, int i, int k, int value) {
  const int per_lane = m.depth * m.dim * m.blocks / kLanes;
  const int lane = b * m.dim + k / per_lane * m.dim * m.blocks + i;
  const int bit = k % per_lane * BitsOf(m.type);
  const uint64_t bits = Encode(value, m.type);
  wave.v[reg + bit / 32][lane] |= static_cast<uint32_t>(bits) << (bit % 32);
  if (m.type == 'd') wave.v[reg + 1][lane] = static_cast<uint32_t>(bits >> 32);
}

/// Register (in units of an element) and lane of D[i][j] of block b.
std::pair<int, int> Output(const Mma& m, int b, int i, int j) {
  if (m.type == 'd')
    return m.dim == 16 ? std::pair(i / 4, i % 4 * 16 + j) : std::pair(0, i * 16 + b * 4 + j);
  if (m.dim == 32) return {b * 16 + i / 8 * 4 + i % 4, i / 4 % 2 * 32 + j};
  if (m.dim == 16) return {b * 4 + i % 4, i / 4 * 16 + j};
  return {i, b * 4 + j};
}

double Get(const Wave& wave, const Mma& m, int reg, std::pair<int, int> at) {
  const auto [r, lane] = at;
  if (m.type == 'd') {
    return std::bit_cast<double>(wave.v[reg + 2 * r][lane] | uint64_t{wave.v[reg + 2 * r + 1][lane]}
                                                                 << 32);
  }
  if (m.type == 'i') return static_cast<int32_t>(wave.v[reg + r][lane]);
  return std::bit_cast<float>(wave.v[reg + r][lane]);
}

void Set(Wave& wave, const Mma& m, int reg, std::pair<int, int> at, double value) {
  const auto [r, lane] = at;
  if (m.type == 'd') {
    wave.v[reg + 2 * r][lane] = static_cast<uint32_t>(std::bit_cast<uint64_t>(value));
    wave.v[reg + 2 * r + 1][lane] = static_cast<uint32_t>(std::bit_cast<uint64_t>(value) >> 32);
  } else if (m.type == 'i') {
    wave.v[reg + r][lane] = static_cast<uint32_t>(static_cast<int32_t>(value));
  } else {
    wave.v[reg + r][lane] = std::bit_cast<uint32_t>(static_cast<float>(value));
  }
}

std::string Registers(const char* file, int first, int count) {
  return count == 1
             ? file + std::to_string(first)
             : file + ("[" + std::to_string(first)) + ":" + std::to_string(first + count - 1) + "]";
}

void Check(const Mma& m, const Handlers& handlers, const char* gfx, bool constant_c) {
  SCOPED_TRACE(testing::Message() << m.mnemonic << " at level " << handlers.level()
                                  << " C is 1: " << constant_c);
  std::mt19937 random(7);
  TestWave wave(handlers, gfx);
  SetScalar64(*wave, kExecLo, 0x00ff00ff00ff00ff);  // has no effect
  const auto value = [&] { return static_cast<int>(random() % 17) - 8; };
  const double unit = m.type == 'i' ? 1 : 1 / 64.0;
  constexpr int kA = 0, kB = 16, kC = 32, kD = kAgprBase;
  std::vector<int> a(static_cast<size_t>(m.blocks * m.dim * m.depth)), b(a.size());
  const auto at = [&](int block, int i, int k) {
    return static_cast<size_t>((block * m.dim + i) * m.depth + k);
  };
  for (int block = 0; block < m.blocks; ++block) {
    for (int i = 0; i < m.dim; ++i) {
      for (int k = 0; k < m.depth; ++k) {
        SetInput(*wave, m, kA, block, i, k, a[at(block, i, k)] = value());
        SetInput(*wave, m, kB, block, i, k, b[at(block, i, k)] = value());
      }
      for (int j = 0; j < m.dim; ++j)
        Set(*wave, m, kC, Output(m, block, i, j), 64 * unit * (i - 2 * j + block));
    }
  }
  const int inputs = m.depth * m.dim * m.blocks / kLanes * BitsOf(m.type) / 32;
  const int outputs = m.dim * m.dim * m.blocks / kLanes * (m.type == 'd' ? 2 : 1);
  const std::string one = m.type == 'i' ? "1" : "1.0";
  const absl::Status status =
      wave.Execute(std::string(m.mnemonic) + " " + Registers("a", 0, outputs) + ", " +
                   Registers("v", kA, inputs) + ", " + Registers("v", kB, inputs) + ", " +
                   (constant_c ? one : Registers("v", kC, outputs)));
  ASSERT_TRUE(status.ok()) << status;
  for (int block = 0; block < m.blocks; ++block) {
    for (int i = 0; i < m.dim; ++i) {
      for (int j = 0; j < m.dim; ++j) {
        double expected = constant_c ? 1 : 64 * unit * (i - 2 * j + block);
        for (int k = 0; k < m.depth; ++k)
          expected += unit * a[at(block, i, k)] * b[at(block, j, k)];
        ASSERT_EQ(Get(*wave, m, kD, Output(m, block, i, j)), expected)
            << block << " " << i << " " << j;
      }
    }
  }
}

TEST(Mma, MultipliesMatrices) {
  ASSERT_FALSE(Handlers::Usable().empty());
  for (const Handlers* handlers : Handlers::Usable()) {
    for (const SimTarget& target : kSimTargets) {
      for (const Mma& m : kAll) {
        if ((m.targets & target.bit) == 0) continue;
        for (const bool constant_c : {false, true}) Check(m, *handlers, target.gfx, constant_c);
      }
    }
  }
}

TEST(Mma, EveryInstructionIsTested) {
  for (const SimTarget& target : kSimTargets) {
    for (const Binding* binding : Handlers::Best().All(target.bit)) {
      if (binding->op_class != OpClass::kMma) continue;
      bool found = false;
      for (const Mma& m : kAll) {
        found = found || ((m.targets & target.bit) != 0 &&
                          std::string_view(m.mnemonic) == binding->mnemonic);
      }
      EXPECT_TRUE(found) << binding->mnemonic << " on " << target.gfx;
    }
  }
}

/// CBSZ and ABID: groups of 2^CBSZ blocks take A from block ABID of the group. BLGP: lanes of B.
/// 32x32x1 and 16x16x1: A[i] and B[j] of block b are in lane dim b + i; D = A[i] B[j].
TEST(Mma, ModifiersMoveBlocksAndLanes) {
  for (const int dim : {32, 16}) {
    const int blocks = kLanes / dim;
    for (int cbsz = 0; 1 << cbsz <= blocks; ++cbsz) {
      for (int abid = 0; abid < 1 << cbsz; ++abid) {
        for (int blgp = 0; blgp < 8; ++blgp) {
          TestWave wave;
          for (int l = 0; l < kLanes; ++l) {
            wave->v[0][l] = std::bit_cast<uint32_t>(static_cast<float>(l + 1));
            wave->v[1][l] = std::bit_cast<uint32_t>(static_cast<float>(100 + l));
          }
          const std::string name = dim == 32 ? "v_mfma_f32_32x32x1_2b_f32 v[32:63]"
                                             : "v_mfma_f32_16x16x1_4b_f32 v[32:47]";
          const absl::Status status =
              wave.Execute(name + ", v0, v1, 0 cbsz:" + std::to_string(cbsz) +
                           " abid:" + std::to_string(abid) + " blgp:" + std::to_string(blgp));
          ASSERT_TRUE(status.ok()) << status;
          const Mma m = {"", dim, blocks, 1, 'f'};
          for (int b = 0; b < blocks; ++b) {
            for (int i = 0; i < dim; ++i) {
              for (int j = 0; j < dim; ++j) {
                const int from = (b >> cbsz << cbsz) + abid, lane = dim * b + j;
                const int kFrom[] = {lane,      lane % 32,      lane % 32 + 32, (lane + 16) % 64,
                                     lane % 16, lane % 16 + 16, lane % 16 + 32, lane % 16 + 48};
                ASSERT_EQ(Get(*wave, m, 32, Output(m, b, i, j)),
                          (from * dim + i + 1) * (100 + kFrom[blgp]))
                    << dim << " cbsz " << cbsz << " abid " << abid << " blgp " << blgp;
              }
            }
          }
        }
      }
    }
  }
}

TEST(Mma, DoublesHaveSigns) {
  for (int negate = 0; negate < 8; ++negate) {
    TestWave wave;
    for (int l = 0; l < kLanes; ++l) {
      Set(*wave, kAll[20], 0, {0, l}, 3);
      Set(*wave, kAll[20], 2, {0, l}, 5);
      for (int r = 0; r < 4; ++r) Set(*wave, kAll[20], 8, {r, l}, 7);
    }
    const auto bit = [&](int i) { return std::to_string(negate >> i & 1); };
    const absl::Status status =
        wave.Execute("v_mfma_f64_16x16x4_f64 v[16:23], v[0:1], v[2:3], v[8:15] neg:[" + bit(0) +
                     "," + bit(1) + "," + bit(2) + "]");
    ASSERT_TRUE(status.ok()) << status;
    const double product = ((negate ^ negate >> 1) & 1) != 0 ? -60 : 60;
    for (int r = 0; r < 4; ++r)
      EXPECT_EQ(Get(*wave, kAll[20], 16, {r, 63}), product + (negate & 4 ? -7 : 7));
  }
}

TEST(Mma, RejectsWhatIsNotImplemented) {
  TestWave wave;
  EXPECT_FALSE(wave.Execute("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15] cbsz:1").ok());
  EXPECT_FALSE(wave.Execute("v_mfma_f32_32x32x16_f16 a[0:15], v[0:3], v[4:7], a[0:15]").ok());
  EXPECT_FALSE(wave.Execute("v_mfma_f32_32x32x8_f16 a[0:3], v[0:1], v[2:3], a[0:15]").ok());
}

}  // namespace
}  // namespace gridwise::sim
