// SPDX-License-Identifier: MIT
// Fits the constants of the planner's estimates (core/estimate/tile_fit.h,
// hopper/fit/fit.h) to times of the simulator's clock, or of a device:
//
//   bazel run //tools/gridwise -- sweep --device=gfx950 --problems=retinanet --n=32 --time
//       --all-instances --csv=times.csv
//   bazel run //benchmarks:fit -- times.csv
//
//   python3 benchmarks/compare_cudnn.py --all-instances ... # writes instances.csv
//   bazel run --config=sm_90a //benchmarks:fit -- instances.csv
//
// The tables are of one device, and of the instances as they are now. Printed are the constants, to
// be pasted into core/estimate/tile_fit.cc or hopper/fit/fit.h, and how good the planner's choices
// are before and after. What is made small is what the choices lose, and the errors of the faster
// instances' estimates: of their times, not of their order alone, as the number of splits is chosen
// by what a launch and a pass take beside the rest.

#include "hopper/fit/fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/cost/cost.h"
#include "core/cost/fitted_constants.h"
#include "core/estimate/tile_fit.h"
#include "core/planning/family.h"
#include "core/planning/plan_context.h"
#include "gridwise/conv.h"
#include "gridwise/families.h"
#include "tools/gridwise/sweep/read_tables.h"

namespace gridwise {
namespace {

/// A timed instance of a problem, which is estimated again with other constants.
struct Sample {
  ConvProblem problem;
  const KernelFamily* family = nullptr;
  std::size_t instance = 0;  // among the family's
  int splits = 0;
  double ms = 0;
};
/// Those of a layer.
using Layer = std::vector<Sample>;

struct Constant {
  const char* name;
  double* value;
  double start;
};

/// Those of a target's estimates, of backward-weight or of the other directions.
class Constants {
 public:
  Constants(Gfx gfx, bool along_pixels) : gfx_(gfx), tile_(FindTileFits(gfx)) {
    const auto add = [&](const char* name, double& value) {
      list_.push_back({name, &value, value});
    };
    if (gfx == Gfx::kSm90a) {
      hopper::Fit::Fields(along_pixels ? hopper_.along_pixels : hopper_.along_channels, add);
    } else {
      TileFit::Fields(along_pixels ? tile_.along_pixels : tile_.along_channels, add);
    }
  }
  Constants(const Constants&) = delete;
  Constants& operator=(const Constants&) = delete;

  Gfx gfx() const { return gfx_; }
  std::vector<Constant>& list() { return list_; }
  const std::vector<Constant>& list() const { return list_; }
  FittedConstants ToFitted() const {
    FittedConstants fits;
    fits.Set(hopper_);
    fits.Set(tile_);
    return fits;
  }

 private:
  const Gfx gfx_;
  hopper::Fits hopper_ = hopper::kFits;
  TileFits tile_;
  std::vector<Constant> list_;  // constants of hopper_, or of tile_
};

/// Estimated milliseconds, or 0 if the instance does not compute it.
double Estimate(const Sample& sample, Gfx gfx, const FittedConstants& fits) {
  const DeviceFacts device(gfx);
  PlanContext context(sample.problem, device, {.splits = sample.splits, .fits = &fits});
  const Applicability answer = sample.family->CheckApplicability(sample.instance, context);
  const auto* cost = std::get_if<Cost>(&answer);
  return cost == nullptr ? 0 : cost->cycles / (device.clock_ghz * 1e6);
}

/// What choices by estimates lose, and how far off estimates are.
struct Loss {
  std::vector<double> efficiency;  // per layer, in ascending order
  double error = 0;                // root mean square of logarithms, of faster instances
  double mean() const {
    double sum = 0;
    for (const double e : efficiency) sum += e;
    return sum / static_cast<double>(efficiency.size());
  }
  double tenth() const { return efficiency[efficiency.size() / 10]; }
  /// A model orders the instances again (tools/tune), splits are chosen by the estimates alone.
  double value() const { return (1 - mean()) + 0.5 * (1 - tenth()) + error; }
};

Loss ComputeLoss(const std::vector<Layer>& layers, const Constants& constants) {
  const FittedConstants fits = constants.ToFitted();
  constexpr double kFaster = 2;  // times the best one's time, at most
  Loss loss;
  double squares = 0, count = 0;
  for (const Layer& layer : layers) {
    double best = layer.front().ms;
    for (const Sample& sample : layer) best = std::min(best, sample.ms);
    double least = 0, chosen = 0;
    for (const Sample& sample : layer) {
      const double ms = Estimate(sample, constants.gfx(), fits);
      if (least == 0 || ms < least) {
        least = ms;
        chosen = sample.ms;
      }
      if (sample.ms > kFaster * best) continue;
      const double off = std::log(ms / sample.ms);
      squares += off * off;
      ++count;
    }
    loss.efficiency.push_back(best / chosen);
  }
  std::sort(loss.efficiency.begin(), loss.efficiency.end());
  loss.error = std::sqrt(squares / count);
  return loss;
}

/// One constant after the other, by smaller and smaller factors, as long as that helps. What layers
/// do not tell stays within bounds.
Loss Fit(const std::vector<Layer>& layers, Constants& constants) {
  constexpr double kFurthest = 5;
  Loss least = ComputeLoss(layers, constants);
  for (const double factor : {3.0, 1.7, 1.3, 1.15, 1.07}) {
    for (bool better = true; better;) {
      better = false;
      for (const Constant& constant : constants.list()) {
        for (const double times : {factor, 1 / factor}) {
          double& value = *constant.value;
          const double before = value;
          value *= times;
          const double moved = value / constant.start;
          if (moved > kFurthest || moved * kFurthest < 1) {
            value = before;
            continue;
          }
          const Loss loss = ComputeLoss(layers, constants);
          if (loss.value() < least.value() - 1e-6) {
            least = loss;
            better = true;
          } else {
            value = before;
          }
        }
      }
    }
  }
  return least;
}

void Print(const char* when, const Loss& loss, const Constants& constants) {
  absl::PrintF("%s: %d layers, efficiency %.1f %% (mean), %.1f %% (tenth percentile), error %.3f\n",
               when, loss.efficiency.size(), 100 * loss.mean(), 100 * loss.tenth(), loss.error);
  for (const Constant& constant : constants.list())
    absl::PrintF("    .%s = %.3g,\n", constant.name, *constant.value);
}

/// Sets the family and the index of a plan's instance.
void SetInstance(const Plan& plan, Sample& sample) {
  for (const KernelFamily* family : Families()) {
    if (family->name() != plan.family()) continue;
    const auto instances = family->Instances(sample.problem.direction, plan.gfx());
    for (std::size_t i = 0; i < instances.size(); ++i) {
      if (instances[i].name != plan.instance()) continue;
      sample.family = family;
      sample.instance = i;
    }
  }
}

/// The instances of a problem that there still are, each with as many splits as were timed,
/// whatever other constants would choose.
absl::StatusOr<Layer> MakeLayer(const TimedProblem& timed, Gfx gfx) {
  const absl::StatusOr<ConvProblem> problem = ParseProblem(timed.sizes);
  if (!problem.ok()) return problem.status();
  Layer layer;
  for (const InstanceTime& time : timed.times) {
    const absl::StatusOr<Plan> plan = MakePlan(*problem, gfx, {.instance = time.instance});
    if (!plan.ok()) continue;
    Sample& sample = layer.emplace_back();
    sample.problem = *problem;
    SetInstance(*plan, sample);
    sample.splits = time.splits > 0 ? time.splits : plan->splits();
    sample.ms = time.ms;
  }
  return layer;
}

absl::Status Run(const std::vector<std::string>& tables) {
  const absl::StatusOr<std::vector<TimedProblem>> problems = ReadTables(tables);
  if (!problems.ok()) return problems.status();
  std::vector<Layer> lists[2];  // layers of backward-weight are in the second
  std::optional<Gfx> gfx;
  for (const TimedProblem& problem : *problems) {
    const std::optional<Gfx> device = ParseGfx(problem.device);
    if (!device || (gfx && *gfx != *device)) {
      return absl::InvalidArgumentError(
          absl::StrCat("device ", problem.device, "; the tables must be of one"));
    }
    gfx = device;
    absl::StatusOr<Layer> layer = MakeLayer(problem, *gfx);
    if (!layer.ok()) return layer.status();
    if (layer->size() < 2) continue;
    const ConvProblem& of_layer = layer->front().problem;
    const bool along_pixels = *gfx == Gfx::kSm90a
                                  ? hopper::Fits::IsAlongPixels(of_layer)
                                  : of_layer.direction == Direction::kBackwardWeight;
    lists[along_pixels ? 1 : 0].push_back(*std::move(layer));
  }
  if (lists[0].empty() && lists[1].empty()) {
    return absl::InvalidArgumentError("no layer has several timed instances");
  }
  for (const bool along_pixels : {false, true}) {
    const std::vector<Layer>& list = lists[along_pixels ? 1 : 0];
    if (list.empty()) continue;
    absl::PrintF("%s\n", along_pixels ? "backward-weight" : "forward and backward-data");
    Constants constants(*gfx, along_pixels);
    Print("before", ComputeLoss(list, constants), constants);
    Print("after", Fit(list, constants), constants);
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace gridwise

int main(int argc, char** argv) {
  const absl::Status status = gridwise::Run({argv + 1, argv + argc});
  if (status.ok()) return 0;
  std::fprintf(stderr, "fit: %s\n", std::string(status.message()).c_str());
  return 2;
}
