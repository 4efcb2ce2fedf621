// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/test_wave.h"
#include "tools/sim/wave/wave.h"

/// Every matrix instruction with its lane maps, for tests: from a lane and the position of an
/// element in its registers to row, column and depth, as AMD's matrix instruction calculator and
/// ISA documents print them.

namespace gridwise::sim::matrix {

/// Element types: d f64, f f32, x xf32, h f16, b bf16, 8 fp8 (e4m3), 5 bf8 (e5m2), z y the same
/// FNUZ, 6 fp6 (e2m3), 3 bf6 (e3m2), 4 fp4, i u signed and unsigned 8 bits, n m 4 bits.
int BitsOf(char type);
/// The number that a code stands for, from the definition of the format.
double Decode(uint64_t code, char type);
/// The code of a number that the type represents exactly.
uint64_t Encode(double value, char type);

enum class Family : uint8_t { kMfma, kWmma11, kWmma12 };

struct MatrixCase {
  std::string mnemonic;
  int targets;
  Family family;
  int dim, blocks, depth;
  char a, b, out;  // element types of A, B, and of C and D (s: 32-bit integers)
  bool wave64 = true;
  std::string suffix = {};  // modifiers
  bool scaled = false;
  bool sparse = false;  // D += A B, and A holds two of four consecutive k
};
std::vector<MatrixCase> AllMatrixCases();

enum class Side : uint8_t { kA, kB };
inline char TypeOf(const MatrixCase& m, Side side) { return side == Side::kA ? m.a : m.b; }
/// Place of an element of A (row i, depth k) or B (column i, depth k); block -1 where the lane has
/// none.
struct Input {
  int block, i, k;
};
Input InputAt(const MatrixCase& m, Side side, int lane, int position);
/// Elements of an operand in one lane.
int Elements(const MatrixCase& m, Side side);
/// Whether A has an element there: a sparse one has the two of each four that its indices say.
bool Stored(const MatrixCase& m, int i, int k);
/// Place of value `r` of a lane of C and D, or block -1 if the lane holds none.
struct Output {
  int block, i, j;
};
Output OutputAt(const MatrixCase& m, int lane, int r);
int OutputsOfLane(const MatrixCase& m);

/// Matrices of one instruction: a[block][i][k], b[block][j][k], c and d [block][i][j].
struct Matrices {
  explicit Matrices(const MatrixCase& m);
  double& A(int block, int i, int k);
  double& B(int block, int j, int k);
  double& C(int block, int i, int j);
  double A(int block, int i, int k) const { return const_cast<Matrices*>(this)->A(block, i, k); }
  double B(int block, int j, int k) const { return const_cast<Matrices*>(this)->B(block, j, k); }
  double C(int block, int i, int j) const { return const_cast<Matrices*>(this)->C(block, i, j); }
  int dim, depth;
  std::vector<double> a, b, c;
};

/// Registers of the test waves.
inline constexpr int kA = 0, kB = 40, kC = 80, kD = kAgprBase;
inline constexpr int kDWmma = 120;  // RDNA has no AGPRs
inline constexpr int kIndices = 118;

/// Writes the matrices into the wave's registers; C that is not in registers is 0.
void SetRegisters(const MatrixCase& m, const Matrices& values, Wave& wave,
                  bool registers_of_c = true);
/// The instruction, with C in registers or the constant 0.
std::string WriteInstruction(const MatrixCase& m, bool registers_of_c);
/// D, in the place of C.
double ResultAt(const MatrixCase& m, const Wave& wave, int lane, int r);
/// Lanes of the wave that the instruction runs in.
int LanesOf(const MatrixCase& m);

}  // namespace gridwise::sim::matrix
