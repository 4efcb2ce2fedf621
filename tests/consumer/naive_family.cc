// SPDX-License-Identifier: MIT
#include "naive_family.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/cost/cost.h"
#include "core/launch/code.h"
#include "core/launch/launch.h"
#include "core/planning/plan_context.h"
#include "naive_code.h"
#include "naive_conv.h"

namespace consumer {
namespace {

using gridwise::ConvProblem;

constexpr std::int64_t kMaxOutputs = std::int64_t{1} << 31;  // a grid has fewer than 2^32 threads

NaiveConvArgs MakeArgs(const ConvProblem& problem) {
  NaiveConvArgs args = {.x = nullptr,
                        .w = nullptr,
                        .y = nullptr,
                        .outputs = problem.y_elements(),
                        .x_stride = {},
                        .w_stride = {},
                        .y_stride = {},
                        .in = {},
                        .out = {},
                        .filter = {},
                        .stride = {},
                        .dilation = {},
                        .pad = {},
                        .groups = static_cast<int>(problem.groups),
                        .channels = static_cast<int>(problem.c_per_group()),
                        .out_channels = static_cast<int>(problem.k_per_group())};
  for (const auto& [tensor, stride] : {std::pair(gridwise::Tensor::kX, args.x_stride),
                                       {gridwise::Tensor::kW, args.w_stride},
                                       {gridwise::Tensor::kY, args.y_stride}}) {
    const gridwise::PerAxis strides = problem.AxesOf(tensor).stride;
    for (std::size_t axis = 0; axis < strides.size(); ++axis) stride[axis] = strides[axis];
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const gridwise::Dim& dim = problem.dims[axis];
    args.in[axis] = static_cast<int>(dim.in);
    args.out[axis] = static_cast<int>(dim.out());
    args.filter[axis] = static_cast<int>(dim.filter);
    args.stride[axis] = static_cast<int>(dim.stride);
    args.dilation[axis] = static_cast<int>(dim.dilation);
    args.pad[axis] = static_cast<int>(dim.pad_begin);
  }
  return args;
}

std::uint32_t Workgroups(const ConvProblem& problem) {
  return static_cast<std::uint32_t>((problem.y_elements() + kNaiveThreads - 1) / kNaiveThreads);
}

class Naive final : public gridwise::KernelFamily {
 public:
  Naive() {
    for (const gridwise::CodeObject& object : NaiveCode()) {
      const auto gfx = gridwise::ParseGfx(object.gfx);
      if (!gfx) continue;
      instances_[static_cast<std::size_t>(*gfx)] = {
          {.family = "naive",
           .op = "",
           .name = "f16",
           .direction = gridwise::Direction::kForward,
           .gfx = *gfx,
           .type = gridwise::DataType::kF16,
           .code = {gridwise::ObjectOf(NaiveCode(), *gfx), "NaiveConv"}}};
    }
  }

  std::string_view name() const override { return "naive"; }

  std::span<const gridwise::InstanceInfo> Instances(gridwise::Direction direction,
                                                    gridwise::Gfx gfx) const override {
    if (direction != gridwise::Direction::kForward) return {};
    return instances_[static_cast<std::size_t>(gfx)];
  }

  gridwise::Applicability CheckApplicability(std::size_t,
                                             gridwise::PlanContext& context) const override {
    const ConvProblem& problem = context.problem();
    if (problem.output_type() != problem.type) return "the output must be f16";
    if (problem.epilogue != gridwise::Epilogue{}) return "there is no epilogue";
    if (problem.y_elements() > kMaxOutputs) {
      return absl::StrCat("y has ", problem.y_elements(), " elements; at most ", kMaxOutputs);
    }
    // Each work-item waits for two loads a term, and workgroups share the units evenly.
    const double terms = static_cast<double>(problem.filter_taps() * problem.c_per_group());
    return gridwise::WithCycles(
        {.memory_cycles = 100 * terms,
         .fixed_cycles = 3000,
         .rounds = 1.0 * Workgroups(problem) / context.device().compute_units,
         .resident = 1});
  }

  gridwise::LaunchPlan MakeLaunches(std::size_t instance,
                                    gridwise::PlanContext& context) const override {
    using gridwise::Memory;
    const ConvProblem& problem = context.problem();
    gridwise::KernelLaunch launch = {
        .code = Instances(problem.direction, context.device().gfx)[instance].code,
        .shape = {.workgroups = {Workgroups(problem)}, .threads = {kNaiveThreads}},
        .arguments = gridwise::BytesOf(MakeArgs(problem)),
        .addresses = {{offsetof(NaiveConvArgs, x), {Memory::kA}},
                      {offsetof(NaiveConvArgs, w), {Memory::kB}},
                      {offsetof(NaiveConvArgs, y), {Memory::kOut}}},
        .map = {}};
    gridwise::LaunchPlan plan;
    plan.launches.push_back(std::move(launch));
    plan.gemms = {{.m = problem.batch * problem.out_pixels(),
                   .n = problem.k_per_group(),
                   .k = problem.filter_taps() * problem.c_per_group()}};
    plan.cost = std::get<gridwise::Cost>(CheckApplicability(instance, context));
    return plan;
  }

 private:
  std::vector<gridwise::InstanceInfo> instances_[std::size(gridwise::kAllGfx)];
};

}  // namespace

const gridwise::KernelFamily& NaiveFamily() {
  static const Naive* const family = new Naive;
  return *family;
}

}  // namespace consumer
