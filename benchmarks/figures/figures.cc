// SPDX-License-Identifier: MIT
// Adds a line to a series of figures and says what has changed: .ci/figures calls this.
//
//   figures --series=figures.jsonl --commit=HASH --benchmarks=plan.json,sim.json
//   [--build_seconds=S]
//
// The line has, of the target --device that the program was built with: the times of the planned
// layers of RetinaNet by the simulator's clock, the sizes of the code objects of each family, and
// the figures of the reports. Without --commit nothing is added. --html=page.html draws the series.
// Exit codes: 0 all figures are what they were, 1 some have changed, 2 an error.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "benchmarks/figures/series.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "gridwise/conv.h"
#include "gridwise/instances.h"
#include "tests/plans/times.h"
#include "tools/gridwise/run/sim_report.h"
#include "tools/text/read_file.h"

ABSL_FLAG(std::string, series, "", "file of the series; it need not exist");
ABSL_FLAG(std::string, commit, "", "hash of the commit; empty: no line is added");
ABSL_FLAG(std::string, machine, "", "what measured; default: the CPU and its cores");
ABSL_FLAG(std::string, device, "gfx942", "target of the planned layers");
ABSL_FLAG(std::vector<std::string>, benchmarks, {}, "reports of Google Benchmark, in JSON");
ABSL_FLAG(double, build_seconds, 0, "how long the build took from nothing; 0: not measured");
ABSL_FLAG(std::string, html, "", "page to write");

namespace gridwise {
namespace {

/// "AMD EPYC 7763 64-Core Processor, 4 cores".
std::string Machine() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, model = "unknown CPU";
  while (std::getline(file, line)) {
    if (!absl::StartsWith(line, "model name")) continue;
    model = absl::StripAsciiWhitespace(line.substr(line.find(':') + 1));
    break;
  }
  return absl::StrCat(model, ", ", std::max(1u, std::thread::hardware_concurrency()), " cores");
}

absl::Status AddLayers(Gfx gfx, Figures& computed) {
  const absl::StatusOr<std::vector<Layer>> layers = TimedLayers();
  if (!layers.ok()) return layers.status();
  for (const Layer& layer : *layers) {
    const absl::StatusOr<Plan> plan = MakePlan(layer.problem, gfx);
    if (!plan.ok()) return plan.status();
    const absl::StatusOr<LayerTime> time = TimeLayer(layer, *plan, SimTiming::kBare);
    if (!time.ok()) return time.status();
    computed[absl::StrCat("layer/", Name(gfx), "/", time->name, "/", time->direction, ", us")] =
        time->us;
  }
  return absl::OkStatus();
}

void AddSizes(Gfx gfx, Figures& computed) {
  std::set<const char*> counted;
  for (const InstanceInfo& instance : ListInstances()) {
    const std::string_view object = instance.code.object;
    if (instance.gfx != gfx || object.empty() || !counted.insert(object.data()).second) continue;
    computed[absl::StrCat("code/", Name(gfx), "/", instance.family, ", KB")] +=
        static_cast<double>(object.size()) * 1e-3;
  }
}

absl::StatusOr<FigureLine> NewLine() {
  const std::optional<Gfx> gfx = ParseGfx(absl::GetFlag(FLAGS_device));
  if (!gfx) {
    return absl::InvalidArgumentError(
        absl::StrCat("device is ", absl::GetFlag(FLAGS_device), "; must be a target as gfx942"));
  }
  FigureLine line = {
      .date = absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone()),
      .commit = absl::GetFlag(FLAGS_commit),
      .machine = absl::GetFlag(FLAGS_machine).empty() ? Machine() : absl::GetFlag(FLAGS_machine)};
  for (const std::string& path : absl::GetFlag(FLAGS_benchmarks)) {
    const absl::StatusOr<std::string> report = ReadFile(path);
    absl::Status status = report.status();
    if (status.ok()) status = AddBenchmarks(*report, line.measured);
    if (!status.ok())
      return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
  }
  if (const double seconds = absl::GetFlag(FLAGS_build_seconds); seconds > 0)
    line.measured["build, s"] = seconds;
  AddSizes(*gfx, line.computed);
  if (absl::Status status = AddLayers(*gfx, line.computed); !status.ok()) return status;
  return line;
}

absl::Status Write(const std::string& path, std::string_view text, std::ios::openmode mode) {
  std::ofstream file(path, mode | std::ios::binary);
  file << text;
  file.close();
  return file ? absl::OkStatus() : absl::UnavailableError(absl::StrCat("cannot write ", path));
}

absl::StatusOr<std::vector<FigureChange>> Run() {
  const std::string path = absl::GetFlag(FLAGS_series);
  absl::StatusOr<std::string> text = ReadFile(path);
  if (absl::IsNotFound(text.status())) text = "";
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<FigureLine>> series = ParseSeries(*text);
  if (!series.ok())
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", series.status().message()));
  std::vector<FigureChange> changes;
  if (!absl::GetFlag(FLAGS_commit).empty()) {
    absl::StatusOr<FigureLine> line = NewLine();
    if (!line.ok()) return line.status();
    changes = FindChanges(*series, *line);
    const bool ends = text->empty() || text->ends_with('\n');
    const std::string added = absl::StrCat(ends ? "" : "\n", PrintLine(*line), "\n");
    if (absl::Status status = Write(path, added, std::ios::app); !status.ok()) return status;
    series->push_back(*std::move(line));
  }
  if (series->empty()) return absl::NotFoundError(absl::StrCat(path, " has no line"));
  if (const std::string html = absl::GetFlag(FLAGS_html); !html.empty()) {
    absl::Status status = Write(html, SeriesPage(*series, changes), std::ios::trunc);
    if (!status.ok()) return status;
  }
  const FigureLine& last = series->back();
  absl::PrintF("%d nights; the last: %s, %s, %d figures computed, %d measured on %s\n",
               series->size(), last.date, last.commit, last.computed.size(), last.measured.size(),
               last.machine);
  return changes;
}

}  // namespace
}  // namespace gridwise

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const absl::StatusOr<std::vector<gridwise::FigureChange>> changes = gridwise::Run();
  if (!changes.ok()) {
    std::fprintf(stderr, "figures: %s\n", std::string(changes.status().message()).c_str());
    return 2;
  }
  for (const gridwise::FigureChange& change : *changes)
    std::printf("changed: %s\n", change.ToString().c_str());
  return changes->empty() ? 0 : 1;
}
