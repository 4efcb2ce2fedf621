// SPDX-License-Identifier: MIT
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
#include "ck/descriptor/normalize.h"
#include "ck/gemm/args.h"
#include "ck/gemm/config.h"
#include "core/base/types.h"
#include "core/launch/refusal.h"

namespace gridwise::ck {

/// One matrix multiplication, as normal forms of the views with axes (batch, row, term) or, for the
/// output and the tensors of the epilogue, (batch, row, column).
struct GemmForms {
  NormalForm a, b, c;
  std::vector<NormalForm> d;  // up to kMaxTensors
  std::int64_t terms = 0;     // of K; 0: the sums are 0, and a and b are ignored
};

/// The normal forms of a lowering (lowering/conv.h), without tensors. Kernels require that the
/// output's form checks nothing.
template <class Descriptors>
GemmForms FormsOf(const Descriptors& gemm) {
  const bool multiplies = gemm.terms > 0;
  return {.a = multiplies ? Normalize(gemm.a) : NormalForm(),
          .b = multiplies ? Normalize(gemm.b) : NormalForm(),
          .c = Normalize(gemm.c),
          .d = {},
          .terms = gemm.terms};
}

/// Types of an output and its tensors.
struct OutputTypes {
  DataType c = DataType::kF32;
  std::array<DataType, kMaxTensors> d = {};
};

/// Number of elements, up to 16, that can be loaded or stored at once along an axis of a form whose
/// elements have `bytes` bytes. They are adjacent in memory, exist together or not, and begin at
/// multiples of 4 bytes (or are single). Axis 1 is rows, 2 terms or columns.
int VectorLength(const NormalForm& form, std::size_t axis, int bytes);

/// The cheapest walk that works for an operand.
Walk ChooseWalk(const NormalForm& form);

/// The joint requirements of several multiplications, computed once for all kernels: whether Reject
/// and TooLarge accept all of them.
struct Demands {
  static constexpr std::size_t kWalks = 5;
  struct Operand {
    std::array<bool, kWalks> walk = {true, true, true, true, true};  // by Walk: whether it works
    int vector_k = 16, vector_rows = 16;  // adjacent elements, see VectorLength
    bool operator==(const Operand&) const = default;
  };
  struct Kinds {
    Operand a, b;
    bool outputs = true;  // kernels can write C and read D
    bool operator==(const Kinds&) const = default;
  };
  Kinds kinds;
  /// Minimum number of elements that are adjacent in memory along K and along rows, including those
  /// that continue along the other axis.
  struct Runs {
    std::int64_t k = kLongest, rows = kLongest;
  };
  static constexpr std::int64_t kLongest = std::int64_t{1} << 31;
  Runs runs_a, runs_b;
  std::int64_t reach_a = 0, reach_b = 0;  // of a matrix, in bytes
  std::int64_t reach_c = 0;               // in elements, for C and D
  std::int64_t longest_axis = 0;          // rows or columns

  /// Adds the requirements of another multiplication; `type` is that of the operands. Returns false
  /// if they add nothing: every kernel that meets the earlier ones meets these too.
  bool Add(const GemmForms& gemm, DataType type);

  bool AreMetBy(const GemmConfig& config) const;
  /// TooLarge, if no element of C or D has more than `bytes_of_c` bytes.
  bool FitInOneLaunch(int bytes_of_c, std::int64_t limit) const;
};

/// Why a kernel of `config` cannot compute the problem, of any size: a sentence with the numbers.
/// Returns nullopt if it can.
std::optional<Refusal> Reject(const GemmConfig& config, const GemmForms& gemm);

/// Which of the matrices 'a', 'b' and 'c' (with the tensors) is too large, and why.
struct SizeExcess {
  char matrix;
  std::string reason;
};
/// Returns nullopt if one launch can compute the problem: offsets within a matrix are below
/// `limit`, at most 2^31 bytes, and it has fewer than 2^30 rows and columns.
std::optional<SizeExcess> TooLarge(const GemmConfig& config, const GemmForms& gemm,
                                   const OutputTypes& types, std::int64_t limit);

/// The arguments of problems that one launch computes, for kernels that do not reject them, with K
/// in `splits` parts each. first_tile counts over all problems.
std::vector<ProblemArgs> MakeProblemArgs(const GemmConfig& config, std::span<const GemmForms> gemms,
                                         const OutputTypes& types, int splits);

/// Rows and columns of the output.
std::int64_t RowsOf(const GemmForms& gemm);
std::int64_t ColumnsOf(const GemmForms& gemm);

/// How the kernel writes columns of the problem, whose form is that of all problems of the launch:
/// whether columns of the output (or of a tensor) must be accessed one by one.
bool IsByElement(const GemmConfig& config, const NormalForm& form, DataType type);

}  // namespace gridwise::ck
