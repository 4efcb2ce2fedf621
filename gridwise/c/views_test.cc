// SPDX-License-Identifier: MIT
// Multiplications of views through the C API, against their definition.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gridwise/c/gridwise_views.h"
#include "gtest/gtest.h"

namespace {

using ::testing::HasSubstr;

constexpr char kTarget[] = "gfx942";

/// A view under composition. Every transform is expected to succeed.
class View {
 public:
  View() { EXPECT_EQ(gridwise_make_view(&view_), GRIDWISE_OK); }
  View(const View&) = delete;
  ~View() { gridwise_free_view(view_); }
  gridwise_view* get() const { return view_; }

  std::int32_t Memory(std::int64_t length, std::int64_t stride) {
    return Axis(
        [&](std::int32_t* axis) { return gridwise_view_memory(view_, length, stride, axis); });
  }
  std::int32_t Pad(std::int32_t a, std::int64_t begin, std::int64_t end) {
    return Axis([&](std::int32_t* axis) { return gridwise_view_pad(view_, a, begin, end, axis); });
  }
  std::int32_t Slice(std::int32_t a, std::int64_t begin, std::int64_t length, std::int64_t step) {
    return Axis([&](std::int32_t* axis) {
      return gridwise_view_slice(view_, a, begin, length, step, axis);
    });
  }
  std::int32_t Merge(const std::vector<std::int32_t>& axes) {
    return Axis([&](std::int32_t* axis) {
      return gridwise_view_merge(view_, axes.data(), static_cast<int>(axes.size()), axis);
    });
  }
  void See(std::int32_t matrices, std::int32_t rows, std::int32_t columns) {
    EXPECT_EQ(gridwise_view_see(view_, matrices, rows, columns), GRIDWISE_OK) << gridwise_message();
  }

 private:
  template <class Transform>
  static std::int32_t Axis(Transform transform) {
    std::int32_t axis = -1;
    EXPECT_EQ(transform(&axis), GRIDWISE_OK) << gridwise_message();
    EXPECT_GE(axis, 0);
    return axis;
  }

  gridwise_view* view_ = nullptr;
};

std::vector<float> Integers(std::size_t count, int modulus) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(static_cast<int>(i) * 7 % modulus - modulus / 2);
  }
  return values;
}

void* Upload(const std::vector<float>& values) {
  const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(float));
  void* memory = nullptr;
  EXPECT_EQ(gridwise_allocate(bytes, &memory), GRIDWISE_OK) << gridwise_message();
  EXPECT_EQ(gridwise_copy_to_device(memory, values.data(), bytes), GRIDWISE_OK);
  return memory;
}

/// Plans the product of the views and runs it.
std::vector<float> Multiply(const View& a, const View& b, const View& c,
                            const std::vector<float>& memory_a, const std::vector<float>& memory_b,
                            std::size_t elements) {
  EXPECT_EQ(gridwise_use_device(kTarget), GRIDWISE_OK) << gridwise_message();
  gridwise_plan* plan = nullptr;
  EXPECT_EQ(
      gridwise_plan_views(a.get(), b.get(), c.get(), GRIDWISE_F32, GRIDWISE_F32, nullptr, &plan),
      GRIDWISE_OK)
      << gridwise_message();
  if (plan == nullptr) return {};
  EXPECT_EQ(gridwise_plan_workspace_bytes(plan), 0);
  EXPECT_EQ(gridwise_plan_line(plan), nullptr);
  std::vector<float> result(elements, -1.0F);
  void *const x = Upload(memory_a), *const y = Upload(memory_b), *const z = Upload(result);
  gridwise_tensors tensors = {};
  tensors.size = sizeof(tensors);
  tensors.a = x;
  tensors.b = y;
  tensors.out = z;
  gridwise_executable* product = nullptr;
  EXPECT_EQ(gridwise_load(plan, &product), GRIDWISE_OK) << gridwise_message();
  gridwise_free_plan(plan);
  EXPECT_EQ(gridwise_launch(product, &tensors, nullptr, 0, nullptr), GRIDWISE_OK)
      << gridwise_message();
  EXPECT_EQ(gridwise_synchronize(), GRIDWISE_OK) << gridwise_message();
  EXPECT_EQ(
      gridwise_copy_to_host(result.data(), z, static_cast<std::int64_t>(elements * sizeof(float))),
      GRIDWISE_OK);
  gridwise_free_executable(product);
  for (void* memory : {x, y, z}) gridwise_free(memory);
  return result;
}

// C[j][i][l] = sum over x, y of A[x][i][y] * B[l][j][x][y]
TEST(Views, MultiplyAContraction) {
  constexpr std::size_t kI = 12, kJ = 3, kL = 5, kX = 4, kY = 6;
  View a, b, c;
  const std::int32_t x = a.Memory(kX, kI * kY), i = a.Memory(kI, kY), y = a.Memory(kY, 1);
  const std::int32_t xy = a.Merge({x, y});
  a.See(a.Memory(1, 0), i, xy);
  const std::int32_t l = b.Memory(kL, kJ * kX * kY), j = b.Memory(kJ, kX * kY);
  const std::int32_t jl = b.Merge({j, l}), terms = b.Memory(kX * kY, 1);
  b.See(b.Memory(1, 0), jl, terms);
  const std::int32_t cj = c.Memory(kJ, kI * kL), ci = c.Memory(kI, kL), cl = c.Memory(kL, 1);
  const std::int32_t columns = c.Merge({cj, cl});
  c.See(c.Memory(1, 0), ci, columns);

  const std::vector<float> ma = Integers(kX * kI * kY, 5), mb = Integers(kL * kJ * kX * kY, 7);
  std::vector<float> expected(kJ * kI * kL, 0.0F);
  for (std::size_t n = 0; n < expected.size(); ++n) {
    const std::size_t at_j = n / (kI * kL), at_i = n / kL % kI, at_l = n % kL;
    for (std::size_t t = 0; t < kX * kY; ++t) {
      expected[n] += ma[(t / kY * kI + at_i) * kY + t % kY] * mb[(at_l * kJ + at_j) * kX * kY + t];
    }
  }
  EXPECT_EQ(Multiply(a, b, c, ma, mb, expected.size()), expected);
}

// y[o] = sum over taps t and channels c of x[2 o + t - 1][c] * w[k][t][c], of every second image.
TEST(Views, MultiplyAConvolution) {
  constexpr std::int64_t kImages = 3, kIn = 9, kC = 4, kK = 6, kTaps = 3, kOut = 5, kStride = 2;
  View a, b, c;
  const std::int32_t images = a.Slice(a.Memory(kImages, kIn * kC), 0, 2, 2);
  const std::int32_t padded = a.Pad(a.Memory(kIn, kC), 1, 1), channel = a.Memory(kC, 1);
  const gridwise_term terms[] = {{kTaps, 1}, {kOut, kStride}};
  std::array<std::int32_t, 2> tap_out = {};
  ASSERT_EQ(gridwise_view_embed(a.get(), padded, terms, 2, tap_out.data()), GRIDWISE_OK)
      << gridwise_message();
  const std::int32_t rows = a.Merge({images, tap_out[1]}), sum = a.Merge({tap_out[0], channel});
  a.See(a.Memory(1, 0), rows, sum);
  // One axis for two tensors of weights. The second one is used.
  const std::int64_t halves[] = {2, kK};
  std::array<std::int32_t, 2> of_b = {};
  ASSERT_EQ(gridwise_view_unmerge(b.get(), b.Memory(2 * kK, kTaps * kC), halves, 2, of_b.data()),
            GRIDWISE_OK)
      << gridwise_message();
  ASSERT_EQ(gridwise_view_freeze(b.get(), of_b[0], 1), GRIDWISE_OK) << gridwise_message();
  const std::int32_t tc = b.Memory(kTaps * kC, 1);
  b.See(b.Memory(1, 0), of_b[1], tc);
  const std::int32_t pixels = c.Memory(2 * kOut, kK), outputs = c.Memory(kK, 1);
  c.See(c.Memory(1, 0), pixels, outputs);

  const std::vector<float> x = Integers(kImages * kIn * kC, 5),
                           w = Integers(2 * kK * kTaps * kC, 7);
  std::vector<float> expected;
  for (std::int64_t n = 0; n < 2; ++n) {
    for (std::int64_t o = 0; o < kOut; ++o) {
      for (std::int64_t k = 0; k < kK; ++k) {
        float total = 0;
        for (std::int64_t t = 0; t < kTaps; ++t) {
          const std::int64_t in = kStride * o + t - 1;
          for (std::int64_t ch = 0; ch < kC && in >= 0 && in < kIn; ++ch) {
            total += x[static_cast<std::size_t>((2 * n * kIn + in) * kC + ch)] *
                     w[static_cast<std::size_t>(((kK + k) * kTaps + t) * kC + ch)];
          }
        }
        expected.push_back(total);
      }
    }
  }
  EXPECT_EQ(Multiply(a, b, c, x, w, expected.size()), expected);
}

/// The message of what must be an invalid argument.
std::string Refusal(gridwise_status status) {
  EXPECT_EQ(status, GRIDWISE_INVALID_ARGUMENT);
  return gridwise_message();
}

TEST(Views, RemainInvalidAfterAMistake) {
  View view;
  const std::int32_t axis = view.Memory(8, 1);
  std::int32_t made = -7;
  const std::string mistake = Refusal(gridwise_view_slice(view.get(), axis, 6, 4, 1, &made));
  EXPECT_EQ(mistake, "a slice ends inside of its axis: 9, where the bound is 8");
  EXPECT_EQ(made, -7);
  EXPECT_EQ(Refusal(gridwise_view_memory(view.get(), 8, 1, &made)), mistake);
  gridwise_plan* plan = nullptr;
  EXPECT_THAT(Refusal(gridwise_plan_views(view.get(), view.get(), view.get(), GRIDWISE_F32,
                                          GRIDWISE_F32, kTarget, &plan)),
              HasSubstr("A: " + mistake));
}

TEST(Views, NameWhatTheyAreNotGiven) {
  View view;
  std::int32_t made[7] = {};
  EXPECT_EQ(Refusal(gridwise_make_view(nullptr)), "view is null; must not be");
  EXPECT_EQ(Refusal(gridwise_view_memory(nullptr, 1, 1, made)), "view is null; must not be");
  EXPECT_EQ(Refusal(gridwise_view_memory(view.get(), 1, 1, nullptr)), "axis is null; must not be");
  EXPECT_EQ(Refusal(gridwise_view_merge(view.get(), nullptr, 1, made)),
            "axes is null; must not be");
  for (const int count : {-1, 0, 7}) {
    EXPECT_THAT(Refusal(gridwise_view_merge(view.get(), made, count, made)),
                HasSubstr("count is " + std::to_string(count) + "; must be 1 to 6"));
  }
  EXPECT_THAT(Refusal(gridwise_view_freeze(view.get(), 3, 0)),
              HasSubstr("a transform takes axes of its own descriptor: 3"));
}

TEST(Views, OfOtherLengthsOrTypesAreRefused) {
  View a, b, c, empty;
  for (View* view : {&a, &b, &c}) {
    const std::int32_t matrices = view->Memory(1, 0), rows = view->Memory(8, 16);
    view->See(matrices, rows, view->Memory(16, 1));
  }
  gridwise_plan* plan = nullptr;
  const auto plans = [&](const View& of_b, std::int32_t type, std::int32_t out_type) {
    return gridwise_plan_views(a.get(), of_b.get(), c.get(), type, out_type, kTarget, &plan);
  };
  EXPECT_THAT(Refusal(plans(b, GRIDWISE_F32, GRIDWISE_F32)),
              HasSubstr("A is 1x8x16, B 1x8x16 and C 1x8x16 with 16 terms"));
  EXPECT_THAT(Refusal(plans(empty, GRIDWISE_F32, GRIDWISE_F32)), HasSubstr("B shows 0 axes"));
  EXPECT_THAT(Refusal(plans(b, 10, GRIDWISE_F32)), HasSubstr("type is 10; must be 0 to 9"));
  EXPECT_THAT(Refusal(plans(b, GRIDWISE_F32, -1)), HasSubstr("out_type is -1; must be 0 to 9"));
  EXPECT_THAT(Refusal(plans(b, GRIDWISE_F16, GRIDWISE_I32)), HasSubstr("the output's type is i32"));
  EXPECT_EQ(plan, nullptr);
}

}  // namespace
