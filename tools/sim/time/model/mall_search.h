// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

namespace gridwise::sim::time {

/// A replay with a part of lines that the MALL has. `found` is the part that it would have if as
/// much was fetched in every launch as in this one.
struct MallReplay {
  double had = 0, found = 0, clk = 0;
};

/// Looks for the part that agrees with what is fetched with it. The more the MALL has, the less
/// units may fetch: they are faster, and share more lines while they are in step. Where that
/// changes by a step, no part agrees, and the launch is partly on either side of it.
class MallSearch {
 public:
  /// The part to replay with after `replay`. None if parts agree, or nearly so on two sides.
  std::optional<double> Next(const MallReplay& replay);

  /// The launch's clocks, after the last replay. From the two sides each takes the share with which
  /// memory delivers each line once.
  double Clocks() const;

 private:
  int replays_ = 0;
  MallReplay last_;
  std::optional<MallReplay> too_low_, too_high_;
};

}  // namespace gridwise::sim::time
