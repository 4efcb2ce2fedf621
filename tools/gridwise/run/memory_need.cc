// SPDX-License-Identifier: MIT
#include "tools/gridwise/run/memory_need.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/conv/tensor_bytes.h"
#include "core/runtime/device.h"
#include "core/runtime/status.h"
#include "hip/hip_runtime_api.h"
#include "tools/gridwise/run/device_for.h"
#include "tools/gridwise/run/sim_report.h"

namespace gridwise {
namespace {

/// Bytes that are needed to compute a problem.
struct MemoryNeed {
  std::int64_t device = 0;     // tensors and workspace
  std::int64_t operands = 0;   // f32 operands, a copy in the device's types, and the result
  std::int64_t reference = 0;  // sums in f64, and reordered copies of the operands
};

template <class P>
MemoryNeed ComputeNeed(const P& problem, const InstancePlan& plan) {
  constexpr std::int64_t kFloat = sizeof(float), kDouble = sizeof(double);
  const std::int64_t a = problem.a_elements(), b = problem.b_elements(),
                     out = problem.out_elements();
  const std::int64_t result = out * SizeOf(problem.output_type());
  std::int64_t operands = a + b;
  for (const std::size_t i : {0u, 1u}) {
    if (OperandSumsOf(problem)[i].adds) operands += i == 0 ? a : b;
  }
  MemoryNeed need = {.device = operands * SizeOf(problem.type) + result + plan.workspace_bytes()};
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    const std::int64_t elements = EpilogueElements(problem, i);
    need.device += elements * SizeOf(problem.epilogue.d[static_cast<std::size_t>(i)].type);
    operands += elements;
  }
  need.operands = operands * kFloat + std::max(a, b) * SizeOf(problem.type) + result;
  // The expected values, the largest values, and the result for the comparison.
  need.reference = 3 * out * kDouble + (a + b) * kFloat;
  return need;
}

/// Returns the memory that the system can provide without swapping; nullopt if unknown.
std::optional<std::int64_t> AvailableBytes() {
  std::ifstream info("/proc/meminfo");
  std::string key, unit;
  std::int64_t kib = 0;
  while (info >> key >> kib) {
    std::getline(info, unit);
    if (key == "MemAvailable:") return kib * 1024;
  }
  return std::nullopt;
}

std::string Gigabytes(std::int64_t bytes) {
  return absl::StrFormat("%.1f GB", 1e-9 * static_cast<double>(bytes));
}

absl::Status CheckDevice(const MemoryNeed& need, const InstancePlan& plan) {
  const absl::StatusOr<DeviceInfo> device = DeviceFor(plan.device());
  if (!device.ok()) return absl::OkStatus();  // the computation reports it
  if (absl::Status status = UseDevice(*device); !status.ok()) return status;
  std::size_t free = 0, total = 0;
  absl::Status status = ToStatus(hipMemGetInfo(&free, &total), "ask for the device's free memory");
  if (!status.ok() || need.device <= static_cast<std::int64_t>(free)) return status;
  return absl::ResourceExhaustedError(
      absl::StrFormat("tensors and workspace need %s, and %s has %s free", Gigabytes(need.device),
                      device->name, Gigabytes(static_cast<std::int64_t>(free))));
}

}  // namespace

absl::Status CheckMemory(const Problem& problem, const InstancePlan& plan, bool verify) {
  const MemoryNeed need = std::visit([&](const auto& p) { return ComputeNeed(p, plan); }, problem);
  if (absl::Status status = CheckDevice(need, plan); !status.ok()) return status;
  const std::optional<std::int64_t> available = AvailableBytes();
  const std::int64_t simulated = IsSimulated() ? need.device : 0;
  const std::int64_t all = simulated + need.operands + (verify ? need.reference : 0);
  if (!available || all <= *available) return absl::OkStatus();
  std::string message =
      absl::StrFormat("the problem needs %s of the host's memory: ", Gigabytes(all));
  if (simulated > 0) {
    absl::StrAppend(&message, Gigabytes(simulated), " of the simulated device, ");
  }
  absl::StrAppend(&message, Gigabytes(need.operands), " of operands and result");
  if (verify) absl::StrAppend(&message, ", ", Gigabytes(need.reference), " of the reference");
  absl::StrAppend(&message, "; ", Gigabytes(*available), " are available");
  return absl::ResourceExhaustedError(message);
}

}  // namespace gridwise
