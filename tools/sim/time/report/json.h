// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tools/sim/time/model/launch_time.h"
#include "tools/sim/time/trace/op.h"

namespace gridwise::sim::time {

/// The launch's time as a JSON object, with all that Text says and every instruction that was
/// executed. `launches`: how often the program launched it.
std::string Json(const LaunchTime& time, std::span<const Op> ops, uint64_t entry, int launches);

/// What waves of one unit did when, in the format of chrome://tracing and Perfetto: a process for
/// each SIMD, a thread for each wave; the arguments say what an instruction waited for. A clock is
/// shown as a microsecond.
std::string ChromeTrace(std::span<const WaveEvent> events, std::span<const Op> ops);

/// A page that needs nothing but itself: the summary, what was busy, and the table of
/// instructions.
std::string Html(const LaunchTime& time, std::span<const Op> ops, uint64_t entry);

}  // namespace gridwise::sim::time
