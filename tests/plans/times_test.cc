// SPDX-License-Identifier: MIT
// Every layer is planned as it was timed, and none takes longer than it did without a reason: a
// change of plans cannot hide a loss.

#include "tests/plans/times.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/arch/device_facts.h"
#include "core/arch/target.h"
#include "core/conv/direction.h"
#include "gmock/gmock.h"
#include "gridwise/conv.h"
#include "gtest/gtest.h"
#include "tests/pages/figures.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

/// The targets whose layers are timed, and those that the page of the family shows.
constexpr Gfx kTimed[] = {Gfx::k942, Gfx::k950, Gfx::k90a, Gfx::k1201, Gfx::k1100};
constexpr Gfx kOnPage[] = {Gfx::k942, Gfx::k950};

class Times : public testing::TestWithParam<Gfx> {};

TEST_P(Times, AreOfThePlans) {
  const absl::StatusOr<std::vector<Layer>> layers = TimedLayers();
  ASSERT_TRUE(layers.ok()) << layers.status();
  const absl::StatusOr<std::vector<LayerTime>> times = ReadTimes(TimesPath(GetParam()));
  ASSERT_TRUE(times.ok()) << times.status();
  EXPECT_EQ(times->size(), layers->size());
  EXPECT_GT(layers->size(), 100u);
  for (const Layer& layer : *layers) {
    const LayerTime* const time = FindTime(*times, layer);
    ASSERT_NE(time, nullptr) << layer.name;
    const absl::StatusOr<Plan> plan = MakePlan(layer.problem, GetParam());
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->instance(), time->instance)
        << layer.name << ", " << time->direction << ": `./bazelw run //tests/plans:update_times -- "
        << Name(GetParam()) << "` times what is planned again";
  }
}

TEST_P(Times, AreNoLongerThanTheyWere) {
  const absl::StatusOr<std::vector<LayerTime>> times = ReadTimes(TimesPath(GetParam()));
  ASSERT_TRUE(times.ok()) << times.status();
  for (const LayerTime& time : *times) {
    EXPECT_GE(time.us, time.min_us) << time.name << ", " << time.direction;
    EXPECT_EQ(time.IsSlower(), !time.reason.empty())
        << time.name << ", " << time.direction << " takes " << time.us << " us, and took "
        << time.min_us << ": the last column of " << TimesPath(GetParam())
        << " must say why if that is over 5 % more, and be empty if not";
  }
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// What the documents say of the layers is what the file has.
TEST_P(Times, AreInTheDocuments) {
  const absl::StatusOr<std::vector<Layer>> layers = TimedLayers();
  ASSERT_TRUE(layers.ok()) << layers.status();
  const absl::StatusOr<std::vector<LayerTime>> times = ReadTimes(TimesPath(GetParam()));
  ASSERT_TRUE(times.ok()) << times.status();
  EXPECT_THAT(ReadText("docs/log/tile.md"), HasSubstr(PrintTable(*layers, *times)));
  const std::string front = ReadText("README.md");
  const std::size_t instance = front.find(absl::StrCat("\n| ", Name(GetParam()), " ("));
  ASSERT_NE(instance, std::string::npos);
  EXPECT_THAT(front.substr(instance, front.find('\n', instance + 1) - instance),
              HasSubstr(absl::StrFormat("%.0f %%", PercentOfBound(*times, ""))));
}

INSTANTIATE_TEST_SUITE_P(Targets, Times, testing::ValuesIn(kTimed),
                         [](const auto& info) { return std::string(Name(info.param)); });

/// The figures of the targets that a page has where `pattern` is are those that `value` makes of a
/// target's times.
void ExpectOnPage(
    const std::string& page, const std::string& pattern, std::span<const Gfx> targets,
    const std::function<std::vector<double>(const std::vector<LayerTime>&, Gfx)>& value) {
  const absl::StatusOr<std::vector<Figure>> figures = FindFigures(ReadText(page), pattern);
  ASSERT_TRUE(figures.ok()) << page << ": " << figures.status();
  std::vector<double> values;
  for (const Gfx gfx : targets) {
    const absl::StatusOr<std::vector<LayerTime>> times = ReadTimes(TimesPath(gfx));
    ASSERT_TRUE(times.ok()) << times.status();
    const std::vector<double> of_target = value(*times, gfx);
    values.insert(values.end(), of_target.begin(), of_target.end());
  }
  ASSERT_EQ(figures->size(), values.size()) << pattern;
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR((*figures)[i].value, values[i], (*figures)[i].half_digit * 1.001)
        << page << ": " << pattern << ", figure " << i + 1;
  }
}

/// The geometric mean of `part` over the times that `is_in` names, in percent.
double Percent(const std::vector<LayerTime>& times,
               const std::function<bool(const LayerTime&)>& is_in,
               const std::function<double(const LayerTime&, Gfx)>& part, Gfx gfx) {
  double logs = 0;
  int count = 0;
  for (const LayerTime& time : times) {
    if (!is_in(time)) continue;
    logs += std::log(part(time, gfx));
    ++count;
  }
  return 100 * std::exp(logs / count);
}

double PartOfBound(const LayerTime& time) { return time.bound_us / time.us; }
/// What it would be if a kernel took the bound, and its launch before it.
double PartWithLaunch(const LayerTime& time, Gfx gfx) {
  return time.bound_us / (time.bound_us + DeviceFacts(gfx).machine.launch_us);
}
bool IsBox(const LayerTime& time) { return time.name.starts_with("box.reg"); }

TEST(Summaries, HaveTheMeansOfTheTimes) {
  struct Mean {
    std::string on_front, in_table;
    std::function<bool(const LayerTime&)> is_in;
    std::function<double(const LayerTime&, Gfx)> part = [](const LayerTime& time, Gfx) {
      return PartOfBound(time);
    };
  };
  const auto of = [](const char* direction) {
    return [=](const LayerTime& time) { return time.direction == direction; };
  };
  const auto all = [](const LayerTime&) { return true; };
  const std::vector<Mean> means = {
      {"| forward, 43 layers |", "| forward (43 layers) |", of("fwd")},
      {"| backward-data, 35 |", "| backward-data (35) |", of("bwd_data")},
      {"| backward-weight, 37 |", "| backward-weight (37) |", of("bwd_weight")},
      {"| all 115 |", "| all 115 |", all},
      {"", "| the 15 of `box.reg` |", IsBox},
      {"| the 100 without `box.reg` (36 output channels) |", "| the 100 others |",
       [](const LayerTime& time) { return !IsBox(time); }},
      {"| if kernels took the bound and a launch of 2.7 us |",
       "| kernels that took the bound and a launch |", all, PartWithLaunch}};
  for (const Mean& mean : means) {
    const auto value = [&](const std::vector<LayerTime>& times, Gfx gfx) {
      return std::vector<double>{Percent(times, mean.is_in, mean.part, gfx)};
    };
    ExpectOnPage("docs/log/tile.md", mean.in_table + " {} | {} | {} | {} | {} |", kTimed, value);
    if (!mean.on_front.empty()) {
      ExpectOnPage("tile/README.md", mean.on_front + " {} % | {} % |", kOnPage, value);
    }
  }
}

TEST(Summaries, CountTheLayersByTheirPartOfTheBound) {
  const std::vector<std::pair<int, int>> ranges = {
      {90, 101}, {75, 90}, {50, 75}, {25, 50}, {2, 25}};
  for (const auto& [low, high] : ranges) {
    ExpectOnPage("tile/README.md", absl::StrCat(low, " to ", high, " % ...# {} ...# {}"), kOnPage,
                 [&](const std::vector<LayerTime>& times, Gfx) {
                   const auto count =
                       std::count_if(times.begin(), times.end(), [&](const LayerTime& time) {
                         const double percent = 100 * PartOfBound(time);
                         return percent >= low && (percent < high || high == 101);
                       });
                   return std::vector<double>{static_cast<double>(count)};
                 });
  }
}

TEST(Summaries, HaveTheTimesOfSomeLayers) {
  const absl::StatusOr<std::vector<Layer>> layers = TimedLayers();
  ASSERT_TRUE(layers.ok()) << layers.status();
  for (const std::string_view name :
       {"head.3x3@100", "l3.conv3", "stem", "l2.conv2a", "head.3x3@25", "box.reg@25"}) {
    const auto layer = std::find_if(layers->begin(), layers->end(), [&](const Layer& each) {
      return each.name == name && each.problem.direction == Direction::kForward;
    });
    ASSERT_NE(layer, layers->end()) << name;
    ExpectOnPage("tile/README.md", absl::StrCat("| `", name, "`: ... | {}, {}, {} | {}, {}, {} |"),
                 kOnPage, [&](const std::vector<LayerTime>& times, Gfx) {
                   const LayerTime& time = *FindTime(times, *layer);
                   return std::vector<double>{time.us, layer->problem.Flops() / time.us * 1e-6,
                                              100 * PartOfBound(time)};
                 });
  }
}

}  // namespace
}  // namespace gridwise
