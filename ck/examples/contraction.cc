// SPDX-License-Identifier: MIT
/// A view of a user's own: a contraction with permuted output,
///
///   C[j][i][l] = sum over x, y of A[x][i][y] * B[l][j][x][y]
///
///   bazel run //ck/examples:contraction_xdl_f16 -- VERIFY INIT TIME [I J L X Y]

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "ck/descriptor/descriptor.h"
#include "ck/examples/run.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/base/parse_type.h"
#include "core/base/types.h"
#include "core/conv/epilogue.h"
#include "core/reference/compare.h"
#include "core/reference/expected.h"
#include "gridwise/views.h"

namespace gridwise::examples {
namespace {

struct Contraction {
  DataType type;
  std::int64_t i, j, l, x, y;
  Epilogue epilogue = {};  // views have none

  std::int64_t a_elements() const { return x * i * y; }
  std::int64_t b_elements() const { return l * j * x * y; }
  std::int64_t out_elements() const { return j * i * l; }
  DataType output_type() const { return DataType::kF32; }
  std::int64_t reduction_length() const { return x * y; }
  double Flops() const { return 2.0 * static_cast<double>(i * j * l * x * y); }
};

std::string ToString(const Contraction& c) {
  return absl::StrFormat("contraction %s i %d j %d l %d x %d y %d", Name(c.type), c.i, c.j, c.l,
                         c.x, c.y);
}

/// Instances are i, columns (j, l) and terms (x, y).
ck::GemmDescriptors ViewsOf(const Contraction& c) {
  ck::GemmDescriptors gemm;
  const auto x = gemm.a.Memory(c.x, c.i * c.y), i = gemm.a.Memory(c.i, c.y);
  gemm.a.See({gemm.a.Memory(1, 0), i, gemm.a.Merge({x, gemm.a.Memory(c.y, 1)})});
  const auto l = gemm.b.Memory(c.l, c.j * c.x * c.y), j = gemm.b.Memory(c.j, c.x * c.y);
  gemm.b.See({gemm.b.Memory(1, 0), gemm.b.Merge({j, l}), gemm.b.Memory(c.x * c.y, 1)});
  const auto cj = gemm.c.Memory(c.j, c.i * c.l), ci = gemm.c.Memory(c.i, c.l);
  gemm.c.See({gemm.c.Memory(1, 0), ci, gemm.c.Merge({cj, gemm.c.Memory(c.l, 1)})});
  gemm.terms = c.x * c.y;
  return gemm;
}

std::int64_t EpilogueElements(const Contraction&, int) { return 0; }

/// By its definition.
absl::StatusOr<Expected> ExpectedOutput(const Contraction& c, const std::vector<float>& a,
                                        const std::vector<float>& b,
                                        const std::array<std::span<const float>, 2>&) {
  Expected expected;
  for (std::int64_t j = 0; j < c.j; ++j) {
    for (std::int64_t i = 0; i < c.i; ++i) {
      for (std::int64_t l = 0; l < c.l; ++l) {
        double sum = 0;
        for (std::int64_t x = 0; x < c.x; ++x) {
          for (std::int64_t y = 0; y < c.y; ++y) {
            sum += double{a[static_cast<std::size_t>((x * c.i + i) * c.y + y)]} *
                   double{b[static_cast<std::size_t>(((l * c.j + j) * c.x + x) * c.y + y)]};
          }
        }
        expected.out.push_back(sum);
      }
    }
  }
  expected.sum_rms = SumRms(expected.out);
  return expected;
}

absl::Status Example(int argc, char** argv) {
  const absl::StatusOr<Words> parsed = Words::Parse(argc, argv, {"type", "device"}, 8);
  if (!parsed.ok()) return parsed.status();
  const Words& words = *parsed;
  const absl::StatusOr<Settings> settings = Settings::Of(words);
  if (!settings.ok()) return settings.status();
  const auto type = ParseDataType(words.Flag("type", "f16"));
  const auto gfx = ParseGfx(words.Flag("device", "gfx942"));
  if (!type || !gfx) return absl::InvalidArgumentError("--type or --device is not known");
  const Contraction contraction = {.type = *type,
                                   .i = words.Number(3, 96),
                                   .j = words.Number(4, 5),
                                   .l = words.Number(5, 24),
                                   .x = words.Number(6, 6),
                                   .y = words.Number(7, 16)};
  const absl::StatusOr<InstancePlan> plan =
      PlanViews(ViewsOf(contraction), *type, contraction.output_type(), *gfx);
  if (!plan.ok()) return plan.status();
  return Run(contraction, *plan, *settings);
}

}  // namespace
}  // namespace gridwise::examples

int main(int argc, char** argv) {
  return gridwise::examples::Finish(gridwise::examples::Example(argc, argv));
}
