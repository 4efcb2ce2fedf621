// SPDX-License-Identifier: MIT
#include "hopper/testing/check_on_host.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>

#include "core/arch/parts.h"
#include "core/arch/target.h"
#include "core/passes/layout_passes.h"
#include "core/reference/compare.h"
#include "core/reference/elements.h"
#include "hopper/operands/tma_operands.h"

namespace gridwise::hopper {
namespace {

std::vector<float> Uniform(DataType type, std::int64_t count, std::mt19937& random) {
  const float range = OperandRange(type);
  std::uniform_real_distribution<float> uniform(-range, range);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = RoundTo(type, uniform(random));
  return values;
}

/// Calls `visit` with the positions of each element of a packed tensor and of the problem's.
void VisitPositions(const ConvProblem& packed, const ConvProblem& problem, Tensor tensor,
                    auto visit) {
  const TensorAxes from = packed.AxesOf(tensor), to = problem.AxesOf(tensor);
  const std::int64_t elements = to.Elements();
  PerAxis at = {};
  for (std::int64_t i = 0; i < elements; ++i) {
    std::int64_t from_element = 0, to_element = 0;
    for (std::size_t axis = 0; axis < 6; ++axis) {
      from_element += at[axis] * from.stride[axis];
      to_element += at[axis] * to.stride[axis];
    }
    visit(static_cast<std::size_t>(from_element), static_cast<std::size_t>(to_element));
    for (std::size_t axis = 6; axis-- > 0;) {
      if (++at[axis] < to.size[axis]) break;
      at[axis] = 0;
    }
  }
}

/// A packed tensor's values in the problem's positions, with zeros between them. Where pixels
/// overlap, `values` become those of the last that has the position.
std::vector<float> Spread(std::vector<float>& values, const ConvProblem& packed,
                          const ConvProblem& problem, Tensor tensor) {
  std::vector<float> spread(
      static_cast<std::size_t>(SpanOf(problem, tensor) / SizeOf(problem.type)));
  VisitPositions(packed, problem, tensor,
                 [&](std::size_t from, std::size_t to) { spread[to] = values[from]; });
  VisitPositions(packed, problem, tensor,
                 [&](std::size_t from, std::size_t to) { values[from] = spread[to]; });
  return spread;
}

/// The parts of f32, as the pass that splits an operand lays them out.
std::vector<std::byte> SplitOnHost(const std::vector<std::byte>& tensor, std::int64_t apart) {
  std::vector<unsigned short> parts(static_cast<std::size_t>(kParts * apart));
  const auto elements = static_cast<std::int64_t>(tensor.size() / sizeof(float));
  for (std::int64_t i = 0; i < elements; ++i) {
    float value;
    std::memcpy(&value, tensor.data() + static_cast<std::size_t>(i) * sizeof(float), sizeof(float));
    const PairOfParts pair = PartsOf(value, 0);
    for (int p = 0; p < kParts; ++p) {
      parts[static_cast<std::size_t>(p * apart + i)] = static_cast<unsigned short>(pair.part[p]);
    }
  }
  const auto bytes = std::as_bytes(std::span(parts));
  return {bytes.begin(), bytes.end()};
}

DeviceFacts SmallDevice() {
  DeviceFacts device = Gfx::kSm90a;
  device.compute_units = 3;
  device.machine.l2_bytes = 0;  // L2 holds no tensor of the epilogue
  return device;
}

}  // namespace

ConvProblem Problem(Direction direction, std::int64_t groups, std::int64_t c, std::int64_t k,
                    Dim height, Dim width) {
  return {.direction = direction,
          .groups = groups,
          .batch = 2,
          .c = groups * c,
          .k = groups * k,
          .dims = {Dim{}, height, width}};
}

Dim Axis(std::int64_t in, std::int64_t stride, std::int64_t pad) {
  return {.in = in, .filter = 3, .stride = stride, .pad_begin = pad, .pad_end = pad};
}

ConvProblem WithDepth(ConvProblem problem, Dim depth) {
  problem.rank = 3;
  problem.dims[0] = depth;
  return problem;
}

ConvProblem WithPixels(const OperandForm& form, ConvProblem problem) {
  problem.strides = CanonicalProblem(problem, Gfx::kSm90a, form).strides;
  return problem;
}

ConvProblem WithFarAxes(ConvProblem problem) {
  const TensorAxes axes = problem.AxesOf(problem.out());
  PerAxis& stride = problem.strides[static_cast<std::size_t>(problem.out())];
  stride = axes.stride;
  for (std::size_t axis = 0; axis < 5; ++axis) {
    if (axes.size[axis] == 1) stride[axis] = (std::int64_t{1} << 36) + 16;
  }
  return problem;
}

ConvProblem WithTensors(int tensors, ConvProblem problem) {
  const TensorAxes out = problem.AxesOf(problem.out());
  EpilogueTensor bias = {.type = problem.output_type()};
  bias.stride[4] = out.size[5];
  bias.stride[5] = 1;
  problem.epilogue.tensors = tensors;
  problem.epilogue.d = {bias, {.scale = 0.5, .type = problem.output_type(), .stride = out.stride}};
  problem.epilogue.low = 0;
  return problem;
}

HostProblem::HostProblem(const ConvProblem& problem, DataType copied, int splits, Values values)
    : problem_(problem),
      values_(values),
      device_(SmallDevice()),
      multiplied_(problem),
      split_k_{.splits = splits},
      out_type_(splits > 1 ? DataType::kF32 : problem.output_type()) {
  multiplied_.type = copied;
  multiplied_.out_type = problem.output_type();
  if (problem.direction != Direction::kBackwardWeight) gemms_ = MakeSubGemms(problem);
  if (splits > 1) split_k_.partial_elements = problem.out_elements();
  std::mt19937 random(5);
  const bool unrounded = values == Values::kUnrounded, unrounded_b = values == Values::kUnroundedB;
  const DataType stored = StoredType(problem.type);
  std::vector<float> a = Uniform(unrounded ? stored : problem.type, problem.a_elements(), random);
  std::vector<float> b =
      Uniform(unrounded || unrounded_b ? stored : problem.type, problem.b_elements(), random);
  const float scale = values == Values::kTiny ? 0x1p-128f : values == Values::kHuge ? 0x1p127f : 1;
  for (float& value : a) value *= scale;
  for (float& value : b) value /= scale == 0x1p-128f ? 0x1p-100f : scale;
  if (values == Values::kInfinity) a[a.size() / 2 + 5] = std::numeric_limits<float>::infinity();
  if (values == Values::kInfinityInB) b[b.size() / 2 + 5] = std::numeric_limits<float>::infinity();
  ConvProblem packed = problem;
  packed.strides = {};
  std::array<std::vector<float>, 2> d;
  for (std::size_t i = 0; i < static_cast<std::size_t>(problem.epilogue.tensors); ++i) {
    const EpilogueTensor& tensor = problem.epilogue.d[i];
    std::int64_t last = 0;
    const PerAxis sizes = problem.AxesOf(problem.out()).size;
    for (std::size_t axis = 0; axis < 6; ++axis) last += (sizes[axis] - 1) * tensor.stride[axis];
    d[i] = Uniform(tensor.type, last + 1, random);
    d_[i] = Encode(tensor.type, d[i]);
  }
  a_ = Encode(StoredType(copied), Spread(a, packed, problem, problem.a()));
  std::vector<float> spread_b = Spread(b, packed, problem, problem.b());
  if (unrounded_b) {
    for (float& value : b) value = RoundTo(problem.type, value);
  }
  expected_ = ExpectedOutput(packed, a, b, {d[0], d[1]});
  if (RunsGoOn(multiplied_)) {
    spread_b.resize(spread_b.size() + kKTile, std::numeric_limits<float>::quiet_NaN());
  }
  b_ = Encode(StoredType(copied), spread_b);
  out_.assign(static_cast<std::size_t>(problem.out_elements() * splits * SizeOf(out_type_)),
              std::byte{PoisonByte(out_type_)});
}

void HostProblem::SplitB() { parts_ = SplitOnHost(b_, PartElements(multiplied_)); }

char* HostProblem::AddressOf(const MemoryOffset& where) {
  const bool has_parts = where.memory == Memory::kB && !parts_.empty();
  const bool is_b = where.memory == Memory::kB || where.memory == Memory::kB1;
  if (where.memory == Memory::kD0) return reinterpret_cast<char*>(d_[0].data());
  if (where.memory == Memory::kD1) return reinterpret_cast<char*>(d_[1].data());
  std::vector<std::byte>& tensor = has_parts                    ? parts_
                                   : is_b                       ? b_
                                   : where.memory == Memory::kA ? a_
                                                                : out_;
  return reinterpret_cast<char*>(tensor.data()) + where.offset;
}

void HostProblem::ExpectOutput() const {
  const std::vector<double> out = DecodeExactly(out_type_, out_);
  std::vector<double> sums(static_cast<std::size_t>(problem_.out_elements()));
  for (std::size_t i = 0; i < out.size(); ++i) sums[i % sums.size()] += out[i];
  if (values_ == Values::kInfinity || values_ == Values::kInfinityInB) return ExpectInfinity(sums);
  const ErrorStats stats = Compare(out_type_, sums, expected_->out, problem_.reduction_length());
  if (values_ == Values::kUnrounded) {  // each operand is off by at most 2^-10
    EXPECT_LT(stats.rel_norm, 0x1p-9);
    return;
  }
  EXPECT_EQ(stats.bad, 0) << "first at " << stats.first_bad << ", " << stats.max_ratio;
}

void HostProblem::ExpectInfinity(const std::vector<double>& sums) const {
  // Times the zeros of padding it is NaN.
  const bool meets_padding =
      problem_.direction == Direction::kBackwardWeight || values_ == Values::kInfinityInB;
  int reached = 0, wrong = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const bool is_finite = std::isfinite(expected_->out[i]);
    reached += !is_finite;
    wrong += is_finite != std::isfinite(sums[i]) || (!meets_padding && std::isnan(sums[i]));
  }
  EXPECT_GT(reached, 0);
  EXPECT_EQ(wrong, 0);
}

}  // namespace gridwise::hopper
