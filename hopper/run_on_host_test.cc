// The kernels' results, on the host: no GPU is needed, and none can be replaced by this (see
// core/arch/hopper_on_host.h for what it does not notice).

#include "hopper/run_on_host.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "core/arch/factor.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/compare.h"
#include "core/conv/elements.h"
#include "core/conv/expected.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/conv/sub_gemms.h"
#include "core/launch/launch.h"
#include "core/launch/part_kernel.h"
#include "core/passes/convert.h"
#include "core/passes/convert_args.h"
#include "core/passes/layout_passes.h"
#include "core/passes/plan_widen.h"
#include "core/passes/widen.h"
#include "core/passes/widen_args.h"
#include "gtest/gtest.h"
#include "hopper/classes_plan.h"
#include "hopper/fetched.h"
#include "hopper/halo_plan.h"
#include "hopper/kernel/classes.h"
#include "hopper/kernel/gather.h"
#include "hopper/kernel/halo.h"
#include "hopper/kernel/halo_dense.h"
#include "hopper/kernel/halo_weight.h"
#include "hopper/kernel/line.h"
#include "hopper/kernel/narrow_weight.h"
#include "hopper/kernel/simple.h"
#include "hopper/kernel/weight.h"
#include "hopper/line_plan.h"
#include "hopper/narrow_plan.h"
#include "hopper/plan.h"
#include "hopper/simple_plan.h"

namespace gridwise::hopper {
namespace {

/// A square filter on images of `height` x `width` cells.
ConvProblem Problem(Direction direction, std::int64_t groups, std::int64_t c, std::int64_t k,
                    Dim height, Dim width) {
  return {.direction = direction,
          .groups = groups,
          .batch = 2,
          .c = groups * c,
          .k = groups * k,
          .dims = {Dim{}, height, width}};
}
Dim Axis(std::int64_t in, std::int64_t stride = 1, std::int64_t pad = 1) {
  return {.in = in, .filter = 3, .stride = stride, .pad_begin = pad, .pad_end = pad};
}

std::vector<float> Uniform(DataType type, std::int64_t count, std::mt19937& random) {
  const float range = OperandRange(type);
  std::uniform_real_distribution<float> uniform(-range, range);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = RoundTo(type, uniform(random));
  return values;
}

/// The problem whose operands are as passes copy them for rows that want such cells.
ConvProblem WithCells(Cells cells, ConvProblem problem) {
  problem.strides = SimpleProblem(problem, Gfx::kSm90a, cells).strides;
  return problem;
}

/// A packed tensor's values where `problem` has them, and zeros between them.
std::vector<float> Spread(const std::vector<float>& values, const ConvProblem& packed,
                          const ConvProblem& problem, Tensor tensor) {
  const TensorAxes from = packed.AxesOf(tensor), to = problem.AxesOf(tensor);
  std::vector<float> spread(
      static_cast<std::size_t>(SpanOf(problem, tensor) / SizeOf(problem.type)));
  PerAxis at = {};
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t from_element = 0, to_element = 0;
    for (std::size_t axis = 0; axis < 6; ++axis) {
      from_element += at[axis] * from.stride[axis];
      to_element += at[axis] * to.stride[axis];
    }
    spread[static_cast<std::size_t>(to_element)] = values[static_cast<std::size_t>(from_element)];
    for (std::size_t axis = 6; axis-- > 0;) {
      if (++at[axis] < to.size[axis]) break;
      at[axis] = 0;
    }
  }
  return spread;
}

/// 16-byte aligned copies of tensors, and an output filled with NaN.
struct Memory3 {
  std::vector<std::byte> a, b, out;

  void* Of(Memory memory) {
    return memory == Memory::kA ? a.data() : memory == Memory::kB ? b.data() : out.data();
  }
};

template <class Args>
void Patch(Plan<Args>& plan, Memory3& memory) {
  char* const bytes = reinterpret_cast<char*>(&plan.args);
  for (const KernelLaunch::Map& map : plan.maps) {
    const HostTensorMap host = {&map.spec,
                                static_cast<char*>(memory.Of(map.place.memory)) + map.place.offset};
    std::memcpy(bytes + map.at, &host, sizeof(host));
  }
  for (const KernelLaunch::Address& address : plan.addresses) {
    const void* const value = memory.Of(address.place.memory);
    std::memcpy(bytes + address.at, &value, sizeof(value));
  }
  plan.args.epilogue.out = memory.out.data();
}

enum class Values { kFinite, kInfinity };

/// Runs `kernel` with the arguments of make_plan(request) in some splits, and compares its output;
/// on copies of the operands in another type, if one is named.
template <class MakePlan>
void Check(const ConvProblem& problem, const MakePlan& make_plan, auto kernel, int splits = 1,
           Values values = Values::kFinite, std::optional<DataType> copied = {}) {
  SCOPED_TRACE(ToString(problem));
  std::mt19937 random(5);
  std::vector<float> a = Uniform(problem.type, problem.a_elements(), random);
  const std::vector<float> b = Uniform(problem.type, problem.b_elements(), random);
  if (values == Values::kInfinity) a[a.size() / 2 + 5] = std::numeric_limits<float>::infinity();
  ConvProblem packed = problem;
  packed.strides = {};
  const absl::StatusOr<Expected> expected = ExpectedOutput(packed, a, b);
  ASSERT_TRUE(expected.ok()) << expected.status();
  DeviceFacts device = Gfx::kSm90a;
  device.compute_units = 3;
  ConvProblem multiplied = problem;
  multiplied.type = copied.value_or(problem.type);
  multiplied.out_type = problem.output_type();
  const std::vector<SubGemm> gemms = problem.direction == Direction::kBackwardWeight
                                         ? std::vector<SubGemm>()
                                         : MakeSubGemms(problem);
  Sharing sharing = {.splits = splits};
  if (splits > 1) sharing.partial_elements = problem.out_elements();
  auto plan = make_plan(PartRequest{device, multiplied, gemms, sharing});
  const DataType out_type = splits > 1 ? DataType::kF32 : problem.output_type();
  const std::int64_t elements = problem.out_elements() * splits;
  Memory3 memory = {Encode(multiplied.type, Spread(a, packed, problem, problem.a())),
                    Encode(multiplied.type, Spread(b, packed, problem, problem.b())),
                    std::vector<std::byte>(static_cast<std::size_t>(elements * SizeOf(out_type)),
                                           std::byte{PoisonByte(out_type)})};
  if constexpr (requires { plan.args.fetched; }) SetFetched(multiplied, plan);
  Patch(plan, memory);
  RunGrid(static_cast<int>(plan.shape.workgroups[0]), static_cast<int>(plan.shape.threads[0]),
          [&] { kernel(plan.args); });
  const std::vector<double> out = DecodeExactly(out_type, memory.out);
  std::vector<double> sums(static_cast<std::size_t>(problem.out_elements()));
  for (std::size_t i = 0; i < out.size(); ++i) sums[i % sums.size()] += out[i];
  if (values == Values::kInfinity) {
    // Of dy times what x has outside of it, zeros, there is NaN.
    const bool meets_padding = problem.direction == Direction::kBackwardWeight;
    int reached = 0, wrong = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const bool is_finite = std::isfinite(expected->out[i]);
      reached += !is_finite;
      wrong += is_finite != std::isfinite(sums[i]) || (!meets_padding && std::isnan(sums[i]));
    }
    EXPECT_GT(reached, 0);
    EXPECT_EQ(wrong, 0);
    return;
  }
  const ErrorStats stats = Compare(out_type, sums, expected->out, problem.reduction_length());
  EXPECT_EQ(stats.bad, 0) << "first at " << stats.first_bad << ", " << stats.max_ratio;
}

template <HaloConfig kC>
void CheckHalo(ConvProblem problem, int splits = 1, Values values = Values::kFinite) {
  problem.direction = kC.direction;
  problem.type = kC.type;
  ASSERT_EQ(RejectProblem(kC, problem).value_or(""), "");
  Check(
      problem, [](const PartRequest& request) { return PlanHalo(kC, request); },
      RunRoles<kC.warpgroups(), HaloRoles<kC>, HaloArgs>, splits, values);
}

constexpr HaloConfig kForward16 = {.teams = 2, .sharers = 1, .reps = 2, .stages = 2};

TEST(Halo, Forward) {
  const ConvProblem problem = Problem(Direction::kForward, 8, 16, 16, Axis(9), Axis(13));
  CheckHalo<kForward16>(problem);
  CheckHalo<HaloConfig{.teams = 2, .sharers = 2, .reps = 1, .stages = 4}>(problem);
  CheckHalo<HaloConfig{.teams = 2, .sharers = 1, .reps = 1, .stages = 3}>(problem);
  CheckHalo<HaloConfig{.teams = 2, .sharers = 1, .reps = 4, .stages = 3}>(problem);
  ConvProblem f32 = problem;
  f32.out_type = DataType::kF32;
  CheckHalo<kForward16>(f32);
  CheckHalo<kForward16>(problem, /*splits=*/3);
}

TEST(Halo, ForwardOfOtherGroupsStridesAndFilters) {
  for (const std::int64_t channels : {1, 4, 8}) {
    CheckHalo<kForward16>(
        Problem(Direction::kForward, 80 / channels, channels, channels, Axis(6), Axis(9)));
  }
  constexpr HaloConfig k32 = {.channels = 32, .teams = 2, .sharers = 1, .stages = 2};
  CheckHalo<k32>(Problem(Direction::kForward, 3, 32, 32, Axis(10, 2), Axis(15, 2, 0)));
  constexpr HaloConfig k64 = {.channels = 64, .filter = 0, .teams = 1, .sharers = 2, .stages = 2};
  const Dim dilated = {.in = 14, .filter = 2, .dilation = 3, .pad_begin = 2, .pad_end = 1};
  CheckHalo<k64>(Problem(Direction::kForward, 1, 64, 64, dilated, Axis(11, 2)));
  constexpr HaloConfig kAny = {.filter = 0, .teams = 2, .sharers = 1, .stages = 2};
  const Dim seven = {.in = 12, .filter = 7, .pad_begin = 3, .pad_end = 3};
  CheckHalo<kAny>(Problem(Direction::kForward, 72, 1, 1, seven, seven));
}

/// The problem with an axis d.
ConvProblem WithDepth(ConvProblem problem, Dim depth) {
  problem.rank = 3;
  problem.dims[0] = depth;
  return problem;
}

TEST(Halo, Depth) {
  constexpr HaloConfig kAny = {.filter = 0, .teams = 2, .sharers = 1, .stages = 2};
  constexpr HaloConfig kData = {
      .direction = Direction::kBackwardData, .filter = 0, .teams = 2, .sharers = 1, .stages = 2};
  const ConvProblem forward = Problem(Direction::kForward, 72, 1, 1, Axis(6), Axis(9));
  CheckHalo<kAny>(WithDepth(forward, Axis(4)));
  CheckHalo<kAny>(WithDepth(forward, {.in = 9, .filter = 2, .stride = 2, .dilation = 3}));
  CheckHalo<kAny>(WithDepth(forward, Axis(5)), 1, Values::kInfinity);
  const ConvProblem strided = Problem(Direction::kForward, 18, 4, 4, Axis(9, 2), Axis(8, 2));
  CheckHalo<kAny>(WithDepth(strided, Axis(3)));
  ConvProblem f32 = WithDepth(forward, Axis(4));
  f32.out_type = DataType::kF32;
  CheckHalo<kAny>(f32);
  const ConvProblem data = Problem(Direction::kBackwardData, 72, 1, 1, Axis(6), Axis(9));
  CheckHalo<kData>(WithDepth(data, {.in = 5, .filter = 4, .pad_begin = 2, .pad_end = 1}));
  const auto rejects = [](const HaloConfig& row, const ConvProblem& problem, Dim depth) {
    return RejectProblem(row, WithDepth(problem, depth)).has_value();
  };
  EXPECT_TRUE(rejects(kForward16, forward, Axis(4))) << "products are of 9 taps";
  constexpr HaloConfig k64 = {.channels = 64, .filter = 0, .teams = 1, .stages = 2};
  const ConvProblem one = Problem(Direction::kForward, 1, 64, 64, Axis(6), Axis(9));
  EXPECT_FALSE(rejects(k64, one, Dim{.in = 4}));
  EXPECT_TRUE(rejects(k64, one, Axis(4))) << "gather rows are faster";
  EXPECT_TRUE(rejects(kData, data, Axis(4, 2))) << "dx has two residue classes along d";
}

TEST(Halo, Bytes) {
  constexpr HaloConfig k32 = {.type = DataType::kI8, .channels = 32, .sharers = 1, .reps = 2};
  for (const std::int64_t channels : {1, 4, 16, 32}) {  // elements and runs of the filter
    ConvProblem problem =
        Problem(Direction::kForward, 96 / channels, channels, channels, Axis(9), Axis(13, 2));
    CheckHalo<k32>(problem);
    problem.out_type = DataType::kF32;
    problem.epilogue.alpha = 0.01;
    problem.epilogue.high = 40;
    CheckHalo<k32>(problem);
  }
  constexpr HaloConfig k64 = {
      .type = DataType::kI8, .channels = 64, .filter = 0, .teams = 1, .sharers = 2, .stages = 2};
  const Dim dilated = {.in = 14, .filter = 2, .dilation = 3, .pad_begin = 2, .pad_end = 1};
  CheckHalo<k64>(Problem(Direction::kForward, 2, 64, 64, dilated, Axis(11, 2)));
  ConvProblem apart = Problem(Direction::kForward, 9, 1, 4, Axis(9), Axis(13));
  apart.type = DataType::kI8;
  CheckHalo<k32>(WithCells(Cells::kGroupsApart, apart));
}

TEST(Halo, BackwardData) {
  constexpr HaloConfig k1 = {
      .direction = Direction::kBackwardData, .teams = 2, .sharers = 1, .stages = 2};
  CheckHalo<k1>(Problem(Direction::kBackwardData, 8, 8, 8, Axis(9), Axis(10)));
  constexpr HaloConfig k2 = {
      .direction = Direction::kBackwardData, .up = 2, .teams = 2, .sharers = 1, .stages = 2};
  CheckHalo<k2>(Problem(Direction::kBackwardData, 5, 16, 16, Axis(9, 2), Axis(12, 2)));
  CheckHalo<k2>(Problem(Direction::kBackwardData, 5, 16, 16, Axis(9, 2, 0), Axis(12, 2, 1)));
  CheckHalo<k2>(Problem(Direction::kBackwardData, 16, 4, 4, Axis(11, 2, 1), Axis(8, 2, 2)), 2);
  constexpr HaloConfig k5 = {.direction = Direction::kBackwardData,
                             .filter = 5,
                             .up = 2,
                             .teams = 2,
                             .sharers = 1,
                             .stages = 2};
  const Dim five = {.in = 11, .filter = 5, .stride = 2, .pad_begin = 2, .pad_end = 2};
  CheckHalo<k5>(Problem(Direction::kBackwardData, 72, 1, 1, five, five));
}

TEST(Halo, OfGroupsApart) {
  const auto problem = [](Direction direction, std::int64_t groups, std::int64_t c, std::int64_t k,
                          std::int64_t stride = 1) {
    return WithCells(Cells::kGroupsApart,
                     Problem(direction, groups, c, k, Axis(9, stride), Axis(10, stride)));
  };
  constexpr Direction kForward = Direction::kForward, kData = Direction::kBackwardData;
  CheckHalo<kForward16>(problem(kForward, 5, 12, 12));
  ConvProblem f32 = problem(kForward, 5, 12, 12);
  f32.out_type = DataType::kF32;
  CheckHalo<kForward16>(f32);
  CheckHalo<kForward16>(problem(kForward, 7, 1, 4, 2));
  CheckHalo<kForward16>(problem(kForward, 9, 16, 8));
  CheckHalo<kForward16>(problem(kForward, 6, 3, 5), 2);
  CheckHalo<kForward16>(problem(kForward, 7, 11, 3), 1, Values::kInfinity);
  constexpr HaloConfig k32 = {.channels = 32, .teams = 2, .sharers = 1, .stages = 2};
  CheckHalo<k32>(problem(kForward, 3, 20, 24));
  constexpr HaloConfig k1 = {.direction = kData, .teams = 2, .sharers = 1, .stages = 2};
  CheckHalo<k1>(problem(kData, 5, 12, 12));
  CheckHalo<k1>(problem(kData, 16, 1, 4));
  constexpr HaloConfig k2 = {.direction = kData, .up = 2, .teams = 2, .sharers = 1, .stages = 2};
  CheckHalo<k2>(problem(kData, 5, 8, 16, 2));
  CheckHalo<k2>(problem(kData, 9, 3, 7, 2), 1, Values::kInfinity);
}

TEST(Halo, AnInfinityStaysInItsGroup) {
  CheckHalo<kForward16>(Problem(Direction::kForward, 32, 4, 4, Axis(9), Axis(9)), 1,
                        Values::kInfinity);
  CheckHalo<kForward16>(Problem(Direction::kForward, 5, 16, 16, Axis(9), Axis(9)), /*splits=*/2,
                        Values::kInfinity);
  constexpr HaloConfig k2 = {
      .direction = Direction::kBackwardData, .up = 2, .teams = 2, .sharers = 1, .stages = 2};
  const ConvProblem strided = Problem(Direction::kBackwardData, 8, 8, 8, Axis(9, 2), Axis(9, 2));
  CheckHalo<k2>(strided, 1, Values::kInfinity);
  CheckHalo<k2>(strided, /*splits=*/3, Values::kInfinity);
}

template <HaloWeightConfig kC = {}>
void CheckHaloWeight(const ConvProblem& problem, int splits, Values values = Values::kFinite) {
  ASSERT_EQ(RejectProblem(kC, problem).value_or(""), "");
  Check(
      problem, [](const PartRequest& request) { return PlanHalo(kC, request); },
      RunRoles<kC.warpgroups(), HaloWeightRoles<kC>, HaloArgs>, splits, values);
}

TEST(HaloWeight, OfGroupsAndStrides) {
  for (const std::int64_t channels : {1, 2, 8, 16, 32}) {
    const std::int64_t groups = 64 / channels + 1;
    const Direction weight = Direction::kBackwardWeight;
    CheckHaloWeight(Problem(weight,
                            channels == 1   ? 72
                            : channels == 2 ? 36
                                            : groups,
                            channels, channels, Axis(7), Axis(10)),
                    1);
    CheckHaloWeight(Problem(weight, 128 / channels, channels, channels, Axis(9, 2), Axis(8, 2)), 3);
  }
}

TEST(HaloWeight, OfOneGroup) {
  constexpr Direction kWeight = Direction::kBackwardWeight;
  CheckHaloWeight(Problem(kWeight, 1, 72, 40, Axis(7), Axis(10)), 2);
  CheckHaloWeight(Problem(kWeight, 1, 40, 136, Axis(9, 2), Axis(8, 2)), 1);
}

TEST(HaloWeight, JoinsTaps) {
  constexpr HaloWeightConfig kJoins = {.joins = true};
  constexpr Direction kWeight = Direction::kBackwardWeight;
  CheckHaloWeight<kJoins>(Problem(kWeight, 3, 32, 32, Axis(7), Axis(10)), 1);
  CheckHaloWeight<kJoins>(Problem(kWeight, 1, 72, 40, Axis(9, 2), Axis(10)), 2);
  CheckHaloWeight<kJoins>(Problem(kWeight, 1, 64, 64, Axis(5), Axis(19)), 2);
  Dim dilated = Axis(9);
  dilated.dilation = 2;
  CheckHaloWeight<kJoins>(Problem(kWeight, 2, 16, 16, Axis(9), dilated), 1);
}

TEST(HaloWeight, AnInfinityReachesItsTaps) {
  CheckHaloWeight(Problem(Direction::kBackwardWeight, 8, 8, 8, Axis(9), Axis(9)), 1,
                  Values::kInfinity);
}

template <NarrowWeightConfig kC>
void CheckNarrowWeight(const ConvProblem& problem, int splits, Values values = Values::kFinite) {
  ASSERT_EQ(RejectProblem(kC, problem).value_or(""), "");
  Check(
      problem, [](const PartRequest& request) { return PlanNarrow(kC, request); },
      RunWarpRoles<NarrowWeightRoles<kC>, HaloArgs>, splits, values);
}

TEST(HaloWeight, OfGroupsApart) {
  const auto check = [](std::int64_t groups, std::int64_t c, std::int64_t k, Dim height, Dim width,
                        int splits, Values values = Values::kFinite) {
    const ConvProblem problem = Problem(Direction::kBackwardWeight, groups, c, k, height, width);
    CheckHaloWeight(WithCells(Cells::kGroupsApart, problem), splits, values);
  };
  check(5, 12, 12, Axis(7), Axis(10), 1);
  check(3, 20, 30, Axis(9, 2), Axis(8, 2), 3);
  check(9, 3, 5, Axis(7), Axis(10), 2);
  check(5, 12, 9, Axis(9), Axis(9), 1, Values::kInfinity);
}

TEST(NarrowWeight, OfGroupsApart) {
  const auto check = [](std::int64_t groups, std::int64_t c, std::int64_t k, Dim height, Dim width,
                        int splits, Values values = Values::kFinite) {
    const ConvProblem problem = Problem(Direction::kBackwardWeight, groups, c, k, height, width);
    CheckNarrowWeight<NarrowWeightConfig{.warps = 8, .stages = 2}>(
        WithCells(Cells::kGroupsApart, problem), splits, values);
  };
  check(5, 12, 12, Axis(7), Axis(10), 1);
  check(36, 1, 4, Axis(7), Axis(10), 2);
  check(7, 8, 16, Axis(9, 2), Axis(8, 2), 1);
  check(7, 11, 3, Axis(9), Axis(9), 1, Values::kInfinity);
}

TEST(HaloWeight, Depth) {
  const Dim one = {.in = 7}, five = {.in = 6, .filter = 5, .pad_begin = 2, .pad_end = 2};
  const ConvProblem problem = Problem(Direction::kBackwardWeight, 72, 1, 1, one, Axis(9));
  CheckHaloWeight(WithDepth(problem, Axis(4)), 2);
  CheckHaloWeight(WithDepth(Problem(Direction::kBackwardWeight, 9, 8, 8, one, one), five), 1);
  CheckHaloWeight(WithDepth(problem, Axis(5, 2)), 1, Values::kInfinity);
  constexpr HaloWeightConfig kJoins = {.joins = true};
  const ConvProblem square = Problem(Direction::kBackwardWeight, 72, 1, 1, Axis(6), Axis(9));
  EXPECT_TRUE(RejectProblem(kJoins, WithDepth(square, Axis(4))).has_value());
}

TEST(NarrowWeight, Depth) {
  constexpr NarrowWeightConfig kAny = {.filter = 0, .warps = 16, .stages = 2};
  const ConvProblem problem = Problem(Direction::kBackwardWeight, 72, 1, 1, Axis(6), Axis(9));
  CheckNarrowWeight<kAny>(WithDepth(problem, Axis(4)), 2);
  CheckNarrowWeight<kAny>(WithDepth(problem, Axis(7, 2, 0)), 1, Values::kInfinity);
  const ConvProblem strided = Problem(Direction::kBackwardWeight, 18, 4, 4, Axis(9, 2), Axis(8, 2));
  CheckNarrowWeight<kAny>(WithDepth(strided, Axis(3)), 1);
}

TEST(NarrowWeight, OfGroupsAndStrides) {
  constexpr NarrowWeightConfig k16 = {.warps = 8, .stages = 2};
  constexpr Direction kWeight = Direction::kBackwardWeight;
  CheckNarrowWeight<k16>(Problem(kWeight, 72, 1, 1, Axis(7), Axis(10)), 1);
  CheckNarrowWeight<k16>(Problem(kWeight, 9, 8, 8, Axis(7), Axis(10)), 2);
  CheckNarrowWeight<k16>(Problem(kWeight, 5, 16, 16, Axis(9, 2), Axis(8, 2)), 3);
  constexpr NarrowWeightConfig k32 = {.channels = 32, .warps = 4, .stages = 2};
  CheckNarrowWeight<k32>(Problem(kWeight, 3, 32, 32, Axis(9), Axis(9)), 1);
  CheckNarrowWeight<k16>(Problem(kWeight, 8, 8, 8, Axis(9), Axis(9)), 1, Values::kInfinity);
}

TEST(NarrowWeight, OfAnyFilter) {
  constexpr NarrowWeightConfig k16 = {.filter = 0, .warps = 8, .stages = 2};
  const auto check = [&](std::int64_t groups, std::int64_t channels, std::int64_t filter,
                         std::int64_t stride, int splits, Values values = Values::kFinite) {
    const auto axis = [&](std::int64_t in) {
      return Dim{.in = in,
                 .filter = filter,
                 .stride = stride,
                 .pad_begin = filter / 2,
                 .pad_end = filter / 2};
    };
    CheckNarrowWeight<k16>(
        Problem(Direction::kBackwardWeight, groups, channels, channels, axis(9), axis(11)), splits,
        values);
  };
  check(72, 1, 5, 1, 2);
  check(72, 1, 7, 1, 1);
  check(16, 4, 7, 2, 3);
  check(8, 8, 4, 1, 1);
  check(5, 16, 5, 1, 1);
  check(72, 1, 5, 1, 1, Values::kInfinity);
}

template <HaloDenseConfig kC>
void CheckDense(const ConvProblem& problem, int splits = 1) {
  ASSERT_EQ(RejectProblem(kC, problem).value_or(""), "");
  Check(
      problem, [](const PartRequest& request) { return PlanHalo(kC, request); },
      RunRoles<kC.warpgroups(), HaloDenseRoles<kC>, HaloArgs>, splits);
}

TEST(HaloDense, FewColumns) {
  CheckDense<HaloDenseConfig{}>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)));
  CheckDense<HaloDenseConfig{}>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)), 4);
  constexpr HaloDenseConfig kKept = {.sharers = 2, .reps = 1, .stages = 2, .kept = 4};
  CheckDense<kKept>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)));
  CheckDense<kKept>(Problem(Direction::kForward, 1, 200, 40, Axis(9), Axis(17)), 3);
  constexpr HaloDenseConfig k64 = {.columns = 64, .sharers = 1, .reps = 2, .stages = 2};
  constexpr HaloDenseConfig kLarge = {.sharers = 3, .reps = 2, .stages = 2};
  CheckDense<kLarge>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)));
  CheckDense<k64>(Problem(Direction::kForward, 1, 64, 50, Axis(13, 2), Axis(10)));
}

TEST(HaloDense, JoinedTaps) {
  constexpr HaloDenseConfig kRow = {.columns = 36, .sharers = 2, .reps = 2, .joins = true};
  CheckDense<kRow>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)));
  CheckDense<kRow>(Problem(Direction::kForward, 1, 136, 3, Axis(9, 2), Axis(17)), 4);
  constexpr HaloDenseConfig kTurns = {
      .columns = 36, .sharers = 2, .reps = 2, .stages = 3, .joins = true, .take_turns = true};
  CheckDense<kTurns>(Problem(Direction::kForward, 1, 256, 36, Axis(13), Axis(30)));
  CheckDense<kTurns>(Problem(Direction::kForward, 1, 136, 36, Axis(9), Axis(17)), 4);
}

TEST(HaloDense, EightColumns) {
  constexpr HaloDenseConfig kJoins = {.columns = 8, .sharers = 4, .stages = 3, .joins = true};
  constexpr HaloDenseConfig kOneTap = {.columns = 8, .filter = 1, .sharers = 4, .stages = 3};
  for (const std::int64_t k : {1, 3, 4, 8}) {
    CheckDense<kJoins>(Problem(Direction::kForward, 1, 136, k, Axis(9), Axis(17)));
    const ConvProblem one_tap = Problem(Direction::kForward, 1, 72, k, Dim{.in = 9}, Dim{.in = 65});
    CheckDense<kOneTap>(one_tap);
    CheckDense<kOneTap>(one_tap, /*splits=*/3);
  }
  ConvProblem finished = Problem(Direction::kForward, 1, 72, 3, Axis(9), Axis(17));
  finished.epilogue.alpha = 0.5;
  finished.epilogue.low = 0;
  CheckDense<kJoins>(finished);
}

template <LineConfig kC>
void CheckLine(const ConvProblem& problem, int splits = 1, Values values = Values::kFinite) {
  Check(
      problem,
      [](const PartRequest& request) {
        EXPECT_EQ(RejectProblem(kC, request.problem).value_or(""), "");
        return PlanLine(kC, request);
      },
      RunRoles<kC.warpgroups(), LineRoles<kC>, HaloArgs>, splits, values, kC.type);
}

TEST(Line, FewChannels) {
  const auto axis = [](std::int64_t in, std::int64_t filter, std::int64_t stride) {
    return Dim{.in = in,
               .filter = filter,
               .stride = stride,
               .pad_begin = filter / 2,
               .pad_end = filter / 2};
  };
  const auto problem = [](std::int64_t c, std::int64_t k, Dim h, Dim w) {
    return Problem(Direction::kForward, 1, c, k, h, w);
  };
  constexpr LineConfig k7 = {};
  const ConvProblem stem = problem(3, 64, axis(37, 7, 2), axis(48, 7, 2));
  CheckLine<k7>(stem);
  CheckLine<k7>(stem, /*splits=*/2);
  CheckLine<k7>(stem, 1, Values::kInfinity);
  CheckLine<k7>(stem, /*splits=*/2, Values::kInfinity);
  CheckLine<k7>(problem(3, 70, axis(9, 7, 1), axis(16, 7, 2)));
  constexpr LineConfig k3 = {.lines = 3, .pieces = 2, .columns = 32, .teams = 2, .stages = 2};
  CheckLine<k3>(problem(4, 24, axis(11, 3, 1), axis(12, 3, 1)));
  CheckLine<k3>(problem(3, 24, axis(11, 3, 3), axis(16, 3, 2)));
  for (const std::int64_t k : {24, 21}) {  // i32 vectors and elements, of copies of i8
    ConvProblem bytes = problem(4, k, axis(11, 3, 1), axis(12, 3, 1));
    bytes.type = DataType::kI8;
    CheckLine<k3>(bytes);
    bytes.out_type = DataType::kF32;
    bytes.epilogue.alpha = 0.01;
    bytes.epilogue.high = 40;
    CheckLine<k3>(bytes);
  }
}

TEST(Line, BackwardDataOfFewChannels) {
  const auto problem = [](std::int64_t c, std::int64_t k, Dim h, Dim w) {
    return Problem(Direction::kBackwardData, 1, c, k, h, w);
  };
  constexpr LineConfig k36 = {.direction = Direction::kBackwardData,
                              .lines = 3,
                              .pieces = 14,
                              .columns = 128,
                              .teams = 2,
                              .stages = 2,
                              .elements = 1024};
  CheckLine<k36>(problem(136, 36, Axis(7), Axis(7)));
  CheckLine<k36>(problem(72, 36, Axis(9, 1, 0), Axis(31, 1, 2)));
  CheckLine<k36>(problem(40, 36, Axis(13), Axis(13)), /*splits=*/2);
  CheckLine<k36>(problem(64, 36, Axis(9), Axis(9)), 1, Values::kInfinity);
  CheckLine<k36>(problem(64, 36, Axis(9), Axis(9)), /*splits=*/2, Values::kInfinity);
  constexpr LineConfig k4 = {.direction = Direction::kBackwardData,
                             .lines = 3,
                             .pieces = 3,
                             .columns = 64,
                             .teams = 1,
                             .stages = 2,
                             .elements = 384};
  CheckLine<k4>(problem(24, 8, Axis(5), Axis(11)));
}

template <Config kC>
void CheckGather(ConvProblem problem, int splits = 1) {
  problem.direction = kC.direction;
  problem.type = kC.type;
  ASSERT_EQ(RejectProblem(kC, problem).value_or(""), "");
  Check(
      problem, [](const PartRequest& request) { return PlanGather(kC, request); },
      RunRoles<kC.warpgroups(), GatherRoles<kC>, GatherArgs>, splits);
}

TEST(Gather, BoxesVectorsAndElements) {
  constexpr Config kBoxes = {.columns = 64, .stages = 2};
  const ConvProblem problem = Problem(Direction::kForward, 1, 72, 72, Axis(7), Axis(9, 2));
  CheckGather<kBoxes>(problem);
  CheckGather<kBoxes>(problem, /*splits=*/3);                                      // f32 vectors
  CheckGather<kBoxes>(Problem(Direction::kForward, 1, 64, 67, Axis(7), Axis(9)));  // elements
  CheckGather<kBoxes>(Problem(Direction::kForward, 2, 72, 40, Axis(7), Axis(9)));  // a map a group
  CheckGather<kBoxes>(Problem(Direction::kForward, 10, 72, 40, Axis(7), Axis(9, 2)));  // or an axis
  constexpr Config kShort = {.columns = 64, .stages = 3, .slab = 32};
  CheckGather<kShort>(Problem(Direction::kForward, 1, 40, 72, Axis(7), Axis(9, 2)));
  constexpr Config kKept = {.take_turns = true, .columns = 64, .stages = 3, .kept = 9};
  CheckGather<kKept>(Problem(Direction::kForward, 1, 64, 136, Axis(7), Axis(9)));
  CheckGather<kKept>(Problem(Direction::kForward, 1, 64, 72, Axis(7), Axis(9)), /*splits=*/2);
  constexpr Config kTurns = {
      .direction = Direction::kBackwardData, .take_turns = true, .columns = 64, .stages = 4};
  CheckGather<kTurns>(Problem(Direction::kBackwardData, 1, 72, 64, Axis(9, 2), Axis(8, 2)));
  CheckGather<kTurns>(Problem(Direction::kBackwardData, 3, 40, 72, Axis(9, 2), Axis(8, 2, 2)));
  constexpr Config kShortBack = {
      .direction = Direction::kBackwardData, .columns = 128, .stages = 5, .slab = 32};
  CheckGather<kShortBack>(Problem(Direction::kBackwardData, 1, 72, 40, Axis(9, 2), Axis(8)));
  // A class without taps: 1 x 1 of stride 2.
  const Dim point = {.in = 8, .stride = 2};
  CheckGather<kTurns>(Problem(Direction::kBackwardData, 1, 72, 64, point, point));
  const Dim long_axis = {.in = 40, .stride = 2};  // several tiles of each class
  CheckGather<kTurns>(Problem(Direction::kBackwardData, 1, 72, 64, point, long_axis));
  constexpr Config kChunks = {.columns = 72, .stages = 2, .chunk = 72};
  CheckGather<kChunks>(Problem(Direction::kForward, 1, 64, 144, Axis(5), Axis(6)), 2);
}

TEST(Gather, ManyOrWideTilesOfColumns) {
  constexpr Config kMany = {.groups = 1, .columns = 64, .stages = 2};
  CheckGather<kMany>(Problem(Direction::kForward, 1, 64, 600, Axis(9), Axis(11)));
  CheckGather<kMany>(Problem(Direction::kForward, 1, 64, 600, Axis(7), Axis(9)), /*splits=*/2);
  constexpr Config k240 = {.columns = 240, .stages = 2, .chunk = 120};
  CheckGather<k240>(Problem(Direction::kForward, 1, 64, 264, Axis(5), Axis(9)));
  constexpr Config k200 = {.columns = 200, .stages = 2, .chunk = 200};
  CheckGather<k200>(Problem(Direction::kForward, 1, 64, 264, Axis(5), Axis(9)));
  constexpr Config k192 = {.groups = 3, .columns = 192, .stages = 2};
  CheckGather<k192>(Problem(Direction::kForward, 2, 64, 168, Axis(5), Axis(9)));
}

TEST(Gather, Bytes) {
  constexpr Config kC = {.type = DataType::kI8, .columns = 64, .stages = 2, .slab = 128};
  ConvProblem problem = Problem(Direction::kForward, 1, 144, 72, Axis(7), Axis(9, 2));
  CheckGather<kC>(problem);                                                    // i32 vectors
  CheckGather<kC>(Problem(Direction::kForward, 1, 64, 67, Axis(7), Axis(9)));  // i32 elements
  CheckGather<kC>(Problem(Direction::kForward, 2, 48, 40, Axis(7), Axis(9)));
  problem.out_type = DataType::kF32;
  problem.epilogue.alpha = 0.01;
  problem.epilogue.high = 40;
  CheckGather<kC>(problem);
  problem.k = 67;
  CheckGather<kC>(problem);
  constexpr Config kNarrow = {
      .type = DataType::kI8, .reps = 2, .columns = 32, .stages = 3, .slab = 64};
  CheckGather<kNarrow>(
      Problem(Direction::kForward, 12, 16, 24, Axis(7), Axis(9)));  // 4 groups a slab
  constexpr Config kTurns = {.type = DataType::kI8,
                             .take_turns = true,
                             .reps = 2,
                             .columns = 128,
                             .stages = 3,
                             .slab = 64};
  CheckGather<kTurns>(Problem(Direction::kForward, 1, 80, 136, Axis(17), Axis(19)));
}

template <ClassesConfig kC>
void CheckClasses(const ConvProblem& problem, int splits = 1) {
  ASSERT_EQ(RejectProblem(kC, problem).value_or(""), "");
  Check(
      problem, [](const PartRequest& request) { return PlanClasses(kC, request); },
      RunRoles<kC.warpgroups(), ClassesRoles<kC>, GatherArgs>, splits);
}

TEST(Classes, OfBothAxes) {
  constexpr Direction kData = Direction::kBackwardData;
  constexpr ClassesConfig kC = {.kept = 2, .stages = 4};  // boxes, where sizes are even
  CheckClasses<kC>(Problem(kData, 1, 64, 128, Axis(16, 2), Axis(18, 2)));
  CheckClasses<kC>(Problem(kData, 1, 136, 72, Axis(9, 2), Axis(12, 2)));
  CheckClasses<kC>(Problem(kData, 1, 64, 64, Axis(11, 2, 0), Axis(8, 2, 2)));
  CheckClasses<kC>(Problem(kData, 1, 40, 80, Axis(9, 2, 0), Axis(13, 2)), /*splits=*/2);
  ConvProblem f32 = Problem(kData, 1, 40, 64, Axis(9, 2), Axis(9, 2));
  f32.out_type = DataType::kF32;
  CheckClasses<ClassesConfig{.kept = 1, .stages = 3}>(f32);
}

template <Config kC>
void CheckWeight(const ConvProblem& problem, int splits) {
  ASSERT_EQ(RejectProblem(kC, problem).value_or(""), "");
  Check(
      problem, [](const PartRequest& request) { return PlanWeight(kC, request); },
      RunRoles<kC.warpgroups(), WeightRoles<kC>, WeightArgs>, splits);
}

TEST(Weight, SplitsAndNot) {
  constexpr Config kC = {
      .direction = Direction::kBackwardWeight, .groups = 1, .columns = 128, .stages = 2};
  CheckWeight<kC>(Problem(Direction::kBackwardWeight, 1, 72, 40, Axis(7), Axis(9, 2)), 1);
  CheckWeight<kC>(Problem(Direction::kBackwardWeight, 2, 24, 24, Axis(7), Axis(6)), 4);
  CheckWeight<kC>(Problem(Direction::kBackwardWeight, 1, 72, 600, Axis(5), Axis(6)), 2);
  constexpr Config kWide = {
      .direction = Direction::kBackwardWeight, .groups = 3, .columns = 256, .stages = 2};
  CheckWeight<kWide>(Problem(Direction::kBackwardWeight, 1, 72, 168, Axis(7), Axis(9, 2)), 2);
}

TEST(Weight, OfGroupsApart) {
  constexpr Config kC = {
      .direction = Direction::kBackwardWeight, .groups = 1, .columns = 128, .stages = 2};
  const auto check = [&](std::int64_t groups, std::int64_t c, std::int64_t k, Dim width,
                         int splits) {
    const ConvProblem problem = Problem(Direction::kBackwardWeight, groups, c, k, Axis(7), width);
    CheckWeight<kC>(WithCells(Cells::kSpaced, problem), splits);
  };
  check(3, 12, 100, Axis(9, 2), 2);
  check(5, 20, 20, Axis(6), 1);
  check(2, 72, 75, Axis(6), 1);
}

TEST(Weight, LanesLoadCells) {
  constexpr Config kC = {.direction = Direction::kBackwardWeight,
                         .groups = 1,
                         .columns = 128,
                         .stages = 3,
                         .lanes = true};
  constexpr Direction kWeight = Direction::kBackwardWeight;
  CheckWeight<kC>(Problem(kWeight, 1, 72, 36, Axis(7), Axis(9, 2)), 1);
  CheckWeight<kC>(Problem(kWeight, 1, 24, 100, Axis(7), Axis(6)), 4);
  CheckWeight<kC>(Problem(kWeight, 1, 64, 4, Axis(5), Axis(7)), 1);
}

template <SimpleConfig kC>
void CheckSimple(ConvProblem problem, int splits = 1) {
  problem.direction = kC.direction;
  problem.type = kC.type;
  Check(
      problem, [](const PartRequest& request) { return PlanSimple(kC, request); }, SimpleTiles<kC>,
      splits);
}

TEST(Simple, AnyProblem) {
  ConvProblem problem = Problem(Direction::kForward, 2, 5, 7, Axis(6, 2), Axis(9));
  problem.layout = Layout::kGNHWC;
  problem.weight_layout = WeightLayout::kKYXGC;
  CheckSimple<SimpleConfig{Direction::kForward, DataType::kF32}>(problem);
  CheckSimple<SimpleConfig{Direction::kBackwardData, DataType::kF16}>(problem);
  CheckSimple<SimpleConfig{Direction::kBackwardWeight, DataType::kBF16}>(problem);
  CheckSimple<SimpleConfig{Direction::kBackwardWeight, DataType::kF32}>(problem, 3);
}

TEST(Simple, Bytes) {
  ConvProblem problem = Problem(Direction::kForward, 2, 5, 7, Axis(6, 2), Axis(9));
  problem.layout = Layout::kGNHWC;
  problem.weight_layout = WeightLayout::kKYXGC;
  CheckSimple<SimpleConfig{.type = DataType::kI8}>(problem);
  CheckSimple<SimpleConfig{.type = DataType::kF8E4M3}>(problem);
  CheckSimple<SimpleConfig{.type = DataType::kF8E5M2}>(problem, /*splits=*/2);
  problem.out_type = DataType::kBF16;
  CheckSimple<SimpleConfig{.type = DataType::kF8E4M3}>(problem);
  problem.out_type = DataType::kF32;
  problem.epilogue.alpha = 0.01;
  problem.epilogue.low = -20;
  CheckSimple<SimpleConfig{.type = DataType::kI8}>(problem);
}

template <DataType kType>
void ExpectValuesOf() {
  for (int code = 0; code < 256; ++code) {
    const float expected = Decode(kType, std::vector{static_cast<std::byte>(code)}).front();
    const float got = FromFloat8<kType>(static_cast<unsigned char>(code));
    EXPECT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected)))
        << Name(kType) << " " << code << ": " << got << " and " << expected;
  }
}

TEST(Float8, HasTheValuesOfItsCodes) {
  ExpectValuesOf<DataType::kF8E4M3>();
  ExpectValuesOf<DataType::kF8E5M2>();
}

template <DataType kFrom, DataType kTo>
void CheckConverted() {
  std::vector<std::byte> from(255), to(255 * 2, std::byte{0xff});
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i + 1);
  const ConvertArgs args = {.from = from.data(), .to = to.data(), .elements = 255};
  RunGrid(1, kConvertThreads, [&] { ConvertTile<kFrom, kTo>(args); });
  const std::vector<float> expected = Decode(kFrom, from), got = Decode(kTo, to);
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i])))
        << Name(kFrom) << " " << Name(kTo) << " " << i << ": " << got[i] << ", " << expected[i];
  }
}

TEST(Convert, IsExact) {
  CheckConverted<DataType::kI8, DataType::kF16>();
  CheckConverted<DataType::kF8E4M3, DataType::kF16>();
  CheckConverted<DataType::kF8E4M3, DataType::kBF16>();
  CheckConverted<DataType::kF8E5M2, DataType::kF16>();
  CheckConverted<DataType::kF8E5M2, DataType::kBF16>();
}

/// What WidenArgs says of an element of a line that is made of `from`.
unsigned short WidenedElement(const Lines& lines, const unsigned short* from, std::int64_t line,
                              std::int64_t element) {
  const std::int64_t row = line / lines.of_row;
  const std::int64_t first = (line % lines.of_row * lines.step - lines.before) * lines.item;
  const std::int64_t at = first + element, of_row = lines.from_line * lines.item;
  return element < lines.used && at >= 0 && at < of_row ? from[row * of_row + at] : 0;
}

template <class Word>
void CheckWidenWords(const Lines& lines, int shift) {
  constexpr std::int64_t kElements = sizeof(Word) / 2;
  const std::int64_t rows = lines.count / lines.of_row;
  std::vector<unsigned short> from(static_cast<std::size_t>(rows * lines.from_line * lines.item) +
                                   8);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned short>(i * 7 + 1);
  alignas(16) static unsigned short to[1 << 14];
  std::fill(std::begin(to), std::end(to), static_cast<unsigned short>(0xffff));
  const std::optional<Lines> words = InWords(lines, kElements);
  ASSERT_TRUE(words.has_value());
  WidenArgs args = PlanWiden(*words);
  args.from = from.data() + shift;
  args.to = to;
  RunGrid(static_cast<int>(WidenWorkgroups(*words)), kWidenThreads,
          [&] { WidenWords<Word>(args); });
  for (std::int64_t i = 0; i < lines.ToElements(); ++i) {
    const unsigned short expected =
        WidenedElement(lines, from.data() + shift, i / lines.to_line, i % lines.to_line);
    ASSERT_EQ(to[i], expected) << "element " << i << ", shift " << shift;
  }
  EXPECT_EQ(to[lines.ToElements()], 0xffff) << "behind the last";
}

TEST(Widen, WordsOfSeveralElements) {
  const Lines groups = {.count = 70, .from_line = 12, .to_line = 16};
  const Lines slabs = {.count = 9, .from_line = 112, .to_line = 128};
  const Lines padded = {.count = 5, .from_line = 40, .to_line = 64, .before = 8};
  const Lines runs = {.count = 21,
                      .from_line = 10,
                      .to_line = 32,
                      .before = 1,
                      .item = 8,
                      .of_row = 7,
                      .step = 2,
                      .used = 24};
  for (const int shift : {0, 1, 3}) {
    CheckWidenWords<Vec<unsigned, 2>>(groups, shift);
    for (const Lines& lines : {slabs, padded, runs}) {
      CheckWidenWords<Vec<unsigned, 2>>(lines, shift);
      CheckWidenWords<Vec<unsigned, 4>>(lines, shift);
    }
  }
  EXPECT_FALSE(InWords(groups, 8).has_value());
  EXPECT_FALSE(InWords({.count = 2, .from_line = 64, .to_line = 128, .before = 3}, 4).has_value());
}

}  // namespace
}  // namespace gridwise::hopper
