// SPDX-License-Identifier: MIT
#include "gridwise/c/gridwise.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "core/arch/device_facts.h"
#include "core/conv/problem.h"
#include "core/runtime/device.h"
#include "core/runtime/status.h"
#include "core/runtime/stream.h"
#include "gridwise/c/conversions.h"
#include "gridwise/c/handles.h"
#include "gridwise/conv.h"
#include "gridwise/plan_cache.h"
#include "gridwise/plan_text.h"
#include "gridwise/tune.h"
#include "gridwise/version.h"
#include "hip/hip_runtime_api.h"

namespace {

using gridwise::CheckGiven;
using gridwise::ConvertDevice;
using gridwise::ConvertOptions;
using gridwise::ConvertProblem;
using gridwise::ConvertTensors;
using gridwise::ConvProblem;
using gridwise::Given;
using gridwise::Guarded;
using gridwise::WrongSize;

absl::Status CheckBytes(int64_t bytes) {
  if (bytes >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("bytes is %d; must be >= 0", bytes));
}

absl::Status Copy(Given to, Given from, int64_t bytes, hipMemcpyKind kind) {
  if (absl::Status status = CheckBytes(bytes); bytes == 0 || !status.ok()) return status;
  if (absl::Status status = CheckGiven({to, from}); !status.ok()) return status;
  return gridwise::ToStatus(
      hipMemcpy(const_cast<void*>(to.pointer), from.pointer, static_cast<std::size_t>(bytes), kind),
      absl::StrFormat("copy %d bytes %s the device", bytes,
                      kind == hipMemcpyHostToDevice ? "to" : "from"));
}

/// What plans are asked for.
struct Asked {
  ConvProblem problem;
  gridwise::DeviceFacts device;
};
absl::StatusOr<Asked> ConvertRequest(const gridwise_conv_problem* problem, const char* target) {
  const absl::StatusOr<ConvProblem> valid = ConvertProblem(problem);
  if (!valid.ok()) return valid.status();
  const absl::StatusOr<gridwise::DeviceFacts> device = ConvertDevice(target);
  if (!device.ok()) return device.status();
  return Asked{*valid, *device};
}

/// Makes handles of the plans in the caller's array; of none if there is no memory for all. Returns
/// their number.
int WritePlans(const std::vector<gridwise::Plan>& plans, gridwise_plan** to) {
  std::vector<std::unique_ptr<gridwise_plan>> handles;
  handles.reserve(plans.size());
  for (const gridwise::Plan& plan : plans) handles.push_back(std::make_unique<gridwise_plan>(plan));
  for (std::unique_ptr<gridwise_plan>& handle : handles) *to++ = handle.release();
  return static_cast<int>(plans.size());
}

/// Returns null if there is no memory.
const gridwise_plan::Texts* TextsOf(const gridwise_plan* plan) {
  const gridwise_plan::Texts* texts = nullptr;
  Guarded([&] {
    texts = &plan->TextsOnce();
    return absl::OkStatus();
  });
  return texts;
}

}  // namespace

gridwise_explanations* gridwise::NewExplanations(std::vector<InstanceExplanation> instances,
                                                 const DeviceFacts& device) {
  std::ranges::stable_sort(instances, {}, [](const InstanceExplanation& instance) {
    return std::pair(instance.reason.has_value(), instance.ranked_cycles);
  });
  return new gridwise_explanations{std::move(instances), device.clock_ghz};
}

extern "C" {

const char* gridwise_message(void) { return gridwise::Message(); }

const char* gridwise_version(void) { return gridwise::kVersion; }

void gridwise_plan_options_defaults(gridwise_plan_options* options, size_t size) {
  gridwise::Initialize(gridwise::DefaultOptions(), options, size);
}

void gridwise_conv_problem_defaults(gridwise_conv_problem* problem, size_t size) {
  gridwise::Initialize(gridwise::DefaultProblem(), problem, size);
}

gridwise_status gridwise_conv_problem_elements(const gridwise_conv_problem* problem, int64_t* a,
                                               int64_t* b, int64_t* out, int32_t* out_type) {
  return Guarded([&]() -> absl::Status {
    if (absl::Status status =
            CheckGiven({{"a", a}, {"b", b}, {"out", out}, {"out_type", out_type}});
        !status.ok())
      return status;
    const absl::StatusOr<ConvProblem> valid = ConvertProblem(problem);
    if (!valid.ok()) return valid.status();
    *a = valid->a_elements();
    *b = valid->b_elements();
    *out = valid->out_elements();
    *out_type = static_cast<int32_t>(valid->output_type());
    return absl::OkStatus();
  });
}

gridwise_status gridwise_make_plan(const gridwise_conv_problem* problem, const char* target,
                                   const gridwise_plan_options* options, gridwise_plan** plan) {
  int count = 0;
  return gridwise_rank_plans(problem, target, options, 1, plan, &count);
}

gridwise_status gridwise_rank_plans(const gridwise_conv_problem* problem, const char* target,
                                    const gridwise_plan_options* options, int capacity,
                                    gridwise_plan** plans, int* count) {
  return Guarded([&]() -> absl::Status {
    if (absl::Status status = CheckGiven({{"plans", plans}, {"count", count}}); !status.ok())
      return status;
    const absl::StatusOr<Asked> asked = ConvertRequest(problem, target);
    if (!asked.ok()) return asked.status();
    const absl::StatusOr<gridwise::PlanOptions> wanted = ConvertOptions(options);
    if (!wanted.ok()) return wanted.status();
    const absl::StatusOr<std::vector<gridwise::Plan>> ranked =
        gridwise::RankPlans(asked->problem, asked->device, capacity, *wanted);
    if (!ranked.ok()) return ranked.status();
    *count = WritePlans(*ranked, plans);
    return absl::OkStatus();
  });
}

gridwise_status gridwise_parse_plan(const char* line, gridwise_plan** plan) {
  return Guarded([&]() -> absl::Status {
    if (absl::Status status = CheckGiven({{"line", line}, {"plan", plan}}); !status.ok())
      return status;
    const absl::StatusOr<gridwise::Plan> parsed = gridwise::ParsePlan(line);
    if (!parsed.ok()) return parsed.status();
    *plan = new gridwise_plan(*parsed);
    return absl::OkStatus();
  });
}

void gridwise_free_plan(gridwise_plan* plan) { delete plan; }

const char* gridwise_plan_family(const gridwise_plan* plan) { return plan->plan.family().c_str(); }
const char* gridwise_plan_instance(const gridwise_plan* plan) {
  return plan->plan.instance().c_str();
}
const char* gridwise_plan_line(const gridwise_plan* plan) {
  const gridwise_plan::Texts* const texts = TextsOf(plan);
  return texts != nullptr && texts->line ? texts->line->c_str() : nullptr;
}
const char* gridwise_plan_description(const gridwise_plan* plan) {
  const gridwise_plan::Texts* const texts = TextsOf(plan);
  return texts != nullptr ? texts->description.c_str() : nullptr;
}
int64_t gridwise_plan_workspace_bytes(const gridwise_plan* plan) {
  return plan->plan.workspace_bytes();
}
double gridwise_plan_estimated_ms(const gridwise_plan* plan) {
  return plan->plan.cost().cycles / plan->plan.device().clock_ghz * 1e-6;
}

gridwise_status gridwise_explain(const gridwise_conv_problem* problem, const char* target,
                                 const gridwise_plan_options* options,
                                 gridwise_explanations** explanations) {
  return Guarded([&]() -> absl::Status {
    if (absl::Status status = CheckGiven({{"explanations", explanations}}); !status.ok())
      return status;
    const absl::StatusOr<Asked> asked = ConvertRequest(problem, target);
    if (!asked.ok()) return asked.status();
    const absl::StatusOr<gridwise::PlanOptions> wanted = ConvertOptions(options);
    if (!wanted.ok()) return wanted.status();
    if (absl::Status status = CheckOptions(asked->problem, asked->device, *wanted); !status.ok())
      return status;
    *explanations = gridwise::NewExplanations(
        ExplainInstances(asked->problem, asked->device, *wanted), asked->device);
    return absl::OkStatus();
  });
}

int gridwise_explanation_count(const gridwise_explanations* explanations) {
  return static_cast<int>(explanations->instances.size());
}

gridwise_status gridwise_explanation_at(const gridwise_explanations* explanations, int index,
                                        gridwise_explanation* explanation) {
  return Guarded([&]() -> absl::Status {
    constexpr std::size_t kMin = offsetof(gridwise_explanation, estimated_ms) + sizeof(double);
    if (absl::Status status =
            CheckGiven({{"explanations", explanations}, {"explanation", explanation}});
        !status.ok())
      return status;
    const int count = gridwise_explanation_count(explanations);
    if (index < 0 || index >= count) {
      return absl::InvalidArgumentError(
          absl::StrFormat("index is %d; must be 0 to %d", index, count - 1));
    }
    const std::size_t size = explanation->size;
    if (size < kMin || size > sizeof(*explanation)) {
      return WrongSize("explanation", size, kMin, sizeof(*explanation));
    }
    const gridwise::InstanceExplanation& of =
        explanations->instances[static_cast<std::size_t>(index)];
    const gridwise_explanation answer = {.size = size,
                                         .family = of.family.c_str(),
                                         .instance = of.instance.c_str(),
                                         .reason = of.reason ? of.reason->c_str() : nullptr,
                                         .refusal = static_cast<int32_t>(of.code),
                                         .estimated_ms = of.cost.cycles / explanations->ghz * 1e-6};
    std::memcpy(explanation, &answer, size);
    return absl::OkStatus();
  });
}

void gridwise_free_explanations(gridwise_explanations* explanations) { delete explanations; }

gridwise_status gridwise_load(const gridwise_plan* plan, gridwise_executable** executable) {
  return Guarded([&]() -> absl::Status {
    if (absl::Status status = CheckGiven({{"plan", plan}, {"executable", executable}});
        !status.ok())
      return status;
    absl::StatusOr<gridwise::Executable> loaded = gridwise::Executable::Load(plan->plan);
    if (!loaded.ok()) return loaded.status();
    *executable = new gridwise_executable{*std::move(loaded)};
    return absl::OkStatus();
  });
}

void gridwise_free_executable(gridwise_executable* executable) { delete executable; }

gridwise_status gridwise_launch(const gridwise_executable* executable,
                                const gridwise_tensors* tensors, void* workspace,
                                int64_t workspace_bytes, void* stream) {
  return Guarded([&]() -> absl::Status {
    if (absl::Status status = CheckGiven({{"executable", executable}}); !status.ok()) return status;
    const absl::StatusOr<gridwise::ConvTensors> given = ConvertTensors(tensors);
    if (!given.ok()) return given.status();
    return executable->executable.Launch(*given, workspace, workspace_bytes,
                                         static_cast<hipStream_t>(stream));
  });
}

gridwise_status gridwise_tune(const gridwise_conv_problem* problem,
                              const gridwise_plan_options* options, const gridwise_tensors* tensors,
                              void* stream, double time_limit_s, int capacity,
                              gridwise_plan** plans, double* milliseconds, int* count, int* clock) {
  return Guarded([&]() -> absl::Status {
    absl::Status status = CheckGiven(
        {{"plans", plans}, {"milliseconds", milliseconds}, {"count", count}, {"clock", clock}});
    if (!status.ok()) return status;
    const absl::StatusOr<ConvProblem> valid = ConvertProblem(problem);
    if (!valid.ok()) return valid.status();
    const absl::StatusOr<gridwise::ConvTensors> given = ConvertTensors(tensors);
    if (!given.ok()) return given.status();
    const absl::StatusOr<gridwise::PlanOptions> wanted = ConvertOptions(options);
    if (!wanted.ok()) return wanted.status();
    const absl::StatusOr<gridwise::TuneResult> result = gridwise::Tune(
        *valid, *given, {.plans = capacity, .time_limit_s = time_limit_s, .plan = *wanted},
        static_cast<hipStream_t>(stream));
    if (!result.ok()) return result.status();
    std::vector<gridwise::Plan> timed;
    for (const gridwise::PlanTime& time : result->plans) {
      if (!time.status.ok()) break;  // those without a time are the last
      milliseconds[timed.size()] = time.milliseconds;
      timed.push_back(time.plan);
    }
    *clock = static_cast<int>(result->clock);
    *count = WritePlans(timed, plans);
    return absl::OkStatus();
  });
}

gridwise_status gridwise_open_cache(const char* path, gridwise_cache** cache) {
  return Guarded([&]() -> absl::Status {
    if (absl::Status status = CheckGiven({{"path", path}, {"cache", cache}}); !status.ok())
      return status;
    absl::StatusOr<std::unique_ptr<gridwise::PlanCache>> opened = gridwise::PlanCache::Open(path);
    if (!opened.ok()) return opened.status();
    *cache = new gridwise_cache{*std::move(opened)};
    return absl::OkStatus();
  });
}

void gridwise_close_cache(gridwise_cache* cache) { delete cache; }

gridwise_status gridwise_cache_find(const gridwise_cache* cache,
                                    const gridwise_conv_problem* problem, const char* target,
                                    gridwise_plan** plan) {
  return Guarded([&]() -> absl::Status {
    if (absl::Status status = CheckGiven({{"cache", cache}, {"plan", plan}}); !status.ok())
      return status;
    const absl::StatusOr<Asked> asked = ConvertRequest(problem, target);
    if (!asked.ok()) return asked.status();
    const std::optional<gridwise::Plan> found = cache->cache->Find(asked->problem, asked->device);
    if (!found) return absl::NotFoundError("the cache has no plan for the problem");
    *plan = new gridwise_plan(*found);
    return absl::OkStatus();
  });
}

gridwise_status gridwise_cache_store(gridwise_cache* cache, const gridwise_plan* plan) {
  return Guarded([&]() -> absl::Status {
    if (absl::Status status = CheckGiven({{"cache", cache}, {"plan", plan}}); !status.ok())
      return status;
    if (plan->convolution) return cache->cache->Store(*plan->convolution);
    return absl::InvalidArgumentError(
        "the plan is not of a convolution; a cache has no lines for others");
  });
}

const char* gridwise_cache_skipped(const gridwise_cache* cache, int index) {
  const std::vector<std::string>& skipped = cache->cache->skipped();
  if (index < 0 || static_cast<std::size_t>(index) >= skipped.size()) return nullptr;
  return skipped[static_cast<std::size_t>(index)].c_str();
}

gridwise_status gridwise_use_device(const char* target) {
  return Guarded([&]() -> absl::Status {
    if (absl::Status status = CheckGiven({{"target", target}}); !status.ok()) return status;
    const absl::StatusOr<gridwise::DeviceInfo> device = gridwise::FindDeviceOf(target);
    if (!device.ok()) return device.status();
    return gridwise::UseDevice(*device);
  });
}

gridwise_status gridwise_allocate(int64_t bytes, void** memory) {
  return Guarded([&]() -> absl::Status {
    if (absl::Status status = CheckGiven({{"memory", memory}}); !status.ok()) return status;
    if (absl::Status status = CheckBytes(bytes); !status.ok()) return status;
    return gridwise::ToStatus(hipMalloc(memory, static_cast<std::size_t>(bytes)),
                              absl::StrFormat("allocate %d bytes of device memory", bytes));
  });
}

void gridwise_free(void* memory) { static_cast<void>(hipFree(memory)); }

gridwise_status gridwise_copy_to_device(void* memory, const void* source, int64_t bytes) {
  return Guarded([&]() -> absl::Status {
    return Copy({"memory", memory}, {"source", source}, bytes, hipMemcpyHostToDevice);
  });
}

gridwise_status gridwise_copy_to_host(void* target, const void* memory, int64_t bytes) {
  return Guarded([&]() -> absl::Status {
    return Copy({"target", target}, {"memory", memory}, bytes, hipMemcpyDeviceToHost);
  });
}

gridwise_status gridwise_synchronize(void) {
  return Guarded([] { return gridwise::SynchronizeDevice(); });
}

}  // extern "C"
