// SPDX-License-Identifier: MIT
/// The GEMM kernel against its definition, on views of any kind.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ck/descriptor/descriptor.h"
#include "ck/descriptor/normal_form.h"
#include "ck/gemm/args.h"
#include "ck/gemm/config.h"
#include "ck/gemm/functions.h"
#include "ck/gemm/gemm_test_code.h"
#include "ck/gemm/gemm_test_instances.h"
#include "ck/gemm/plan.h"
#include "ck/gemm/reject.h"
#include "ck/lowering/conv.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/base/math.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/problem_io.h"
#include "core/conv/sub_gemms.h"
#include "core/reference/compare.h"
#include "core/reference/elements.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/module.h"
#include "core/runtime/stream.h"
#include "core/text/fields_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::ck {
namespace {

Gfx Target() {
  const char* target = std::getenv("GRIDWISE_TEST_TARGET");
  return ParseGfx(target == nullptr ? "" : target).value_or(Gfx::k942);
}

/// The multiplications of a launch, and the number of elements of its tensors.
struct Case {
  std::string name;
  std::vector<GemmDescriptors> gemms;
  std::int64_t a_elements, b_elements, c_elements;
};

/// One step of a pseudo-random sequence as a value that f16 has.
std::vector<float> RandomValues(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = RoundTo(DataType::kF16, uniform(random));
  FlushAmbiguous(DataType::kF16, Target(), values);
  return values;
}

/// C by its definition.
std::vector<double> Expected(const Case& c, const std::vector<float>& a,
                             const std::vector<float>& b) {
  std::vector<double> out(static_cast<std::size_t>(c.c_elements),
                          std::numeric_limits<double>::quiet_NaN());
  for (const GemmDescriptors& gemm : c.gemms) {
    for (std::int64_t g = 0; g < gemm.c.length(0); ++g) {
      for (std::int64_t m = 0; m < gemm.c.length(1); ++m) {
        for (std::int64_t n = 0; n < gemm.c.length(2); ++n) {
          double sum = 0;
          for (std::int64_t k = 0; k < gemm.terms; ++k) {
            const Location x = gemm.a.At({g, m, k}), y = gemm.b.At({g, n, k});
            if (!x.exists || !y.exists) continue;
            sum += static_cast<double>(a[static_cast<std::size_t>(x.offset)]) *
                   static_cast<double>(b[static_cast<std::size_t>(y.offset)]);
          }
          out.at(static_cast<std::size_t>(gemm.c.At({g, m, n}).offset)) = sum;
        }
      }
    }
  }
  return out;
}

/// A matrix [batch][rows][terms]; by rows: rows are adjacent in memory.
Descriptor Matrix(std::int64_t batch, std::int64_t rows, std::int64_t terms, bool by_rows,
                  std::int64_t pitch) {
  Descriptor d;
  const std::int64_t lines = by_rows ? terms : rows;
  const Axis g = d.Memory(batch, lines * pitch);
  const Axis r = d.Memory(rows, by_rows ? 1 : pitch), k = d.Memory(terms, by_rows ? pitch : 1);
  d.See({g, r, k});
  return d;
}

Case MatrixCase(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, bool a_by_rows,
                bool b_by_rows, std::int64_t margin) {
  const auto pitch = [&](bool by_rows, std::int64_t rows) { return (by_rows ? rows : k) + margin; };
  const auto elements = [&](bool by_rows, std::int64_t rows) {
    return batch * (by_rows ? k : rows) * pitch(by_rows, rows);
  };
  GemmDescriptors gemm = {.a = Matrix(batch, m, k, a_by_rows, pitch(a_by_rows, m)),
                          .b = Matrix(batch, n, k, b_by_rows, pitch(b_by_rows, n)),
                          .c = Matrix(batch, m, n, false, n),
                          .terms = k};
  return {.name = absl::StrCat(batch, "x", m, "x", n, "x", k, a_by_rows ? " A col" : " A row",
                               b_by_rows ? " B row" : " B col"),
          .gemms = {gemm},
          .a_elements = elements(a_by_rows, m),
          .b_elements = elements(b_by_rows, n),
          .c_elements = batch * m * n};
}

Case ConvCase(const ConvProblem& problem) {
  Case c = {.name = ToString(problem),
            .gemms = {},
            .a_elements = problem.a_elements(),
            .b_elements = problem.b_elements(),
            .c_elements = problem.out_elements()};
  for (const SubGemm& gemm : MakeSubGemms(problem)) c.gemms.push_back(Lower(problem, gemm));
  return c;
}

/// A contraction with a permuted output: C[j][i][l] = sum over x, y of A[x][i][y] * B[l][y][x] B's
/// j.
Case ContractionCase() {
  constexpr std::int64_t kI = 24, kJ = 5, kL = 16, kX = 6, kY = 8;
  GemmDescriptors gemm;
  const auto batch = [](Descriptor& d) { return d.Memory(1, 0); };
  {
    const Axis g = batch(gemm.a), x = gemm.a.Memory(kX, kI * kY), i = gemm.a.Memory(kI, kY),
               y = gemm.a.Memory(kY, 1);
    gemm.a.See({g, i, gemm.a.Merge({x, y})});
  }
  {
    const Axis g = batch(gemm.b), l = gemm.b.Memory(kL, kJ * kX * kY),
               j = gemm.b.Memory(kJ, kX * kY), x = gemm.b.Memory(kX, kY), y = gemm.b.Memory(kY, 1);
    gemm.b.See({g, gemm.b.Merge({j, l}), gemm.b.Merge({x, y})});
  }
  {
    const Axis g = batch(gemm.c), j = gemm.c.Memory(kJ, kI * kL), i = gemm.c.Memory(kI, kL),
               l = gemm.c.Memory(kL, 1);
    gemm.c.See({g, i, gemm.c.Merge({j, l})});
  }
  gemm.terms = kX * kY;
  return {.name = "contraction",
          .gemms = {gemm},
          .a_elements = kX * kI * kY,
          .b_elements = kL * kJ * kX * kY,
          .c_elements = kJ * kI * kL};
}

ConvProblem Conv(Direction direction, std::int64_t groups, std::int64_t c, std::int64_t k, Dim h,
                 Dim w) {
  ConvProblem problem = {.direction = direction, .groups = groups, .batch = 2, .c = c, .k = k};
  problem.dims[1] = h;
  problem.dims[2] = w;
  return problem;
}

std::vector<Case> Cases() {
  std::vector<Case> cases = {
      MatrixCase(1, 64, 64, 32, false, false, 0),  MatrixCase(2, 65, 72, 40, false, false, 8),
      MatrixCase(3, 8, 200, 264, false, false, 0), MatrixCase(2, 64, 96, 64, true, true, 0),
      MatrixCase(1, 20, 68, 107, true, true, 4),   MatrixCase(2, 7, 5, 33, false, true, 1),
      MatrixCase(1, 33, 127, 1, true, false, 0),   ContractionCase()};
  const Dim same = {.in = 9, .filter = 3, .pad_begin = 1, .pad_end = 1};
  const Dim odd = {.in = 11, .filter = 3, .stride = 2, .dilation = 2, .pad_begin = 2, .pad_end = 1};
  for (const Direction direction : kAllDirections) {
    cases.push_back(ConvCase(Conv(direction, 1, 16, 24, same, same)));
    cases.push_back(ConvCase(Conv(direction, 2, 16, 16, odd, same)));
    cases.push_back(ConvCase(Conv(direction, 2, 6, 10, odd, {.in = 7, .stride = 3})));
    ConvProblem volume = Conv(direction, 1, 8, 8, same, odd);
    volume.rank = 3;
    volume.dims[0] = {.in = 3, .filter = 2, .pad_begin = 1};
    cases.push_back(ConvCase(volume));
  }
  return cases;
}

class GemmTest : public ::testing::Test {
 protected:
  static constexpr OutputTypes kTypes = {.c = DataType::kF32};

  void SetUp() override {
    const absl::StatusOr<DeviceInfo> device = FindDevice(Name(Target()));
    ASSERT_TRUE(device.ok()) << device.status();
    ASSERT_TRUE(UseDevice(*device).ok());
    for (const CodeObject& object : GemmTestCode()) {
      if (object.gfx != Name(Target())) continue;
      absl::StatusOr<Module> module = Module::Load(object.data);
      ASSERT_TRUE(module.ok()) << module.status();
      modules_.push_back(*std::move(module));
    }
  }

  static std::vector<GemmForms> FormsOfCase(const Case& c) {
    std::vector<GemmForms> forms;
    for (const GemmDescriptors& gemm : c.gemms) forms.push_back(FormsOf(gemm));
    return forms;
  }

  static std::optional<Refusal> RejectCase(const GemmConfig& row, const Case& c) {
    for (const GemmForms& gemm : FormsOfCase(c)) {
      if (auto reason = Reject(row, gemm)) return reason;
    }
    return std::nullopt;
  }

  /// The sum over splits of what the kernel writes.
  std::vector<float> Run(std::size_t row, const Case& c, const std::vector<float>& a,
                         const std::vector<float>& b, int splits) {
    const GemmConfig& config = kTestRows[row];
    const std::vector<GemmForms> forms = FormsOfCase(c);
    const std::vector<ProblemArgs> problems = MakeProblemArgs(config, forms, kTypes, splits);
    const std::vector<std::byte> a_bytes = Encode(config.type, a), b_bytes = Encode(config.type, b);
    const absl::StatusOr<DeviceBuffer> a_device = DeviceBuffer::CopyOf(a_bytes);
    const absl::StatusOr<DeviceBuffer> b_device = DeviceBuffer::CopyOf(b_bytes);
    const absl::StatusOr<DeviceBuffer> table =
        DeviceBuffer::CopyOf(std::as_bytes(std::span(problems)));
    absl::StatusOr<DeviceBuffer> out = DeviceBuffer::Allocate(c.c_elements * 4 * splits);
    EXPECT_TRUE(a_device.ok() && b_device.ok() && table.ok() && out.ok());
    EXPECT_TRUE(out->Fill(PoisonByte(DataType::kF32)).ok());
    GemmArgs<Functions<>> args;
    args.a.data = a_device->data();
    args.b.data = b_device->data();
    args.out = {.data = out->data(),
                .split_bytes = static_cast<long>(c.c_elements * 4),
                .type = static_cast<int>(DataType::kF32),
                .by_element = IsByElement(config, forms[0].c, DataType::kF32),
                .tensors = 0,
                .d = {}};
    args.problems = static_cast<int>(problems.size());
    args.table = static_cast<const ProblemArgs*>(table->data());
    args.only = problems[0];
    args.tiles_n = static_cast<int>(CeilDiv<std::int64_t>(ColumnsOf(forms[0]), config.tile.n));
    std::int64_t tiles = 0;
    for (const GemmForms& gemm : forms) {
      tiles += CeilDiv<std::int64_t>(RowsOf(gemm), config.tile.m) * args.tiles_n;
    }
    args.map = MakeBlockMap(static_cast<int>(tiles), args.tiles_n, /*xcds=*/3, /*log2_band=*/1);
    const LaunchShape shape = {.workgroups = {static_cast<std::uint32_t>(tiles),
                                              static_cast<std::uint32_t>(c.gemms[0].c.length(0)),
                                              static_cast<std::uint32_t>(splits)},
                               .threads = {static_cast<std::uint32_t>(config.threads()), 1, 1}};
    const absl::StatusOr<hipFunction_t> kernel =
        modules_[row % kRowsOfUnit % modules_.size()].FindKernel(absl::StrCat(
            "_ZN8gridwise2ck8TestGemmILi", row,
            "EEEvNS0_8GemmArgsINS0_9FunctionsINS0_11PassThroughES4_NS0_7CombineEEEEE"));
    EXPECT_TRUE(kernel.ok()) << kernel.status();
    if (!kernel.ok()) return {};
    EXPECT_TRUE(Launch(*kernel, shape, std::as_bytes(std::span(&args, 1))).ok());
    EXPECT_EQ(SynchronizeDevice(), absl::OkStatus());
    std::vector<float> parts(static_cast<std::size_t>(c.c_elements * splits));
    EXPECT_TRUE(out->CopyToHost(std::as_writable_bytes(std::span(parts))).ok());
    std::vector<float> sum(static_cast<std::size_t>(c.c_elements), 0);
    for (std::size_t i = 0; i < parts.size(); ++i) sum[i % sum.size()] += parts[i];
    return sum;
  }

  std::vector<Module> modules_;
};

TEST_F(GemmTest, EveryRowComputesWhatItDoesNotReject) {
  int rows = 0;
  std::vector<int> computed(Cases().size(), 0);
  for (std::size_t row = 0; row < kTestRows.size(); ++row) {
    if (Reject(kTestRows[row], Target()) != nullptr) continue;
    ++rows;
    int cases = 0;
    std::size_t index = 0;
    for (const Case& c : Cases()) {
      ++index;
      SCOPED_TRACE(absl::StrCat(PrintFields(kTestRows[row]), ": ", c.name));
      if (RejectCase(kTestRows[row], c)) continue;
      ++cases;
      ++computed[index - 1];
      const std::vector<float> a = RandomValues(c.a_elements, 1), b = RandomValues(c.b_elements, 2);
      const std::vector<double> expected = Expected(c, a, b);
      for (const int splits : {1, 3}) {
        const std::vector<float> out = Run(row, c, a, b, splits);
        ASSERT_EQ(out.size(), expected.size());
        const std::vector<double> found(out.begin(), out.end());
        const absl::Status status = CheckError(DataType::kF32, found, expected, c.gemms[0].terms);
        ASSERT_TRUE(status.ok()) << splits << " splits: " << status.message();
      }
    }
    EXPECT_GT(cases, 0) << PrintFields(kTestRows[row]);
  }
  EXPECT_GE(rows, 9);
  EXPECT_THAT(computed, ::testing::Each(::testing::Ge(1))) << "each case has a row";
}

TEST(GemmConfigTest, NamesParseBackToTheirRows) {
  for (const GemmConfig& row : kTestRows) {
    const absl::StatusOr<GemmConfig> parsed = ParseFields<GemmConfig>(PrintFields(row));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, row) << PrintFields(row);
  }
}

TEST(GemmPlanTest, SaysWhyARowCannotComputeAProblem) {
  const Case c = MatrixCase(1, 7, 5, 33, false, true, 1);
  EXPECT_EQ(Why(Reject(kTestRows[0], FormsOf(c.gemms[0]))),
            "A has 1 elements at a time next to each other along K, and the instance loads 8");
  ConvProblem wide = Conv(Direction::kForward, 1, 8, 8, {.in = 3, .filter = 3, .pad_begin = 2},
                          {.in = 40000, .filter = 3, .pad_begin = 1, .pad_end = 1});
  EXPECT_THAT(Why(Reject(kTestRows[3], FormsOf(ConvCase(wide).gemms[0]))),
              ::testing::HasSubstr("indices are -1 to 39999, and the instance checks two of"));
}

TEST(GemmPlanTest, SaysWhatIsTooLargeForALaunch) {
  const Case c = MatrixCase(1, 64, 96, 64, true, true, 0);
  const GemmForms forms = FormsOf(c.gemms[0]);
  EXPECT_FALSE(TooLarge(kTestRows[0], forms, {}, std::int64_t{1} << 31));
  const auto excess = TooLarge(kTestRows[0], forms, {}, 10000);
  ASSERT_TRUE(excess.has_value());
  EXPECT_EQ(excess->matrix, 'c');
  EXPECT_EQ(excess->reason, "a matrix reaches over 24576 bytes of C; must be below 10000");
  EXPECT_EQ(TooLarge(kTestRows[0], forms, {.c = DataType::kI8}, 12000)->matrix, 'b');
}

}  // namespace
}  // namespace gridwise::ck
