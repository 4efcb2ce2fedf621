#include "core/estimate/share_k.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace gridwise {

Sharing ShareK(Sharing sharing, DataType type, const DeviceFacts& device, const Work& work,
               absl::FunctionRef<double(int splits)> time_of,
               absl::FunctionRef<bool(int splits, double time)> is_over, double enough) {
  constexpr double kLeastSteps = 4;  // shorter loops are not worth a workgroup
  constexpr int kMostRounds = 8;     // more workgroups than that waste little of the last round
  if (sharing.splits == 0) {
    sharing.splits = 1;
    const bool splittable =
        SumType(type) == DataType::kF32 && work.out_elements < static_cast<double>(kOffsetLimit);
    if (!splittable) return sharing;
    const double of_round = device.compute_units / work.tiles;  // splits whose tiles fill all units
    const auto has_steps = [&](int splits) {
      const bool too_many = sharing.joins() && splits > sharing.most_joined;
      return !too_many && work.steps / (work.tiles * splits) >= kLeastSteps;
    };
    // Kernels that join splits are for several: of one, there is another without what joins them.
    sharing.splits = sharing.joins() && has_steps(2) ? 2 : 1;
    const auto is_possible = [&, fewest = sharing.splits](int splits) {
      return splits >= fewest && (splits == 1 || has_steps(splits));
    };
    constexpr double kSlack = 1 + 1e-9;  // bounds are exact but for rounding
    enough *= kSlack;
    double least = std::numeric_limits<double>::infinity();
    const auto consider = [&](int splits) {
      if (!is_possible(splits) || is_over(splits, enough)) return;
      const double time = time_of(splits);
      enough = std::min(enough, time * kSlack);
      if (time >= least) return;
      least = time;
      sharing.splits = splits;
    };
    // A likely one first, so that the others are ruled out.
    const auto likely = std::max(1U, static_cast<unsigned>(std::min(2 * of_round, 1e9)));
    consider(static_cast<int>(likely));
    if (likely > 1) consider(1);
    const auto is_new = [&](unsigned splits) { return splits > 1 && splits != likely; };
    for (unsigned splits = 2; splits <= kMostRounds * of_round; splits *= 2) {
      if (is_new(splits)) consider(static_cast<int>(splits));
    }
    for (int rounds = 1; rounds <= kMostRounds; ++rounds) {
      const auto splits = static_cast<unsigned>(rounds * of_round);
      if (!std::has_single_bit(splits) && is_new(splits)) consider(static_cast<int>(splits));
    }
  }
  if (sharing.splits > 1 && sharing.partial_elements == 0 && !sharing.joins()) {
    sharing.partial_elements = static_cast<std::int64_t>(work.out_elements);
  }
  return sharing;
}

}  // namespace gridwise
