// SPDX-License-Identifier: MIT
#include "core/reference/gemm_expected.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "core/gemm/validate.h"
#include "core/reference/compare.h"
#include "core/reference/elements.h"
#include "core/reference/reference.h"

namespace gridwise {
namespace {

absl::Status CheckSize(const char* name, std::size_t size, std::int64_t expected) {
  if (size == static_cast<std::size_t>(expected)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s has %d elements; the problem needs %d", name, size, expected));
}

/// Calls visit(index, offset) for the elements of a matrix, row by row.
template <class Visit>
void ForEachElement(const MatrixStrides& strides, std::int64_t matrix, std::int64_t rows,
                    std::int64_t columns, Visit visit) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      visit(static_cast<std::size_t>(row * columns + column),
            static_cast<std::size_t>(matrix * strides.batch + row * strides.row +
                                     column * strides.column));
    }
  }
}

/// A matrix, row by row.
std::vector<float> Rows(std::span<const float> memory, const MatrixStrides& strides,
                        std::int64_t matrix, std::int64_t rows, std::int64_t columns) {
  std::vector<float> packed(static_cast<std::size_t>(rows * columns));
  ForEachElement(strides, matrix, rows, columns,
                 [&](std::size_t i, std::size_t offset) { packed[i] = memory[offset]; });
  return packed;
}

/// The value of an element that nobody writes.
double Poison(DataType type) {
  const std::vector<std::byte> bytes(static_cast<std::size_t>(SizeOf(type)),
                                     std::byte{PoisonByte(type)});
  return DecodeExactly(type, bytes).front();
}

}  // namespace

absl::StatusOr<Expected> ExpectedOutput(const GemmProblem& p, std::span<const float> a,
                                        std::span<const float> b,
                                        const std::array<std::span<const float>, 2>& d) {
  if (absl::Status s = Validate(p); !s.ok()) return s;
  if (absl::Status s = CheckSize("a", a.size(), p.a_elements()); !s.ok()) return s;
  if (absl::Status s = CheckSize("b", b.size(), p.b_elements()); !s.ok()) return s;
  for (int i = 0; i < p.epilogue.tensors; ++i) {
    absl::Status s = CheckSize(i == 0 ? "d0" : "d1", d[static_cast<std::size_t>(i)].size(),
                               EpilogueElements(p, i));
    if (!s.ok()) return s;
  }
  // A matrix is an image without height: rows are pixels, terms input and columns output channels.
  ConvProblem conv = {.rank = 1, .c = p.k, .k = p.n};
  conv.dims[2].in = p.m;
  Expected expected;
  expected.out.assign(static_cast<std::size_t>(p.out_elements()), Poison(p.output_type()));
  std::vector<double> sums(static_cast<std::size_t>(p.m * p.n)), largest;
  for (std::int64_t matrix = 0; matrix < p.batch; ++matrix) {
    absl::Status status = Reference(conv, Rows(a, p.a, matrix, p.m, p.k),
                                    Rows(b, p.b.Transposed(), matrix, p.n, p.k), sums);
    if (!status.ok()) return status;
    std::array<std::vector<float>, 2> tensors;
    for (std::size_t i = 0; i < static_cast<std::size_t>(p.epilogue.tensors); ++i) {
      tensors[i] = Rows(d[i], StridesOf(p.epilogue.d[i].stride), matrix, p.m, p.n);
    }
    ForEachElement(p.c, matrix, p.m, p.n, [&](std::size_t i, std::size_t offset) {
      std::array<double, 2> values = {};
      for (std::size_t t = 0; t < 2; ++t) {
        if (!tensors[t].empty()) values[t] = static_cast<double>(tensors[t][i]);
      }
      expected.out[offset] = Apply(p.epilogue, sums[i], values);
      largest.push_back(LargestValue(p.epilogue, sums[i], values));
    });
  }
  expected.sum_rms = SumRms(largest);
  return expected;
}

}  // namespace gridwise
