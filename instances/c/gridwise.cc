#include "instances/c/gridwise.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "core/arch/device_facts.h"
#include "core/arch/parse_gfx.h"
#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/conv/strides.h"
#include "core/conv/validate.h"
#include "core/launch/refusal.h"
#include "core/runtime/device.h"
#include "core/runtime/event_clock.h"
#include "core/runtime/status.h"
#include "core/runtime/stream.h"
#include "hip/hip_runtime_api.h"
#include "instances/conv.h"
#include "instances/plan_cache.h"
#include "instances/plan_text.h"
#include "instances/tune.h"
#include "instances/version.h"

// What the opaque handles are.

struct gridwise_plan {
  const gridwise::Plan plan;
  // Texts, once somebody has asked for one.
  struct Texts {
    std::string line, description;
  };
  mutable std::once_flag once = {};
  mutable Texts texts = {};

  const Texts& TextsOnce() const {
    std::call_once(once, [this] { texts = {PrintPlan(plan), plan.ToString()}; });
    return texts;
  }
};
struct gridwise_executable {
  gridwise::Executable executable;
};
struct gridwise_verdicts {
  std::vector<gridwise::RowVerdict> rows;
  double ghz;  // that estimates count cycles of
};
struct gridwise_cache {
  std::unique_ptr<gridwise::PlanCache> cache;
};

namespace {

using gridwise::ConvProblem;
using gridwise::DataType;
using gridwise::Dim;

// The header's constants are those of the library.
static_assert(GRIDWISE_BACKWARD_WEIGHT == int(gridwise::Direction::kBackwardWeight));
static_assert(GRIDWISE_BACKWARD_DATA == int(gridwise::Direction::kBackwardData));
static_assert(GRIDWISE_F16 == int(DataType::kF16) && GRIDWISE_BF16 == int(DataType::kBF16));
static_assert(GRIDWISE_F32 == int(DataType::kF32) && GRIDWISE_I8 == int(DataType::kI8));
static_assert(GRIDWISE_F8E4M3FN == int(DataType::kF8E4M3));
static_assert(GRIDWISE_F8E4M3FNUZ == int(DataType::kF8E4M3Fnuz));
static_assert(GRIDWISE_I32 == int(DataType::kI32) && GRIDWISE_F8E5M2 == int(DataType::kF8E5M2));
static_assert(GRIDWISE_F8E5M2FNUZ == int(DataType::kF8E5M2Fnuz));
static_assert(GRIDWISE_NONE == int(gridwise::Unary::kNone));
static_assert(GRIDWISE_ABS == int(gridwise::Unary::kAbs));
static_assert(GRIDWISE_LEAKY_RELU == int(gridwise::Unary::kLeakyRelu));
static_assert(GRIDWISE_ELU == int(gridwise::Unary::kElu));
static_assert(GRIDWISE_SIGMOID == int(gridwise::Unary::kSigmoid));
static_assert(GRIDWISE_TANH == int(gridwise::Unary::kTanh));
static_assert(GRIDWISE_SWISH == int(gridwise::Unary::kSwish));
static_assert(GRIDWISE_SOFTPLUS == int(gridwise::Unary::kSoftplus));
static_assert(GRIDWISE_GELU == int(gridwise::Unary::kGelu));
static_assert(GRIDWISE_GNHWC == int(gridwise::Layout::kGNHWC));
static_assert(GRIDWISE_NGCHW == int(gridwise::Layout::kNGCHW));
static_assert(GRIDWISE_KYXGC == int(gridwise::WeightLayout::kKYXGC));
static_assert(GRIDWISE_MULTIPLY == int(gridwise::EpilogueTensor::Op::kMultiply));
static_assert(GRIDWISE_SIMULATED_CLOCK == int(gridwise::EventClock::kSimulated));
static_assert(GRIDWISE_HOST_CLOCK == int(gridwise::EventClock::kHost));
static_assert(GRIDWISE_REFUSED_SIZE == int(gridwise::RefusalCode::kSize));
static_assert(GRIDWISE_REFUSED_LAYOUT == int(gridwise::RefusalCode::kLayout));
static_assert(std::size(gridwise::kAllRefusalCodes) == GRIDWISE_REFUSED_SIZE + 1);
static_assert(sizeof(gridwise_dim) == sizeof(Dim));

std::string& Message() {
  static thread_local std::string message;
  return message;
}

gridwise_status Report(const absl::Status& status) {
  if (status.ok()) return GRIDWISE_OK;
  Message() = std::string(status.message());
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
static_assert(GRIDWISE_INVALID_ARGUMENT == int(absl::StatusCode::kInvalidArgument));
static_assert(GRIDWISE_NOT_FOUND == int(absl::StatusCode::kNotFound));
static_assert(GRIDWISE_RESOURCE_EXHAUSTED == int(absl::StatusCode::kResourceExhausted));
static_assert(GRIDWISE_FAILED_PRECONDITION == int(absl::StatusCode::kFailedPrecondition));
static_assert(GRIDWISE_UNIMPLEMENTED == int(absl::StatusCode::kUnimplemented));
static_assert(GRIDWISE_INTERNAL == int(absl::StatusCode::kInternal));
static_assert(GRIDWISE_UNAVAILABLE == int(absl::StatusCode::kUnavailable));

/// An error unless all pointers are there.
template <class... Pointers>
absl::Status CheckPointers(Pointers... pointers) {
  if ((... && (pointers != nullptr))) return absl::OkStatus();
  return absl::InvalidArgumentError("a pointer is null that must not be");
}

/// The enumerator of a number; for one that is out of range, one that Validate() refuses.
template <class T>
T Enumerator(int32_t value) {
  return static_cast<T>(value < 0 || value > 255 ? 255 : value);
}

absl::StatusOr<ConvProblem> ProblemOf(const gridwise_conv_problem* from) {
  if (absl::Status status = CheckPointers(from); !status.ok()) return status;
  if (from->size != sizeof(*from)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("size is %d; must be %d, as gridwise_conv_problem_init sets it, of the "
                        "header of version %s",
                        from->size, sizeof(*from), gridwise::kVersion));
  }
  if (from->tensors < 0 || from->tensors > 2) {
    return absl::InvalidArgumentError(
        absl::StrFormat("tensors is %d; must be 0 to 2", from->tensors));
  }
  ConvProblem problem = {.direction = Enumerator<gridwise::Direction>(from->direction),
                         .type = Enumerator<DataType>(from->type),
                         .rank = from->rank,
                         .groups = from->groups,
                         .batch = from->batch,
                         .c = from->c,
                         .k = from->k,
                         .layout = Enumerator<gridwise::Layout>(from->layout),
                         .weight_layout = Enumerator<gridwise::WeightLayout>(from->weight_layout)};
  if (from->out_type != -1) problem.out_type = Enumerator<DataType>(from->out_type);
  for (std::size_t i = 0; i < problem.dims.size(); ++i) {
    const gridwise_dim& dim = from->dims[i];
    problem.dims[i] = {dim.in, dim.filter, dim.stride, dim.dilation, dim.pad_begin, dim.pad_end};
  }
  problem.epilogue = {.alpha = from->alpha,
                      .tensors = from->tensors,
                      .unary = Enumerator<gridwise::Unary>(from->unary),
                      .unary_parameter = from->unary_parameter,
                      .low = from->low,
                      .high = from->high};
  problem.operand_sums = {{{.adds = from->adds_a1 != 0, .scale = from->scale_a},
                           {.adds = from->adds_b1 != 0, .scale = from->scale_b}}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(from->tensors); ++i) {
    const gridwise_epilogue_tensor& d = from->d[i];
    if (d.op != GRIDWISE_ADD && d.op != GRIDWISE_MULTIPLY) {
      return absl::InvalidArgumentError(absl::StrFormat("d[%d].op is %d; must be 0 or 1", i, d.op));
    }
    problem.epilogue.d[i] = {.op = static_cast<gridwise::EpilogueTensor::Op>(d.op),
                             .scale = d.scale,
                             .type = Enumerator<DataType>(d.type),
                             .stride = std::to_array(d.stride)};
  }
  const gridwise::TensorStrides strides = {.x = std::to_array(from->x_stride),
                                           .w = std::to_array(from->w_stride),
                                           .y = std::to_array(from->y_stride)};
  if (strides != gridwise::TensorStrides{}) {
    if (absl::Status status = SetLayouts(strides, problem); !status.ok()) return status;
  }
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  return problem;
}

absl::StatusOr<gridwise::DeviceFacts> DeviceOf(const char* target) {
  if (target != nullptr) {
    const std::optional<gridwise::Gfx> gfx = gridwise::ParseGfx(target);
    if (gfx) return gridwise::DeviceFacts(*gfx);
    return absl::InvalidArgumentError(absl::StrFormat("target is %s; there is none such", target));
  }
  const absl::StatusOr<gridwise::DeviceInfo> device = gridwise::CurrentDevice();
  if (!device.ok()) return device.status();
  return device->Facts();
}

gridwise::PlanOptions OptionsOf(const gridwise_plan_options* from) {
  gridwise::PlanOptions options;
  if (from == nullptr) return options;
  if (from->family != nullptr) options.family = from->family;
  if (from->row != nullptr) options.row = from->row;
  options.splits = from->splits;
  options.atomic = from->atomic != 0;
  return options;
}

gridwise::ConvTensors TensorsOf(const gridwise_tensors& from) {
  return {.a = from.a,
          .b = from.b,
          .out = from.out,
          .d0 = from.d0,
          .d1 = from.d1,
          .a1 = from.a1,
          .b1 = from.b1};
}

}  // namespace

extern "C" {

const char* gridwise_message(void) { return Message().c_str(); }

const char* gridwise_version(void) { return gridwise::kVersion; }

void gridwise_conv_problem_init(gridwise_conv_problem* problem) {
  const gridwise_dim one = {
      .in = 1, .filter = 1, .stride = 1, .dilation = 1, .pad_begin = 0, .pad_end = 0};
  *problem = {.size = sizeof(*problem),
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

gridwise_status gridwise_conv_problem_elements(const gridwise_conv_problem* problem, int64_t* a,
                                               int64_t* b, int64_t* out, int32_t* out_type) {
  if (absl::Status status = CheckPointers(a, b, out, out_type); !status.ok()) return Report(status);
  const absl::StatusOr<ConvProblem> valid = ProblemOf(problem);
  if (!valid.ok()) return Report(valid.status());
  *a = valid->a_elements();
  *b = valid->b_elements();
  *out = valid->out_elements();
  *out_type = static_cast<int32_t>(valid->output_type());
  return GRIDWISE_OK;
}

gridwise_status gridwise_make_plan(const gridwise_conv_problem* problem, const char* target,
                                   const gridwise_plan_options* options, gridwise_plan** plan) {
  int count = 0;
  return gridwise_rank_plans(problem, target, options, 1, plan, &count);
}

gridwise_status gridwise_rank_plans(const gridwise_conv_problem* problem, const char* target,
                                    const gridwise_plan_options* options, int capacity,
                                    gridwise_plan** plans, int* count) {
  if (absl::Status status = CheckPointers(plans, count); !status.ok()) return Report(status);
  const absl::StatusOr<ConvProblem> valid = ProblemOf(problem);
  if (!valid.ok()) return Report(valid.status());
  const absl::StatusOr<gridwise::DeviceFacts> device = DeviceOf(target);
  if (!device.ok()) return Report(device.status());
  const absl::StatusOr<std::vector<gridwise::Plan>> ranked =
      gridwise::RankPlans(*valid, *device, capacity, OptionsOf(options));
  if (!ranked.ok()) return Report(ranked.status());
  *count = 0;
  for (const gridwise::Plan& plan : *ranked) plans[(*count)++] = new gridwise_plan{plan};
  return GRIDWISE_OK;
}

gridwise_status gridwise_parse_plan(const char* line, gridwise_plan** plan) {
  if (absl::Status status = CheckPointers(line, plan); !status.ok()) return Report(status);
  const absl::StatusOr<gridwise::Plan> parsed = gridwise::ParsePlan(line);
  if (!parsed.ok()) return Report(parsed.status());
  *plan = new gridwise_plan{*parsed};
  return GRIDWISE_OK;
}

void gridwise_free_plan(gridwise_plan* plan) { delete plan; }

const char* gridwise_plan_family(const gridwise_plan* plan) { return plan->plan.family().c_str(); }
const char* gridwise_plan_row(const gridwise_plan* plan) { return plan->plan.row().c_str(); }
const char* gridwise_plan_line(const gridwise_plan* plan) { return plan->TextsOnce().line.c_str(); }
const char* gridwise_plan_description(const gridwise_plan* plan) {
  return plan->TextsOnce().description.c_str();
}
int64_t gridwise_plan_workspace_bytes(const gridwise_plan* plan) {
  return plan->plan.workspace_bytes();
}
double gridwise_plan_estimated_ms(const gridwise_plan* plan) {
  return plan->plan.cost().cycles / plan->plan.device().clock_ghz * 1e-6;
}

gridwise_status gridwise_explain(const gridwise_conv_problem* problem, const char* target,
                                 const gridwise_plan_options* options,
                                 gridwise_verdicts** verdicts) {
  if (absl::Status status = CheckPointers(verdicts); !status.ok()) return Report(status);
  const absl::StatusOr<ConvProblem> valid = ProblemOf(problem);
  if (!valid.ok()) return Report(valid.status());
  const absl::StatusOr<gridwise::DeviceFacts> device = DeviceOf(target);
  if (!device.ok()) return Report(device.status());
  std::vector<gridwise::RowVerdict> rows = ExplainRows(*valid, *device, OptionsOf(options));
  std::ranges::stable_sort(rows, {}, [](const gridwise::RowVerdict& row) {
    return std::pair(row.reason.has_value(), row.ranked_cycles);
  });
  *verdicts = new gridwise_verdicts{std::move(rows), device->clock_ghz};
  return GRIDWISE_OK;
}

int gridwise_verdict_count(const gridwise_verdicts* verdicts) {
  return static_cast<int>(verdicts->rows.size());
}

gridwise_verdict gridwise_verdict_at(const gridwise_verdicts* verdicts, int index) {
  const gridwise::RowVerdict& row = verdicts->rows[static_cast<std::size_t>(index)];
  return {.family = row.family.c_str(),
          .row = row.row.c_str(),
          .reason = row.reason ? row.reason->c_str() : nullptr,
          .refusal = static_cast<int32_t>(row.code),
          .estimated_ms = row.cost.cycles / verdicts->ghz * 1e-6};
}

void gridwise_free_verdicts(gridwise_verdicts* verdicts) { delete verdicts; }

gridwise_status gridwise_load(const gridwise_plan* plan, gridwise_executable** conv) {
  if (absl::Status status = CheckPointers(plan, conv); !status.ok()) return Report(status);
  absl::StatusOr<gridwise::Executable> loaded = gridwise::Executable::Load(plan->plan);
  if (!loaded.ok()) return Report(loaded.status());
  *conv = new gridwise_executable{*std::move(loaded)};
  return GRIDWISE_OK;
}

void gridwise_free_executable(gridwise_executable* conv) { delete conv; }

gridwise_status gridwise_launch(const gridwise_executable* conv, const gridwise_tensors* tensors,
                                void* workspace, int64_t workspace_bytes, void* stream) {
  if (absl::Status status = CheckPointers(conv, tensors); !status.ok()) return Report(status);
  return Report(conv->executable.Launch(TensorsOf(*tensors), workspace, workspace_bytes,
                                        static_cast<hipStream_t>(stream)));
}

gridwise_status gridwise_tune(const gridwise_conv_problem* problem,
                              const gridwise_plan_options* options, const gridwise_tensors* tensors,
                              void* stream, double time_limit_s, int capacity,
                              gridwise_plan** plans, double* milliseconds, int* count, int* clock) {
  absl::Status status = CheckPointers(tensors, plans, milliseconds, count, clock);
  if (!status.ok()) return Report(status);
  const absl::StatusOr<ConvProblem> valid = ProblemOf(problem);
  if (!valid.ok()) return Report(valid.status());
  const absl::StatusOr<gridwise::TuneResult> result =
      gridwise::Tune(*valid, TensorsOf(*tensors),
                     {.plans = capacity, .time_limit_s = time_limit_s, .plan = OptionsOf(options)},
                     static_cast<hipStream_t>(stream));
  if (!result.ok()) return Report(result.status());
  *clock = static_cast<int>(result->clock);
  *count = 0;
  for (const gridwise::PlanTime& time : result->plans) {
    if (!time.status.ok()) break;  // those without a time are the last
    milliseconds[*count] = time.milliseconds;
    plans[(*count)++] = new gridwise_plan{time.plan};
  }
  return GRIDWISE_OK;
}

gridwise_status gridwise_open_cache(const char* path, gridwise_cache** cache) {
  if (absl::Status status = CheckPointers(path, cache); !status.ok()) return Report(status);
  absl::StatusOr<std::unique_ptr<gridwise::PlanCache>> opened = gridwise::PlanCache::Open(path);
  if (!opened.ok()) return Report(opened.status());
  *cache = new gridwise_cache{*std::move(opened)};
  return GRIDWISE_OK;
}

void gridwise_close_cache(gridwise_cache* cache) { delete cache; }

gridwise_status gridwise_cache_find(const gridwise_cache* cache,
                                    const gridwise_conv_problem* problem, const char* target,
                                    gridwise_plan** plan) {
  if (absl::Status status = CheckPointers(cache, plan); !status.ok()) return Report(status);
  const absl::StatusOr<ConvProblem> valid = ProblemOf(problem);
  if (!valid.ok()) return Report(valid.status());
  const absl::StatusOr<gridwise::DeviceFacts> device = DeviceOf(target);
  if (!device.ok()) return Report(device.status());
  const std::optional<gridwise::Plan> found = cache->cache->Find(*valid, *device);
  if (!found) return Report(absl::NotFoundError("the cache has no plan for the problem"));
  *plan = new gridwise_plan{*found};
  return GRIDWISE_OK;
}

gridwise_status gridwise_cache_store(gridwise_cache* cache, const gridwise_plan* plan) {
  if (absl::Status status = CheckPointers(cache, plan); !status.ok()) return Report(status);
  return Report(cache->cache->Store(plan->plan));
}

const char* gridwise_cache_skipped(const gridwise_cache* cache, int index) {
  const std::vector<std::string>& skipped = cache->cache->skipped();
  if (index < 0 || static_cast<std::size_t>(index) >= skipped.size()) return nullptr;
  return skipped[static_cast<std::size_t>(index)].c_str();
}

gridwise_status gridwise_use_device(const char* target) {
  if (absl::Status status = CheckPointers(target); !status.ok()) return Report(status);
  const absl::StatusOr<gridwise::DeviceInfo> device = gridwise::FindDevice(target);
  if (!device.ok()) return Report(device.status());
  return Report(gridwise::UseDevice(*device));
}

gridwise_status gridwise_allocate(int64_t bytes, void** memory) {
  if (absl::Status status = CheckPointers(memory); !status.ok()) return Report(status);
  if (bytes < 0) {
    return Report(absl::InvalidArgumentError(absl::StrFormat("bytes is %d; must be >= 0", bytes)));
  }
  return Report(gridwise::ToStatus(hipMalloc(memory, static_cast<std::size_t>(bytes)),
                                   absl::StrFormat("allocate %d bytes of device memory", bytes)));
}

void gridwise_free(void* memory) { static_cast<void>(hipFree(memory)); }

gridwise_status gridwise_copy_to_device(void* memory, const void* source, int64_t bytes) {
  return Report(gridwise::ToStatus(
      hipMemcpy(memory, source, static_cast<std::size_t>(bytes), hipMemcpyHostToDevice),
      absl::StrFormat("copy %d bytes to the device", bytes)));
}

gridwise_status gridwise_copy_to_host(void* target, const void* memory, int64_t bytes) {
  return Report(gridwise::ToStatus(
      hipMemcpy(target, memory, static_cast<std::size_t>(bytes), hipMemcpyDeviceToHost),
      absl::StrFormat("copy %d bytes from the device", bytes)));
}

gridwise_status gridwise_synchronize(void) { return Report(gridwise::SynchronizeDevice()); }

}  // extern "C"
