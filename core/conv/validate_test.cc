// SPDX-License-Identifier: MIT
#include "core/conv/validate.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/base/types.h"
#include "core/conv/limits.h"
#include "core/conv/problem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kHuge = int64_t{1} << 40;

ConvProblem Valid() {
  return {.groups = 2,
          .batch = 3,
          .c = 4,
          .k = 6,
          .dims = {Dim{}, Dim{.in = 7, .filter = 3, .stride = 2, .pad_begin = 1},
                   Dim{.in = 9, .filter = 2, .dilation = 3, .pad_end = 2}}};
}

struct Case {
  std::function<void(ConvProblem&)> spoil;
  std::string message;  // the whole sentence, or as much of it as names field, value and rule
};

TEST(Validate, AcceptsValidProblems) {
  for (Direction direction : kAllDirections) {
    for (DataType type : kAllDataTypes) {
      ConvProblem p = Valid();
      p.direction = direction;
      p.type = type;
      EXPECT_EQ(Validate(p).ok(), TakesType(direction, type)) << Validate(p);
    }
  }
  EXPECT_TRUE(Validate(ConvProblem{}).ok());
  ConvProblem mixed = Valid();
  mixed.out_type = DataType::kF32;
  EXPECT_TRUE(Validate(mixed).ok()) << Validate(mixed);
  mixed.type = DataType::kI8;
  EXPECT_TRUE(Validate(mixed).ok()) << Validate(mixed);
  mixed.out_type.reset();
  EXPECT_EQ(mixed.output_type(), DataType::kI32);
  ConvProblem exact = Valid();
  exact.dims[1] = {.in = 1, .filter = 3, .pad_begin = 1, .pad_end = 1};
  EXPECT_TRUE(Validate(exact).ok()) << "the filter just fits";
  exact.dims[1] = {.in = 1, .stride = 100};
  EXPECT_TRUE(Validate(exact).ok()) << "stride longer than the input";
  exact.dims[1] = {.in = 1, .pad_begin = 5, .pad_end = 5};
  EXPECT_TRUE(Validate(exact).ok()) << "pad longer than the filter";
}

void ExpectRefusals(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    ConvProblem p = Valid();
    c.spoil(p);
    const absl::Status status = Validate(p);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), c.message);
  }
}

TEST(Validate, NamesTypesAndEpiloguesThatAreRefused) {
  ExpectRefusals({
      {[](auto& p) { p.direction = static_cast<Direction>(9); },
       "direction is 9; must be one of fwd (0), bwd_data (1), bwd_weight (2)"},
      {[](auto& p) { p.type = static_cast<DataType>(77); },
       "a type is 77; must be one of f16, bf16, f32, i8, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, "
       "i32, tf32"},
      {[](auto& p) {
         p.direction = Direction::kBackwardWeight;
         p.type = DataType::kI8;
       },
       "type is i8; bwd_weight takes f16, bf16, f32, tf32"},
      {[](auto& p) { p.type = DataType::kI32; },
       "type is i32; fwd takes f16, bf16, f32, i8, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, "
       "tf32"},
      {[](auto& p) { p.out_type = DataType::kBF16; },
       "out_type is bf16; must be one of f16, f32, because type is f16"},
      {[](auto& p) { p.type = p.out_type.emplace(DataType::kTF32); },
       "out_type is tf32; must be one of f32, because type is tf32"},
      {[](auto& p) {
         p.type = DataType::kF8E4M3;
         p.out_type = DataType::kI32;
       },
       "out_type is i32; must be one of f16, bf16, f32, because type is f8e4m3fn"},
      {[](auto& p) {
         p.type = DataType::kI8;
         p.c = 2 * 131072 / 6 + 2;
         p.dims[1].pad_end = 2;
       },
       "an output element sums z * y * x * c / groups = 131076 products of i8; must be <= 131071, "
       "so that no sum overflows an i32"},
      {[](auto& p) { p.operand_sums[1].scale = 2; },
       "operand_sums[1].scale is 2 and it adds nothing; must be 1: epilogue.alpha scales the "
       "output"},
      {[](auto& p) {
         p.operand_sums[0].adds = true;
         p.type = DataType::kI8;
       },
       "operand_sums[0] adds tensors of i8 in fwd; must be f16, bf16 or f32 in fwd"},
      {[](auto& p) { p.epilogue.unary = static_cast<Unary>(99); },
       "epilogue.unary is 99; must be one of none, abs, leaky_relu, elu, sigmoid, tanh, swish, "
       "softplus, gelu"},
      {[](auto& p) {
         p.epilogue.unary = Unary::kSoftplus;
         p.epilogue.unary_parameter = 0;
       },
       "epilogue.unary_parameter is 0; softplus divides by it: must not be 0"},
      {[](auto& p) { p.epilogue.unary_parameter = std::numeric_limits<double>::infinity(); },
       "epilogue.unary_parameter is inf; must be finite in f32"},
      {[](auto& p) { p.epilogue = {.low = 2, .high = 1}; },
       "epilogue.low is 2 and epilogue.high is 1; must be numbers with low <= high"},
      {[](auto& p) { p.epilogue.high = std::numeric_limits<double>::quiet_NaN(); },
       "epilogue.low is -inf and epilogue.high is nan; must be numbers with low <= high"},
      {[](auto& p) {
         p.type = DataType::kI8;
         p.epilogue.alpha = 2;
       },
       "the output's type is i32, which has the sums as they are; epilogue must be the default"},
      {[](auto& p) { p.epilogue.tensors = 3; }, "epilogue.tensors is 3; must be <= 2"},
      {[](auto& p) {
         p.epilogue.tensors = 2;
         p.epilogue.d[1].op = static_cast<EpilogueTensor::Op>(5);
       },
       "epilogue.d[1].op is 5; must be kAdd (0) or kMultiply (1)"},
      {[](auto& p) {
         p.epilogue.tensors = 1;
         p.epilogue.d[0].type = DataType::kBF16;
       },
       "epilogue.d[0].type is bf16; must be f16 or f32"},
      {[](auto& p) {
         p.epilogue.tensors = 1;
         p.epilogue.d[0].stride[5] = -1;
       },
       "epilogue.d[0].stride[5] is -1; must be >= 0"},
  });
}

TEST(Validate, NamesLayoutsThatAreRefused) {
  ExpectRefusals({
      {[](auto& p) { p.layout = static_cast<Layout>(7); },
       "layout is 7; must be one of nhwgc (0), gnhwc (1), ngchw (2)"},
      {[](auto& p) { p.weight_layout = static_cast<WeightLayout>(2); },
       "weight_layout is 2; must be one of gkyxc (0), kyxgc (1)"},
      {[](auto& p) { p.strides[0][5] = 2; },
       "strides are given; tensors must be packed: they must be 0"},
  });
}

TEST(Validate, NamesSizesThatAreRefused) {
  ExpectRefusals({
      {[](auto& p) { p.rank = 0; }, "rank is 0; must be >= 1"},
      {[](auto& p) { p.rank = 4; }, "rank is 4; must be <= 3"},
      {[](auto& p) { p.groups = 0; }, "groups is 0; must be >= 1"},
      {[](auto& p) { p.batch = -1; }, "batch is -1; must be >= 0"},
      {[](auto& p) { p.c = 0; }, "c is 0; must be >= 1"},
      {[](auto& p) { p.k = 0; }, "k is 0; must be >= 1"},
      {[](auto& p) { p.c = 5; }, "c is 5; must be a multiple of groups, which is 2"},
      {[](auto& p) { p.k = 7; }, "k is 7; must be a multiple of groups, which is 2"},
      {[](auto& p) { p.dims[1].in = 0; }, "dims[1].in (h) is 0; must be >= 1"},
      {[](auto& p) { p.dims[2].filter = -3; }, "dims[2].filter (w) is -3; must be >= 1"},
      {[](auto& p) { p.dims[1].stride = 0; }, "dims[1].stride (h) is 0; must be >= 1"},
      {[](auto& p) { p.dims[2].dilation = 0; }, "dims[2].dilation (w) is 0; must be >= 1"},
      {[](auto& p) { p.dims[1].pad_begin = -1; }, "dims[1].pad_begin (h) is -1; must be >= 0"},
      {[](auto& p) { p.dims[2].pad_end = -2; }, "dims[2].pad_end (w) is -2; must be >= 0"},
      {[](auto& p) { p.dims[1].stride = kHuge; },
       "dims[1].stride (h) is 1099511627776; must be <= 1073741824"},
      {[](auto& p) { p.dims[2].pad_end = kMaxAxisLength; },
       "dims[2].in + pad_begin + pad_end (w) is 1073741833; must be <= 1073741824"},
      {[](auto& p) { p.dims[2].dilation = 11; },
       "dims[2].filter (w) is 2; dilated by 11 it spans 12 pixels and must fit in the padded "
       "input, "
       "which has 11"},
      {[](auto& p) { p.dims[0].in = 8; }, "dims[0].in (d) is 8; must be 1 because rank is 2"},
      {[](auto& p) { p.dims[0].pad_end = 1; },
       "dims[0].pad_end (d) is 1; must be 0 because rank is 2"},
      {[](auto& p) { p.rank = 1; }, "dims[1].in (h) is 7; must be 1 because rank is 1"},
  });
}

TEST(Validate, NamesTheLimitThatIsExceeded) {
  const std::vector<Case> cases = {
      {[](auto& p) { p.batch = kHuge; }, "batch is 1099511627776; must be <= 1073741824"},
      {[](auto& p) { p.c = 1 << 24; }, "c is 16777216; must be <= 8388608"},
      {[](auto& p) { p.k = 1 << 24; }, "k is 16777216; must be <= 8388608"},
      {[](auto& p) { p.dims[1].in = p.dims[2].in = 1 << 16; },
       "the number of pixels of x (d * h * w) is 1 * 65536 * 65536; must be <= 2147483647"},
      {[](auto& p) { p.dims[1].pad_end = p.dims[2].pad_end = 1 << 17; },
       "the number of pixels of y (do * ho * wo) is 1 * 65539 * 131078; must be <= 2147483647"},
      {[](auto& p) {
         p.dims[1].pad_end = p.dims[1].filter = 1 << 20;
         p.c = 64;
       },
       "the number of weights of an output channel (z * y * x * c) is 1 * 1048576 * 2 * 32; must "
       "be <= 33554431"},
      {[](auto& p) { p.batch = 1 << 30, p.c = 8; },
       "the number of elements of x (batch * d * h * w * c) is 1073741824 * 1 * 7 * 9 * 8; must be "
       "<= 137438953472"},
      {[](auto& p) { p.k = 1 << 23, p.c = 1 << 17; },
       "the number of elements of w (k * z * y * x * c / groups) is 8388608 * 1 * 3 * 2 * 65536; "
       "must be <= 137438953472"},
      {[](auto& p) { p.batch = 1 << 16, p.k = 1 << 23; },
       "the number of elements of y (batch * do * ho * wo * k) is 65536 * 1 * 3 * 8 * 8388608; "
       "must be <= 137438953472"},
      {[](auto& p) { p.batch = 180'000'000, p.k = 24; },
       "the number of elements of x, w and y is 149040000288; must be <= 137438953472"},
      {[](auto& p) {
         p.c = 1 << 12;
         p.dims[1] = {.in = 1000, .filter = 2, .dilation = 500};
         p.dims[2] = {.in = 1000};
       },
       "the span of the pixels of x that a pixel of y meets, in bytes, is 4096008192; must be <= "
       "1073741824"},
      {[](auto& p) {
         p.direction = Direction::kBackwardData;
         p.dims[1] = {.in = 1 << 12, .stride = 1 << 12};
         p.dims[2] = {.in = 1 << 12, .stride = 1 << 11};
       },
       "the number of residues of a position modulo the strides is 1 * 4096 * 2048; must be <= "
       "1048576"},
  };
  for (const Case& c : cases) {
    ConvProblem p = Valid();
    c.spoil(p);
    EXPECT_THAT(Validate(p).message(), HasSubstr(c.message));
  }
}

TEST(Validate, NamesTheTensorThatIsTooLarge) {
  const std::vector<Case> cases = {
      {[](auto& p) { p.epilogue.d[0].stride[2] = int64_t{1} << 35; },
       "epilogue.d[0].stride[2] is 34359738368; the tensor must have <= 68719476736 elements"},
      {[](auto& p) { p.epilogue.d[0].stride[3] = int64_t{1} << 32; },
       "epilogue.d[0]'s span of one image of a group, in elements, is 30064771073; must be <= "
       "22906492245"},
      {[](auto& p) {
         p.direction = Direction::kBackwardWeight;
         p.epilogue.d[0].stride[5] = int64_t{1} << 28;
       },
       "epilogue.d[0]'s span of one output channel of a group, in elements, is 268435457; must be "
       "<= 268435456"},
  };
  for (const Case& c : cases) {
    ConvProblem p = Valid();
    p.epilogue.tensors = 1;
    c.spoil(p);
    EXPECT_EQ(Validate(p).message(), c.message);
  }
}

TEST(Validate, NamesTheFactorThatIsInfiniteInF32) {
  const std::vector<Case> cases = {
      {[](auto& p) { p.epilogue.alpha = 1e39; }, "epilogue.alpha is 1e+39; must be finite in f32"},
      {[](auto& p) { p.epilogue.alpha = std::numeric_limits<double>::quiet_NaN(); },
       "epilogue.alpha is nan; must be finite in f32"},
      {[](auto& p) { p.epilogue.tensors = 1, p.epilogue.d[0].scale = -1e300; },
       "epilogue.d[0].scale is -1e+300; must be finite in f32"},
  };
  for (const Case& c : cases) {
    ConvProblem p = Valid();
    c.spoil(p);
    EXPECT_EQ(Validate(p).message(), c.message);
  }
  ConvProblem p = Valid();
  p.epilogue = {.alpha = -std::numeric_limits<float>::max(), .high = 1e39};
  EXPECT_TRUE(Validate(p).ok()) << Validate(p);
}

TEST(ConvProblem, DerivedSizes) {
  const ConvProblem p = Valid();
  EXPECT_EQ(p.dims[1].out(), 3);  // (7 + 1 - 3) / 2 + 1, rounded down
  EXPECT_EQ(p.dims[2].out(), 8);  // (9 + 2 - 4) / 1 + 1
  EXPECT_EQ(p.c_per_group(), 2);
  EXPECT_EQ(p.k_per_group(), 3);
  EXPECT_EQ(p.x_elements(), 3 * 7 * 9 * 4);
  EXPECT_EQ(p.w_elements(), 6 * 3 * 2 * 2);
  EXPECT_EQ(p.y_elements(), 3 * 3 * 8 * 6);
  EXPECT_EQ(p.Flops(), 2.0 * (3 * 3 * 8 * 6) * (3 * 2 * 2));
}

TEST(ConvProblem, OperandsAndReductionOfEachDirection) {
  ConvProblem p = Valid();
  const auto operands = [&](Direction direction) {
    p.direction = direction;
    return std::vector{p.a_elements(), p.b_elements(), p.out_elements(), p.reduction_length()};
  };
  const int64_t x = p.x_elements(), w = p.w_elements(), y = p.y_elements();
  EXPECT_EQ(operands(Direction::kForward), (std::vector{x, w, y, int64_t{3 * 2 * 2}}));
  EXPECT_EQ(operands(Direction::kBackwardData), (std::vector{y, w, x, int64_t{2 * 2 * 3}}));
  EXPECT_EQ(operands(Direction::kBackwardWeight), (std::vector{y, x, w, int64_t{3 * 3 * 8}}));
}

TEST(Direction, NamesParseBack) {
  for (Direction direction : kAllDirections) EXPECT_EQ(ParseDirection(Name(direction)), direction);
  EXPECT_STREQ(Name(Direction::kBackwardData), "bwd_data");
  EXPECT_EQ(ParseDirection("bwd"), std::nullopt);
}

}  // namespace
}  // namespace gridwise
