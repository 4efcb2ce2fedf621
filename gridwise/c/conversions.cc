// SPDX-License-Identifier: MIT
#include "gridwise/c/conversions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/strides.h"
#include "core/conv/validate.h"
#include "core/gemm/validate.h"
#include "core/launch/refusal.h"
#include "core/runtime/device.h"
#include "core/runtime/event_clock.h"
#include "core/text/parse_device.h"
#include "gridwise/version.h"

namespace gridwise {
namespace {

// The header's constants are those of the library.
static_assert(GRIDWISE_BACKWARD_WEIGHT == int(Direction::kBackwardWeight));
static_assert(GRIDWISE_BACKWARD_DATA == int(Direction::kBackwardData));
static_assert(GRIDWISE_F16 == int(DataType::kF16) && GRIDWISE_BF16 == int(DataType::kBF16));
static_assert(GRIDWISE_F32 == int(DataType::kF32) && GRIDWISE_I8 == int(DataType::kI8));
static_assert(GRIDWISE_F8E4M3FN == int(DataType::kF8E4M3));
static_assert(GRIDWISE_F8E4M3FNUZ == int(DataType::kF8E4M3Fnuz));
static_assert(GRIDWISE_I32 == int(DataType::kI32) && GRIDWISE_F8E5M2 == int(DataType::kF8E5M2));
static_assert(GRIDWISE_F8E5M2FNUZ == int(DataType::kF8E5M2Fnuz));
static_assert(GRIDWISE_TF32 == int(DataType::kTF32));
static_assert(GRIDWISE_NONE == int(Unary::kNone));
static_assert(GRIDWISE_ABS == int(Unary::kAbs));
static_assert(GRIDWISE_LEAKY_RELU == int(Unary::kLeakyRelu));
static_assert(GRIDWISE_ELU == int(Unary::kElu));
static_assert(GRIDWISE_SIGMOID == int(Unary::kSigmoid));
static_assert(GRIDWISE_TANH == int(Unary::kTanh));
static_assert(GRIDWISE_SWISH == int(Unary::kSwish));
static_assert(GRIDWISE_SOFTPLUS == int(Unary::kSoftplus));
static_assert(GRIDWISE_GELU == int(Unary::kGelu));
static_assert(GRIDWISE_GNHWC == int(Layout::kGNHWC));
static_assert(GRIDWISE_NGCHW == int(Layout::kNGCHW));
static_assert(GRIDWISE_KYXGC == int(WeightLayout::kKYXGC));
static_assert(GRIDWISE_MULTIPLY == int(EpilogueTensor::Op::kMultiply));
static_assert(GRIDWISE_SIMULATED_CLOCK == int(EventClock::kSimulated));
static_assert(GRIDWISE_HOST_CLOCK == int(EventClock::kHost));
static_assert(GRIDWISE_REFUSED_SIZE == int(RefusalCode::kSize));
static_assert(GRIDWISE_REFUSED_LAYOUT == int(RefusalCode::kLayout));
static_assert(std::size(kAllRefusalCodes) == GRIDWISE_REFUSED_SIZE + 1);
static_assert(sizeof(gridwise_dim) == sizeof(Dim));
static_assert(GRIDWISE_INVALID_ARGUMENT == int(absl::StatusCode::kInvalidArgument));
static_assert(GRIDWISE_NOT_FOUND == int(absl::StatusCode::kNotFound));
static_assert(GRIDWISE_RESOURCE_EXHAUSTED == int(absl::StatusCode::kResourceExhausted));
static_assert(GRIDWISE_FAILED_PRECONDITION == int(absl::StatusCode::kFailedPrecondition));
static_assert(GRIDWISE_UNIMPLEMENTED == int(absl::StatusCode::kUnimplemented));
static_assert(GRIDWISE_INTERNAL == int(absl::StatusCode::kInternal));
static_assert(GRIDWISE_UNAVAILABLE == int(absl::StatusCode::kUnavailable));

// Sizes of the structs in version 0.2.0, whose programs later libraries serve.
constexpr std::size_t kMinProblem = offsetof(gridwise_conv_problem, scale_b) + sizeof(double);
constexpr std::size_t kMinOptions =
    offsetof(gridwise_plan_options, workspace_limit) + sizeof(int64_t);
constexpr std::size_t kMinTensors = offsetof(gridwise_tensors, b1) + sizeof(void*);
constexpr std::size_t kMinGemm = offsetof(gridwise_gemm_problem, unary_parameter) + sizeof(double);

/// The enumerator of a number; for one that is out of range, one that Validate() refuses.
template <class T>
T Enumerator(int32_t value) {
  return static_cast<T>(value < 0 || value > 255 ? 255 : value);
}

PerAxis StridesOf(const gridwise_epilogue_tensor& d) { return std::to_array(d.stride); }

MatrixStrides StridesOf(const gridwise_matrix_strides& from) {
  return {.batch = from.batch, .row = from.row, .column = from.column};
}
PerAxis StridesOf(const gridwise_gemm_tensor& d) { return PerAxisStrides(StridesOf(d.stride)); }

/// The epilogue of a convolution or of a matrix multiplication: their fields have the same names.
template <class Problem>
absl::StatusOr<Epilogue> ConvertEpilogue(const Problem& from) {
  if (from.tensors < 0 || from.tensors > 2) {
    return absl::InvalidArgumentError(
        absl::StrFormat("tensors is %d; must be 0 to 2", from.tensors));
  }
  Epilogue epilogue = {.alpha = from.alpha,
                       .tensors = from.tensors,
                       .unary = Enumerator<Unary>(from.unary),
                       .unary_parameter = from.unary_parameter,
                       .low = from.low,
                       .high = from.high};
  for (std::size_t i = 0; i < static_cast<std::size_t>(from.tensors); ++i) {
    const auto& d = from.d[i];
    if (d.op != GRIDWISE_ADD && d.op != GRIDWISE_MULTIPLY) {
      return absl::InvalidArgumentError(absl::StrFormat("d[%d].op is %d; must be 0 or 1", i, d.op));
    }
    epilogue.d[i] = {.op = static_cast<EpilogueTensor::Op>(d.op),
                     .scale = d.scale,
                     .type = Enumerator<DataType>(d.type),
                     .stride = StridesOf(d)};
  }
  return epilogue;
}

/// The calling thread's message: a sentence in `text`, or a literal.
struct LastMessage {
  std::string text;
  const char* said = "";
};
LastMessage& Last() {
  static thread_local LastMessage last;
  return last;
}

}  // namespace

const char* Message() { return Last().said; }

gridwise_status ReportLiteral(gridwise_status status, const char* message) {
  Last().said = message;
  return status;
}

gridwise_status Report(const absl::Status& status) {
  if (status.ok()) return GRIDWISE_OK;
  Last().text = std::string(status.message());
  Last().said = Last().text.c_str();
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnavailable:
      return static_cast<gridwise_status>(status.code());
    default:
      return GRIDWISE_UNKNOWN;
  }
}

absl::Status CheckGiven(std::initializer_list<Given> all) {
  for (const Given& given : all) {
    if (given.pointer != nullptr) continue;
    return absl::InvalidArgumentError(absl::StrFormat("%s is null; must not be", given.name));
  }
  return absl::OkStatus();
}

absl::Status WrongSize(const char* name, std::size_t size, std::size_t least, std::size_t most) {
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s->size is %d; must be %d to %d, the sizes that headers up to version %s have", name, size,
      least, most, kVersion));
}

gridwise_conv_problem DefaultProblem() {
  const gridwise_dim one = {
      .in = 1, .filter = 1, .stride = 1, .dilation = 1, .pad_begin = 0, .pad_end = 0};
  return {.size = sizeof(gridwise_conv_problem),
          .direction = GRIDWISE_FORWARD,
          .type = GRIDWISE_F16,
          .out_type = -1,
          .rank = 2,
          .groups = 1,
          .batch = 1,
          .c = 1,
          .k = 1,
          .dims = {one, one, one},
          .layout = GRIDWISE_NHWGC,
          .weight_layout = GRIDWISE_GKYXC,
          .x_stride = {},
          .w_stride = {},
          .y_stride = {},
          .alpha = 1,
          .low = -std::numeric_limits<double>::infinity(),
          .high = std::numeric_limits<double>::infinity(),
          .tensors = 0,
          .d = {},
          .unary = GRIDWISE_NONE,
          .adds_a1 = 0,
          .adds_b1 = 0,
          .unary_parameter = 1,
          .scale_a = 1,
          .scale_b = 1};
}

gridwise_gemm_problem DefaultGemm() {
  return {.size = sizeof(gridwise_gemm_problem),
          .type = GRIDWISE_F16,
          .out_type = -1,
          .batch = 1,
          .m = 1,
          .n = 1,
          .k = 1,
          .a = {},
          .b = {},
          .c = {},
          .alpha = 1,
          .low = -std::numeric_limits<double>::infinity(),
          .high = std::numeric_limits<double>::infinity(),
          .tensors = 0,
          .unary = GRIDWISE_NONE,
          .d = {},
          .unary_parameter = 1};
}

gridwise_plan_options DefaultOptions() {
  return {.size = sizeof(gridwise_plan_options),
          .family = nullptr,
          .instance = nullptr,
          .op = nullptr,
          .splits = 0,
          .atomic = 0,
          .estimates_alone = 0,
          .workspace_limit = -1};
}

absl::StatusOr<ConvProblem> ConvertProblem(const gridwise_conv_problem* given) {
  const absl::StatusOr<gridwise_conv_problem> from =
      Grown("problem", given, kMinProblem, DefaultProblem());
  if (!from.ok()) return from.status();
  ConvProblem problem = {.direction = Enumerator<Direction>(from->direction),
                         .type = Enumerator<DataType>(from->type),
                         .rank = from->rank,
                         .groups = from->groups,
                         .batch = from->batch,
                         .c = from->c,
                         .k = from->k,
                         .layout = Enumerator<Layout>(from->layout),
                         .weight_layout = Enumerator<WeightLayout>(from->weight_layout)};
  if (from->out_type != -1) problem.out_type = Enumerator<DataType>(from->out_type);
  for (std::size_t i = 0; i < problem.dims.size(); ++i) {
    const gridwise_dim& dim = from->dims[i];
    problem.dims[i] = {dim.in, dim.filter, dim.stride, dim.dilation, dim.pad_begin, dim.pad_end};
  }
  const absl::StatusOr<Epilogue> epilogue = ConvertEpilogue(*from);
  if (!epilogue.ok()) return epilogue.status();
  problem.epilogue = *epilogue;
  problem.operand_sums = {{{.adds = from->adds_a1 != 0, .scale = from->scale_a},
                           {.adds = from->adds_b1 != 0, .scale = from->scale_b}}};
  const TensorStrides strides = {.x = std::to_array(from->x_stride),
                                 .w = std::to_array(from->w_stride),
                                 .y = std::to_array(from->y_stride)};
  if (strides != TensorStrides{}) {
    if (absl::Status status = SetLayouts(strides, problem); !status.ok()) return status;
  }
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  return problem;
}

absl::StatusOr<GemmProblem> ConvertGemm(const gridwise_gemm_problem* given) {
  const absl::StatusOr<gridwise_gemm_problem> from =
      Grown("problem", given, kMinGemm, DefaultGemm());
  if (!from.ok()) return from.status();
  GemmProblem problem =
      MakeGemm(Enumerator<DataType>(from->type), from->batch, from->m, from->n, from->k);
  if (from->out_type != -1) problem.out_type = Enumerator<DataType>(from->out_type);
  for (const auto& [strides, to] :
       {std::pair(from->a, &problem.a), {from->b, &problem.b}, {from->c, &problem.c}}) {
    if (StridesOf(strides) != MatrixStrides{}) *to = StridesOf(strides);
  }
  const absl::StatusOr<Epilogue> epilogue = ConvertEpilogue(*from);
  if (!epilogue.ok()) return epilogue.status();
  problem.epilogue = *epilogue;
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  return problem;
}

absl::StatusOr<DataType> ConvertType(const char* field, int32_t type) {
  const auto value = Enumerator<DataType>(type);
  if (std::ranges::find(kAllDataTypes, value) != std::end(kAllDataTypes)) return value;
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is %d; must be 0 to %d", field, type, std::size(kAllDataTypes) - 1));
}

absl::StatusOr<DeviceFacts> ConvertDevice(const char* target) {
  if (target != nullptr) {
    absl::StatusOr<DeviceFacts> device = ParseDevice(target);
    if (device.ok()) return device;
    return absl::InvalidArgumentError(absl::StrCat("target: ", device.status().message()));
  }
  const absl::StatusOr<DeviceInfo> device = CurrentDevice();
  if (!device.ok()) return device.status();
  return device->Facts();
}

absl::StatusOr<DeviceInfo> FindDeviceOf(const char* target) {
  absl::StatusOr<DeviceInfo> device = FindDevice(target);
  if (device.ok()) return device;
  const absl::StatusOr<DeviceFacts> facts = ParseDevice(target);
  return facts.ok() ? FindDevice(*facts) : device;
}

absl::StatusOr<PlanOptions> ConvertOptions(const gridwise_plan_options* given) {
  PlanOptions options;
  if (given == nullptr) return options;
  const absl::StatusOr<gridwise_plan_options> from =
      Grown("options", given, kMinOptions, DefaultOptions());
  if (!from.ok()) return from.status();
  if (from->family != nullptr) options.family = from->family;
  if (from->instance != nullptr) options.instance = from->instance;
  options.splits = from->splits;
  if (from->op != nullptr) options.op = from->op;
  options.atomic = from->atomic != 0;
  options.model = from->estimates_alone == 0;
  if (from->workspace_limit >= 0) options.workspace_limit = from->workspace_limit;
  return options;
}

absl::StatusOr<ConvTensors> ConvertTensors(const gridwise_tensors* given) {
  const absl::StatusOr<gridwise_tensors> from =
      Grown("tensors", given, kMinTensors, gridwise_tensors{});
  if (!from.ok()) return from.status();
  return ConvTensors{.a = from->a,
                     .b = from->b,
                     .out = from->out,
                     .d0 = from->d0,
                     .d1 = from->d1,
                     .a1 = from->a1,
                     .b1 = from->b1};
}

}  // namespace gridwise
