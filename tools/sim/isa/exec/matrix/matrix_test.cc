// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/matrix_cases.h"
#include "tools/sim/isa/testing/test_wave.h"

/// Every matrix instruction on every target that has it against D[i][j] = sum_k A[i][k] B[k][j] +
/// C[i][j] in double, with the lane maps of matrix_cases.h.

namespace gridwise::sim::matrix {
namespace {

const char* GfxOf(const MatrixCase& m, const SimTarget& target) {
  return (m.targets & target.bit) != 0 ? target.gfx : nullptr;
}

/// Scales 2^(x - 127) of block k / 32 of row or column i, for instructions that have them.
int ScaleOf(int operand, int i, int k) { return 127 + (5 * i + 3 * (k / 32) + operand) % 7 - 3; }
void SetScales(const MatrixCase& m, Wave& wave) {
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int operand = 0; operand < 2; ++operand) {
      const int x = ScaleOf(operand, lane % m.dim, lane / m.dim * 32);
      wave.v[116 + operand][lane] = 0xabcdef00u | static_cast<uint32_t>(x);
    }
  }
}
double Scale(const MatrixCase& m, int i, int j, int k) {
  return m.scaled ? std::ldexp(1, ScaleOf(0, i, k) + ScaleOf(1, j, k) - 254) : 1;
}

absl::Status Execute(const MatrixCase& m, const Matrices& values, bool registers_of_c,
                     TestWave& wave) {
  if (LanesOf(m) == 64) wave->all_lanes = ~uint64_t{0};
  SetScalar64(*wave, kExecLo, 0x00ff00ff00ff00ff & wave->all_lanes);  // has no effect
  SetRegisters(m, values, *wave, registers_of_c);
  SetScales(m, *wave);
  return wave.Execute(WriteInstruction(m, registers_of_c));
}

/// The nearest number of a 16-bit type; of wider ones every sum here is one.
double RoundTo(char type, double x) {
  if (type == 'h') return Decode(Encode(x, 'h'), 'h');
  if (type != 'b') return x;
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(x));
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}

double Expected(const MatrixCase& m, const Matrices& values, const Output& at, bool with_c) {
  double sum = with_c ? values.C(at.block, at.i, at.j) : 0;
  for (int k = 0; k < m.depth; ++k) {
    sum += values.A(at.block, at.i, k) * values.B(at.block, at.j, k) * Scale(m, at.i, at.j, k);
  }
  return RoundTo(m.out, sum);
}

void ExpectProduct(const MatrixCase& m, const Matrices& values, bool with_c, TestWave& wave) {
  for (int lane = 0; lane < LanesOf(m); ++lane) {
    for (int r = 0; r < OutputsOfLane(m); ++r) {
      const Output at = OutputAt(m, lane, r);
      ASSERT_EQ(ResultAt(m, *wave, lane, r), Expected(m, values, at, with_c))
          << "lane " << lane << ", value " << r << ": block " << at.block << ", D[" << at.i << "]["
          << at.j << "]";
    }
  }
}

/// Numbers that every format has, so that every sum is exact in any order.
double SmallValue(char type, std::mt19937& random) {
  if (type == 'u') return static_cast<double>(random() % 256);
  if (type == 'm') return static_cast<double>(random() % 16);
  if (type == 'i') return static_cast<double>(random() % 256) - 128;
  if (type == 'n') return static_cast<double>(random() % 16) - 8;
  constexpr double kValues[] = {-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2};
  return kValues[random() % 9];
}
void Fill(const MatrixCase& m, Matrices& values, std::mt19937& random) {
  for (double& x : values.a) x = SmallValue(m.a, random);
  for (double& x : values.b) x = SmallValue(m.b, random);
  for (double& x : values.c) x = static_cast<double>(random() % 64) - 32;
  for (int i = 0; m.sparse && i < m.dim; ++i) {
    for (int k = 0; k < m.depth; ++k) {
      if (!Stored(m, i, k)) values.A(0, i, k) = 0;
    }
  }
}

/// Calls check(case, target) for every instruction and target.
template <class F>
void ForEachCase(F check) {
  for (const MatrixCase& m : AllMatrixCases()) {
    for (const SimTarget& target : kSimTargets) {
      if (GfxOf(m, target) == nullptr) continue;
      SCOPED_TRACE(testing::Message()
                   << WriteInstruction(m, true) << " on " << target.gfx << ", wave" << LanesOf(m));
      check(m, target);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Matrix, MultipliesRandomMatrices) {
  ASSERT_FALSE(UsableHandlers().empty());
  std::mt19937 random(11);
  for (const Handlers* handlers : UsableHandlers()) {
    ForEachCase([&](const MatrixCase& m, const SimTarget& target) {
      for (const bool with_c : {true, false}) {
        Matrices values(m);
        Fill(m, values, random);
        TestWave wave(*handlers, target.gfx);
        const absl::Status status = Execute(m, values, with_c, wave);
        ASSERT_TRUE(status.ok()) << status;
        ASSERT_NO_FATAL_FAILURE(ExpectProduct(m, values, with_c, wave));
      }
    });
  }
}

/// A is zero but for one element, which picks a row of B; and the other way round. A wrong place of
/// any element shows, also one that A and B share and that a product of full matrices would not
/// tell.
TEST(Matrix, SingleElementsArriveWhereTheyBelong) {
  std::mt19937 random(12);
  ForEachCase([&](const MatrixCase& m, const SimTarget& target) {
    Matrices full(m);
    Fill(m, full, random);
    for (double& x : full.c) x = 0;
    for (const bool of_a : {true, false}) {
      const Side side = of_a ? Side::kA : Side::kB;
      TestWave wave(BestHandlers(), target.gfx);
      for (int lane = 0; lane < LanesOf(m); ++lane) {
        for (int p = 0; p < Elements(m, side); ++p) {
          // Every element of a few lanes, some elements of the others.
          if ((lane + 5 * p) % (m.depth >= 64 ? 197 : lane % 16 == 5 ? 3 : 23) != 0) continue;
          if (m.family == Family::kWmma11 && lane >= 16) continue;
          const Input at = InputAt(m, side, lane, p);
          if (at.block < 0) continue;
          Matrices values = full;
          for (double& x : of_a ? values.a : values.b) x = 0;
          (of_a ? values.A(at.block, at.i, at.k) : values.B(at.block, at.i, at.k)) = 1;
          const absl::Status status = Execute(m, values, true, wave);
          ASSERT_TRUE(status.ok()) << status;
          ASSERT_NO_FATAL_FAILURE(ExpectProduct(m, values, true, wave))
              << "element " << p << " of lane " << lane << " of " << (of_a ? "A" : "B");
        }
      }
    }
  });
}

/// An infinity of B reaches the rows of D whose A has an element there, and is not multiplied by
/// the zeros of the others.
TEST(Matrix, SparseOnesReadWhatTheyMultiply) {
  int tested = 0;
  ForEachCase([&](const MatrixCase& m, const SimTarget& target) {
    if (!m.sparse || m.a != 'h') return;
    Matrices values(m);
    for (int i = 0; i < m.dim; ++i) {
      for (int k = 0; k < m.depth; ++k) {
        if (Stored(m, i, k)) values.A(0, i, k) = 1;
      }
    }
    const int k = m.depth - 2;
    values.B(0, 3, k) = INFINITY;
    TestWave wave(BestHandlers(), target.gfx);
    ASSERT_TRUE(Execute(m, values, true, wave).ok());
    for (int lane = 0; lane < LanesOf(m); ++lane) {
      for (int r = 0; r < OutputsOfLane(m); ++r, ++tested) {
        const Output at = OutputAt(m, lane, r);
        ASSERT_EQ(ResultAt(m, *wave, lane, r), at.j == 3 && Stored(m, at.i, k) ? INFINITY : 0);
      }
    }
  });
  EXPECT_GT(tested, 0);
}

TEST(Matrix, EveryInstructionHasACase) {
  for (const SimTarget& target : kSimTargets) {
    std::set<std::string> tested;
    for (const MatrixCase& m : AllMatrixCases()) {
      if ((m.targets & target.bit) != 0) tested.insert(m.mnemonic);
    }
    for (const Binding* binding : BestHandlers().All(target.bit)) {
      if (binding->op_class != OpClass::kMma) continue;
      EXPECT_EQ(tested.count(binding->mnemonic), 1) << binding->mnemonic << " on " << target.gfx;
      tested.erase(binding->mnemonic);
    }
    for (const std::string& mnemonic : tested) ADD_FAILURE() << mnemonic << " on " << target.gfx;
  }
}

/// What gfx90a reads of halves and bf16 (`type`), and what it makes of results (f): no denormals.
double WithoutDenormals(double x, char type) {
  return std::fabs(x) < (type == 'h' ? 0x1p-14 : 0x1p-126) ? 0 : x;
}

/// Infinities, NaN, denormals and negative zero of A's format: D[0][0] = a / 2.
void CheckSpecialValues(const MatrixCase& m, const SimTarget& target) {
  const int bits = BitsOf(m.a);
  if ((m.out != 'f' && m.out != 'h') || bits == 32) return;
  Matrices values(m);
  for (int j = 0; j < m.dim; ++j) values.B(0, j, 0) = 0.5;
  TestWave wave(BestHandlers(), target.gfx);
  ASSERT_TRUE(Execute(m, values, true, wave).ok());
  const uint64_t codes = uint64_t{1} << bits;
  for (uint64_t code = 0; code < codes; code += bits == 16 ? 197 : 1) {
    // A[0][0] is the first element of lane 0 in every layout.
    if (m.sparse) SetRegisters(m, values, *wave);  // D is C
    wave->v[kA][0] = static_cast<uint32_t>(code);
    ASSERT_TRUE(wave.Execute(WriteInstruction(m, true)).ok());
    const bool flushes = target.bit == kGfx90a;
    const double a = flushes ? WithoutDenormals(Decode(code, m.a), m.a) : Decode(code, m.a);
    const double product = RoundTo(m.out, a * 0.5 * Scale(m, 0, 0, 0));
    const double expected = flushes ? WithoutDenormals(product, 'f') : product;
    const double actual = ResultAt(m, *wave, 0, 0);
    ASSERT_TRUE(std::isnan(expected) ? std::isnan(actual) : actual == expected)
        << "code " << code << ": " << actual << " instead of " << expected;
  }
}
TEST(Matrix, SpecialValues) { ForEachCase(&CheckSpecialValues); }

}  // namespace
}  // namespace gridwise::sim::matrix
