// SPDX-License-Identifier: MIT
#include "ck/ops/views.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ck/descriptor/describe.h"
#include "ck/gemm/args.h"
#include "ck/gemm/functions.h"
#include "ck/gemm/plan.h"
#include "ck/ops/estimate.h"
#include "ck/ops/gemm_launch.h"
#include "core/estimate/tile_cost.h"
#include "core/gemm/convolution.h"
#include "core/gemm/problem.h"
#include "core/launch/launch_shape.h"
#include "core/launch/part_kernel.h"

namespace gridwise::ck {
namespace {

absl::Status CheckViews(const GemmDescriptors& gemm, DataType type, DataType out_type) {
  if (!CanOutput(type, out_type)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "the output's type is %s, which sums of %s are not", Name(out_type), Name(type)));
  }
  const std::pair<const char*, const Descriptor&> views[] = {
      {"A", gemm.a}, {"B", gemm.b}, {"C", gemm.c}};
  for (const auto& [name, view] : views) {
    if (!view.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": ", ToString(view.mistake())));
    }
    if (view.seen() != 3) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s shows %d axes; must be 3: matrices, rows and terms, or of C columns",
                          name, view.seen()));
    }
  }
  const auto& [a, b, c, terms] = gemm;
  if (a.length(0) != c.length(0) || b.length(0) != c.length(0) || a.length(1) != c.length(1) ||
      b.length(1) != c.length(2) || a.length(2) != terms || b.length(2) != terms) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "A is %dx%dx%d, B %dx%dx%d and C %dx%dx%d with %d terms; A must be matrices x rows x "
        "terms, B matrices x columns x terms and C matrices x rows x columns",
        a.length(0), a.length(1), a.length(2), b.length(0), b.length(1), b.length(2), c.length(0),
        c.length(1), c.length(2), terms));
  }
  return absl::OkStatus();
}

/// Why the kernel does not take the views.
std::optional<std::string> RejectViews(const GemmConfig& config, const GemmForms& forms,
                                       const OutputTypes& types, const Tiles& tiles) {
  if (auto refusal = Reject(config, forms)) return refusal->reason();
  if (auto excess = TooLarge(config, forms, types, kOffsetLimit)) return excess->reason;
  if (auto reason = RejectTiles(config, tiles)) return reason;
  if (tiles.matrices <= kMaxWorkgroupsYz) return std::nullopt;
  return absl::StrFormat("there are %d matrices; must be at most %d", tiles.matrices,
                         kMaxWorkgroupsYz);
}

LaunchPlan MakePlan(const CompiledKernel& kernel, const GemmForms& forms, const OutputTypes& types,
                    const Tiles& tiles, const Cost& cost, const DeviceFacts& device) {
  GemmArgs<Functions<>> args;
  args.out.type = static_cast<int>(types.c);
  args.out.by_element = IsByElement(kernel.config, forms.c, types.c);
  const std::vector<ProblemArgs> problem =
      MakeProblemArgs(kernel.config, std::span(&forms, 1), types, /*splits=*/1);
  LaunchPlan plan;
  plan.launches = {
      MakeGemmLaunch(kernel.config, kernel.code, args, problem, tiles, /*splits=*/1, device)};
  plan.gemms = {{RowsOf(forms), ColumnsOf(forms), forms.terms}};
  plan.cost = cost;
  return plan;
}

}  // namespace

absl::StatusOr<ViewsLaunch> PlanViews(const GemmDescriptors& gemm, DataType type, DataType out_type,
                                      std::span<const CompiledKernel> kernels,
                                      const DeviceFacts& device) {
  if (absl::Status status = CheckViews(gemm, type, out_type); !status.ok()) return status;
  const GemmForms forms = FormsOf(gemm);
  Demands demands;
  demands.Add(forms, type);
  const OutputTypes types = {.c = out_type, .d = {}};
  const GemmSize size = {RowsOf(forms), ColumnsOf(forms), forms.terms};
  const std::int64_t matrices = gemm.c.length(0);
  // For the estimate they are plain matrices.
  const ConvProblem plain =
      AsConvolution(MakeGemm(type, matrices, size.rows, size.columns, size.terms, MatrixOrder::kRow,
                             MatrixOrder::kColumn));
  const PartRequest request = {
      .device = device, .problem = plain, .sub_gemms = {}, .split_k = {.splits = 1}};
  const CompiledKernel* best = nullptr;
  Cost least;
  std::string reason = absl::StrFormat("there is none for %s", Name(type));
  for (const CompiledKernel& kernel : kernels) {
    const GemmConfig& config = kernel.config;
    if (config.type != type || config.merge > 1 || config.operands != Function::kPassThrough) {
      continue;
    }
    Tiles tiles(config, std::span(&size, 1), matrices);
    if (auto refusal = RejectViews(config, forms, types, tiles)) {
      reason = *std::move(refusal);
      continue;
    }
    tiles.work.out_elements = static_cast<double>(plain.out_elements());
    const Cost cost = WithCycles(
        EstimateTiles(request, type, MakeTileSteps(config, demands, device, kernel.code.needs),
                      tiles.work)
            .cost);
    if (best != nullptr && cost.cycles >= least.cycles) continue;
    best = &kernel;
    least = cost;
  }
  if (best == nullptr) {
    return absl::UnimplementedError(
        absl::StrFormat("no kernel of %s multiplies these views: %s", Name(device.gfx), reason));
  }
  const Tiles tiles(best->config, std::span(&size, 1), matrices);
  return ViewsLaunch{best, MakePlan(*best, forms, types, tiles, least, device)};
}

}  // namespace gridwise::ck
