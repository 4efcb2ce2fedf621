/// From descriptors to the arguments of a kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ck/descriptor/normal_form.h"
#include "ck/gemm/args.h"
#include "ck/gemm/config.h"
#include "core/base/types.h"

namespace gridwise::ck {

/// One matrix multiplication, as normal forms of what sees (batch, row, term) and, for the output
/// and the tensors of the epilogue, (batch, row, column).
struct GemmForms {
  NormalForm a, b, c;
  std::vector<NormalForm> d;  // up to kMaxTensors
  std::int64_t terms = 0;     // of K; 0: the sums are 0, and a and b mean nothing
};

/// The normal forms of a lowering (lowering/conv.h) without tensors; kernels need those of the
/// output to check nothing.
template <class Descriptors>
GemmForms FormsOf(const Descriptors& gemm) {
  const bool multiplies = gemm.terms > 0;
  return {.a = multiplies ? Normalize(gemm.a) : NormalForm(),
          .b = multiplies ? Normalize(gemm.b) : NormalForm(),
          .c = Normalize(gemm.c),
          .d = {},
          .terms = gemm.terms};
}

/// What an output and its tensors are made of.
struct OutputTypes {
  DataType c = DataType::kF32;
  std::array<DataType, kMaxTensors> d = {};
};

/// Elements at a time, up to 16, that can be loaded or stored along an axis of a form whose
/// elements have `bytes`: they are neighbours in memory, exist or do not together, and begin at
/// multiples of 4 bytes (or are single). Axis 1 is rows, 2 terms or columns.
int VectorLength(const NormalForm& form, std::size_t axis, int bytes);

/// The walk with the least work that serves an operand.
Walk WalkOf(const NormalForm& form);

/// What several multiplications ask of a kernel together, found out once for all kernels: whether
/// Reject and TooLarge have a reason against none of them.
struct Demands {
  static constexpr std::size_t kWalks = 5;
  struct Operand {
    std::array<bool, kWalks> walk = {true, true, true, true, true};  // by Walk: those that serve
    int vector_k = 16, vector_rows = 16;  // elements next to each other, see VectorLength
    bool operator==(const Operand&) const = default;
  };
  struct Kinds {
    Operand a, b;
    bool outputs = true;  // C and D are what kernels can write and read
    bool operator==(const Kinds&) const = default;
  };
  Kinds kinds;
  /// Elements that lie next to each other in memory along K and along rows, at least, those of
  /// neighbours along the other axis that go on with them counted.
  struct Runs {
    std::int64_t k = kLongest, rows = kLongest;
  };
  static constexpr std::int64_t kLongest = std::int64_t{1} << 31;
  Runs runs_a, runs_b;
  std::int64_t reach_a = 0, reach_b = 0;  // of a matrix in bytes
  std::int64_t reach_c = 0;               // in elements, of C and D
  std::int64_t longest_axis = 0;          // rows or columns

  /// Those of a further one; `type` is that of the operands. False if every kernel that meets them
  /// did before: then Reject has a reason against this one only if it has one against another.
  bool Add(const GemmForms& gemm, DataType type);

  bool AreMetBy(const GemmConfig& config) const;
  /// TooLarge, where no element of C or D has more than `bytes_of_c`.
  bool FitInOneLaunch(int bytes_of_c, std::int64_t limit) const;
};

/// Why a kernel of `config` cannot compute the problem, of any size: a sentence with the numbers.
/// Nothing if it can.
std::optional<std::string> Reject(const GemmConfig& config, const GemmForms& gemm);

/// Which of the matrices 'a', 'b' and 'c' (with the tensors) is too large, and why.
struct SizeExcess {
  char matrix;
  std::string reason;
};
/// Nothing if one launch can compute the problem: offsets within a matrix are below `limit`, at
/// most 2^31 bytes, and its rows and columns fewer than 2^30.
std::optional<SizeExcess> TooLarge(const GemmConfig& config, const GemmForms& gemm,
                                   const OutputTypes& types, std::int64_t limit);

/// The arguments of problems that are computed in one launch, by kernels that do not reject them,
/// with K in `splits` parts each. first_tile counts over all of them.
std::vector<ProblemArgs> MakeProblemArgs(const GemmConfig& config, std::span<const GemmForms> gemms,
                                         const OutputTypes& types, int splits);

/// Rows and columns of the output.
std::int64_t RowsOf(const GemmForms& gemm);
std::int64_t ColumnsOf(const GemmForms& gemm);

/// How the kernel writes columns of the problem, which has the form of all problems of the launch:
/// whether the output's (or a tensor's) are to be taken one by one.
bool IsByElement(const GemmConfig& config, const NormalForm& form, DataType type);

}  // namespace gridwise::ck
