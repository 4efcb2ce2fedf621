// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tools/sim/time/model/launch_time.h"
#include "tools/sim/time/trace/op.h"

namespace gridwise::sim::time {

/// The launch's time and why, for people: some ten lines, and a row for each of the `rows`
/// instructions before which waves waited longest. `entry` is the kernel's address.
std::string Text(const LaunchTime& time, std::span<const Op> ops, uint64_t entry, int rows = 12);

}  // namespace gridwise::sim::time
