#include "core/planning/plan_turns.h"

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

/// Bytes in each of the memories that launches are given.
using MemoryBytes = std::array<std::int64_t, kMemories>;

std::int64_t& At(MemoryBytes& bytes, Memory memory) {
  return bytes[static_cast<std::size_t>(memory)];
}

/// Whether outputs are sums over images, so that a turn computes a term.
bool SumsImages(const ConvProblem& problem) {
  return problem.direction == Direction::kBackwardWeight;
}

/// Bytes from one image to the next; 0 if a memory has no images.
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

/// The problem of a turn of `images` images.
ConvProblem TurnOf(const ConvProblem& whole, std::int64_t images) {
  ConvProblem turn = whole;
  turn.batch = images;
  if (SumsImages(whole)) {
    turn.out_type = DataType::kF32;
    turn.epilogue = {};
  }
  return turn;
}

/// Appends the launches of a turn to `all`. Its memories are at bytes `at` of those of `all`, and
/// terms of sums are in the workspace.
void Append(const LaunchPlan& turn, MemoryBytes at, bool is_term, LaunchPlan& all) {
  const auto move = [&](Place& place) {
    place.offset += At(at, place.memory);
    if (is_term && place.memory == Memory::kOut) place.memory = Memory::kWorkspace;
  };
  for (KernelLaunch launch : turn.launches) {
    for (KernelLaunch::Address& address : launch.addresses) move(address.place);
    for (KernelLaunch::Map& map : launch.maps) move(map.place);
    all.launches.push_back(std::move(launch));
  }
  const std::int64_t end = At(at, Memory::kWorkspace) + turn.workspace_bytes;
  all.workspace_bytes = std::max(all.workspace_bytes, end);
  all.gemms.insert(all.gemms.end(), turn.gemms.begin(), turn.gemms.end());
  all.splits = std::max(all.splits, turn.splits);
}

}  // namespace

bool HasTurns(const ConvProblem& problem) {
  const bool has_terms = !SumsImages(problem) || SumType(problem.type) == DataType::kF32;
  return has_terms && problem.batch > 1 &&
         (problem.layout != Layout::kGNHWC || problem.groups == 1);
}

std::optional<LaunchPlan> LaunchInTurns(const KernelFamily& family, std::size_t instance,
                                        const PlanContext& context, std::int64_t turns) {
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
  At(at, Memory::kOut) = all.Reserve(turns * term_bytes);
  At(at, Memory::kWorkspace) = all.Reserve(0);
  LaunchPlan of_turn;
  std::int64_t planned = 0;
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const std::int64_t images = whole.batch / turns + (turn < whole.batch % turns ? 1 : 0);
    if (images != planned) {
      PlanContext of_images(TurnOf(whole, images), context.device(), context.options());
      if (std::holds_alternative<Refusal>(family.CheckApplicability(instance, of_images)))
        return std::nullopt;
      of_turn = family.MakeLaunches(instance, of_images);
      if (of_turn.zero_bytes > 0) return std::nullopt;
      planned = images;
      At(at, Memory::kTable) = static_cast<std::int64_t>(all.table.size());
      all.table.insert(all.table.end(), of_turn.table.begin(), of_turn.table.end());
    }
    Append(of_turn, at, are_terms, all);
    all.cost = turn == 0 ? of_turn.cost : InSequence(all.cost, of_turn.cost);
    for (std::size_t i = 0; i < kMemories; ++i) at[i] += images * image_bytes[i];
    At(at, Memory::kOut) += term_bytes;
  }
  if (!are_terms) return all;
  const auto terms = static_cast<int>(turns);
  AddReduceLaunches(whole, context.device().gfx, terms, /*partial_at=*/0, Places(), all);
  all.cost.pass_cycles += ReduceCycles(context.device(), static_cast<double>(whole.out_elements()),
                                       terms, SizeOf(whole.output_type()));
  all.cost = WithCycles(all.cost);
  return all;
}

}  // namespace gridwise
