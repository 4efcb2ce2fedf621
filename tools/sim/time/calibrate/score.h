// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridwise::sim::time {

/// A measured time and the clock's.
struct Prediction {
  std::string id;
  double measured_ms = 0, predicted_ms = 0;
  std::string problem = {};  // what it computes: order is among those that compute the same
};

/// How well predictions of one family of kernels fit. Errors are |log(predicted / measured)|.
struct Score {
  int rows = 0;
  double median = 0, largest = 0;
  double bias = 0;    // mean of log(predicted / measured)
  double tau = 0;     // Kendall's, over pairs that measurements tell apart; 1 without any
  double regret = 0;  // the time of the best by prediction, over that of the best, less 1; mean of
                      // the problems
  double order = 0;   // part of the pairs that differ by more than the noise that are in order
};

/// Pairs whose measurements differ by less than the part `noise` are left out of tau and order.
Score ComputeScore(std::span<const Prediction> predictions, double noise = 0.05);

/// "g1100-sebv" of "g1100-sebv-k1": rows of a family are variants of one kernel on one machine.
std::string FamilyOf(std::string_view id);

}  // namespace gridwise::sim::time
