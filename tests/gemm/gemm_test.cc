// SPDX-License-Identifier: MIT
// The public API of matrix multiplications: the planner's instance and every other one that accepts
// a problem, in all orders, types and epilogues, against the CPU reference.

#include "gridwise/gemm.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/base/unary.h"
#include "core/gemm/problem.h"
#include "core/gemm/problem_io.h"
#include "core/reference/compare.h"
#include "core/reference/elements.h"
#include "core/reference/gemm_expected.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/stream.h"
#include "gmock/gmock.h"
#include "gridwise/instances.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

using ::testing::HasSubstr;

std::vector<float> RandomElements(DataType type, Gfx gfx, std::int64_t count,
                                  std::mt19937& random) {
  const float range = OperandRange(type);
  std::uniform_real_distribution<float> uniform(-range, range);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = RoundTo(type, uniform(random));
  FlushAmbiguous(type, gfx, values);
  return values;
}

/// A problem with operands on the device, and what C must be.
class GemmCase {
 public:
  static absl::StatusOr<GemmCase> Make(const GemmProblem& problem, Gfx gfx) {
    std::mt19937 random(1);
    GemmCase made;
    made.problem_ = problem;
    const std::vector<float> a = RandomElements(problem.type, gfx, problem.a_elements(), random);
    const std::vector<float> b = RandomElements(problem.type, gfx, problem.b_elements(), random);
    std::vector<float> d[2];
    for (int i = 0; i < problem.epilogue.tensors; ++i) {
      const DataType type = problem.epilogue.d[static_cast<std::size_t>(i)].type;
      d[i] = RandomElements(type, gfx, EpilogueElements(problem, i), random);
      if (auto s = Upload(type, d[i], made.d_[i]); !s.ok()) return s;
    }
    if (auto s = Upload(problem.type, a, made.a_); !s.ok()) return s;
    if (auto s = Upload(problem.type, b, made.b_); !s.ok()) return s;
    absl::StatusOr<Expected> expected = ExpectedOutput(problem, a, b, {d[0], d[1]});
    if (!expected.ok()) return expected.status();
    made.expected_ = *std::move(expected);
    return made;
  }

  /// Computes it with a poisoned output and workspace; elements between C's must stay as they are.
  absl::Status Check(const GemmPlan& plan) const {
    const DataType type = problem_.output_type();
    auto out = DeviceBuffer::Allocate(problem_.out_elements() * SizeOf(type));
    auto workspace = DeviceBuffer::Allocate(plan.workspace_bytes());
    if (!out.ok() || !workspace.ok()) return absl::ResourceExhaustedError("no memory");
    if (auto s = out->Fill(PoisonByte(type)); !s.ok()) return s;
    if (auto s = workspace->Fill(0xff); !s.ok()) return s;
    const absl::StatusOr<Executable> gemm = Executable::Load(plan);
    if (!gemm.ok()) return gemm.status();
    absl::Status status = gemm->Launch({.a = a_.data(),
                                        .b = b_.data(),
                                        .out = out->data(),
                                        .d0 = d_[0].data(),
                                        .d1 = d_[1].data()},
                                       workspace->data(), workspace->bytes(), /*stream=*/nullptr);
    if (!status.ok()) return status;
    if (status = SynchronizeDevice(); !status.ok()) return status;
    std::vector<std::byte> bytes(static_cast<std::size_t>(out->bytes()));
    if (status = out->CopyToHost(bytes); !status.ok()) return status;
    return CheckError(type, DecodeExactly(type, bytes), expected_.out, problem_.k,
                      expected_.sum_rms);
  }

 private:
  static absl::Status Upload(DataType type, const std::vector<float>& values, DeviceBuffer& to) {
    absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::CopyOf(Encode(type, values));
    if (!buffer.ok()) return buffer.status();
    to = *std::move(buffer);
    return absl::OkStatus();
  }

  GemmProblem problem_;
  DeviceBuffer a_, b_, d_[2];
  Expected expected_;
};

std::vector<DataType> TypesOf(Gfx gfx) {
  std::vector<DataType> types;
  for (const DataType type : kAllDataTypes) {
    if (type != DataType::kI32 && HasType(gfx, type)) types.push_back(type);
  }
  return types;
}

template <class T, std::size_t kCount>
T PickOne(const T (&values)[kCount], std::mt19937& random) {
  return values[random() % kCount];
}

/// Edges of tiles and vectors as often as anything else.
std::int64_t DrawLength(std::mt19937& random) {
  constexpr std::int64_t kEdges[] = {1,  2,  4,  7,  8,  9,   15,  16,  17,  31,
                                     32, 33, 63, 64, 65, 127, 128, 129, 192, 256};
  return random() % 2 == 0 ? PickOne(kEdges, random) : 1 + random() % 270;
}

/// A matrix in one of both orders, lines of which may be apart.
MatrixStrides DrawStrides(std::int64_t rows, std::int64_t columns, std::mt19937& random) {
  const MatrixOrder order = PickOne(kAllMatrixOrders, random);
  const std::int64_t line = order == MatrixOrder::kRow ? columns : rows;
  return StridesOf(order, rows, columns, line + (random() % 2 == 0 ? 0 : random() % 20));
}

/// Any sizes, orders, distances and types, and an epilogue for half of them.
GemmProblem DrawProblem(Gfx gfx, std::mt19937& random) {
  const std::vector<DataType> types = TypesOf(gfx);
  GemmProblem p = MakeGemm(types[random() % types.size()], 1 + random() % 3, DrawLength(random),
                           DrawLength(random), DrawLength(random));
  p.a = DrawStrides(p.m, p.k, random);
  p.b = DrawStrides(p.k, p.n, random);
  p.c = DrawStrides(p.m, p.n, random);
  if (random() % 4 == 0) p.b.batch = 0;  // one B for all
  if (random() % 2 == 0) {
    do {
      p.out_type = PickOne(kAllDataTypes, random);
    } while (!CanOutput(p.type, *p.out_type));
  }
  if (random() % 2 == 0 || p.output_type() == DataType::kI32) return p;
  p.epilogue = {.alpha = -1.5, .tensors = static_cast<int>(random() % 3), .d = {}};
  if (random() % 2 == 0) p.epilogue.low = 0;
  if (random() % 2 == 0) p.epilogue.unary = PickOne(kAllUnary, random);
  for (EpilogueTensor& d : p.epilogue.d) {
    d = {.op = random() % 2 == 0 ? EpilogueTensor::Op::kAdd : EpilogueTensor::Op::kMultiply,
         .scale = -0.75,
         .type = random() % 2 == 0 ? p.output_type() : DataType::kF32,
         .stride = PerAxisStrides(random() % 2 == 0 ? DrawStrides(p.m, p.n, random)
                                                    : MatrixStrides{.column = 1})};
  }
  return p;
}

class GemmApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const name = std::getenv("GRIDWISE_TEST_TARGET");
    const std::optional<Gfx> gfx = ParseGfx(name == nullptr ? "" : name);
    ASSERT_TRUE(gfx.has_value()) << "run this as a gpu_test";
    gfx_ = *gfx;
    const absl::StatusOr<DeviceInfo> device = FindDevice(name);
    ASSERT_TRUE(device.ok()) << device.status();
    ASSERT_TRUE(UseDevice(*device).ok());
  }

  /// Computes the problem on the planner's instance or, with `every_instance`, all that accept it,
  /// whose names it adds to `instances`.
  void Verify(const GemmProblem& problem, bool every_instance,
              std::set<std::string>* instances = nullptr, const PlanOptions& options = {}) {
    SCOPED_TRACE(ToString(problem));
    const absl::StatusOr<GemmCase> made = GemmCase::Make(problem, gfx_);
    ASSERT_TRUE(made.ok()) << made.status();
    std::vector<std::string> names = {options.instance};
    std::string reasons;
    if (every_instance) {
      names.clear();
      for (const InstanceExplanation& explanation : ExplainInstances(problem, gfx_, options)) {
        if (explanation.reason) {
          absl::StrAppend(&reasons, explanation.instance, ": ", *explanation.reason, "\n");
        } else {
          names.push_back(explanation.instance);
        }
      }
    }
    ASSERT_FALSE(names.empty()) << reasons;
    for (const std::string& name : names) {
      PlanOptions wanted = options;
      wanted.instance = name;
      const absl::StatusOr<GemmPlan> plan = MakePlan(problem, gfx_, wanted);
      ASSERT_TRUE(plan.ok()) << plan.status();
      const absl::Status status = made->Check(*plan);
      ASSERT_TRUE(status.ok()) << plan->instance() << ": " << status;
      if (instances != nullptr) instances->insert(plan->instance());
    }
  }

  Gfx gfx_ = Gfx::k942;
};

TEST_F(GemmApiTest, EveryInstanceComputesEveryOrder) {
  for (const DataType type : TypesOf(gfx_)) {
    std::set<std::string> computed;
    for (const MatrixOrder a : kAllMatrixOrders) {
      for (const MatrixOrder b : kAllMatrixOrders) {
        for (const MatrixOrder c : kAllMatrixOrders) {
          Verify(MakeGemm(type, 2, 144, 80, 96, a, b, c), /*every_instance=*/true, &computed);
        }
      }
    }
    std::set<std::string> all;
    for (const InstanceInfo& instance : ListGemmInstances()) {
      if (instance.gfx == gfx_ && instance.type == type) all.insert(instance.name);
    }
    EXPECT_EQ(computed, all);
  }
}

TEST_F(GemmApiTest, AnySizesAndPitches) {
  for (const DataType type : TypesOf(gfx_)) {
    for (const auto& [m, n, k] : {std::tuple(1, 1, 1), {1, 33, 7}, {65, 1, 130}, {7, 129, 61}}) {
      GemmProblem p = MakeGemm(type, 2, m, n, k, MatrixOrder::kRow, MatrixOrder::kColumn);
      p.a = StridesOf(MatrixOrder::kRow, m, k, k + 3);
      p.c = StridesOf(MatrixOrder::kRow, m, n, n + 5);
      Verify(p, /*every_instance=*/false);
    }
  }
}

/// On every instance; of some, splits of K, or parts.
TEST_F(GemmApiTest, RandomProblems) {
  const char* const given = std::getenv("GRIDWISE_TEST_PROBLEMS");
  unsigned count = 0;
  ASSERT_TRUE(given != nullptr && absl::SimpleAtoi(given, &count))
      << "GRIDWISE_TEST_PROBLEMS must be a number";
  std::set<std::string> computed;
  for (unsigned seed = 0; seed < count; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    std::mt19937 random(seed);
    const GemmProblem problem = DrawProblem(gfx_, random);
    PlanOptions options;
    if (problem.out_is_packed() && SumType(problem.type) == DataType::kF32) {
      options.splits = static_cast<int>(random() % 4);
      options.atomic = options.splits > 1 && random() % 2 == 0;
    }
    const auto is_narrow = [](DataType type) { return SizeOf(type) < 4; };
    bool divides = is_narrow(problem.type) && is_narrow(problem.output_type());
    for (int i = 0; i < problem.epilogue.tensors; ++i)
      divides = divides && is_narrow(problem.epilogue.d[i].type);
    if (divides && random() % 4 == 0) options.offset_limit = 1 << 17;
    Verify(problem, /*every_instance=*/true, &computed, options);
  }
  EXPECT_FALSE(computed.empty());
}

TEST_F(GemmApiTest, OperandsThatRepeatAndLieBetweenOthers) {
  GemmProblem p = MakeGemm(DataType::kF16, 3, 40, 48, 56, MatrixOrder::kRow, MatrixOrder::kColumn);
  p.b.batch = 0;  // one B for all matrices
  Verify(p, /*every_instance=*/false);
  p = MakeGemm(DataType::kF16, 3, 40, 48, 56);
  p.a = {.batch = 56, .row = 3 * 56, .column = 1};  // matrices side by side
  p.c = {.batch = 48, .row = 3 * 48, .column = 1};
  Verify(p, /*every_instance=*/false);
  p.a.column = 2;  // every other element
  p.a.row = 2 * 3 * 56;
  Verify(p, /*every_instance=*/false);
}

TEST_F(GemmApiTest, EpiloguesInBothOrdersOfC) {
  for (const MatrixOrder c : kAllMatrixOrders) {
    GemmProblem p =
        MakeGemm(DataType::kF16, 2, 72, 136, 64, MatrixOrder::kRow, MatrixOrder::kRow, c);
    p.out_type = DataType::kF32;
    p.epilogue = {.alpha = 0.5, .tensors = 2, .d = {}, .low = 0};
    p.epilogue.d[0] = {.type = DataType::kF32,  // a bias
                       .stride = PerAxisStrides({.batch = 0, .row = 0, .column = 1})};
    p.epilogue.d[1] = {.op = EpilogueTensor::Op::kMultiply,
                       .scale = 0.25,
                       .type = DataType::kF32,
                       .stride = PerAxisStrides(p.c)};
    Verify(p, /*every_instance=*/false);
    for (const bool atomic : {false, true}) {
      Verify(p, /*every_instance=*/false, nullptr, {.splits = 3, .atomic = atomic});
    }
  }
}

TEST_F(GemmApiTest, LargeMatricesAreComputedInParts) {
  const GemmProblem p =
      MakeGemm(DataType::kF16, 1, 300, 70, 64, MatrixOrder::kRow, MatrixOrder::kColumn);
  const PlanOptions options = {.offset_limit = 16384};
  const absl::StatusOr<GemmPlan> plan = MakePlan(p, gfx_, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_GT(plan->launches(), 1);
  Verify(p, /*every_instance=*/false, nullptr, options);
}

TEST_F(GemmApiTest, RefusesWithASentence) {
  GemmProblem p = MakeGemm(DataType::kF16, 1, 64, 64, 64);
  const absl::Status unknown = MakePlan(p, gfx_, {.instance = "fast"}).status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("instance is fast; must be one of"));
  p.c = StridesOf(MatrixOrder::kRow, 64, 64, 80);
  EXPECT_THAT(std::string(MakePlan(p, gfx_, {.splits = 2}).status().message()),
              HasSubstr("there are gaps between the elements of c"));
  p.m = 0;
  EXPECT_EQ(MakePlan(p, gfx_).status().message(), "m is 0; must be 1 to 8388608");
}

// Where the Infinity Cache holds B: else device memory is the limit of every instance.
TEST_F(GemmApiTest, AFewInstancesTakeTheTileOfAFew) {
  const absl::StatusOr<GemmPlan> plan = MakePlan(
      MakeGemm(DataType::kF16, 1, 16, 4096, 4096, MatrixOrder::kRow, MatrixOrder::kColumn), gfx_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const bool has_mfma = TraitsOf(gfx_).mma_unit == MmaUnit::kMfma;
  EXPECT_TRUE(absl::StrContains(plan->instance(), has_mfma ? "_t32x128x64_" : "_t16x128x64_"))
      << plan->instance();
}

}  // namespace
}  // namespace gridwise
