#include "core/launch/plan_turns.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "core/base/types.h"
#include "core/launch/cost.h"

namespace gridwise {
namespace {

/// Bytes from an image to the next, in each of the memories that launches are given.
std::array<std::int64_t, kMemories> ImageBytes(const ConvProblem& problem) {
  std::array<std::int64_t, kMemories> bytes = {};
  const auto at = [&](Memory memory) -> std::int64_t& {
    return bytes[static_cast<std::size_t>(memory)];
  };
  at(Memory::kA) = problem.a_elements() / problem.batch * SizeOf(problem.type);
  at(Memory::kA1) = at(Memory::kA);
  at(Memory::kOut) = problem.out_elements() / problem.batch * SizeOf(problem.output_type());
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    const EpilogueTensor& d = problem.epilogue.d[static_cast<std::size_t>(i)];
    at(i == 0 ? Memory::kD0 : Memory::kD1) = d.stride[0] * SizeOf(d.type);
  }
  return bytes;
}

/// Appends the launches of a turn to `all`: its first image is `first`, and its table is at byte
/// `table_at` of that of all.
void Append(const LaunchPlan& turn, std::int64_t first, std::int64_t table_at,
            const std::array<std::int64_t, kMemories>& image_bytes, LaunchPlan& all) {
  const auto move = [&](Place& place) {
    place.offset += first * image_bytes[static_cast<std::size_t>(place.memory)];
    if (place.memory == Memory::kTable) place.offset += table_at;
  };
  for (KernelLaunch launch : turn.launches) {
    for (KernelLaunch::Address& address : launch.addresses) move(address.place);
    for (KernelLaunch::Map& map : launch.maps) move(map.place);
    all.launches.push_back(std::move(launch));
  }
  all.workspace_bytes = std::max(all.workspace_bytes, turn.workspace_bytes);
  all.gemms.insert(all.gemms.end(), turn.gemms.begin(), turn.gemms.end());
  all.splits = std::max(all.splits, turn.splits);
  all.cost = first == 0 ? turn.cost : InSequence(all.cost, turn.cost);
}

}  // namespace

bool HasTurns(const ConvProblem& problem) {
  return problem.direction != Direction::kBackwardWeight && problem.batch > 1 &&
         (problem.layout != Layout::kGNHWC || problem.groups == 1);
}

std::optional<LaunchPlan> LaunchInTurns(const KernelFamily& family, std::size_t row,
                                        const PlanContext& context, std::int64_t turns) {
  const ConvProblem& whole = context.problem();
  const auto image_bytes = ImageBytes(whole);
  LaunchPlan all;
  LaunchPlan of_turn;
  std::int64_t planned = 0, table_at = 0, first = 0;
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const std::int64_t images = whole.batch / turns + (turn < whole.batch % turns ? 1 : 0);
    if (images != planned) {
      ConvProblem problem = whole;
      problem.batch = images;
      PlanContext of_images(problem, context.device(), context.options());
      if (std::holds_alternative<Refusal>(family.Ask(row, of_images))) return std::nullopt;
      of_turn = family.MakeLaunches(row, of_images);
      if (of_turn.zero_bytes > 0) return std::nullopt;
      planned = images;
      table_at = static_cast<std::int64_t>(all.table.size());
      all.table.insert(all.table.end(), of_turn.table.begin(), of_turn.table.end());
    }
    Append(of_turn, first, table_at, image_bytes, all);
    first += images;
  }
  return all;
}

}  // namespace gridwise
