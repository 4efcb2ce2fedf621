// SPDX-License-Identifier: MIT
#include "tools/sim/time/calibrate/score.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace gridwise::sim::time {
namespace {

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

Score ComputeScore(std::span<const Prediction> predictions, double noise) {
  Score score;
  if (predictions.empty()) return score;
  std::vector<double> errors;
  for (const Prediction& p : predictions) {
    const double ratio = std::log(p.predicted_ms / p.measured_ms);
    errors.push_back(std::abs(ratio));
    score.bias += ratio / static_cast<double>(predictions.size());
    score.largest = std::max(score.largest, std::abs(ratio));
  }
  score.rows = static_cast<int>(predictions.size());
  score.median = Median(errors);
  int pairs = 0, in_order = 0;
  for (size_t i = 0; i < predictions.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const Prediction &a = predictions[i], &b = predictions[j];
      if (a.problem != b.problem) continue;
      if (std::abs(std::log(a.measured_ms / b.measured_ms)) <= std::log1p(noise)) continue;
      ++pairs;
      in_order += (a.measured_ms < b.measured_ms) == (a.predicted_ms < b.predicted_ms);
    }
  }
  score.order = pairs == 0 ? 1 : static_cast<double>(in_order) / pairs;
  score.tau = 2 * score.order - 1;
  std::map<std::string, std::vector<Prediction>> problems;
  for (const Prediction& p : predictions) problems[p.problem].push_back(p);
  for (const auto& [problem, rows] : problems) {
    const auto fastest = [&](double Prediction::* time) {
      return std::min_element(rows.begin(), rows.end(),
                              [time](const auto& a, const auto& b) { return a.*time < b.*time; });
    };
    const double lost = fastest(&Prediction::predicted_ms)->measured_ms /
                            fastest(&Prediction::measured_ms)->measured_ms -
                        1;
    score.regret += lost / static_cast<double>(problems.size());
  }
  return score;
}

std::string FamilyOf(std::string_view id) {
  const size_t first = id.find('-');
  const size_t second = first == id.npos ? id.npos : id.find('-', first + 1);
  return std::string(id.substr(0, second));
}

}  // namespace gridwise::sim::time
