// SPDX-License-Identifier: MIT
#include "core/conv/validate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/base/types.h"
#include "core/conv/limits.h"
#include "core/conv/problem.h"

namespace gridwise {
namespace {

std::string AxisField(int axis, const char* field) {
  return absl::StrFormat("dims[%d].%s (%s)", axis, field, kAxisNames[axis]);
}

absl::Status AtLeast(std::string_view field, int64_t value, int64_t minimum) {
  if (value >= minimum) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is %d; must be >= %d", field, value, minimum));
}

absl::Status MultipleOfGroups(const char* field, int64_t value, int64_t groups) {
  if (value % groups == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is %d; must be a multiple of groups, which is %d", field, value, groups));
}

struct AxisFieldRule {
  const char* name;
  int64_t Dim::* member;
  int64_t minimum;
};
constexpr AxisFieldRule kAxisFields[] = {
    {"in", &Dim::in, 1},
    {"filter", &Dim::filter, 1},
    {"stride", &Dim::stride, 1},
    {"dilation", &Dim::dilation, 1},
    {"pad_begin", &Dim::pad_begin, 0},
    {"pad_end", &Dim::pad_end, 0},
};

/// The names of the types that `accepts`, e.g. "f16, bf16, f32".
std::string TypeNames(absl::FunctionRef<bool(DataType)> accepts) {
  std::vector<std::string_view> names;
  for (const DataType type : kAllDataTypes) {
    if (accepts(type)) names.push_back(Name(type));
  }
  return absl::StrJoin(names, ", ");
}

absl::Status ValidateTypes(const ConvProblem& p) {
  for (const DataType type : {p.type, p.output_type()}) {
    if (std::count(std::begin(kAllDataTypes), std::end(kAllDataTypes), type) > 0) continue;
    return absl::InvalidArgumentError(absl::StrFormat("a type is %d; must be one of %s",
                                                      static_cast<int>(type),
                                                      TypeNames([](DataType) { return true; })));
  }
  if (!TakesType(p.direction, p.type)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("type is %s; %s takes %s", Name(p.type), Name(p.direction),
                        TypeNames([&](DataType type) { return TakesType(p.direction, type); })));
  }
  if (!CanOutput(p.type, p.output_type())) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "out_type is %s; must be one of %s, because type is %s", Name(p.output_type()),
        TypeNames([&](DataType type) { return CanOutput(p.type, type); }), Name(p.type)));
  }
  return absl::OkStatus();
}

/// Sums of i8 are kept in i32, and wrap.
absl::Status ValidateSums(const ConvProblem& p) {
  constexpr int64_t kMaxTerms = 0x7fffffff / (128 * 128);
  if (p.type != DataType::kI8 || p.reduction_length() <= kMaxTerms) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("an output element sums z * y * x * c / groups = %d products of i8; must be "
                      "<= %d, so that no sum overflows an i32",
                      p.reduction_length(), kMaxTerms));
}

absl::Status ValidateUnusedAxis(const ConvProblem& problem, int axis) {
  for (const AxisFieldRule& field : kAxisFields) {
    const int64_t value = problem.dims[axis].*field.member;
    const int64_t expected = Dim{}.*field.member;
    if (value != expected) {
      return absl::InvalidArgumentError(absl::StrFormat("%s is %d; must be %d because rank is %d",
                                                        AxisField(axis, field.name), value,
                                                        expected, problem.rank));
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateAxis(const Dim& dim, int axis) {
  for (const AxisFieldRule& field : kAxisFields) {
    const int64_t value = dim.*field.member;
    if (value >= field.minimum && value <= kMaxAxisLength) continue;
    const std::string name = AxisField(axis, field.name);
    if (absl::Status s = AtLeast(name, value, field.minimum); !s.ok()) return s;
    return AtMost(name, value, kMaxAxisLength);
  }
  if (dim.padded_in() > kMaxAxisLength) {
    return AtMost(AxisField(axis, "in + pad_begin + pad_end"), dim.padded_in(), kMaxAxisLength);
  }
  if (dim.dilated_filter() > dim.padded_in()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s is %d; dilated by %d it spans %d pixels and must fit in the padded input, which has %d",
        AxisField(axis, "filter"), dim.filter, dim.dilation, dim.dilated_filter(),
        dim.padded_in()));
  }
  return absl::OkStatus();
}

absl::Status ValidateEpilogueTensor(const ConvProblem& problem, int index) {
  const EpilogueTensor& tensor = problem.epilogue.d[static_cast<size_t>(index)];
  const std::string name = absl::StrFormat("epilogue.d[%d]", index);
  if (tensor.op != EpilogueTensor::Op::kAdd && tensor.op != EpilogueTensor::Op::kMultiply) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s.op is %d; must be kAdd (0) or kMultiply (1)", name, static_cast<int>(tensor.op)));
  }
  if (tensor.type != problem.output_type() && tensor.type != DataType::kF32) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s.type is %s; must be %s or f32", name, Name(tensor.type), Name(problem.output_type())));
  }
  if (absl::Status s = ValidateFactor(name + ".scale", tensor.scale); !s.ok()) return s;
  const PerAxis size = problem.AxesOf(problem.out()).size;
  int64_t elements = 1;
  for (size_t axis = 0; axis < size.size(); ++axis) {
    const std::string stride = absl::StrFormat("%s.stride[%d]", name, axis);
    if (absl::Status s = AtLeast(stride, tensor.stride[axis], 0); !s.ok()) return s;
    int64_t extent = 0;
    if (__builtin_mul_overflow(size[axis] - 1, tensor.stride[axis], &extent) ||
        extent > kMaxTensorElements - elements) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s is %d; the tensor must have <= %d elements", stride,
                          tensor.stride[axis], kMaxTensorElements));
    }
    elements += extent;
  }
  const bool weights = problem.out() == Tensor::kW;
  const size_t groups = weights ? 0 : 4, outer = weights ? 1 : 0;  // outer: channels or images
  const int64_t inner = elements - (size[groups] - 1) * tensor.stride[groups] -
                        (size[outer] - 1) * tensor.stride[outer];
  if (weights) {
    return AtMost(name + "'s span of one output channel of a group, in elements,", inner,
                  kMaxTensorElementsOfChannel);
  }
  return AtMost(name + "'s span of one image of a group, in elements,", inner,
                kMaxTensorElements / std::max<int64_t>(problem.batch, 1));
}

absl::Status ValidateEpilogue(const ConvProblem& problem) {
  const Epilogue& epilogue = problem.epilogue;
  if (absl::Status s = AtLeast("epilogue.tensors", epilogue.tensors, 0); !s.ok()) return s;
  if (absl::Status s = AtMost("epilogue.tensors", epilogue.tensors, 2); !s.ok()) return s;
  if (absl::Status s = ValidateNumbers(epilogue); !s.ok()) return s;
  if (problem.output_type() == DataType::kI32 && epilogue != Epilogue{}) {
    return absl::InvalidArgumentError(
        "the output's type is i32, which has the sums as they are; epilogue must be the default");
  }
  for (int i = 0; i < epilogue.tensors; ++i) {
    if (absl::Status s = ValidateEpilogueTensor(problem, i); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status ValidateOperandSums(const ConvProblem& problem) {
  for (size_t i = 0; i < 2; ++i) {
    const OperandSum& sum = problem.operand_sums[i];
    if (sum == OperandSum{}) continue;
    const std::string name = absl::StrFormat("operand_sums[%d]", i);
    if (absl::Status s = ValidateFactor(name + ".scale", sum.scale); !s.ok()) return s;
    if (!sum.adds && sum.scale != 1) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s.scale is %g and it adds nothing; must be 1: epilogue.alpha scales the output", name,
          sum.scale));
    }
    if (!sum.adds) continue;
    if (problem.direction != Direction::kForward || SizeOf(problem.type) == 1) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s adds tensors of %s in %s; must be f16, bf16 or f32 in fwd", name,
                          Name(problem.type), Name(problem.direction)));
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateLayouts(const ConvProblem& problem) {
  if (std::count(std::begin(kAllLayouts), std::end(kAllLayouts), problem.layout) == 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("layout is %d; must be one of nhwgc (0), gnhwc (1), ngchw (2)",
                        static_cast<int>(problem.layout)));
  }
  if (std::count(std::begin(kAllWeightLayouts), std::end(kAllWeightLayouts),
                 problem.weight_layout) == 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("weight_layout is %d; must be one of gkyxc (0), kyxgc (1)",
                        static_cast<int>(problem.weight_layout)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateFactor(std::string_view field, double value) {
  if (std::abs(value) <= std::numeric_limits<float>::max()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is %g; must be finite in f32", field, value));
}

absl::Status ValidateNumbers(const Epilogue& epilogue) {
  if (absl::Status s = ValidateFactor("epilogue.alpha", epilogue.alpha); !s.ok()) return s;
  if (std::count(std::begin(kAllUnary), std::end(kAllUnary), epilogue.unary) == 0) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "epilogue.unary is %d; must be one of %s", static_cast<int>(epilogue.unary),
        absl::StrJoin(kAllUnary, ", ",
                      [](std::string* out, Unary unary) { out->append(Name(unary)); })));
  }
  if (absl::Status s = ValidateFactor("epilogue.unary_parameter", epilogue.unary_parameter);
      !s.ok()) {
    return s;
  }
  if (epilogue.unary == Unary::kSoftplus && epilogue.unary_parameter == 0) {
    return absl::InvalidArgumentError(
        "epilogue.unary_parameter is 0; softplus divides by it: must not be 0");
  }
  if (!(epilogue.low <= epilogue.high)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("epilogue.low is %g and epilogue.high is %g; must be numbers with low <= "
                        "high",
                        epilogue.low, epilogue.high));
  }
  return absl::OkStatus();
}

absl::Status Validate(const ConvProblem& p) {
  if (std::count(std::begin(kAllDirections), std::end(kAllDirections), p.direction) == 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("direction is %d; must be one of fwd (0), bwd_data (1), bwd_weight (2)",
                        static_cast<int>(p.direction)));
  }
  if (absl::Status s = ValidateTypes(p); !s.ok()) return s;
  if (absl::Status s = AtLeast("rank", p.rank, 1); !s.ok()) return s;
  if (absl::Status s = AtMost("rank", p.rank, 3); !s.ok()) return s;
  if (absl::Status s = AtLeast("groups", p.groups, 1); !s.ok()) return s;
  if (absl::Status s = AtLeast("batch", p.batch, 0); !s.ok()) return s;
  if (absl::Status s = AtLeast("c", p.c, 1); !s.ok()) return s;
  if (absl::Status s = AtLeast("k", p.k, 1); !s.ok()) return s;
  if (absl::Status s = MultipleOfGroups("c", p.c, p.groups); !s.ok()) return s;
  if (absl::Status s = MultipleOfGroups("k", p.k, p.groups); !s.ok()) return s;
  for (int axis = 0; axis < 3; ++axis) {
    const absl::Status s =
        axis < 3 - p.rank ? ValidateUnusedAxis(p, axis) : ValidateAxis(p.dims[axis], axis);
    if (!s.ok()) return s;
  }
  if (absl::Status s = ValidateLayouts(p); !s.ok()) return s;
  if (p.strides != ConvProblem{}.strides) {
    return absl::InvalidArgumentError("strides are given; tensors must be packed: they must be 0");
  }
  if (absl::Status s = ValidateLimits(p); !s.ok()) return s;
  if (absl::Status s = ValidateSums(p); !s.ok()) return s;
  if (absl::Status s = ValidateOperandSums(p); !s.ok()) return s;
  return ValidateEpilogue(p);
}

}  // namespace gridwise
