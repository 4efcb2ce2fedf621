// SPDX-License-Identifier: MIT
#include "ck/ops/kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ck/gemm/args.h"
#include "ck/gemm/functions.h"
#include "ck/gemm/plan.h"
#include "ck/ops/estimate.h"
#include "ck/ops/gemm_launch.h"
#include "ck/ops/lowered.h"
#include "core/conv/sub_gemms.h"
#include "core/estimate/tap_window.h"
#include "core/estimate/tile_cost.h"
#include "core/text/fields_text.h"

namespace gridwise::ck {
namespace {

/// Each is lowered separately, which takes some microseconds: beyond this, another family's plan is
/// faster to make.
constexpr std::int64_t kMaxLoweredGemms = 512;

/// The sub-GEMMs that are requested. Backward-weight names none and has one.
SubGemmRange RangeOf(const PartRequest& request, const Lowered& lowered) {
  if (request.sub_gemms.empty()) return lowered.all();
  return {.first = request.first_sub_gemm, .count = request.sub_gemms.size()};
}

/// The work of some of a problem's sub-GEMMs.
Tiles TilesOf(const GemmConfig& config, const ConvProblem& problem, const Lowered& lowered,
              SubGemmRange range) {
  Tiles tiles(config, lowered.SizesOf(range), problem.groups / config.merge);
  tiles.work.out_elements = static_cast<double>(problem.out_elements());
  return tiles;
}

OutputTypes TypesOf(const ConvProblem& problem, bool is_partial) {
  OutputTypes types = {.c = is_partial ? DataType::kF32 : problem.output_type(), .d = {}};
  for (std::size_t i = 0; i < kMaxTensors; ++i) types.d[i] = problem.epilogue.d[i].type;
  return types;
}

Combine CombineOf(const Epilogue& epilogue) {
  Combine combine;
  combine.alpha = static_cast<float>(epilogue.alpha);
  combine.low = static_cast<float>(epilogue.low);
  combine.high = static_cast<float>(epilogue.high);
  combine.clamps = epilogue.clamps();
  combine.unary = epilogue.unary;
  combine.unary_parameter = static_cast<float>(epilogue.unary_parameter);
  for (std::size_t i = 0; i < static_cast<std::size_t>(epilogue.tensors); ++i) {
    combine.d[i] = {.scale = static_cast<float>(epilogue.d[i].scale),
                    .multiplies = epilogue.d[i].op == EpilogueTensor::Op::kMultiply};
  }
  return combine;
}

class ClassicKernel final : public PartKernel {
 public:
  ClassicKernel(Op op, const GemmConfig& config, KernelCode code)
      : op_(op), config_(config), code_(std::move(code)) {}

  std::string_view op() const override { return KnownAs(op_); }
  std::string name() const override { return absl::StrCat(Name(op_), "_", PrintFields(config_)); }
  DataType type() const override { return config_.type; }
  const KernelCode& code() const override { return code_; }
  bool has_epilogue() const override { return op_ != Op::kTwoStage; }
  bool has_unary() const override { return has_epilogue(); }
  bool sums_operands() const override { return config_.operands == Function::kScaleAdd; }
  InstanceShape shape() const override {
    const GemmConfig& c = config_;
    return {.tile_m = c.tile.m,
            .tile_n = c.tile.n,
            .tile_k = c.tile.k,
            .waves = c.waves.m * c.waves.n,
            .load_waves = c.is_wavelet() ? c.pipeline.count : 0,
            .occupancy = c.occupancy,
            .mma_m = c.mma.m,
            .mma_n = c.mma.n,
            .mma_k = c.mma.k,
            .vector_a = c.a.vector(),
            .vector_b = c.b.vector(),
            .transposes_a = !c.a.along_k(),
            .transposes_b = !c.b.along_k(),
            .lds_bytes = c.lds_bytes(),
            .k_tiles = c.k_tiles_in_flight(),
            .merged_groups = c.merge,
            .walk_a = 1 + static_cast<int>(c.a.walk),
            .walk_b = 1 + static_cast<int>(c.b.walk)};
  }

  std::optional<Refusal> Reject(const ConvProblem& problem, int) const override {
    if (problem.type != config_.type) {
      return Refuse<"type is %s; the instance is for %s">(
          RefusalCode::kType, gridwise::Name(problem.type), gridwise::Name(config_.type));
    }
    if (const std::int64_t count = SubGemmCount(problem); count > kMaxLoweredGemms) {
      return Refuse<"there are %d sub-GEMMs; the classic family lowers at most %d">(
          RefusalCode::kFilter, count, kMaxLoweredGemms);
    }
    if (problem.groups % config_.merge != 0) {
      return Refuse<"groups is %d; the instance merges %d at a time">(
          RefusalCode::kGroups, problem.groups, config_.merge.value);
    }
    return Lower(problem)->Reject(config_);
  }

  std::optional<Excess> TooLarge(const ConvProblem& problem, std::int64_t limit) const override;

  PartEstimate Estimate(const PartRequest& request) const override {
    const auto lowered = Lower(request.problem);
    const Tiles tiles = TilesOf(config_, request.problem, *lowered, RangeOf(request, *lowered));
    const TileEstimate estimate = EstimateOf(request, *lowered, tiles);
    return {.splits = estimate.split_k.splits, .cost = estimate.cost};
  }

  PartLaunch MakeLaunch(const PartRequest& request) const override;

 private:
  std::shared_ptr<const Lowered> Lower(const ConvProblem& problem) const {
    return LoweredOf(problem, config_.merge);
  }
  TileEstimate EstimateOf(const PartRequest& request, const Lowered& lowered,
                          const Tiles& tiles) const;
  /// MakeLaunch with functions of A and B.
  template <class OfOperands>
  PartLaunch MakeLaunchWith(const PartRequest& request, const OfOperands& a,
                            const OfOperands& b) const;
  OutputArgs MakeOutput(const ConvProblem& problem, const SplitK& split_k,
                        const GemmForms& gemm) const;

  const Op op_;
  const GemmConfig config_;
  const KernelCode code_;
};

std::optional<Excess> ClassicKernel::TooLarge(const ConvProblem& problem,
                                              std::int64_t limit) const {
  const bool is_weight = problem.direction == Direction::kBackwardWeight;
  const PartAxis of_positions = problem.batch > 1 ? PartAxis::kImages : PartAxis::kPixels;
  const auto lowered = Lower(problem);
  const Tiles tiles = TilesOf(config_, problem, *lowered, lowered->all());
  if (auto reason = RejectTiles(config_, tiles)) {
    return Excess{*std::move(reason), is_weight ? PartAxis::kK : of_positions};
  }
  const OutputTypes types = TypesOf(problem, /*is_partial=*/true);
  if (lowered->demands().FitInOneLaunch(SizeOf(types.c), limit)) return std::nullopt;
  for (const GemmForms& gemm : lowered->FormsOf(lowered->all())) {
    const auto excess = ck::TooLarge(config_, gemm, types, limit);
    if (!excess) continue;
    // Images and pixels are in both operands of backward-weight, otherwise in A and the output.
    const bool of_channels = excess->matrix == (is_weight ? 'c' : 'b');
    return Excess{excess->reason, of_channels ? PartAxis::kK : of_positions};
  }
  return std::nullopt;
}

OutputArgs ClassicKernel::MakeOutput(const ConvProblem& problem, const SplitK& split_k,
                                     const GemmForms& gemm) const {
  const bool partial = split_k.partial_elements > 0;
  const OutputTypes types = TypesOf(problem, partial);
  OutputArgs out;
  out.type = static_cast<int>(types.c);
  out.by_element = IsByElement(config_, gemm.c, types.c);
  if (partial) {
    out.adds = split_k.adds;
    out.split_bytes = split_k.adds ? 0 : split_k.partial_elements * SizeOf(types.c);
    return out;
  }
  out.tensors = problem.epilogue.tensors;
  for (std::size_t i = 0; i < gemm.d.size(); ++i) {
    out.d[i] = {.data = nullptr,
                .is_f32 = types.d[i] == DataType::kF32,
                .by_element = IsByElement(config_, gemm.d[i], types.d[i])};
  }
  return out;
}

ScaleAdd ScaleAddOf(const OperandSum& sum) {
  return {.scale = static_cast<float>(sum.scale), .adds = sum.adds};
}

PartLaunch ClassicKernel::MakeLaunch(const PartRequest& request) const {
  if (!sums_operands()) return MakeLaunchWith(request, PassThrough{}, PassThrough{});
  const auto& [a, b] = request.problem.operand_sums;
  PartLaunch part = MakeLaunchWith(request, ScaleAddOf(a), ScaleAddOf(b));
  // An addend that is not added is ignored, and may be anything of the same size.
  using Args = GemmArgs<Functions<ScaleAdd, ScaleAdd>>;
  part.launch.addresses.push_back(
      {offsetof(Args, a) + offsetof(OperandArgs, added), {a.adds ? Memory::kA1 : Memory::kA}});
  part.launch.addresses.push_back(
      {offsetof(Args, b) + offsetof(OperandArgs, added), {b.adds ? Memory::kB1 : Memory::kB}});
  return part;
}

TileEstimate ClassicKernel::EstimateOf(const PartRequest& request, const Lowered& lowered,
                                       const Tiles& tiles) const {
  const ConvProblem& problem = request.problem;
  TileSteps steps = MakeTileSteps(config_, lowered.demands(), request.device, code_.needs);
  const bool gathers = problem.direction != Direction::kBackwardWeight;
  if (gathers && problem.filter_taps() > 1 && config_.merge == 1) {
    SetTapWindow(request,
                 {.rows = 1.0 * config_.tile.m,
                  .columns = static_cast<double>(tiles.columns),
                  .terms = 1.0 * config_.tile.k,
                  .part = 1.0 * config_.lds(Side::kA).bytes() / config_.buffer_bytes()},
                 steps);
  }
  return EstimateTiles(request, config_.type, steps, tiles.work);
}

template <class OfOperands>
PartLaunch ClassicKernel::MakeLaunchWith(const PartRequest& request, const OfOperands& a,
                                         const OfOperands& b) const {
  using Args = GemmArgs<Functions<OfOperands, OfOperands>>;
  const ConvProblem& problem = request.problem;
  const auto lowered = Lower(problem);
  const std::vector<GemmForms> gemms = lowered->FormsOf(RangeOf(request, *lowered));
  const Tiles tiles = TilesOf(config_, problem, *lowered, RangeOf(request, *lowered));
  const SplitK split_k = EstimateOf(request, *lowered, tiles).split_k;
  const bool partial = split_k.partial_elements > 0;
  const std::vector<ProblemArgs> problems =
      MakeProblemArgs(config_, gemms, TypesOf(problem, partial), split_k.splits);
  Args args;
  args.functions.a = a;
  args.functions.b = b;
  args.out = MakeOutput(problem, split_k, gemms.front());
  if (!partial) args.functions.c = CombineOf(problem.epilogue);
  PartLaunch part = {.launch = MakeGemmLaunch(config_, code_, args, problems, tiles, split_k.splits,
                                              request.device),
                     .table = {}};
  auto& addresses = part.launch.addresses;
  for (int i = 0; i < args.out.tensors; ++i) {
    addresses.push_back({offsetof(Args, out) + offsetof(OutputArgs, d) +
                             static_cast<std::size_t>(i) * sizeof(TensorArgs) +
                             offsetof(TensorArgs, data),
                         {i == 0 ? Memory::kD0 : Memory::kD1}});
  }
  if (problems.size() > 1) {
    part.table = BytesOfTable<ProblemArgs>(problems);
    addresses.push_back({offsetof(Args, table), {Memory::kTable}});
  }
  return part;
}

}  // namespace

std::shared_ptr<const PartKernel> MakeKernel(Op op, const GemmConfig& config, KernelCode code) {
  return std::make_shared<ClassicKernel>(op, config, std::move(code));
}

}  // namespace gridwise::ck
