#include "core/launch/share_k.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace gridwise {

Sharing ShareK(Sharing sharing, DataType type, const DeviceFacts& device, const Work& work,
               absl::FunctionRef<double(int splits)> cycles_of,
               absl::FunctionRef<bool(int splits, double cycles)> is_over, double enough_cycles) {
  constexpr double kLeastSteps = 4;  // shorter loops are not worth a workgroup
  constexpr int kMostRounds = 8;     // more workgroups than that waste little of the last round
  if (sharing.splits == 0) {
    sharing.splits = 1;
    const bool splittable =
        SumType(type) == DataType::kF32 && work.out_elements < static_cast<double>(kOffsetLimit);
    const double of_round = device.compute_units / work.tiles;  // splits whose tiles fill all units
    const auto is_possible = [&](int splits) {
      return splittable && splits > 1 && work.steps / (work.tiles * splits) >= kLeastSteps;
    };
    double least = splittable ? cycles_of(1) : 0;
    // What is sure to take longer than another need not be estimated.
    double enough = std::min(least, enough_cycles) * (1 + 1e-9);
    if (const int likely = static_cast<int>(std::min(2 * of_round, 1e9));
        is_possible(likely) && !is_over(likely, enough)) {
      enough = std::min(enough, cycles_of(likely) * (1 + 1e-9));
    }
    const auto consider = [&](int splits) {
      if (!is_possible(splits) || is_over(splits, enough)) return;
      const double cycles = cycles_of(splits);
      enough = std::min(enough, cycles * (1 + 1e-9));
      if (cycles >= least) return;
      least = cycles;
      sharing.splits = splits;
    };
    for (int splits = 2; splits <= kMostRounds * of_round; splits *= 2) consider(splits);
    for (int rounds = 1; rounds <= kMostRounds; ++rounds) {
      const auto splits = static_cast<unsigned>(rounds * of_round);
      if (!std::has_single_bit(splits)) consider(static_cast<int>(splits));  // else it has been
    }
  }
  if (sharing.splits > 1 && sharing.partial_elements == 0) {
    sharing.partial_elements = static_cast<std::int64_t>(work.out_elements);
  }
  return sharing;
}

}  // namespace gridwise
