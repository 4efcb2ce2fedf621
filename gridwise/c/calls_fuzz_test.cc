// SPDX-License-Identifier: MIT
/// Calls of the C API with any numbers: each returns a status and, if it failed, a message; lines
/// of plans read as the same plan.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/log/check.h"
#include "core/arch/target.h"
#include "gridwise/c/gridwise.h"
#include "gridwise/c/gridwise_gemm.h"

namespace {

/// Mostly of the size that convolutions have, and at times anything.
std::int64_t Size(FuzzedDataProvider& input) {
  switch (input.ConsumeIntegralInRange(0, 3)) {
    case 0:
      return input.ConsumeIntegralInRange(0, 8);
    case 1:
      return input.ConsumeIntegralInRange(-1, 1 << 10);
    case 2:
      return std::int64_t{1} << input.ConsumeIntegralInRange(0, 62);
    default:
      return input.ConsumeIntegral<std::int64_t>();
  }
}
std::int32_t Enumerator(FuzzedDataProvider& input) {
  return input.ConsumeBool() ? 0 : input.ConsumeIntegralInRange(-2, 10);
}
double Factor(FuzzedDataProvider& input) {
  return input.ConsumeBool() ? 1 : input.ConsumeFloatingPoint<double>();
}

gridwise_conv_problem Conv(FuzzedDataProvider& input) {
  gridwise_conv_problem problem;
  gridwise_conv_problem_init(&problem);
  problem.direction = input.ConsumeIntegralInRange(0, 3);
  problem.type = Enumerator(input);
  problem.out_type = input.ConsumeBool() ? -1 : Enumerator(input);
  problem.rank = input.ConsumeIntegralInRange(0, 4);
  for (std::int64_t* const size : {&problem.groups, &problem.batch, &problem.c, &problem.k}) {
    *size = Size(input);
  }
  for (gridwise_dim& dim : problem.dims) {
    if (input.ConsumeBool()) continue;
    dim = {.in = Size(input),
           .filter = Size(input),
           .stride = Size(input),
           .dilation = Size(input),
           .pad_begin = Size(input),
           .pad_end = Size(input)};
  }
  problem.layout = Enumerator(input);
  problem.weight_layout = Enumerator(input);
  if (input.ConsumeBool()) {
    for (auto* const strides : {&problem.x_stride, &problem.w_stride, &problem.y_stride}) {
      for (std::int64_t& stride : *strides) stride = Size(input);
    }
  }
  problem.alpha = Factor(input);
  problem.unary = Enumerator(input);
  problem.tensors = Enumerator(input);
  for (gridwise_epilogue_tensor& tensor : problem.d) {
    tensor = {
        .op = Enumerator(input), .type = Enumerator(input), .scale = Factor(input), .stride = {}};
    for (std::int64_t& stride : tensor.stride) stride = Size(input);
  }
  problem.adds_a1 = Enumerator(input);
  problem.scale_a = Factor(input);
  return problem;
}

gridwise_gemm_problem Gemm(FuzzedDataProvider& input) {
  gridwise_gemm_problem problem;
  gridwise_gemm_problem_init(&problem);
  problem.type = Enumerator(input);
  problem.out_type = input.ConsumeBool() ? -1 : Enumerator(input);
  for (std::int64_t* const size : {&problem.batch, &problem.m, &problem.n, &problem.k}) {
    *size = Size(input);
  }
  if (input.ConsumeBool()) problem.a = {Size(input), Size(input), Size(input)};
  if (input.ConsumeBool()) problem.c = {Size(input), Size(input), Size(input)};
  problem.tensors = Enumerator(input);
  problem.unary = Enumerator(input);
  return problem;
}

/// Whether it succeeded.
bool Checked(gridwise_status status) {
  CHECK(status == GRIDWISE_OK || std::strlen(gridwise_message()) > 0) << status;
  CHECK(status != GRIDWISE_INTERNAL) << gridwise_message();
  return status == GRIDWISE_OK;
}

void CheckLine(const gridwise_plan* plan) {
  const std::string line = gridwise_plan_line(plan);
  gridwise_plan* again = nullptr;
  CHECK(Checked(gridwise_parse_plan(line.c_str(), &again))) << line << gridwise_message();
  CHECK(line == gridwise_plan_line(again)) << line;
  CHECK(std::string_view(gridwise_plan_instance(plan)) == gridwise_plan_instance(again)) << line;
  gridwise_free_plan(again);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const std::string name(gridwise::Name(input.PickValueInArray(gridwise::kAmdGfx)));
  const char* const target = name.c_str();
  gridwise_plan_options options;
  gridwise_plan_options_init(&options);
  options.splits = static_cast<std::int32_t>(input.ConsumeBool() ? 0 : Size(input));
  options.atomic = input.ConsumeBool() ? 1 : 0;
  options.workspace_limit = input.ConsumeBool() ? -1 : Size(input);
  std::int64_t a = 0, b = 0, out = 0;
  std::int32_t type = 0;
  gridwise_plan* plan = nullptr;
  if (input.ConsumeBool()) {
    const gridwise_conv_problem problem = Conv(input);
    const bool valid = Checked(gridwise_conv_problem_elements(&problem, &a, &b, &out, &type));
    const bool planned = Checked(gridwise_make_plan(&problem, target, &options, &plan));
    CHECK(valid || !planned);
    if (planned) CheckLine(plan);
  } else {
    const gridwise_gemm_problem problem = Gemm(input);
    const bool valid = Checked(gridwise_gemm_problem_elements(&problem, &a, &b, &out, &type));
    const bool planned = Checked(gridwise_make_gemm_plan(&problem, target, &options, &plan));
    CHECK(valid || !planned);
  }
  if (plan != nullptr) CHECK(gridwise_plan_workspace_bytes(plan) >= 0);
  gridwise_free_plan(plan);
  return 0;
}
