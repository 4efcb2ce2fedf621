// SPDX-License-Identifier: MIT
#include "tools/sim/isa/testing/matrix_cases.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tools/sim/isa/bind/constants.h"

namespace gridwise::sim::matrix {
namespace {

struct Float {
  int exponent, mantissa, bias;
  char special;  // i infinities and NaN, n only a NaN of ones, z NaN is -0, - none
};
Float FormatOf(char type) {
  switch (type) {
    case 'h':
      return {5, 10, 15, 'i'};
    case 'b':
      return {8, 7, 127, 'i'};
    case '8':
      return {4, 3, 7, 'n'};
    case '5':
      return {5, 2, 15, 'i'};
    case 'z':
      return {4, 3, 8, 'z'};
    case 'y':
      return {5, 2, 16, 'z'};
    case '6':
      return {2, 3, 1, '-'};
    case '3':
      return {3, 2, 3, '-'};
    default:
      return {2, 1, 1, '-'};
  }
}

bool IsInteger(char type) { return std::string("iunms").find(type) != std::string::npos; }

}  // namespace

int BitsOf(char type) {
  switch (type) {
    case 'd':
      return 64;
    case 'f':
    case 'x':
    case 's':
      return 32;
    case 'h':
    case 'b':
      return 16;
    case '6':
    case '3':
      return 6;
    case '4':
    case 'n':
    case 'm':
      return 4;
    default:
      return 8;
  }
}

double Decode(uint64_t code, char type) {
  const int bits = BitsOf(type);
  if (type == 'd') return std::bit_cast<double>(code);
  if (type == 'f' || type == 'x') return std::bit_cast<float>(static_cast<uint32_t>(code));
  if (type == 's') return static_cast<int32_t>(static_cast<uint32_t>(code));
  if (type == 'u' || type == 'm') return static_cast<double>(code);
  if (IsInteger(type))
    return static_cast<double>(static_cast<int64_t>(code << (64 - bits)) >> (64 - bits));
  const Float f = FormatOf(type);
  const int exponent = static_cast<int>(code >> f.mantissa) & ((1 << f.exponent) - 1);
  const int mantissa = static_cast<int>(code) & ((1 << f.mantissa) - 1);
  const bool negative = (code >> (bits - 1) & 1) != 0;
  const bool top = exponent == (1 << f.exponent) - 1;
  if (f.special == 'z' && negative && exponent == 0 && mantissa == 0) return std::nan("");
  if (f.special == 'n' && top && mantissa == (1 << f.mantissa) - 1) return std::nan("");
  if (f.special == 'i' && top && mantissa != 0) return std::nan("");
  double value = exponent == 0
                     ? std::ldexp(mantissa, 1 - f.bias - f.mantissa)
                     : std::ldexp((1 << f.mantissa) + mantissa, exponent - f.bias - f.mantissa);
  if (f.special == 'i' && top) value = INFINITY;
  return negative ? -value : value;
}

uint64_t Encode(double value, char type) {
  if (type == 'd') return std::bit_cast<uint64_t>(value);
  if (type == 'f' || type == 'x') return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (type == 's') return static_cast<uint32_t>(static_cast<int64_t>(value));
  if (type == 'h') return HalfBits(value);
  if (type == 'b') return std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16;
  static auto* const known = new absl::flat_hash_map<std::pair<char, double>, uint64_t>();
  if (const auto found = known->find({type, value}); found != known->end()) return found->second;
  const uint64_t codes = uint64_t{1} << BitsOf(type);
  for (uint64_t code = 0; code < codes; ++code) {
    if (Decode(code, type) == value) return (*known)[{type, value}] = code;
  }
  std::abort();  // a test that asks for what there is not
}

namespace {

void AddMfma(std::vector<MatrixCase>& cases) {
  const auto add = [&](std::string name, int targets, int dim, int blocks, int depth, char type,
                       char other = 0) {
    const char out = type == 'd' ? 'd' : IsInteger(type) ? 's' : 'f';
    const std::string shape =
        absl::StrCat(dim, "x", dim, "x", depth, blocks > 1 ? absl::StrCat("_", blocks, "b_") : "_");
    const char* prefix = type == 'd' ? "f64_" : IsInteger(type) ? "i32_" : "f32_";
    cases.push_back({absl::StrCat("v_mfma_", prefix, shape, name), targets, Family::kMfma, dim,
                     blocks, depth, type, other != 0 ? other : type, out});
  };
  for (const auto& [name, type] : {std::pair("f16", 'h'), std::pair("bf16", 'b')}) {
    add(name, kGfx9, 32, 1, 8, type);
    add(name, kGfx9, 16, 1, 16, type);
    add(name, kGfx9, 32, 2, 4, type);
    add(name, kGfx9, 16, 4, 4, type);
    add(name, kGfx9, 4, 16, 4, type);
    add(name, kGfx950, 32, 1, 16, type);
    add(name, kGfx950, 16, 1, 32, type);
  }
  add("bf16", kGfx90a, 32, 1, 4, 'b');
  add("bf16", kGfx90a, 16, 1, 8, 'b');
  add("bf16", kGfx90a, 32, 2, 2, 'b');
  add("bf16", kGfx90a, 16, 4, 2, 'b');
  add("bf16", kGfx90a, 4, 16, 2, 'b');
  add("f32", kGfx9, 32, 1, 2, 'f');
  add("f32", kGfx9, 16, 1, 4, 'f');
  add("f32", kGfx9, 32, 2, 1, 'f');
  add("f32", kGfx9, 16, 4, 1, 'f');
  add("f32", kGfx9, 4, 16, 1, 'f');
  add("xf32", kGfx942, 32, 1, 4, 'x');
  add("xf32", kGfx942, 16, 1, 8, 'x');
  add("i8", kGfx94, 32, 1, 16, 'i');
  add("i8", kGfx94, 16, 1, 32, 'i');
  add("i8", kGfx90a, 32, 1, 8, 'i');
  add("i8", kGfx90a, 16, 1, 16, 'i');
  add("i8", kGfx9, 32, 2, 4, 'i');
  add("i8", kGfx9, 16, 4, 4, 'i');
  add("i8", kGfx9, 4, 16, 4, 'i');
  add("i8", kGfx950, 32, 1, 32, 'i');
  add("i8", kGfx950, 16, 1, 64, 'i');
  add("f64", kGfx9, 16, 1, 4, 'd');
  add("f64", kGfx9, 4, 4, 4, 'd');
  for (const bool fnuz : {true, false}) {
    const char fp8 = fnuz ? 'z' : '8', bf8 = fnuz ? 'y' : '5';
    for (const char a : {fp8, bf8}) {
      for (const char b : {fp8, bf8}) {
        const std::string name =
            absl::StrCat(a == fp8 ? "fp8" : "bf8", "_", b == fp8 ? "fp8" : "bf8");
        add(name, fnuz ? kGfx942 : kGfx950, 32, 1, 16, a, b);
        add(name, fnuz ? kGfx942 : kGfx950, 16, 1, 32, a, b);
      }
    }
  }
}

/// All pairs of the five formats, plain and with scales.
void AddF8f6f4(std::vector<MatrixCase>& cases) {
  constexpr char kTypes[] = {'8', '5', '6', '3', '4'};
  for (int a = 0; a < 5; ++a) {
    for (int b = 0; b < 5; ++b) {
      for (const int dim : {16, 32}) {
        for (const bool scaled : {false, true}) {
          const std::string name = absl::StrCat("v_mfma_", scaled ? "scale_" : "", "f32_", dim, "x",
                                                dim, "x", 2048 / dim, "_f8f6f4");
          cases.push_back({name, kGfx950, Family::kMfma, dim, 1, 2048 / dim, kTypes[a], kTypes[b],
                           'f', true, absl::StrCat("cbsz:", a, " blgp:", b), scaled});
        }
      }
    }
  }
}

void AddWmma(std::vector<MatrixCase>& cases) {
  for (const Family family : {Family::kWmma11, Family::kWmma12}) {
    const bool gfx12 = family == Family::kWmma12;
    for (const bool wave64 : {false, true}) {
      const auto add = [&](std::string name, int depth, char a, char b, char out,
                           std::string suffix = "") {
        cases.push_back({absl::StrCat("v_wmma_", name), gfx12 ? kGfx1201 : kGfx1100, family, 16, 1,
                         depth, a, b, out, wave64, std::move(suffix)});
      };
      add("f32_16x16x16_f16", 16, 'h', 'h', 'f');
      add("f32_16x16x16_bf16", 16, 'b', 'b', 'f');
      add("f16_16x16x16_f16", 16, 'h', 'h', 'h');
      add("bf16_16x16x16_bf16", 16, 'b', 'b', 'b');
      if (!gfx12) {
        add("f16_16x16x16_f16", 16, 'h', 'h', 'h', "op_sel:[0,0,1]");
        add("bf16_16x16x16_bf16", 16, 'b', 'b', 'b', "op_sel:[0,0,1]");
      }
      for (const auto& [suffix, a, b] :
           {std::tuple("", 'u', 'u'), std::tuple("neg_lo:[1,0,0]", 'i', 'u'),
            std::tuple("neg_lo:[0,1,0]", 'u', 'i'), std::tuple("neg_lo:[1,1,0] clamp", 'i', 'i')}) {
        const auto four = [](char type) { return type == 'u' ? 'm' : 'n'; };
        add("i32_16x16x16_iu8", 16, a, b, 's', suffix);
        add("i32_16x16x16_iu4", 16, four(a), four(b), 's', suffix);
        if (gfx12) add("i32_16x16x32_iu4", 32, four(a), four(b), 's', suffix);
      }
      if (!gfx12) continue;
      add("f32_16x16x16_fp8_fp8", 16, '8', '8', 'f');
      add("f32_16x16x16_fp8_bf8", 16, '8', '5', 'f');
      add("f32_16x16x16_bf8_fp8", 16, '5', '8', 'f');
      add("f32_16x16x16_bf8_bf8", 16, '5', '5', 'f');
    }
  }
}

/// Modifiers select each set of indices; cbsz the first.
void AddSmfmac(std::vector<MatrixCase>& cases) {
  const auto add = [&](std::string name, int targets, int dim, int depth, char a, char b) {
    const std::string mnemonic = absl::StrCat("v_smfmac_", IsInteger(a) ? "i32_" : "f32_", dim, "x",
                                              dim, "x", depth, "_", name);
    for (const char* suffix : {"", "abid:1", "abid:2", "abid:3", "cbsz:1 abid:1"}) {
      cases.push_back({mnemonic, targets, Family::kMfma, dim, 1, depth, a, b,
                       IsInteger(a) ? 's' : 'f', true, suffix, false, true});
    }
  };
  for (const int doubled : {1, 2}) {
    const int targets = doubled == 1 ? kGfx94 : kGfx950;
    for (const auto& [name, type] : {std::pair("f16", 'h'), std::pair("bf16", 'b')}) {
      add(name, targets, 16, 32 * doubled, type, type);
      add(name, targets, 32, 16 * doubled, type, type);
    }
    add("i8", targets, 16, 64 * doubled, 'i', 'i');
    add("i8", targets, 32, 32 * doubled, 'i', 'i');
    for (const bool fnuz : {true, false}) {
      if (fnuz && doubled == 2) continue;
      const char fp8 = fnuz ? 'z' : '8', bf8 = fnuz ? 'y' : '5';
      for (const char a : {fp8, bf8}) {
        for (const char b : {fp8, bf8}) {
          const std::string name =
              absl::StrCat(a == fp8 ? "fp8" : "bf8", "_", b == fp8 ? "fp8" : "bf8");
          add(name, fnuz ? kGfx942 : kGfx950, 16, 64 * doubled, a, b);
          add(name, fnuz ? kGfx942 : kGfx950, 32, 32 * doubled, a, b);
        }
      }
    }
  }
}

void AddSwmmac(std::vector<MatrixCase>& cases) {
  for (const bool wave64 : {false, true}) {
    const auto add = [&](std::string name, int depth, char a, char b, char out,
                         std::string suffix = "") {
      MatrixCase m{absl::StrCat("v_swmmac_", name),
                   kGfx1201,
                   Family::kWmma12,
                   16,
                   1,
                   depth,
                   a,
                   b,
                   out,
                   wave64,
                   std::move(suffix)};
      m.sparse = true;
      const int sets = 32 / (2 * Elements(m, Side::kA));
      for (int key = 0; key < sets; ++key) {
        MatrixCase with_key = m;
        if (key != 0) with_key.suffix = absl::StrCat("index_key:", key, " ", m.suffix);
        cases.push_back(with_key);
      }
    };
    add("f32_16x16x32_f16", 32, 'h', 'h', 'f');
    add("f32_16x16x32_bf16", 32, 'b', 'b', 'f');
    add("f16_16x16x32_f16", 32, 'h', 'h', 'h');
    add("bf16_16x16x32_bf16", 32, 'b', 'b', 'b');
    for (const char a : {'8', '5'}) {
      for (const char b : {'8', '5'}) {
        add(absl::StrCat("f32_16x16x32_", a == '8' ? "fp8" : "bf8", "_", b == '8' ? "fp8" : "bf8"),
            32, a, b, 'f');
      }
    }
    for (const auto& [suffix, a, b] :
         {std::tuple("", 'u', 'u'), std::tuple("neg_lo:[1,0,0]", 'i', 'u'),
          std::tuple("neg_lo:[0,1,0]", 'u', 'i'), std::tuple("neg_lo:[1,1,0] clamp", 'i', 'i')}) {
      const auto four = [](char type) { return type == 'u' ? 'm' : 'n'; };
      add("i32_16x16x32_iu8", 32, a, b, 's', suffix);
      add("i32_16x16x32_iu4", 32, four(a), four(b), 's', suffix);
      add("i32_16x16x64_iu4", 64, four(a), four(b), 's', suffix);
    }
  }
}

}  // namespace

std::vector<MatrixCase> AllMatrixCases() {
  std::vector<MatrixCase> cases;
  AddMfma(cases);
  AddF8f6f4(cases);
  AddWmma(cases);
  AddSmfmac(cases);
  AddSwmmac(cases);
  return cases;
}

int LanesOf(const MatrixCase& m) { return m.wave64 ? 64 : 32; }

namespace {

int DepthOf(const MatrixCase& m, Side side) {
  return m.sparse && side == Side::kA ? m.depth / 2 : m.depth;
}

/// Lanes that hold an operand: a wave64 of gfx12 leaves lanes 32 to 63 out where the others would
/// have half a register.
int InputLanes(const MatrixCase& m, Side side) {
  const bool narrow =
      m.family == Family::kWmma12 && DepthOf(m, side) * m.dim * BitsOf(TypeOf(m, side)) < 64 * 32;
  return narrow ? 32 : LanesOf(m);
}

/// Which two of the four k of a quad row i has.
struct Pair {
  int low, high;
};
Pair PairOf(int i, int quad) {
  constexpr Pair kPairs[] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  return kPairs[(5 * i + 7 * quad + i * quad) % 6];
}

/// Element of an operand of `depth`, dense or packed.
Input DenseInputAt(const MatrixCase& m, Side side, int depth, int lane, int position) {
  const int bits = BitsOf(TypeOf(m, side)), elements = Elements(m, side);
  switch (m.family) {
    case Family::kWmma11:  // lanes 16 and on repeat lanes 0 to 15
      return {0, lane % 16, position};
    case Family::kWmma12: {
      // In a wave64 the upper lanes hold the registers that a wave32 would have after.
      const int p = position + lane / 32 * elements, half = lane / 16 % 2;
      if (bits == 16) {
        // Registers of one lane alternate with those of the other in twos, of a sparse one's B in
        // fours.
        const int v = p / 2, registers = depth / 8;
        return {
            0, lane % 16,
            4 * registers * (v / registers) + 2 * registers * half + 2 * (v % registers) + p % 2};
      }
      return {0, lane % 16, depth / 2 * half + p};
    }
    case Family::kMfma:
      break;
  }
  const int sharing = 64 / (m.dim * m.blocks), group = lane / (m.dim * m.blocks);
  const int block = lane % (m.dim * m.blocks) / m.dim;
  // Lanes with more than four registers go on after the other lanes: in f8f6f4, and B of SMFMAC.
  const int four = 128 / bits;
  if ((bits == 8 || (m.sparse && side == Side::kB)) && elements == 2 * four) {
    return {block, lane % m.dim, position / four * four * sharing + four * group + position % four};
  }
  return {block, lane % m.dim, group * elements + position};
}

}  // namespace

int Elements(const MatrixCase& m, Side side) {
  if (m.family == Family::kWmma11) return m.depth;
  return DepthOf(m, side) * m.dim * m.blocks / InputLanes(m, side);
}

bool Stored(const MatrixCase& m, int i, int k) {
  const Pair pair = PairOf(i, k / 4);
  return !m.sparse || k % 4 == pair.low || k % 4 == pair.high;
}

Input InputAt(const MatrixCase& m, Side side, int lane, int position) {
  if (lane >= InputLanes(m, side)) return {-1, 0, 0};
  Input at = DenseInputAt(m, side, DepthOf(m, side), lane, position);
  if (!m.sparse || side == Side::kB) return at;
  const Pair pair = PairOf(at.i, at.k / 2);
  at.k = at.k / 2 * 4 + (at.k % 2 == 0 ? pair.low : pair.high);
  return at;
}

int OutputsOfLane(const MatrixCase& m) { return m.dim * m.dim * m.blocks / LanesOf(m); }

Output OutputAt(const MatrixCase& m, int lane, int r) {
  const int group = lane / m.dim;
  if (m.family == Family::kWmma11) return {0, (m.wave64 ? 4 : 2) * r + group, lane % 16};
  if (m.family == Family::kWmma12) return {0, 8 * (group % 2) + 4 * (lane / 32) + r, lane % 16};
  if (m.dim == 32) return {r / 16, r % 16 / 4 * 8 + 4 * group + r % 4, lane % 32};
  if (m.dim == 16 && m.out == 'd') return {0, 4 * r + group, lane % 16};
  if (m.dim == 16) return {r / 4, 4 * group + r % 4, lane % 16};
  if (m.out == 'd') return {lane / 4 % 4, lane / 16, lane % 4};
  return {lane / 4, r, lane % 4};
}

namespace {

/// Offset of an element in rows of `pitch` elements.
size_t Offset(int row, int pitch, int column) {
  return static_cast<size_t>(row) * static_cast<size_t>(pitch) + static_cast<size_t>(column);
}

}  // namespace

Matrices::Matrices(const MatrixCase& m)
    : dim(m.dim),
      depth(m.depth),
      a(static_cast<size_t>(m.blocks * m.dim * m.depth)),
      b(a.size()),
      c(static_cast<size_t>(m.blocks * m.dim * m.dim)) {}
double& Matrices::A(int block, int i, int k) { return a[Offset(block * dim + i, depth, k)]; }
double& Matrices::B(int block, int j, int k) { return b[Offset(block * dim + j, depth, k)]; }
double& Matrices::C(int block, int i, int j) { return c[Offset(block * dim + i, dim, j)]; }

namespace {

void PutBits(Wave& wave, int reg, int lane, int bit, int bits, uint64_t code) {
  for (int done = 0; done < bits;) {
    const int row = reg + (bit + done) / 32, shift = (bit + done) % 32;
    const int count = std::min(bits - done, 32 - shift);
    const uint64_t mask = (uint64_t{1} << count) - 1;
    uint32_t& dword = wave.v[row][lane];
    dword = static_cast<uint32_t>((dword & ~(mask << shift)) | (code >> done & mask) << shift);
    done += count;
  }
}
uint64_t GetBits(const Wave& wave, int reg, int lane, int bit, int bits) {
  uint64_t code = 0;
  for (int i = 0; i < bits; ++i)
    code |= uint64_t{wave.v[reg + (bit + i) / 32][lane] >> ((bit + i) % 32) & 1} << i;
  return code;
}

/// Bit of value r of C and D after the first register.
int OutputBit(const MatrixCase& m, int r) {
  if (m.family == Family::kWmma11 && BitsOf(m.out) == 16)
    return 32 * r + (m.suffix.starts_with("op_sel") ? 16 : 0);
  return r * BitsOf(m.out);
}
int OutputRegisters(const MatrixCase& m) {
  const bool spread = m.family == Family::kWmma11 && BitsOf(m.out) == 16;
  return OutputsOfLane(m) * (spread ? 32 : BitsOf(m.out)) / 32;
}
int FirstOfD(const MatrixCase& m) { return m.family == Family::kMfma ? kD : kDWmma; }

std::string Range(char file, int first, int count) {
  return count == 1 ? absl::StrCat(std::string(1, file), first)
                    : absl::StrCat(std::string(1, file), "[", first, ":", first + count - 1, "]");
}

}  // namespace

namespace {

/// The set that the modifiers select has the indices; the others have what would be wrong.
void SetIndices(const MatrixCase& m, Wave& wave) {
  const int elements = Elements(m, Side::kA), bits = 2 * elements;
  const auto number = [&](const char* name) {
    const size_t at = m.suffix.find(name);
    return at == std::string::npos ? 0 : m.suffix[at + std::string(name).size()] - '0';
  };
  const int set = number("cbsz:") != 0 ? 0 : (number("abid:") + number("index_key:")) % (32 / bits);
  for (int lane = 0; lane < LanesOf(m); ++lane) {
    uint64_t indices = 0;
    for (int p = 0; p < elements; ++p)
      indices |= static_cast<uint64_t>(InputAt(m, Side::kA, lane, p).k % 4) << (2 * p);
    wave.v[kIndices][lane] = ~static_cast<uint32_t>(indices);
    for (int other = 0; other < 32 / bits; ++other)
      PutBits(wave, kIndices, lane, other * bits, bits, other == set ? indices : ~indices);
  }
}

}  // namespace

void SetRegisters(const MatrixCase& m, const Matrices& values, Wave& wave, bool registers_of_c) {
  const int first_of_c = m.sparse ? FirstOfD(m) : kC;
  for (int lane = 0; lane < LanesOf(m); ++lane) {
    for (const auto& [reg, side] : {std::pair(kA, Side::kA), std::pair(kB, Side::kB)}) {
      const char type = TypeOf(m, side);
      for (int p = 0; p < Elements(m, side); ++p) {
        const Input at = InputAt(m, side, lane, p);
        if (at.block < 0) {  // nobody looks at it
          PutBits(wave, reg, lane, p * BitsOf(type), BitsOf(type), 5);
          continue;
        }
        const double value =
            reg == kA ? values.A(at.block, at.i, at.k) : values.B(at.block, at.i, at.k);
        PutBits(wave, reg, lane, p * BitsOf(type), BitsOf(type), Encode(value, type));
      }
    }
    for (int r = 0; r < OutputsOfLane(m); ++r) {
      const Output at = OutputAt(m, lane, r);
      PutBits(wave, first_of_c, lane, OutputBit(m, r), BitsOf(m.out),
              Encode(registers_of_c ? values.C(at.block, at.i, at.j) : 0, m.out));
    }
  }
  if (m.sparse) SetIndices(m, wave);
}

std::string WriteInstruction(const MatrixCase& m, bool registers_of_c) {
  const int d = FirstOfD(m);
  const auto input = [&](int first, Side side) {
    return Range('v', first, Elements(m, side) * BitsOf(TypeOf(m, side)) / 32);
  };
  const std::string c = m.sparse         ? Range('v', kIndices, 1)
                        : registers_of_c ? Range('v', kC, OutputRegisters(m))
                                         : std::string("0");
  return absl::StrCat(
      m.mnemonic, " ", Range(d == kD ? 'a' : 'v', d % kAgprBase, OutputRegisters(m)), ", ",
      input(kA, Side::kA), ", ", input(kB, Side::kB), ", ", c,
      m.scaled ? ", v116, v117 op_sel_hi:[0,0,0]" : "", m.suffix.empty() ? "" : " ", m.suffix);
}

double ResultAt(const MatrixCase& m, const Wave& wave, int lane, int r) {
  return Decode(GetBits(wave, FirstOfD(m), lane, OutputBit(m, r), BitsOf(m.out)), m.out);
}

}  // namespace gridwise::sim::matrix
