// SPDX-License-Identifier: MIT
// Seeded random problems of every direction and type: groups, strides 1 to 6, dilations 1 to 3,
// asymmetric pads, ranks 1 to 3, channel counts from 1 to 1100, layouts and epilogues; operands of
// every fourth have infinities or NaN. Each runs on the planner's instance and on others with K in
// several splits and tensors in parts, so that every instance sees many. GRIDWISE_TEST_PROBLEMS
// says how many problems, GRIDWISE_TEST_MAX_FLOPS how large, GRIDWISE_TEST_OTHER_INSTANCES on how
// many other instances, GRIDWISE_TEST_FAMILY, if set, of which family. Prints how many problems of
// each direction and type have run.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/log/check.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/conv/problem_io.h"
#include "core/conv/validate.h"
#include "gmock/gmock.h"
#include "gridwise/conv.h"
#include "gtest/gtest.h"
#include "tests/conv/conv_case.h"
#include "tests/conv/test_family.h"

namespace gridwise {
namespace {

constexpr int kProblemsPerTest = 10;

/// The value of an environment variable that the test is given.
double Number(const char* name) {
  const char* const text = std::getenv(name);
  double value = 0;
  CHECK(text != nullptr && absl::SimpleAtod(text, &value)) << "set " << name << " to a number";
  return value;
}

std::int64_t Draw(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

/// Edges of tiles and vectors as often as anything else.
std::int64_t DrawChannels(std::mt19937& random) {
  constexpr std::int64_t kEdges[] = {1,  2,  3,  7,  8,  9,   15,  16,  17, 31,
                                     32, 33, 63, 64, 65, 127, 128, 129, 130};
  if (random() % 8 == 0) return Draw(random, 131, 1100);
  return random() % 2 == 0 ? kEdges[random() % std::size(kEdges)] : Draw(random, 1, 130);
}

Dim DrawDim(std::mt19937& random) {
  Dim dim = {.in = Draw(random, 1, 20),
             .filter = Draw(random, 1, 5),
             .stride = Draw(random, 1, 6),
             .dilation = Draw(random, 1, 3),
             .pad_begin = Draw(random, 0, 4),
             .pad_end = Draw(random, 0, 4)};
  if (random() % 8 == 0) {  // taps, or output pixels, that meet nothing but padding
    dim.dilation = Draw(random, 1, 30);
    dim.pad_begin = Draw(random, 0, 40);
  }
  if (random() % 8 == 0) dim.dilation = dim.stride * Draw(random, 1, 2);
  return dim;
}

/// Axes of any kind, or in every third problem as networks have them: alike, and of more pixels.
void DrawDims(ConvProblem& problem, std::mt19937& random) {
  constexpr std::int64_t kFilters[] = {1, 3, 3, 5, 7};
  const bool usual = random() % 3 == 0;
  const Dim like = {.filter = kFilters[random() % std::size(kFilters)],
                    .stride = Draw(random, 1, 2),
                    .dilation = random() % 4 == 0 ? 2 : 1};
  for (int i = 3 - problem.rank; i < 3; ++i) {
    Dim& dim = problem.dims[i] = usual ? like : DrawDim(random);
    if (usual) {
      dim.in = Draw(random, 1, 70);
      if (random() % 4 == 0) dim.filter = Draw(random, 1, 2);  // as 1 x 3
      dim.pad_begin = Draw(random, 0, like.dilated_filter() / 2);
      dim.pad_end = Draw(random, 0, like.dilated_filter() / 2);
    }
    while (dim.padded_in() < dim.dilated_filter()) ++dim.in;
  }
  // A sequence, or many small images.
  if (random() % 8 == 0) problem.dims[2].in += Draw(random, 100, 5000);
  problem.batch = Draw(random, 1, random() % 8 == 0 ? 400 : 3);
}

/// A tensor like the output, or one that repeats along some axes, or has gaps.
EpilogueTensor DrawTensor(const ConvProblem& problem, std::mt19937& random) {
  EpilogueTensor tensor = {
      .op = random() % 2 == 0 ? EpilogueTensor::Op::kAdd : EpilogueTensor::Op::kMultiply,
      .scale = random() % 2 == 0 ? 1 : -0.75,
      .type = random() % 2 == 0 ? problem.output_type() : DataType::kF32};
  const PerAxis size = problem.AxesOf(problem.out()).size;
  tensor.stride = random() % 2 == 0 ? problem.AxesOf(problem.out()).stride
                                    : PackedAxes(size, {4, 5, 0, 3, 1, 2}).stride;
  const bool repeats = random() % 2 == 0;
  for (std::int64_t& stride : tensor.stride) {
    if (repeats && random() % 2 == 0) stride = 0;
    if (random() % 8 == 0) stride *= 3;
  }
  return tensor;
}

Epilogue DrawEpilogue(const ConvProblem& problem, std::mt19937& random) {
  Epilogue epilogue;
  if (random() % 2 == 0) return epilogue;
  if (random() % 2 == 0) epilogue.alpha = -1.5;
  if (random() % 4 == 0) epilogue.low = 0;
  if (random() % 4 == 0) epilogue.high = 1;
  if (random() % 2 == 0) {
    epilogue.unary = kAllUnary[random() % std::size(kAllUnary)];
    epilogue.unary_parameter = random() % 2 == 0 ? 1 : 0.25;
  }
  epilogue.tensors = static_cast<int>(random() % 3);
  for (EpilogueTensor& tensor : epilogue.d) tensor = DrawTensor(problem, random);
  return epilogue;
}

/// Operands that are sums of two tensors, as few problems have; sm_90a has no kernels for them.
void DrawOperandSums(ConvProblem& problem, Gfx gfx, std::mt19937& random) {
  if (gfx == Gfx::kSm90a) return;
  if (problem.direction != Direction::kForward || SizeOf(problem.type) == 1) return;
  if (random() % 8 != 0) return;
  const unsigned which = random() % 3 + 1;
  if ((which & 1) != 0) problem.operand_sums[0] = {.adds = true, .scale = 0.5};
  if ((which & 2) != 0) problem.operand_sums[1] = {.adds = true, .scale = -0.75};
}

/// Types of operands and output that go together and that `gfx` has; in forward, 8-bit ones as
/// often as others.
void DrawTypes(ConvProblem& problem, Gfx gfx, std::mt19937& random) {
  const bool bytes =
      problem.direction == Direction::kForward && random() % 2 == 0 && HasType(gfx, DataType::kI8);
  do {
    problem.type = kAllDataTypes[random() % std::size(kAllDataTypes)];
  } while (!TakesType(problem.direction, problem.type) || (SizeOf(problem.type) == 1) != bytes ||
           !HasType(gfx, problem.type));
  if (random() % 2 == 0) return;
  do {
    problem.out_type = kAllDataTypes[random() % std::size(kAllDataTypes)];
  } while (!CanOutput(problem.type, *problem.out_type));
}

/// One group, a few, or many small ones, of which tiles take several at once.
void DrawGroups(ConvProblem& problem, std::mt19937& random) {
  constexpr std::int64_t kFew[] = {1, 2, 3, 4, 5, 8, 12, 16, 32};
  const bool many = random() % 4 == 0;
  problem.groups = many                ? Draw(random, 2, random() % 8 == 0 ? 1200 : 70)
                   : random() % 2 == 0 ? 1
                                       : Draw(random, 2, 5);
  const auto channels = [&] {
    return many ? kFew[random() % std::size(kFew)] : DrawChannels(random);
  };
  problem.c = problem.groups * channels();
  const bool as_many = many && random() % 4 != 0;
  problem.k = as_many ? problem.c : problem.groups * channels();
}

ConvProblem DrawProblem(Gfx gfx, std::mt19937& random) {
  ConvProblem problem = {.direction = kAllDirections[random() % std::size(kAllDirections)],
                         .rank = static_cast<int>(Draw(random, 1, 3))};
  DrawTypes(problem, gfx, random);
  DrawDims(problem, random);
  DrawGroups(problem, random);
  problem.layout = kAllLayouts[random() % std::size(kAllLayouts)];
  problem.weight_layout = kAllWeightLayouts[random() % std::size(kAllWeightLayouts)];
  problem = Shrink(problem, Number("GRIDWISE_TEST_MAX_FLOPS"));
  // That leaves channels and taps, and check mode takes some hundred bytes for each element of dw.
  constexpr std::int64_t kMaxWeights = 500'000;
  while (problem.w_elements() > kMaxWeights) {
    std::int64_t& channels = problem.c > problem.k ? problem.c : problem.k;
    channels = problem.groups * CeilDiv<std::int64_t>(channels / problem.groups, 2);
  }
  if (problem.output_type() != DataType::kI32) problem.epilogue = DrawEpilogue(problem, random);
  DrawOperandSums(problem, gfx, random);
  return problem;
}

/// How many elements of the operands are not finite. If some are, the epilogue is one that makes no
/// numbers of them.
int DrawNotFinite(ConvProblem& problem, std::mt19937& random) {
  if (SumType(problem.type) != DataType::kF32 || random() % 4 != 0) return 0;
  problem.epilogue.low = Epilogue{}.low;
  problem.epilogue.high = Epilogue{}.high;
  problem.epilogue.unary = Unary::kNone;
  return static_cast<int>(Draw(random, 1, 3));
}

/// The limit of all tensors, or one that has larger ones computed in parts: of numbers, since parts
/// leave out what meets nothing but padding (docs/non-finite.md).
std::int64_t DrawLimit(const ConvProblem& problem, int not_finite, std::mt19937& random) {
  if (random() % 2 == 0 || not_finite > 0) return PlanOptions{}.offset_limit;
  const std::int64_t bytes =
      SizeOf(problem.type) * std::max(problem.x_elements(), problem.y_elements());
  return 1000 + bytes / (random() % 4 == 0 ? 40 : Draw(random, 1, 8));
}

/// Some of the instances that compute the problem with such options, evenly spread over all.
std::vector<InstanceExplanation> SomeInstances(const ConvProblem& problem, Gfx gfx,
                                               const PlanOptions& options, unsigned seed) {
  std::vector<InstanceExplanation> all = ExplainInstances(problem, gfx, options), some;
  std::erase_if(all,
                [](const InstanceExplanation& instance) { return instance.reason.has_value(); });
  const std::size_t count =
      std::min<std::size_t>(Number("GRIDWISE_TEST_OTHER_INSTANCES"), all.size());
  for (std::size_t i = 0; i < count; ++i) {
    some.push_back(all[(seed + i * all.size() / count) % all.size()]);
  }
  return some;
}

/// The planner's choice, and other instances with K in several splits, if there are any, and
/// tensors in parts.
std::vector<PlanOptions> DrawOptions(const ConvProblem& problem, Gfx gfx, unsigned seed,
                                     int not_finite, std::mt19937& random) {
  const std::string family = TestFamilies().front();
  std::vector<PlanOptions> options = {{.family = family}};
  PlanOptions forced = {.family = family};
  if (SumType(problem.type) == DataType::kF32) forced.splits = static_cast<int>(seed % 5 + 1);
  forced.atomic = seed % 3 == 0;
  std::vector<InstanceExplanation> instances = SomeInstances(problem, gfx, forced, seed);
  if (instances.empty()) {
    forced = {.family = family};
    instances = SomeInstances(problem, gfx, forced, seed);
  }
  for (const InstanceExplanation& instance : instances) {
    forced.instance = instance.instance;
    forced.family = instance.family;
    forced.offset_limit = DrawLimit(problem, not_finite, random);
    options.push_back(forced);
  }
  return options;
}

class RandomProblems : public testing::TestWithParam<int> {
 protected:
  /// Some of many problems are computed in parts.
  static void TearDownTestSuite() {
    if (instances_of_all_ >= 100) EXPECT_GT(in_parts_of_all_, 0);
    for (const auto& [kind, problems] : problems_of_)
      std::printf("ran %s: %d\n", kind.c_str(), problems);
  }
  static inline int instances_of_all_ = 0, in_parts_of_all_ = 0;
  static inline std::map<std::string, int> problems_of_;
};

TEST_P(RandomProblems, MatchesReference) {
  const absl::StatusOr<Gfx> gfx = UseTestTarget();
  ASSERT_TRUE(gfx.ok()) << gfx.status();
  int instances_run = 0, in_parts = 0;
  for (int i = 0; i < kProblemsPerTest; ++i) {
    const unsigned seed = GetParam() * kProblemsPerTest + i;
    std::mt19937 random(seed);
    ConvProblem problem = DrawProblem(*gfx, random);
    const int not_finite = DrawNotFinite(problem, random);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << ToString(problem) << ", "
                                    << not_finite << " elements not finite");
    ASSERT_TRUE(Validate(problem).ok()) << Validate(problem);
    const absl::StatusOr<ConvCase> made = ConvCase::Make(problem, seed, not_finite);
    ASSERT_TRUE(made.ok()) << made.status();
    for (PlanOptions options : DrawOptions(problem, *gfx, seed, not_finite, random)) {
      absl::StatusOr<Plan> plan = MakePlan(problem, *gfx, options);
      if (!plan.ok() && options.offset_limit < PlanOptions{}.offset_limit) {
        // A single instance of pixels may be over the limit, too few channels may be below it, and
        // the one instance that takes the problem may not take a part.
        EXPECT_THAT(
            plan.status().message(),
            testing::AnyOf(testing::HasSubstr("must be below"), testing::HasSubstr("the instance "),
                           testing::HasSubstr("are not adjacent in all tensors")));
        options.offset_limit = PlanOptions{}.offset_limit;
        plan = MakePlan(problem, *gfx, options);
      }
      ASSERT_TRUE(plan.ok()) << plan.status();
      in_parts += plan->launches() > 4;
      const absl::Status status = made->CheckPlan(*plan);
      EXPECT_TRUE(status.ok()) << plan->ToString() << status;
      ++instances_run;
    }
    ++problems_of_[absl::StrCat(Name(problem.direction), " ", Name(problem.type))];
  }
  instances_of_all_ += instances_run;
  in_parts_of_all_ += in_parts;
  EXPECT_GE(instances_run, 2 * kProblemsPerTest);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomProblems,
                         testing::Range(0, static_cast<int>(Number("GRIDWISE_TEST_PROBLEMS")) /
                                               kProblemsPerTest));

}  // namespace
}  // namespace gridwise
