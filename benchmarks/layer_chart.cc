// SPDX-License-Identifier: MIT
// Draws how fast the layers of RetinaNet are expected to be on a target, in each direction:
//
//   bazel run --config=gfx942 //benchmarks:layer_chart -- gfx942
//
// writes benchmarks/retinanet_gfx942.svg. Times are the planner's estimates, not measurements.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/arch/device_facts.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "gridwise/conv.h"

namespace gridwise {
namespace {

// In SVG's units.
constexpr double kLine = 14, kNames = 110, kPanel = 230, kGap = 24, kTop = 62, kBottom = 34;
// The axis is logarithmic, from 10^0 to 10^kDecades TFLOP/s.
constexpr int kDecades = 3;

double X(double tflop_per_s) {
  return kPanel * std::clamp(std::log10(std::max(tflop_per_s, 1.0)) / kDecades, 0.0, 1.0);
}

std::string Text(double x, double y, const char* anchor, const std::string& text) {
  return absl::StrFormat("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor,
                         text);
}

/// TFLOP/s if nothing but reading the operands and writing the output, once each, took time.
double MemoryLimit(const ConvProblem& problem, Gfx gfx) {
  const double bytes =
      static_cast<double>(SizeOf(problem.type) * (problem.a_elements() + problem.b_elements()) +
                          SizeOf(problem.output_type()) * problem.out_elements());
  return problem.Flops() / bytes * DeviceFacts(gfx).memory_gb_per_s * 1e-3;
}

/// A bar for the estimate, and a tick for the memory's limit.
absl::StatusOr<std::string> Bar(const ConvProblem& problem, Gfx gfx, double x, double y) {
  const absl::StatusOr<Plan> plan = MakePlan(problem, gfx);
  if (!plan.ok()) return plan.status();
  const double us = plan->cost().cycles / plan->device().clock_ghz * 1e-3;
  const double estimate = problem.Flops() / us * 1e-6;
  std::string svg = absl::StrFormat(
      "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", x, y + 2,
      X(estimate), kLine - 4);
  const double tick = x + X(MemoryLimit(problem, gfx));
  absl::StrAppendFormat(&svg, "<path class=\"limit\" d=\"M%.1f %.1fv%.1f\"/>\n", tick, y + 1,
                        kLine - 2);
  absl::StrAppend(
      &svg, Text(x + X(estimate) + 4, y + kLine - 4, "start", absl::StrFormat("%.0f", estimate)));
  return svg;
}

/// A title, and a line for each power of 10.
std::string Axis(Direction direction, double x, double bottom) {
  std::string svg = Text(x, kTop - 18, "start", Name(direction));
  for (int decade = 0; decade <= kDecades; ++decade) {
    const double at = x + kPanel * decade / kDecades;
    absl::StrAppendFormat(&svg, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>\n", at, kTop, bottom);
    absl::StrAppend(&svg, Text(at, kTop - 5, "middle", absl::StrCat(std::pow(10, decade))));
  }
  return svg;
}

absl::StatusOr<std::string> Draw(const std::vector<NamedProblem>& problems, Gfx gfx) {
  const double bottom = kTop + kLine * static_cast<double>(problems.size());
  const double width = kNames + std::size(kAllDirections) * (kPanel + kGap);
  std::string svg = absl::StrFormat(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="sans-serif" font-size="10">
<style>rect{fill:#fff}.bar{fill:#4a7fb5}.grid{stroke:#ddd}.limit{stroke:#c0392b;stroke-width:1.5}.title{font-size:14px}</style>
<rect width="100%%" height="100%%"/>
<text class="title" x="8" y="20">SSD-RetinaNet (ResNeXt50-32x4d, 800x800, batch 32), f16 on %s (%s): TFLOP/s that the planner expects</text>
)",
      width, bottom + kBottom, DeviceFacts(gfx).product->name, Name(gfx));
  double x = kNames;
  for (const Direction direction : kAllDirections) {
    absl::StrAppend(&svg, Axis(direction, x, bottom));
    for (size_t i = 0; i < problems.size(); ++i) {
      const std::vector<Direction>& wanted = problems[i].directions;
      if (std::find(wanted.begin(), wanted.end(), direction) == wanted.end()) continue;
      ConvProblem problem = problems[i].problem;
      problem.direction = direction;
      const absl::StatusOr<std::string> bar =
          Bar(problem, gfx, x, kTop + kLine * static_cast<double>(i));
      if (!bar.ok()) return bar.status();
      absl::StrAppend(&svg, *bar);
    }
    x += kPanel + kGap;
  }
  for (size_t i = 0; i < problems.size(); ++i) {
    absl::StrAppend(&svg, Text(kNames - 8, kTop + kLine * static_cast<double>(i + 1) - 4, "end",
                               problems[i].name));
  }
  absl::StrAppend(&svg,
                  Text(kNames, bottom + 20, "start",
                       "Estimates rank kernels; they are no measurements. Red: what memory allows "
                       "if operands and "
                       "output are moved once, a limit that the estimate does not know."),
                  "</svg>\n");
  return svg;
}

absl::Status Write(const std::string& target, const std::string& workspace) {
  const std::optional<Gfx> gfx = ParseGfx(target);
  if (!gfx) return absl::InvalidArgumentError(absl::StrCat("no target is called ", target));
  const auto problems = ReadProblems("tests/problems/retinanet.csv");
  if (!problems.ok()) return problems.status();
  const absl::StatusOr<std::string> svg = Draw(*problems, *gfx);
  if (!svg.ok()) return svg.status();
  const std::string path = absl::StrCat(workspace, "/benchmarks/retinanet_", target, ".svg");
  if (!(std::ofstream(path, std::ios::binary) << *svg).flush()) {
    return absl::InvalidArgumentError(absl::StrCat("cannot write ", path));
  }
  absl::PrintF("%s\n", path);
  return absl::OkStatus();
}

}  // namespace
}  // namespace gridwise

int main(int argc, char** argv) {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr || argc != 2) {
    absl::FPrintF(stderr, "run this as `bazel run //benchmarks:layer_chart -- gfx942`\n");
    return 2;
  }
  const absl::Status status = gridwise::Write(argv[1], workspace);
  if (!status.ok()) absl::FPrintF(stderr, "%s\n", status.message());
  return status.ok() ? 0 : 1;
}
