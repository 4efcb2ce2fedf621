// SPDX-License-Identifier: MIT
#include "core/planning/plan_micro_batches.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/cost/cost.h"
#include "core/passes/plan_reduce.h"

namespace gridwise {
namespace {

/// A number of bytes for each Memory.
using MemoryBytes = std::array<std::int64_t, kMemories>;

std::int64_t& At(MemoryBytes& bytes, Memory memory) {
  return bytes[static_cast<std::size_t>(memory)];
}

/// Returns whether outputs are sums over images, so that a micro-batch computes one term.
bool SumsImages(const ConvProblem& problem) {
  return problem.direction == Direction::kBackwardWeight;
}

/// Returns the distance from one image to the next; 0 for memories without images.
MemoryBytes ImageBytes(const ConvProblem& problem) {
  MemoryBytes bytes = {};
  At(bytes, Memory::kA) = problem.a_elements() / problem.batch * SizeOf(problem.type);
  At(bytes, Memory::kA1) = At(bytes, Memory::kA);
  if (SumsImages(problem)) {
    At(bytes, Memory::kB) = problem.b_elements() / problem.batch * SizeOf(problem.type);
    At(bytes, Memory::kB1) = At(bytes, Memory::kB);
    return bytes;
  }
  At(bytes, Memory::kOut) = problem.out_elements() / problem.batch * SizeOf(problem.output_type());
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    const EpilogueTensor& d = problem.epilogue.d[static_cast<std::size_t>(i)];
    At(bytes, i == 0 ? Memory::kD0 : Memory::kD1) = d.stride[0] * SizeOf(d.type);
  }
  return bytes;
}

/// Returns the problem of a micro-batch of `images` images.
ConvProblem MicroBatchOf(const ConvProblem& whole, std::int64_t images) {
  ConvProblem micro_batch = whole;
  micro_batch.batch = images;
  if (SumsImages(whole)) {
    micro_batch.out_type = DataType::kF32;
    micro_batch.epilogue = {};
  }
  return micro_batch;
}

/// Appends the launches of a micro-batch to `all`. `at` has the offsets of the micro-batch's
/// memories in those of `all`. If `is_term`, the output is in the workspace.
void Append(const LaunchPlan& micro_batch, MemoryBytes at, bool is_term, LaunchPlan& all) {
  const auto move = [&](MemoryOffset& where) {
    where.offset += At(at, where.memory);
    if (is_term && where.memory == Memory::kOut) where.memory = Memory::kWorkspace;
  };
  for (KernelLaunch launch : micro_batch.launches) {
    for (KernelLaunch::Address& address : launch.addresses) move(address.points_to);
    for (KernelLaunch::Map& map : launch.maps) move(map.points_to);
    all.launches.push_back(std::move(launch));
  }
  const std::int64_t end = At(at, Memory::kWorkspace) + micro_batch.workspace_bytes;
  all.workspace_bytes = std::max(all.workspace_bytes, end);
  all.gemms.insert(all.gemms.end(), micro_batch.gemms.begin(), micro_batch.gemms.end());
  all.splits = std::max(all.splits, micro_batch.splits);
}

}  // namespace

bool HasMicroBatches(const ConvProblem& problem) {
  const bool has_terms = !SumsImages(problem) || SumType(problem.type) == DataType::kF32;
  return has_terms && problem.batch > 1 &&
         (problem.layout != Layout::kGNHWC || problem.groups == 1);
}

std::optional<LaunchPlan> LaunchMicroBatches(const KernelFamily& family, std::size_t instance,
                                             const PlanContext& context, std::int64_t count) {
  const ConvProblem& whole = context.problem();
  const bool are_terms = SumsImages(whole);
  const std::int64_t term_bytes = are_terms ? whole.out_elements() * SizeOf(DataType::kF32) : 0;
  constexpr std::int64_t kVectorBytes = 16;
  if (TraitsOf(context.device().gfx).aligned_vectors && term_bytes % kVectorBytes != 0) {
    return std::nullopt;
  }
  const MemoryBytes image_bytes = ImageBytes(whole);
  LaunchPlan all;
  MemoryBytes at = {};
  At(at, Memory::kOut) = all.Reserve(count * term_bytes);
  At(at, Memory::kWorkspace) = all.Reserve(0);
  LaunchPlan of_micro_batch;
  std::int64_t planned = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t images = whole.batch / count + (i < whole.batch % count ? 1 : 0);
    if (images != planned) {
      PlanContext of_images(MicroBatchOf(whole, images), context.device(), context.options());
      if (std::holds_alternative<Refusal>(family.CheckApplicability(instance, of_images)))
        return std::nullopt;
      of_micro_batch = family.MakeLaunches(instance, of_images);
      if (of_micro_batch.zero_bytes > 0) return std::nullopt;
      planned = images;
      At(at, Memory::kTable) = static_cast<std::int64_t>(all.table.size());
      all.table.insert(all.table.end(), of_micro_batch.table.begin(), of_micro_batch.table.end());
    }
    Append(of_micro_batch, at, are_terms, all);
    all.cost = i == 0 ? of_micro_batch.cost : InSequence(all.cost, of_micro_batch.cost);
    for (std::size_t i = 0; i < kMemories; ++i) at[i] += images * image_bytes[i];
    At(at, Memory::kOut) += term_bytes;
  }
  if (!are_terms) return all;
  const auto terms = static_cast<int>(count);
  AddReduceLaunches(whole, context.device(), terms, /*partial_at=*/0, TensorOffsets(), all);
  all.cost.pass_cycles += ReduceCycles(context.device(), static_cast<double>(whole.out_elements()),
                                       terms, SizeOf(whole.output_type()));
  all.cost = WithCycles(all.cost);
  return all;
}

}  // namespace gridwise
