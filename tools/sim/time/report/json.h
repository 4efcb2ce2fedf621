// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tools/sim/time/model/launch_time.h"
#include "tools/sim/time/trace/op.h"

namespace gridwise::sim::time {

/// The launch's time as a JSON object, with all that Text says, every instruction that was
/// executed, how busy resources were over time, and the bytes that levels of memory delivered.
/// `launches`: how often the program launched it. `what`: what the program says that it computes
/// (gridwiseSimNameLaunches), may be empty.
std::string Json(const LaunchTime& time, std::span<const Op> ops, uint64_t entry, int launches,
                 std::string_view what);

/// What waves of one unit did when, in the format of chrome://tracing and Perfetto: a process for
/// each SIMD, a thread for each wave; the arguments say what an instruction waited for. A clock is
/// shown as a microsecond.
std::string ChromeTrace(std::span<const WaveEvent> events, std::span<const Op> ops);

}  // namespace gridwise::sim::time
