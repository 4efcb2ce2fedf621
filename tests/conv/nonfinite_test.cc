// SPDX-License-Identifier: MIT
// An infinity or NaN of an operand reaches the outputs whose sums it is in, and no other: what
// instances fill up with zeros, merge or transpose has none of its neighbours' values. Padding is a
// 0 in these sums, times which an infinity is NaN.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/reference/compare.h"
#include "core/reference/elements.h"
#include "core/reference/expected.h"
#include "core/reference/nonfinite_cases.h"
#include "core/rewrite/tap_columns.h"
#include "core/rewrite/tap_rows.h"
#include "core/runtime/buffer.h"
#include "gridwise/conv.h"
#include "gtest/gtest.h"
#include "tests/conv/conv_case.h"

namespace gridwise {
namespace {

ConvProblem Grouped(std::int64_t groups, std::int64_t channels_of_group, std::int64_t filter = 3,
                    std::int64_t stride = 2) {
  const Dim dim = {.in = 9, .filter = filter, .stride = stride, .pad_begin = 1, .pad_end = 1};
  return {.groups = groups,
          .batch = 2,
          .c = groups * channels_of_group,
          .k = groups * channels_of_group,
          .dims = {Dim{}, dim, dim}};
}

std::vector<float> Uniform(DataType type, std::int64_t count, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = RoundTo(type, uniform(random));
  return values;
}

/// Computes the problem on an instance and returns the output.
absl::StatusOr<std::vector<float>> Compute(const Plan& plan, const std::vector<float>& a,
                                           const std::vector<float>& b) {
  const ConvProblem& problem = plan.problem();
  absl::StatusOr<Executable> executable = Executable::Load(plan);
  if (!executable.ok()) return executable.status();
  absl::StatusOr<DeviceBuffer> a_buffer = DeviceBuffer::CopyOf(Encode(problem.type, a));
  if (!a_buffer.ok()) return a_buffer.status();
  absl::StatusOr<DeviceBuffer> b_buffer = DeviceBuffer::CopyOf(Encode(problem.type, b));
  if (!b_buffer.ok()) return b_buffer.status();
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(problem.out_elements() * SizeOf(problem.type)));
  absl::StatusOr<DeviceBuffer> out =
      DeviceBuffer::Allocate(static_cast<std::int64_t>(bytes.size()));
  if (!out.ok()) return out.status();
  absl::StatusOr<DeviceBuffer> workspace = DeviceBuffer::Allocate(plan.workspace_bytes());
  if (!workspace.ok()) return workspace.status();
  if (absl::Status status =
          executable->Launch({.a = a_buffer->data(), .b = b_buffer->data(), .out = out->data()},
                             workspace->data(), workspace->bytes(), /*stream=*/nullptr);
      !status.ok()) {
    return status;
  }
  if (absl::Status status = out->CopyToHost(bytes); !status.ok()) return status;
  return Decode(problem.type, bytes);
}

enum class Instances { kAll, kPlanned };

/// Plans of the problem on every instance that accepts it, or the planner's.
std::vector<absl::StatusOr<Plan>> MakePlans(const ConvProblem& problem, Gfx gfx,
                                            Instances instances) {
  std::vector<absl::StatusOr<Plan>> plans;
  if (instances == Instances::kPlanned) {
    plans.push_back(MakePlan(problem, gfx));
    return plans;
  }
  for (const InstanceExplanation& explanation : ExplainInstances(problem, gfx)) {
    if (explanation.reason.has_value()) continue;
    plans.push_back(MakePlan(problem, gfx, {.instance = explanation.instance}));
  }
  return plans;
}

/// The operand whose elements meet padding: the other has it.
Tensor Padded(const ConvProblem& problem) {
  return problem.direction == Direction::kBackwardData ? Tensor::kY : Tensor::kX;
}
Tensor MeetsPadding(const ConvProblem& problem) {
  return Padded(problem) == problem.a() ? problem.b() : problem.a();
}

/// Whether a sum in `out` is NaN, an infinity or a number, as `expected` is.
bool IsLike(float out, double expected) {
  if (std::isnan(expected) || std::isnan(out)) return std::isnan(expected) && std::isnan(out);
  if (std::isinf(expected) || std::isinf(out)) return static_cast<double>(out) == expected;
  return true;
}

/// A value of an operand's element.
struct Planted {
  std::size_t index;
  float value;
};

/// A planted value reaches some of the sums, and not most.
void ExpectReachesSome(const ConvProblem& problem, Tensor operand, const Planted& planted,
                       std::vector<float> a, std::vector<float> b) {
  (operand == problem.a() ? a : b)[planted.index] = planted.value;
  const absl::StatusOr<Expected> expected = ExpectedOutput(problem, a, b);
  ASSERT_TRUE(expected.ok()) << expected.status();
  std::size_t reached = 0;
  for (const double sum : expected->out) reached += !std::isfinite(sum);
  EXPECT_GT(reached, 0u) << "element " << planted.index;
  // A weight, or dy of backward-weight, of the only channel is in all sums.
  if (operand == Padded(problem) || (problem.c > 1 && problem.k > 1)) {
    EXPECT_LT(reached, expected->out.size() / 2) << "element " << planted.index;
  }
}

/// Computes the problem on instances, with values that are not finite in some elements of an
/// operand, which must reach the sums that have them alone. Returns how many instances there were.
int ExpectStays(const ConvProblem& problem, Gfx gfx, Tensor operand,
                const std::vector<Planted>& planted, Instances which = Instances::kAll) {
  SCOPED_TRACE(testing::Message() << "in " << (operand == problem.a() ? "a" : "b") << " of "
                                  << ToString(problem));
  std::mt19937 random(3);
  std::vector<float> a = Uniform(problem.type, problem.a_elements(), random);
  std::vector<float> b = Uniform(problem.type, problem.b_elements(), random);
  for (std::vector<float>* values : {&a, &b}) FlushAmbiguous(problem.type, gfx, *values);
  for (const Planted& one : planted) ExpectReachesSome(problem, operand, one, a, b);
  for (const auto& [index, value] : planted) (operand == problem.a() ? a : b)[index] = value;
  const absl::StatusOr<Expected> expected = ExpectedOutput(problem, a, b);
  EXPECT_TRUE(expected.ok()) << expected.status();
  if (!expected.ok()) return 0;
  int instances = 0;
  for (const absl::StatusOr<Plan>& plan : MakePlans(problem, gfx, which)) {
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) continue;
    const absl::StatusOr<std::vector<float>> out = Compute(*plan, a, b);
    EXPECT_TRUE(out.ok()) << out.status();
    if (!out.ok()) continue;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < out->size(); ++i) wrong += !IsLike((*out)[i], expected->out[i]);
    EXPECT_EQ(wrong, 0u) << plan->instance();
    ++instances;
  }
  return instances;
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::size_t ElementsOf(const ConvProblem& problem, Tensor tensor) {
  return static_cast<std::size_t>(problem.AxesOf(tensor).Elements());
}

/// Whether f32 is multiplied as parts of another type.
bool MultipliesParts(Gfx gfx) { return TraitsOf(gfx).mma_unit == MmaUnit::kWgmma; }

class NonFinite : public testing::TestWithParam<Direction> {};

// Depthwise, few channels, four widths that instances merge, three that they fill up, stems and
// ragged channels.
std::vector<ConvProblem> ProblemsOfAllInstances() {
  return {Grouped(32, 1),       Grouped(8, 4),        Grouped(16, 4),      Grouped(32, 4),
          Grouped(8, 8),        Grouped(4, 16),       Grouped(4, 32),      Grouped(1, 3),
          Grouped(2, 21),       Grouped(4, 2, 4, 1),  Grouped(8, 8, 3, 1), Grouped(4, 16, 3, 1),
          Grouped(4, 32, 3, 1), Grouped(1, 3, 5, 2),  Grouped(1, 3, 3, 1), Grouped(1, 4, 3, 1),
          Grouped(1, 3, 5, 1),  Grouped(3, 12, 3, 1), Grouped(5, 12),      Grouped(3, 24, 3, 1),
          Grouped(2, 40, 3, 1)};
}

TEST_P(NonFinite, StaysInTheSumsThatHaveIt) {
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  int instances = 0;
  for (ConvProblem problem : ProblemsOfAllInstances()) {
    problem.direction = GetParam();
    const Tensor padded = Padded(problem);
    // An image's first pixel, the last of its last instance, and one whose adjacent pixels are all
    // there.
    const std::size_t elements = ElementsOf(problem, padded);
    const std::vector<Planted> planted = {
        {elements / 2 + 5, kInfinity}, {elements - 3, kInfinity}, {elements / 4, kInfinity}};
    instances += ExpectStays(problem, *gfx, padded, planted);
    if (!MultipliesParts(*gfx)) continue;
    problem.type = DataType::kF32;
    instances += ExpectStays(problem, *gfx, padded, planted);
  }
  EXPECT_GT(instances, 10);
}

/// Times padding it is NaN, in every instance: w's first and last taps, or dy's first and last
/// pixels.
TEST_P(NonFinite, TimesPaddingIsNaN) {
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  std::vector<ConvProblem> problems = ProblemsOfAllInstances();
  const Dim dim = {.in = 5, .filter = 3, .stride = 1, .pad_begin = 1, .pad_end = 1};
  for (const std::int64_t of_group : {1, 4, 16}) {
    problems.push_back(
        {.rank = 3, .groups = 8, .c = 8 * of_group, .k = 8 * of_group, .dims = {dim, dim, dim}});
  }
  int instances = 0;
  for (ConvProblem problem : problems) {
    problem.direction = GetParam();
    const Tensor meets_padding = MeetsPadding(problem);
    const std::size_t last = ElementsOf(problem, meets_padding) - 1;
    instances += ExpectStays(problem, *gfx, meets_padding, {{0, kInfinity}, {last, std::nanf("")}});
  }
  EXPECT_GT(instances, 10);
}

/// Computes the case with the plan and expects its sums, rounded to f16.
void ExpectSumsOf(const NonFiniteCase& one, const absl::StatusOr<Plan>& plan) {
  ASSERT_TRUE(plan.ok()) << plan.status() << " " << ToString(one.problem);
  const absl::StatusOr<std::vector<float>> out = Compute(*plan, one.a, one.b);
  ASSERT_TRUE(out.ok()) << out.status() << " " << ToString(one.problem);
  const auto equal = [](float sum, double expected) {
    const double rounding = 0x1p-11 * std::abs(expected);
    return IsLike(sum, expected) &&
           (!std::isfinite(expected) || std::abs(static_cast<double>(sum) - expected) <= rounding);
  };
  EXPECT_TRUE(std::equal(out->begin(), out->end(), one.sums.begin(), equal))
      << plan->instance() << ", infinities in " << (one.planted == one.problem.a() ? "a" : "b")
      << " of " << ToString(one.problem);
}

/// Each pixel and tap of problems of few, on the planner's instance, and some on one other: all
/// instances in turn.
TEST_P(NonFinite, ReachesTheSumsThatHaveItFromEveryPlace) {
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  constexpr std::size_t kEach = 3;
  std::size_t cases = 0;
  ForEachNonFiniteCase(GetParam(), [&](const NonFiniteCase& one) {
    ExpectSumsOf(one, MakePlan(one.problem, *gfx));
    if (cases++ % kEach != 0) return;
    std::vector<InstanceExplanation> instances = ExplainInstances(one.problem, *gfx);
    std::erase_if(instances,
                  [](const InstanceExplanation& instance) { return instance.reason.has_value(); });
    ASSERT_FALSE(instances.empty());
    const InstanceExplanation& other = instances[cases / kEach % instances.size()];
    ExpectSumsOf(one,
                 MakePlan(one.problem, *gfx, {.instance = other.instance, .family = other.family}));
  });
  EXPECT_GT(cases, 2000u);
}

/// Products of a source pixel with taps of which no sum is.
TEST_P(NonFinite, StaysInSumsWhereTapsAreColumnsOrInstances) {
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  const Dim like = {.in = 37, .filter = 3, .pad_begin = 1, .pad_end = 1};
  // TMA has pixels of 1,020 channels copied, with gaps.
  const bool has_tma = TraitsOf(*gfx).mma_unit == MmaUnit::kWgmma;
  ConvProblem problem = {
      .batch = 6, .c = has_tma ? 1020 : 1024, .k = 1, .dims = {Dim{}, like, like}};
  problem.direction = GetParam();
  if (GetParam() == Direction::kBackwardData) std::swap(problem.c, problem.k);
  const std::optional<TapRows> rows =
      has_tma ? WithFewTapRows(problem) : ChooseTapRows(problem, *gfx);
  EXPECT_TRUE(ChooseTapColumns(problem, *gfx) || rows);
  const std::size_t padded = ElementsOf(problem, Padded(problem));
  EXPECT_EQ(
      ExpectStays(problem, *gfx, Padded(problem),
                  {{padded / 2 + 5, kInfinity}, {padded - 3, kInfinity}}, Instances::kPlanned),
      1);
  const std::size_t last = ElementsOf(problem, MeetsPadding(problem)) - 1;
  EXPECT_EQ(ExpectStays(problem, *gfx, MeetsPadding(problem), {{0, kInfinity}, {last, kInfinity}},
                        Instances::kPlanned),
            1);
}

/// dy of one position, which most taps of each pixel of dx lie beside, with more channels than
/// others have columns for, and so many outputs that a lane takes several images.
TEST_P(NonFinite, ReachesAllPixelsFromTheOnlyPosition) {
  if (GetParam() != Direction::kBackwardData) GTEST_SKIP() << "it is of backward-data";
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  const ConvProblem problem = {.direction = Direction::kBackwardData,
                               .batch = 161,  // the last lanes take fewer
                               .c = 72,
                               .k = 16,
                               .dims = {Dim{}, Dim{}, Dim{.in = 96, .filter = 95, .stride = 2}}};
  if (!MultipliesParts(*gfx)) EXPECT_TRUE(ChooseTapColumns(problem, *gfx));
  const absl::StatusOr<ConvCase> numbers = ConvCase::Make(problem, /*seed=*/5);
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  const absl::StatusOr<Plan> plan = MakePlan(problem, *gfx);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(numbers->CheckPlan(*plan), absl::OkStatus());
  const std::size_t last = ElementsOf(problem, Tensor::kW) - 1;
  EXPECT_EQ(ExpectStays(problem, *gfx, Tensor::kW, {{0, kInfinity}, {last, std::nanf("")}},
                        Instances::kPlanned),
            1);
}

/// x of one pixel along an axis, which not the first tap meets, or none.
TEST_P(NonFinite, ReachesTheOnlyPixelByItsOwnTap) {
  if (GetParam() != Direction::kBackwardData) GTEST_SKIP() << "it is of backward-data";
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  int with_columns = 0;
  for (const Dim& pixel : {Dim{.in = 1, .filter = 2, .stride = 2, .pad_begin = 1},
                           Dim{.in = 1, .filter = 2, .stride = 3, .pad_begin = 2},
                           Dim{.in = 1, .filter = 3, .stride = 3, .pad_begin = 1, .pad_end = 1}}) {
    const ConvProblem problem = {
        .direction = Direction::kBackwardData,
        .batch = 64,
        .c = 3,
        .k = 2048,
        .dims = {Dim{}, Dim{.in = 112, .filter = 7, .stride = 2, .pad_begin = 3, .pad_end = 3},
                 pixel}};
    with_columns += ChooseTapColumns(problem, *gfx).has_value();
    const absl::StatusOr<ConvCase> numbers = ConvCase::Make(problem, /*seed=*/5);
    ASSERT_TRUE(numbers.ok()) << numbers.status();
    const absl::StatusOr<Plan> plan = MakePlan(problem, *gfx);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(numbers->CheckPlan(*plan), absl::OkStatus()) << ToString(problem);
  }
  if (!MultipliesParts(*gfx)) EXPECT_GT(with_columns, 0);
}

/// f32 of which all of one operand is subnormal, or less than 2 from its largest value in powers of
/// two, is as exact as other f32.
TEST_P(NonFinite, SubnormalAndHugeValuesAreAsExact) {
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  if (!MultipliesParts(*gfx)) GTEST_SKIP() << "f32 is multiplied as it is";
  int instances = 0;
  for (ConvProblem problem : {Grouped(1, 40), Grouped(8, 4), Grouped(2, 72, 3, 1)}) {
    problem.direction = GetParam();
    problem.type = DataType::kF32;
    for (const auto& [of_a, of_b] :
         {std::pair(0x1p-130f, 0x1p100f), std::pair(0x1p100f, 0x1p-130f),
          std::pair(0x1p127f, 0x1p-120f), std::pair(0x1p-120f, 0x1p127f)}) {
      std::mt19937 random(7);
      std::vector<float> a = Uniform(problem.type, problem.a_elements(), random);
      std::vector<float> b = Uniform(problem.type, problem.b_elements(), random);
      for (float& value : a) value *= of_a;
      for (float& value : b) value *= of_b;
      const absl::StatusOr<Expected> expected = ExpectedOutput(problem, a, b);
      ASSERT_TRUE(expected.ok()) << expected.status();
      for (const absl::StatusOr<Plan>& plan : MakePlans(problem, *gfx, Instances::kAll)) {
        ASSERT_TRUE(plan.ok()) << plan.status();
        const absl::StatusOr<std::vector<float>> out = Compute(*plan, a, b);
        ASSERT_TRUE(out.ok()) << out.status();
        const std::vector<double> values(out->begin(), out->end());
        EXPECT_EQ(CheckError(problem.type, values, expected->out, problem.reduction_length()),
                  absl::OkStatus())
            << plan->instance() << ", " << of_a << " and " << of_b << ", " << ToString(problem);
        ++instances;
      }
    }
  }
  EXPECT_GT(instances, 10);
}

INSTANTIATE_TEST_SUITE_P(Conv, NonFinite, testing::ValuesIn(kAllDirections),
                         [](const auto& info) { return std::string(Name(info.param)); });

}  // namespace
}  // namespace gridwise
