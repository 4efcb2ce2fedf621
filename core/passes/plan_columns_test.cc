// SPDX-License-Identifier: MIT
#include "core/passes/plan_columns.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/math.h"
#include "core/conv/problem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// What the kernel reads for element `at` of the copy: an element of x, or -1.
std::int64_t Source(const ColumnsArgs& args, std::int64_t at) {
  std::int64_t offset = args.first, pixel[3] = {args.pixel[0], args.pixel[1], args.pixel[2]};
  for (int i = ColumnsArgs::kDigits; i-- > 0;) {
    const ColumnsArgs::Digit& digit = args.digit[i];
    const auto outer = static_cast<std::int64_t>(Divide(static_cast<unsigned>(at), digit.by));
    const std::int64_t index = at - outer * digit.size;
    offset += index * digit.unit;
    pixel[digit.axis] += index * digit.step;
    at = outer;
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (pixel[axis] < 0 || pixel[axis] >= args.pixels[axis]) return -1;
  }
  return offset;
}

ConvProblem Problem() {
  ConvProblem p = {
      .direction = Direction::kBackwardWeight, .rank = 3, .groups = 2, .batch = 2, .c = 6, .k = 4};
  p.dims[0] = {.in = 3, .filter = 2, .pad_begin = 1};
  p.dims[1] = {.in = 5, .filter = 3, .stride = 2, .dilation = 2, .pad_begin = 2, .pad_end = 1};
  p.dims[2] = {.in = 4, .filter = 2, .stride = 3, .pad_end = 2};
  return p;
}

// By the definition of the convolution, in each layout.
TEST(PlanColumnsTest, CopiesWhatTheFilterMeets) {
  for (const Layout layout : kAllLayouts) {
    ConvProblem p = Problem();
    p.layout = layout;
    const auto made = ColumnsProblem(p);
    ASSERT_TRUE(std::holds_alternative<ConvProblem>(made));
    const ConvProblem& columns = std::get<ConvProblem>(made);
    const ColumnsArgs args = PlanColumns(p, columns);
    EXPECT_EQ(args.elements, columns.x_elements());
    const TensorAxes x = p.AxesOf(Tensor::kX), to = columns.AxesOf(Tensor::kX);
    const auto& [d, h, w] = p.dims;
    const std::int64_t c_of_group = p.c_per_group();
    int read = 0;
    for (std::int64_t n = 0; n < p.batch; ++n)
      for (std::int64_t o = 0; o < p.out_pixels(); ++o)
        for (std::int64_t g = 0; g < p.groups; ++g)
          for (std::int64_t t = 0; t < p.filter_taps(); ++t)
            for (std::int64_t c = 0; c < c_of_group; ++c) {
              const std::int64_t od = o / w.out() / h.out(), oh = o / w.out() % h.out(),
                                 ow = o % w.out();
              const std::int64_t id = od * d.stride + t / w.filter / h.filter * d.dilation -
                                      d.pad_begin,
                                 ih = oh * h.stride + t / w.filter % h.filter * h.dilation -
                                      h.pad_begin,
                                 iw = ow * w.stride + t % w.filter * w.dilation - w.pad_begin;
              const bool exists =
                  id >= 0 && id < d.in && ih >= 0 && ih < h.in && iw >= 0 && iw < w.in;
              const std::int64_t source = n * x.stride[0] + id * x.stride[1] + ih * x.stride[2] +
                                          iw * x.stride[3] + g * x.stride[4] + c * x.stride[5];
              const std::int64_t at = n * to.stride[0] + od * to.stride[1] + oh * to.stride[2] +
                                      ow * to.stride[3] + g * to.stride[4] +
                                      (t * c_of_group + c) * to.stride[5];
              ASSERT_EQ(Source(args, at), exists ? source : -1)
                  << Name(layout) << " n " << n << " o " << o << " g " << g << " t " << t;
              read += exists;
            }
    EXPECT_GT(read, 100);
  }
}

TEST(PlanColumnsTest, CopiesAdjacentElementsTogether) {
  ConvProblem p = Problem();
  const auto args_of = [&] { return PlanColumns(p, std::get<ConvProblem>(ColumnsProblem(p))); };
  EXPECT_EQ(ElementsOfWord(args_of(), 2), 1) << "3 channels a group";
  p.c = 2 * 12;
  EXPECT_EQ(ElementsOfWord(args_of(), 2), 4);
  p.c = 2 * 48;
  EXPECT_EQ(ElementsOfWord(args_of(), 2), 8);
  EXPECT_EQ(ElementsOfWord(args_of(), 4), 4) << "16 bytes";
  const ColumnsArgs elements = args_of(), words = InWords(elements, 8);
  EXPECT_EQ(8 * words.elements, elements.elements);
  for (std::int64_t at = 0; at < words.elements; ++at) {
    const std::int64_t source = Source(words, at);
    ASSERT_EQ(source < 0 ? source : 8 * source, Source(elements, 8 * at)) << at;
    ASSERT_EQ(source < 0 ? source : 8 * source + 7, Source(elements, 8 * at + 7)) << at;
  }
  p.layout = Layout::kNGCHW;
  EXPECT_EQ(ElementsOfWord(args_of(), 2), 1) << "channels are not adjacent";
}

TEST(PlanColumnsTest, SaysWhyThereAreNone) {
  const auto reason = [](const ConvProblem& p) { return std::get<std::string>(ColumnsProblem(p)); };
  ConvProblem p = Problem();
  p.weight_layout = WeightLayout::kKYXGC;
  EXPECT_EQ(reason(p), "dw's taps and channels are not adjacent, as those of columns are");
  p = Problem();
  p.batch = 1 << 22;
  EXPECT_THAT(reason(p), testing::HasSubstr("its columns have "));
  p = Problem();
  p.epilogue.tensors = 1;
  p.epilogue.d[0].stride = {0, 0, 0, 0, 1, 0};
  EXPECT_EQ(reason(p), "D0's taps and channels do not lie as those of columns");
}

}  // namespace
}  // namespace gridwise
