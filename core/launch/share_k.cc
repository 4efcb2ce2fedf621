#include "core/launch/share_k.h"

#include <cstdint>

namespace gridwise {

Sharing ShareK(Sharing sharing, DataType type, const DeviceFacts& device, const Work& work,
               absl::FunctionRef<double(int splits)> cycles_of) {
  constexpr double kLeastSteps = 4;  // shorter loops are not worth a workgroup
  constexpr double kMostRounds = 4;  // more workgroups than that hide nothing more
  if (sharing.splits == 0) {
    sharing.splits = 1;
    const bool splittable =
        SumType(type) == DataType::kF32 && work.out_elements < static_cast<double>(kOffsetLimit);
    double least = splittable ? cycles_of(1) : 0;
    for (int splits = 2; splittable && work.steps / (work.tiles * splits) >= kLeastSteps &&
                         work.tiles * splits <= kMostRounds * device.compute_units;
         splits *= 2) {
      const double cycles = cycles_of(splits);
      if (cycles >= least) continue;
      least = cycles;
      sharing.splits = splits;
    }
  }
  if (sharing.splits > 1 && sharing.partial_elements == 0) {
    sharing.partial_elements = static_cast<std::int64_t>(work.out_elements);
  }
  return sharing;
}

}  // namespace gridwise
