// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "tools/sim/time/model/launch_time.h"
#include "tools/sim/time/model/occupancy.h"
#include "tools/sim/time/testing/bench.h"

namespace gridwise::sim::time {

/// The time of a launch of workgroups that are made by hand: `make` adds the waves of one of them.
LaunchTime TimeOf(Bench& bench, int64_t workgroups, const GroupNeeds& needs, Footprint footprint,
                  const std::function<void(int64_t)>& make,
                  const TimeOptions& options = {.interval = false});

}  // namespace gridwise::sim::time
