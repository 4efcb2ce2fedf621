// Every layer is planned as it was timed, and none takes longer than it did without a reason: a
// change of plans cannot hide a loss.

#include "tests/plans/times.h"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/arch/target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "instances/conv.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

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
    EXPECT_EQ(plan->row(), time->row)
        << layer.name << ", " << time->direction << ": `./bazelw run //tests/plans:update_times -- "
        << Name(GetParam()) << "` times what is planned anew";
  }
}

TEST_P(Times, AreNoLongerThanTheyWere) {
  const absl::StatusOr<std::vector<LayerTime>> times = ReadTimes(TimesPath(GetParam()));
  ASSERT_TRUE(times.ok()) << times.status();
  for (const LayerTime& time : *times) {
    EXPECT_GE(time.us, time.least_us) << time.name << ", " << time.direction;
    EXPECT_EQ(time.IsSlower(), !time.reason.empty())
        << time.name << ", " << time.direction << " takes " << time.us << " us, and took "
        << time.least_us << ": the last column of " << TimesPath(GetParam())
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
  EXPECT_THAT(ReadText("tile/MEASUREMENTS.md"), HasSubstr(PrintTable(*layers, *times)));
  const std::string all = absl::StrFormat("%.1f", PercentOfBound(*times, ""));
  const std::string summary = ReadText("tile/README.md");
  const std::size_t line = summary.find("| all 115 |");
  ASSERT_NE(line, std::string::npos);
  EXPECT_THAT(summary.substr(line, summary.find('\n', line) - line), HasSubstr(all + " %"));
  const std::string front = ReadText("README.md");
  const std::size_t row = front.find(absl::StrCat("\n| ", Name(GetParam()), " ("));
  ASSERT_NE(row, std::string::npos);
  EXPECT_THAT(front.substr(row, front.find('\n', row + 1) - row),
              HasSubstr(absl::StrFormat("%.0f %%", PercentOfBound(*times, ""))));
}

INSTANTIATE_TEST_SUITE_P(Targets, Times, testing::Values(Gfx::k942, Gfx::k950),
                         [](const auto& info) { return std::string(Name(info.param)); });

}  // namespace
}  // namespace gridwise
