// SPDX-License-Identifier: MIT
#include "core/estimate/split_k.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace gridwise {

SplitK ChooseSplitK(SplitK split_k, DataType type, const DeviceFacts& device, const Work& work,
                    absl::FunctionRef<double(int splits)> time_of,
                    absl::FunctionRef<bool(int splits, double time)> is_over, double enough) {
  constexpr double kMinSteps = 4;  // shorter loops are not worth a workgroup
  constexpr int kMaxRounds = 8;    // with more workgroups than that, little of the last round is
                                   // wasted
  if (split_k.splits == 0) {
    split_k.splits = 1;
    const bool splittable =
        SumType(type) == DataType::kF32 && work.out_elements < static_cast<double>(kOffsetLimit);
    if (!splittable) return split_k;
    const double of_round = device.compute_units / work.tiles;  // splits whose tiles fill all units
    const auto has_steps = [&](int splits) {
      const bool too_many = split_k.has_fixup() && splits > split_k.max_fixup;
      return !too_many && work.steps / (work.tiles * splits) >= kMinSteps;
    };
    // Kernels with a fix-up need several: for a single one, there is another instance without
    // joining.
    split_k.splits = split_k.has_fixup() && has_steps(2) ? 2 : 1;
    const auto is_possible = [&, fewest = split_k.splits](int splits) {
      return splits >= fewest && (splits == 1 || has_steps(splits));
    };
    constexpr double kSlack = 1 + 1e-9;  // bounds are exact except for rounding
    enough *= kSlack;
    double least = std::numeric_limits<double>::infinity();
    const auto consider = [&](int splits) {
      if (!is_possible(splits) || is_over(splits, enough)) return;
      const double time = time_of(splits);
      enough = std::min(enough, time * kSlack);
      if (time >= least) return;
      least = time;
      split_k.splits = splits;
    };
    // A likely candidate first, to exclude most others.
    const auto likely = std::max(1U, static_cast<unsigned>(std::min(2 * of_round, 1e9)));
    consider(static_cast<int>(likely));
    if (likely > 1) consider(1);
    const auto is_new = [&](unsigned splits) { return splits > 1 && splits != likely; };
    for (unsigned splits = 2; splits <= kMaxRounds * of_round; splits *= 2) {
      if (is_new(splits)) consider(static_cast<int>(splits));
    }
    for (int rounds = 1; rounds <= kMaxRounds; ++rounds) {
      const auto splits = static_cast<unsigned>(rounds * of_round);
      if (!std::has_single_bit(splits) && is_new(splits)) consider(static_cast<int>(splits));
    }
  }
  if (split_k.splits > 1 && split_k.partial_elements == 0 && !split_k.has_fixup()) {
    split_k.partial_elements = static_cast<std::int64_t>(work.out_elements);
  }
  return split_k;
}

}  // namespace gridwise
