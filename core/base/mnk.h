// SPDX-License-Identifier: MIT
#pragma once

namespace gridwise {

/// Extents of a matrix multiplication: D[m][n] = sum over k of A[m][k] * B[k][n].
struct Mnk {
  int m = 0, n = 0, k = 0;
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [m, n, k] = self;
    visit("", m);
    visit("", n);
    visit("", k);
  }
  bool operator==(const Mnk&) const = default;
};

}  // namespace gridwise
