#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "core/runtime/device.h"
#include "core/runtime/status.h"
#include "instances/conv.h"

namespace gridwise {
namespace {

constexpr std::size_t kMaxArguments = 4096;  // bytes; the HIP API's own limit

/// The start of each Memory; null where there is none.
std::array<const void*, 6> StartsOf(const ConvTensors& tensors, void* workspace) {
  return {tensors.a, tensors.b, tensors.out, tensors.d0, tensors.d1, workspace};
}

absl::Status CheckTensors(const ConvTensors& tensors, int epilogue_tensors) {
  const auto null = [](const char* name) {
    return absl::InvalidArgumentError(
        absl::StrFormat("tensor %s is null; the plan's tensors must be device memory", name));
  };
  if (tensors.a == nullptr) return null("a");
  if (tensors.b == nullptr) return null("b");
  if (tensors.out == nullptr) return null("out");
  if (epilogue_tensors > 0 && tensors.d0 == nullptr) return null("d0");
  if (epilogue_tensors > 1 && tensors.d1 == nullptr) return null("d1");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Executable> Executable::Load(const Plan& plan) {
  absl::StatusOr<DeviceInfo> device = CurrentDevice();
  if (!device.ok()) return device.status();
  if (device->target != Name(plan.gfx())) {
    return absl::FailedPreconditionError(
        absl::StrFormat("the plan is for %s, and the current device %s is %s", Name(plan.gfx()),
                        device->name, device->target));
  }
  Executable executable(plan);
  for (const Step& step : plan.steps_.steps) {
    absl::StatusOr<std::string_view> code = FindCode(step.table, plan.gfx(), step.row);
    if (!code.ok()) return code.status();
    absl::StatusOr<Module> module = Module::Load(*code);
    if (!module.ok()) return module.status();
    absl::StatusOr<hipFunction_t> kernel = module->FindKernel(step.symbol);
    if (!kernel.ok()) return kernel.status();
    executable.modules_.push_back(*std::move(module));
    executable.kernels_.push_back(*kernel);
  }
  return executable;
}

absl::Status Executable::Launch(const ConvTensors& tensors, void* workspace,
                                std::int64_t workspace_bytes, hipStream_t stream) const {
  absl::Status status = CheckTensors(tensors, plan_.problem().epilogue.tensors);
  if (!status.ok()) return status;
  const std::int64_t needed = plan_.workspace_bytes();
  if (needed > 0 && (workspace == nullptr || workspace_bytes < needed)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("workspace is %d bytes at %p; the plan needs %d bytes", workspace_bytes,
                        workspace, needed));
  }
  const std::vector<std::byte>& upload = plan_.steps_.upload;
  if (!upload.empty()) {
    status = ToStatus(
        hipMemcpyAsync(workspace, upload.data(), upload.size(), hipMemcpyHostToDevice, stream),
        "copy the table of sub-GEMMs to the workspace");
    if (!status.ok()) return status;
  }
  if (plan_.steps_.zero_bytes > 0) {
    status = ToStatus(hipMemsetAsync(static_cast<char*>(workspace) + plan_.steps_.zero_at, 0,
                                     static_cast<std::size_t>(plan_.steps_.zero_bytes), stream),
                      "clear the sums in the workspace");
    if (!status.ok()) return status;
  }
  const std::array<const void*, 6> starts = StartsOf(tensors, workspace);
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    const Step& step = plan_.steps_.steps[i];
    alignas(16) std::array<std::byte, kMaxArguments> buffer;
    const std::span arguments(buffer.data(), step.arguments.size());
    std::memcpy(arguments.data(), step.arguments.data(), arguments.size());
    for (const Step::Address& address : step.addresses) {
      const char* const value =
          static_cast<const char*>(starts[static_cast<std::size_t>(address.memory)]) +
          address.offset;
      std::memcpy(arguments.data() + address.at, &value, sizeof(value));
    }
    if (status = gridwise::Launch(kernels_[i], step.shape, arguments, stream); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace gridwise
