// SPDX-License-Identifier: MIT
#include "tools/sim/time/model/mall_search.h"

#include <algorithm>
#include <cmath>

namespace gridwise::sim::time {
namespace {

constexpr int kMaxReplays = 8;
/// Changes of what memory delivers that a unit is not replayed for again.
constexpr double kAgree = 0.1;

/// The part that memory delivers, never 0: a replay may find everything in the MALL.
double OfMemory(double part) { return std::max(1e-3, 1 - part); }

/// Parts that OfMemory does not tell apart agree, so that TooMany is never 0 where they do not.
bool Agree(double a, double b) {
  return std::abs(OfMemory(a) - OfMemory(b)) <= kAgree * OfMemory(a);
}

/// Lines fetched beyond those that agree, per line that memory delivers.
double TooMany(const MallReplay& replay) {
  return 1 / OfMemory(replay.found) - 1 / OfMemory(replay.had);
}

}  // namespace

std::optional<double> MallSearch::Next(const MallReplay& replay) {
  last_ = replay;
  if (Agree(replay.had, replay.found)) {
    too_low_ = too_high_ = std::nullopt;
    return std::nullopt;
  }
  (replay.found > replay.had ? too_low_ : too_high_) = replay;
  if (++replays_ == kMaxReplays) return std::nullopt;
  if (!too_low_ || !too_high_) return replay.found;
  if (Agree(too_low_->had, too_high_->had)) return std::nullopt;
  return 1 - std::sqrt(OfMemory(too_low_->had) * OfMemory(too_high_->had));
}

double MallSearch::Clocks() const {
  if (!too_low_ || !too_high_) return last_.clk;
  const double low = TooMany(*too_low_), high = TooMany(*too_high_);
  return (low * too_high_->clk - high * too_low_->clk) / (low - high);
}

}  // namespace gridwise::sim::time
