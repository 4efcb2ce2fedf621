// SPDX-License-Identifier: MIT
#include "tests/plans/times.h"

#include <cmath>
#include <cstdint>
#include <fstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "core/base/types.h"
#include "core/conv/problem_io.h"
#include "tools/gridwise/run/time_plan.h"

namespace gridwise {
namespace {

constexpr std::string_view kTitles = "problem,direction,instance,us,bound_us,limit,min_us,reason";

/// A layer's pixels of a direction in a table; empty ones if it has no such direction.
std::string Pixels(const std::vector<Layer>& layers, const std::vector<LayerTime>& times,
                   std::string_view name, Direction direction) {
  for (const Layer& layer : layers) {
    if (layer.name != name || layer.problem.direction != direction) continue;
    const LayerTime* const time = FindTime(times, layer);
    if (time == nullptr) break;
    const std::string us =
        time->us < 1000 ? absl::StrFormat("%#.3g", time->us) : absl::StrFormat("%.0f", time->us);
    return absl::StrFormat(
        " %s | %.0f | %.0f | %s |", us.ends_with('.') ? us.substr(0, us.size() - 1) : us,
        layer.problem.Flops() / time->us * 1e-6, 100 * time->bound_us / time->us, time->limit);
  }
  return "  |  |  |  |";
}

}  // namespace

absl::StatusOr<std::vector<Layer>> TimedLayers() {
  constexpr std::int64_t kImages = 32;
  const absl::StatusOr<std::vector<NamedProblem>> problems =
      ReadProblems("tests/problems/retinanet.csv");
  if (!problems.ok()) return problems.status();
  std::vector<Layer> layers;
  for (const NamedProblem& named : *problems) {
    for (const Direction direction : named.directions) {
      Layer& layer = layers.emplace_back(Layer{named.name, named.problem});
      layer.problem.direction = direction;
      layer.problem.type = DataType::kF16;
      layer.problem.batch = kImages;
    }
  }
  return layers;
}

std::string TimesPath(Gfx gfx) { return absl::StrCat("tests/plans/", Name(gfx), "_times.csv"); }

absl::StatusOr<std::vector<LayerTime>> ReadTimes(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != kTitles) {
    return absl::NotFoundError(
        absl::StrCat(path, " must begin with \"", kTitles, "\"; it begins with \"", line, "\""));
  }
  std::vector<LayerTime> times;
  while (std::getline(file, line)) {
    const std::vector<std::string> pixels = absl::StrSplit(line, absl::MaxSplits(',', 7));
    LayerTime time;
    if (pixels.size() != 8 || !absl::SimpleAtod(pixels[3], &time.us) ||
        !absl::SimpleAtod(pixels[4], &time.bound_us) ||
        !absl::SimpleAtod(pixels[6], &time.min_us)) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": \"", line, "\" must be ", kTitles));
    }
    time.name = pixels[0];
    time.direction = pixels[1];
    time.instance = pixels[2];
    time.limit = pixels[5];
    time.reason = pixels[7];
    times.push_back(std::move(time));
  }
  return times;
}

std::string PrintTimes(const std::vector<LayerTime>& times) {
  std::string text = absl::StrCat(kTitles, "\n");
  for (const LayerTime& time : times) {
    absl::StrAppendFormat(&text, "%s,%s,%s,%.4g,%.4g,%s,%.4g,%s\n", time.name, time.direction,
                          time.instance, time.us, time.bound_us, time.limit, time.min_us,
                          time.reason);
  }
  return text;
}

const LayerTime* FindTime(const std::vector<LayerTime>& times, const Layer& layer) {
  for (const LayerTime& time : times) {
    if (time.name == layer.name && time.direction == Name(layer.problem.direction)) return &time;
  }
  return nullptr;
}

absl::StatusOr<LayerTime> TimeLayer(const Layer& layer, const Plan& plan, SimTiming simulated) {
  const absl::StatusOr<Timing> timing =
      TimePlan(Problem(layer.problem), plan, {.simulated = simulated});
  if (!timing.ok()) return timing.status();
  const double us = 1e3 * timing->ms;
  return LayerTime{.name = layer.name,
                   .direction = Name(layer.problem.direction),
                   .instance = plan.instance(),
                   .us = us,
                   .bound_us = 1e3 * timing->roofline.ms(),
                   .limit = timing->limiter,
                   .min_us = us,
                   .reason = ""};
}

std::string PrintTable(const std::vector<Layer>& layers, const std::vector<LayerTime>& times) {
  std::string text = "| layer |";
  for (const Direction direction : kAllDirections) {
    absl::StrAppend(&text, " ", Name(direction), " us | TFLOP/s | % | limit |");
  }
  text += "\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  std::vector<std::string> names;
  for (const Layer& layer : layers) {
    if (names.empty() || names.back() != layer.name) names.push_back(layer.name);
  }
  for (const std::string& name : names) {
    absl::StrAppend(&text, "| ", name, " |");
    for (const Direction direction : kAllDirections)
      absl::StrAppend(&text, Pixels(layers, times, name, direction));
    text += "\n";
  }
  return text;
}

double PercentOfBound(const std::vector<LayerTime>& times, std::string_view direction) {
  double logs = 0;
  int count = 0;
  for (const LayerTime& time : times) {
    if (!direction.empty() && time.direction != direction) continue;
    logs += std::log(time.bound_us / time.us);
    ++count;
  }
  return 100 * std::exp(logs / count);
}

}  // namespace gridwise
