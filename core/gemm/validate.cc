// SPDX-License-Identifier: MIT
#include "core/gemm/validate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/base/types.h"
#include "core/conv/validate.h"

namespace gridwise {
namespace {

absl::Status InRange(const std::string& field, std::int64_t value, std::int64_t least,
                     std::int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is %d; must be %d to %d", field, value, least, most));
}

absl::Status ValidateTypes(const GemmProblem& p) {
  if (p.type == DataType::kI32) {
    return absl::InvalidArgumentError("type is i32; it is of outputs only");
  }
  if (!CanOutput(p.type, p.output_type())) {
    return absl::InvalidArgumentError(
        absl::StrFormat("out_type is %s, which sums of %s are not written as",
                        Name(p.output_type()), Name(p.type)));
  }
  constexpr std::int64_t kMaxTerms = 0x7fffffff / (128 * 128);
  if (p.type != DataType::kI8 || p.k <= kMaxTerms) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "k is %d; must be <= %d, so that no sum of products of i8 overflows an i32", p.k, kMaxTerms));
}

/// Checks the strides of a tensor of `rows` x `columns`.
absl::Status ValidateStrides(const std::string& name, const MatrixStrides& strides,
                             std::int64_t batch, std::int64_t rows, std::int64_t columns) {
  double elements = 1;
  for (const auto& [field, stride, size] : {std::tuple(".batch", strides.batch, batch),
                                            {".row", strides.row, rows},
                                            {".column", strides.column, columns}}) {
    absl::Status status = InRange(name + field, stride, 0, kMaxGemmElements);
    if (!status.ok()) return status;
    elements += static_cast<double>(stride) * static_cast<double>(size - 1);
  }
  if (elements <= static_cast<double>(kMaxGemmElements)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s spans %.0f elements; must be <= %d", name, elements, kMaxGemmElements));
}

absl::Status ValidateOperand(const std::string& name, const MatrixStrides& strides,
                             std::int64_t batch, std::int64_t rows, std::int64_t columns) {
  if (strides == MatrixStrides{}) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s's strides are all 0; a single number is no matrix", name));
  }
  return ValidateStrides(name, strides, batch, rows, columns);
}

/// No two elements of C have the same address: each longer stride steps over everything that
/// shorter ones reach.
absl::Status ValidateOutput(const GemmProblem& p) {
  absl::Status status = ValidateStrides("c", p.c, p.batch, p.m, p.n);
  if (!status.ok()) return status;
  std::array<std::pair<std::int64_t, std::int64_t>, 3> axes = {
      {{p.c.batch, p.batch}, {p.c.row, p.m}, {p.c.column, p.n}}};  // strides and sizes
  std::sort(axes.begin(), axes.end());
  std::int64_t reach = 0;
  for (const auto& [stride, size] : axes) {
    if (size == 1) continue;
    if (stride <= reach) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "c's strides are %d, %d and %d for %d matrices of %d x %d, which lie across one another",
          p.c.batch, p.c.row, p.c.column, p.batch, p.m, p.n));
    }
    reach += stride * (size - 1);
  }
  return absl::OkStatus();
}

absl::Status ValidateEpilogue(const GemmProblem& p) {
  const Epilogue& epilogue = p.epilogue;
  if (auto s = InRange("epilogue.tensors", epilogue.tensors, 0, 2); !s.ok()) return s;
  if (auto s = ValidateNumbers(epilogue); !s.ok()) return s;
  if (p.output_type() == DataType::kI32 && epilogue != Epilogue{}) {
    return absl::InvalidArgumentError(
        "the output's type is i32, which has the sums as they are; epilogue must be the default");
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(epilogue.tensors); ++i) {
    const EpilogueTensor& tensor = epilogue.d[i];
    const std::string name = absl::StrFormat("epilogue.d[%d]", i);
    if (tensor.type != p.output_type() && tensor.type != DataType::kF32) {
      return absl::InvalidArgumentError(absl::StrFormat("%s.type is %s; must be %s or f32", name,
                                                        Name(tensor.type), Name(p.output_type())));
    }
    if (auto s = ValidateFactor(name + ".scale", tensor.scale); !s.ok()) return s;
    const MatrixStrides strides = StridesOf(tensor.stride);
    if (PerAxisStrides(strides) != tensor.stride) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s.stride is not of a matrix; must be from PerAxisStrides()", name));
    }
    if (auto s = ValidateStrides(name, strides, p.batch, p.m, p.n); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Validate(const GemmProblem& p) {
  for (const auto& [name, value] :
       {std::pair("batch", p.batch), {"m", p.m}, {"n", p.n}, {"k", p.k}}) {
    if (auto s = InRange(name, value, 1, kMaxGemmLength); !s.ok()) return s;
  }
  if (auto s = ValidateTypes(p); !s.ok()) return s;
  if (auto s = ValidateOperand("a", p.a, p.batch, p.m, p.k); !s.ok()) return s;
  if (auto s = ValidateOperand("b", p.b, p.batch, p.k, p.n); !s.ok()) return s;
  if (auto s = ValidateOutput(p); !s.ok()) return s;
  return ValidateEpilogue(p);
}

}  // namespace gridwise
