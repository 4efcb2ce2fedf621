// SPDX-License-Identifier: MIT
// Kernels of passes that run on Hopper alone: see core/passes. Before other headers of device code:
#include "hopper/testing/run_on_host.h"
// and what it runs.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "core/arch/factor.h"
#include "core/arch/parts.h"
#include "core/base/math.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/passes/columns.h"
#include "core/passes/columns_args.h"
#include "core/passes/convert.h"
#include "core/passes/convert_args.h"
#include "core/passes/plan_columns.h"
#include "core/passes/plan_widen.h"
#include "core/passes/split.h"
#include "core/passes/split_args.h"
#include "core/passes/widen.h"
#include "core/passes/widen_args.h"
#include "core/reference/elements.h"
#include "gtest/gtest.h"

namespace gridwise::hopper {
namespace {

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

/// The parts that the pass makes of a tensor, [part][element].
std::vector<unsigned short> SplitOf(const std::vector<float>& from, SplitArgs args) {
  args.apart = AlignUp<long>(args.elements, kSplitElements);
  std::vector<unsigned short> to(static_cast<std::size_t>(kParts * args.apart), 0xffff);
  args.from = from.data();
  args.to = to.data();
  RunGrid(static_cast<int>(CeilDiv<long>(args.elements, kSplitThreads * kSplitElements)),
          kSplitThreads, [&] { SplitTile(args); });
  return to;
}

/// The sum of an element's parts.
double SumOfParts(const std::vector<unsigned short>& parts, std::size_t i) {
  double sum = 0;
  for (std::size_t p = 0; p < kParts; ++p) {
    sum +=
        std::bit_cast<float>(static_cast<unsigned>(parts[p * (parts.size() / kParts) + i]) << 16);
  }
  return sum;
}

TEST(Split, PartsAddUpExactly) {
  std::vector<float> from = {0,         -0.0f,          1, -1, 0x1p-149f, -0x1.fffffcp-127f,
                             0x1p-126f, 0x1.fffffep111f};
  std::mt19937 random(9);
  for (int i = 0; i < 3000; ++i) {  // all exponents below 2^112 occur
    const auto bits = static_cast<unsigned>(random()) & 0x80ffffffu;
    from.push_back(std::bit_cast<float>(bits | static_cast<unsigned>(random() % 238) << 23));
  }
  SplitArgs args = {};
  args.elements = static_cast<long>(from.size()) - 3;  // ends within a lane's
  args.merged = 1;
  const std::vector<unsigned short> parts = SplitOf(from, args);
  for (std::size_t i = 0; i + 3 < from.size(); ++i) {
    EXPECT_EQ(SumOfParts(parts, i), 0x1p16 * double{from[i]}) << from[i];
  }
}

TEST(Split, WhatHasNoPartsIsNotFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float value : {0x1p112f, -0x1.fffffep127f, kInfinity, -kInfinity, std::nanf("")}) {
    const PairOfParts pair = PartsOf(value, 1);
    double sum = 0;
    for (const unsigned part : pair.part) sum += std::bit_cast<float>(part << 16);
    EXPECT_FALSE(std::isfinite(sum)) << value;
  }
}

TEST(Split, MergedGroupsHaveZerosForEachOther) {
  // w of 4 groups of 2 outputs, 3 taps and 4 sources, of which two are one.
  constexpr std::size_t kGroups = 4, kLines = 2 * 3, kItem = 4, kMerged = 2;
  std::vector<float> from(kGroups * kLines * kItem);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = 1.0f + static_cast<float>(i);
  SplitArgs args = {};
  args.elements = static_cast<long>(from.size() * kMerged);
  args.merged = kMerged;
  args.item = kItem;
  args.by_line = MakeMagicDiv(kItem * kMerged);
  args.by_item = MakeMagicDiv(kItem);
  args.by_of_group = MakeMagicDiv(kLines);
  const std::vector<unsigned short> parts = SplitOf(from, args);
  for (std::size_t line = 0; line < kGroups * kLines; ++line) {
    for (std::size_t c = 0; c < kItem * kMerged; ++c) {
      const bool is_own = c / kItem == line / kLines % kMerged;
      const double expected = is_own ? 0x1p16 * double{from[line * kItem + c % kItem]} : 0;
      EXPECT_EQ(SumOfParts(parts, line * kItem * kMerged + c), expected) << line << " " << c;
    }
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
  const Lines k_tiles = {.count = 9, .from_line = 112, .to_line = 128};
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
    for (const Lines& lines : {k_tiles, padded, runs}) {
      CheckWidenWords<Vec<unsigned, 2>>(lines, shift);
      CheckWidenWords<Vec<unsigned, 4>>(lines, shift);
    }
  }
  EXPECT_FALSE(InWords(groups, 8).has_value());
  EXPECT_FALSE(InWords({.count = 2, .from_line = 64, .to_line = 128, .before = 3}, 4).has_value());
}

TEST(Widen, RowsAndTheirLinesAtOnce) {
  const Lines rows = {.count = 3, .from_line = 5 * 24, .to_line = 7 * 24};
  const Lines lines = {.count = 3 * 7, .from_line = 24, .to_line = 32};
  const std::optional<Lines> joined = Joined(rows, lines);
  ASSERT_TRUE(joined.has_value());
  std::vector<unsigned short> from(3 * 5 * 24), row_by_row(3 * 7 * 24);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned short>(i + 1);
  for (std::size_t i = 0; i < row_by_row.size(); ++i) {
    row_by_row[i] = WidenedElement(rows, from.data(), static_cast<std::int64_t>(i) / (7 * 24),
                                   static_cast<std::int64_t>(i) % (7 * 24));
  }
  ASSERT_EQ(joined->ToElements(), lines.ToElements());
  for (std::int64_t i = 0; i < lines.ToElements(); ++i) {
    EXPECT_EQ(WidenedElement(*joined, from.data(), i / 32, i % 32),
              WidenedElement(lines, row_by_row.data(), i / 32, i % 32))
        << i;
  }
  CheckWidenWords<Vec<unsigned, 4>>(*joined, 0);
  EXPECT_FALSE(Joined({.count = 3, .from_line = 100, .to_line = 168}, lines).has_value());
  EXPECT_FALSE(
      Joined(rows, {.count = 21, .from_line = 24, .to_line = 32, .before = 8}).has_value());
}

TEST(Widen, TwoTensors) {
  constexpr int kFirst = 2 * kWidenThreads * kWidenElements + 3, kSecond = 7;
  std::vector<unsigned> from(kFirst + kSecond), to(from.size() + 1, 0xffffffff);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned>(i);
  WidenTwoArgs args = {.copy = {PlanWiden({.count = 1, .from_line = kFirst, .to_line = kFirst}),
                                PlanWiden({.count = 1, .from_line = kSecond, .to_line = kSecond})},
                       .workgroups = 3};
  for (WidenArgs& copy : args.copy) {
    const std::size_t first = &copy == args.copy ? 0 : kFirst;
    copy.from = from.data() + first;
    copy.to = to.data() + first;
  }
  RunGrid(4, kWidenThreads, [&] { WidenWordsOfTwo<unsigned>(args); });
  from.push_back(0xffffffff);
  EXPECT_EQ(to, from);
}

/// An element of the copies that make runs of y: w of backward-data by taps and input channels, the
/// last tap along w first.
TEST(Columns, RunsOfWeights) {
  ConvProblem head = {.direction = Direction::kBackwardData, .type = DataType::kTF32, .c = 5};
  head.k = 3;
  head.dims = {Dim{}, {.in = 9, .filter = 2}, {.in = 9, .filter = 3}};
  ConvProblem deeper = head;
  constexpr std::int64_t kOfTap = 8;
  deeper.k = 3 * kOfTap;
  deeper.dims[2] = {.in = 9};
  std::vector<float> from(static_cast<std::size_t>(head.w_elements()));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = 1.0f + static_cast<float>(i);
  std::vector<float> to(static_cast<std::size_t>(deeper.w_elements()) + 1, -1);
  ColumnsArgs args = PlanRunsOfWeights(head, deeper);
  args.from = from.data();
  args.to = to.data();
  RunGrid(static_cast<int>(CeilDiv<std::int64_t>(args.elements, kColumnsThreads)), kColumnsThreads,
          [&] { ColumnsTile<unsigned>(args); });
  const TensorAxes w = head.AxesOf(Tensor::kW);
  std::size_t at = 0;
  for (std::int64_t y = 0; y < 2; ++y) {
    for (std::int64_t c = 0; c < 5; ++c) {
      for (std::int64_t x = 2; x >= 0; --x) {
        for (std::int64_t k = 0; k < kOfTap; ++k, ++at) {
          const std::int64_t element =
              k * w.stride[1] + y * w.stride[3] + x * w.stride[4] + c * w.stride[5];
          EXPECT_EQ(to[at], k < 3 ? from[static_cast<std::size_t>(element)] : 0) << at;
        }
      }
    }
  }
  EXPECT_EQ(to[at], -1) << "behind the last";
}

}  // namespace
}  // namespace gridwise::hopper
