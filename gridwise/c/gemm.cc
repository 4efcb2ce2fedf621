// SPDX-License-Identifier: MIT
#include "gridwise/gemm.h"

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/gemm/problem.h"
#include "gridwise/c/conversions.h"
#include "gridwise/c/gridwise_gemm.h"
#include "gridwise/c/handles.h"

using gridwise::CheckGiven;
using gridwise::DeviceFacts;
using gridwise::GemmProblem;
using gridwise::Guarded;

extern "C" {

void gridwise_gemm_problem_defaults(gridwise_gemm_problem* problem, size_t size) {
  gridwise::Initialize(gridwise::DefaultGemm(), problem, size);
}

gridwise_status gridwise_gemm_problem_elements(const gridwise_gemm_problem* problem, int64_t* a,
                                               int64_t* b, int64_t* out, int32_t* out_type) {
  return Guarded([&]() -> absl::Status {
    absl::Status status = CheckGiven({{"a", a}, {"b", b}, {"out", out}, {"out_type", out_type}});
    if (!status.ok()) return status;
    const absl::StatusOr<GemmProblem> valid = gridwise::ConvertGemm(problem);
    if (!valid.ok()) return valid.status();
    *a = valid->a_elements();
    *b = valid->b_elements();
    *out = valid->out_elements();
    *out_type = static_cast<int32_t>(valid->output_type());
    return absl::OkStatus();
  });
}

gridwise_status gridwise_make_gemm_plan(const gridwise_gemm_problem* problem, const char* target,
                                        const gridwise_plan_options* options,
                                        gridwise_plan** plan) {
  return Guarded([&]() -> absl::Status {
    if (absl::Status status = CheckGiven({{"plan", plan}}); !status.ok()) return status;
    const absl::StatusOr<GemmProblem> valid = gridwise::ConvertGemm(problem);
    if (!valid.ok()) return valid.status();
    const absl::StatusOr<DeviceFacts> device = gridwise::ConvertDevice(target);
    if (!device.ok()) return device.status();
    const absl::StatusOr<gridwise::PlanOptions> wanted = gridwise::ConvertOptions(options);
    if (!wanted.ok()) return wanted.status();
    const absl::StatusOr<gridwise::GemmPlan> made = gridwise::MakePlan(*valid, *device, *wanted);
    if (!made.ok()) return made.status();
    *plan = new gridwise_plan(*made);
    return absl::OkStatus();
  });
}

gridwise_status gridwise_explain_gemm(const gridwise_gemm_problem* problem, const char* target,
                                      const gridwise_plan_options* options,
                                      gridwise_explanations** explanations) {
  return Guarded([&]() -> absl::Status {
    absl::Status status = CheckGiven({{"explanations", explanations}});
    if (!status.ok()) return status;
    const absl::StatusOr<GemmProblem> valid = gridwise::ConvertGemm(problem);
    if (!valid.ok()) return valid.status();
    const absl::StatusOr<DeviceFacts> device = gridwise::ConvertDevice(target);
    if (!device.ok()) return device.status();
    const absl::StatusOr<gridwise::PlanOptions> wanted = gridwise::ConvertOptions(options);
    if (!wanted.ok()) return wanted.status();
    status = CheckOptions(*valid, *device, *wanted);
    if (!status.ok()) return status;
    *explanations = gridwise::NewExplanations(ExplainInstances(*valid, *device, *wanted), *device);
    return absl::OkStatus();
  });
}

}  // extern "C"
