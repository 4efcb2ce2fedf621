// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

namespace gridwise::sim::time {

/// The resources that can limit a kernel. A what-if run makes some of them free.
enum class Resource : uint8_t {
  kMatrix,
  kVector,
  kIssue,  // scalar instructions, branches, instructions that only wait
  kLds,
  kAddress,  // address unit and vector cache
  kL2,
  kMall,
  kMemory,
  kLatency,  // waiting for memory at any level
  kBarrier,
  kCode,  // instruction fetch
};
inline constexpr int kResources = 11;
constexpr std::string_view Name(Resource resource) {
  constexpr std::string_view kNames[kResources] = {"matrix unit",
                                                   "vector ALU",
                                                   "instruction issue",
                                                   "LDS",
                                                   "address unit and vector cache",
                                                   "L2",
                                                   "MALL",
                                                   "device memory",
                                                   "latency",
                                                   "barriers",
                                                   "instruction cache"};
  return kNames[static_cast<int>(resource)];
}
constexpr uint32_t Bit(Resource resource) { return 1u << static_cast<int>(resource); }

/// A resource that serves one request after the other.
struct Server {
  double free = 0;  // when it is free again
  double busy = 0;  // clocks in all

  /// Serves a request of `clk` clocks at `t` or later. Returns when it starts.
  double Take(double t, double clk) {
    const double start = std::max(t, free);
    free = start + clk;
    busy += clk;
    return start;
  }
};

/// A unit's share of a resource that several units share: `rate` bytes a clock in the long run. It
/// may save up what it does not use for `credit` clocks.
struct Share {
  double rate = 0, credit = 0;
  double next = -std::numeric_limits<double>::infinity();
  double bytes = 0;  // in all

  /// Clocks that `bytes` take at the rate.
  double clk() const { return bytes / rate; }
  /// Returns when `amount` bytes arrive that are requested at `t`.
  double Take(double t, double amount) {
    bytes += amount;
    next = std::max(next, t - credit) + amount / rate;
    return std::max(next, t);
  }
};

}  // namespace gridwise::sim::time
