#include "ck/conv/parts.h"

#include <algorithm>
#include <random>
#include <vector>

#include "ck/conv/problem_io.h"
#include "ck/conv/random_problem.h"
#include "ck/conv/reference.h"
#include "ck/conv/validate.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// The elements of a part of a tensor, in the order of its axes; `visit` gets their offsets.
template <class Visit>
void ForEachOffset(const TensorAxes& axes, std::int64_t start, Visit visit) {
  for (std::int64_t i = 0; i < axes.Elements(); ++i) {
    std::int64_t rest = i, offset = start;
    for (std::size_t axis = 6; axis-- > 0; rest /= axes.size[axis]) {
      offset += rest % axes.size[axis] * axes.stride[axis];
    }
    visit(static_cast<std::size_t>(offset));
  }
}

std::vector<float> Gather(const std::vector<float>& tensor, const TensorAxes& axes,
                          std::int64_t start) {
  std::vector<float> elements;
  ForEachOffset(axes, start, [&](std::size_t offset) { elements.push_back(tensor.at(offset)); });
  return elements;
}

/// Adds what the part computes to `out`, or writes it and counts it in `writes`.
void RunPart(const ConvPart& part, const std::vector<float>& a, const std::vector<float>& b,
             std::vector<double>& out, std::vector<int>& writes) {
  ConvProblem packed = part.problem;
  packed.strides = {};
  ASSERT_TRUE(Validate(packed).ok()) << Validate(packed);
  std::vector<double> result(static_cast<size_t>(packed.out_elements()));
  const ConvProblem& p = part.problem;
  ASSERT_TRUE(Reference(packed, Gather(a, p.AxesOf(p.a()), part.a),
                        Gather(b, p.AxesOf(p.b()), part.b), result)
                  .ok());
  size_t next = 0;
  ForEachOffset(p.AxesOf(p.out()), part.out, [&](std::size_t offset) {
    out.at(offset) += result[next++];
    ++writes.at(offset);
  });
}

TEST(Parts, AreTheWhole) {
  std::mt19937 random(3);
  int halved[3] = {0, 0, 0};
  for (int i = 0; i < 400; ++i) {
    ConvProblem problem = RandomProblem(random, {.max_in = 7, .max_channels = 3});
    problem.layout = kAllLayouts[random() % 2];
    problem.weight_layout = kAllWeightLayouts[random() % 2];
    SCOPED_TRACE(ToString(problem));
    std::vector<float> a(static_cast<size_t>(problem.a_elements()));
    std::vector<float> b(static_cast<size_t>(problem.b_elements()));
    for (std::vector<float>* operand : {&a, &b}) {
      for (float& value : *operand) value = static_cast<float>(random() % 16);
    }
    const size_t elements = static_cast<size_t>(problem.out_elements());
    std::vector<double> whole(elements), parts(elements);
    std::vector<int> once(elements), writes(elements);
    RunPart({.problem = problem}, a, b, whole, once);
    // Halves of halves, each along any axis.
    for (const PartAxis axis : {PartAxis::kGroups, PartAxis::kImages, PartAxis::kCells}) {
      const auto halves = Halve({.problem = problem}, axis);
      if (!halves) continue;
      ++halved[static_cast<int>(axis)];
      std::fill(parts.begin(), parts.end(), 0);
      std::fill(writes.begin(), writes.end(), 0);
      for (const ConvPart& half : *halves) {
        const auto quarters = Halve(half, static_cast<PartAxis>(random() % 3));
        for (const ConvPart& part : quarters ? *quarters : std::vector<ConvPart>{half}) {
          RunPart(part, a, b, parts, writes);
        }
      }
      EXPECT_EQ(parts, whole);
      if (problem.direction != Direction::kBackwardWeight) EXPECT_EQ(writes, once);
    }
  }
  for (const int count : halved) EXPECT_GT(count, 100);
}

TEST(Parts, TensorsOfTheEpilogueMoveAlong) {
  ConvProblem problem = {.batch = 4, .c = 1, .k = 1, .dims = {Dim{}, Dim{.in = 8}, Dim{}}};
  problem.epilogue.tensors = 1;
  problem.epilogue.d[0].stride = {100, 0, 10, 0, 0, 0};
  const auto images = Halve({.problem = problem}, PartAxis::kImages);
  ASSERT_TRUE(images.has_value());
  EXPECT_EQ((*images)[1].d[0], 200);
  const auto cells = Halve((*images)[1], PartAxis::kCells);
  ASSERT_TRUE(cells.has_value());
  EXPECT_EQ((*cells)[1].d[0], 240);
}

TEST(Parts, OneOfEachCannotBeHalved) {
  const ConvProblem problem = {};
  for (const PartAxis axis : {PartAxis::kGroups, PartAxis::kImages, PartAxis::kCells}) {
    EXPECT_FALSE(Halve({.problem = problem}, axis).has_value());
  }
}

}  // namespace
}  // namespace gridwise
